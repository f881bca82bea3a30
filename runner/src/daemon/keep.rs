//! The daemon itself.

use std::collections::HashMap;
use std::io::{self, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use protocol::job::Limits;
use protocol::report::Provenance;

use super::message::{Answer, Ask, Kept};
use crate::agent::frame;
use crate::agent::message::{Event, Exec, Program, Request};
use crate::qemu::{Options, Qemu};
use crate::testbed::Testbed;
use crate::wire::{Incoming, Line};

/// The line that tells `up` that the testbed is ready.
pub const READY: &str = "ready";

/// How long a client may leave a shell's output unread.
const STALLED: Duration = Duration::from_secs(5);

/// What the threads of the daemon share.
struct Shared {
    lines: Vec<Line>,
    qemu_pids: [u32; 2],
    provenance: Provenance,
    begin: Instant,
    next_id: AtomicU32,
    /// Clients with a shell, by its process.
    shells: Mutex<HashMap<u32, UnixStream>>,
    socket: PathBuf,
}

/// Opens the testbed, serves clients, and returns when a guest is lost; ends
/// the process when told to. Progress goes to standard output, a line a step,
/// and `ready` last.
pub fn keep(options: &Options, socket: &Path) -> Result<()> {
    if UnixStream::connect(socket).is_ok() {
        anyhow::bail!("another daemon listens at {}", socket.display());
    }
    let mut out = io::stdout();
    let mut qemu = Qemu::open(options, &mut |step| {
        // Whoever asked for the testbed may have gone: it is kept all the same.
        let _ = writeln!(out, "{step}");
    })?;
    let listener = listen(socket)?;
    let nodes = qemu.wire().nodes();
    let shared = Arc::new(Shared {
        lines: (0..nodes).map(|node| qemu.wire().line(node)).collect(),
        qemu_pids: qemu.pids(),
        provenance: qemu.provenance().clone(),
        begin: Instant::now(),
        next_id: AtomicU32::new(1_000_000),
        shells: Mutex::default(),
        socket: socket.to_path_buf(),
    });
    let accepting = shared.clone();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let shared = accepting.clone();
            std::thread::spawn(move || {
                if let Err(error) = serve(&shared, client) {
                    eprintln!("a client: {error:#}");
                }
            });
        }
    });
    let _ = writeln!(io::stdout(), "{READY}");
    let lost = forward(&shared, &mut qemu);
    let _ = std::fs::remove_file(socket);
    let (node, reason) = match qemu.lost() {
        Some(loss) => (loss.node, loss.reason),
        None => lost,
    };
    anyhow::bail!("node {node} is lost: {reason}")
}

/// A socket left by a daemon that was killed is replaced; a living one is not.
fn listen(socket: &Path) -> Result<UnixListener> {
    if UnixStream::connect(socket).is_err() {
        let _ = std::fs::remove_file(socket);
    }
    UnixListener::bind(socket).with_context(|| format!("cannot listen at {}", socket.display()))
}

/// Hands the agents' events to the shells' clients, until a line closes.
fn forward(shared: &Shared, qemu: &mut Qemu) -> (usize, String) {
    loop {
        match qemu.wire().receive(Duration::from_secs(3600)) {
            Some((_, Incoming::Event(event))) => {
                let (id, over) = match &event {
                    Event::Output { id, .. } => (*id, false),
                    Event::Exited { id, .. } | Event::Failed { id, .. } => (*id, true),
                    _ => continue,
                };
                let mut shells = shared.shells();
                let told = shells
                    .get_mut(&id)
                    .is_none_or(|client| frame::write(client, &Answer::Shell(event)).is_ok());
                if over || !told {
                    shells.remove(&id);
                }
            }
            Some((node, Incoming::Closed { reason })) => return (node, reason),
            None => {}
        }
    }
}

fn serve(shared: &Shared, mut client: UnixStream) -> Result<()> {
    match frame::read(&mut client)? {
        Some(Ask::Status) => {
            let kept = Kept {
                pid: std::process::id(),
                qemu_pids: shared.qemu_pids,
                since: shared.begin.elapsed(),
                provenance: shared.provenance.clone(),
            };
            frame::write(&mut client, &Answer::Status(Box::new(kept)))?;
        }
        Some(Ask::Down) => {
            let _ = std::fs::remove_file(&shared.socket);
            frame::write(&mut client, &Answer::Ending)?;
            // The guests are children that end with their parent.
            std::process::exit(0);
        }
        Some(Ask::Shell { node, terminal }) => shell(shared, client, node, terminal)?,
        Some(other) => {
            let answer = Answer::Refused(format!("{other:?} without a shell"));
            frame::write(&mut client, &answer)?;
        }
        None => {}
    }
    Ok(())
}

/// Starts a shell and passes its input on until the client goes.
fn shell(
    shared: &Shared,
    mut client: UnixStream,
    node: usize,
    terminal: Option<(u16, u16)>,
) -> Result<()> {
    let Some(line) = shared.lines.get(node) else {
        let count = shared.lines.len();
        let answer = Answer::Refused(format!(
            "there is no node {node}; nodes are 0 to {}",
            count - 1
        ));
        frame::write(&mut client, &answer)?;
        return Ok(());
    };
    let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
    // One that reads nothing must not hold up the others.
    client.set_write_timeout(Some(STALLED))?;
    shared.shells().insert(id, client.try_clone()?);
    line.send(&Request::Exec {
        id,
        exec: shell_process(terminal),
    })?;
    while let Ok(Some(ask)) = frame::read(&mut client) {
        line.send(&match ask {
            Ask::Input(bytes) => Request::Stdin { id, bytes },
            Ask::EndOfInput => Request::Eof { id },
            Ask::Resize(rows, columns) => Request::Resize { id, rows, columns },
            _ => break,
        })?;
    }
    line.send(&Request::Kill { id })?;
    Ok(())
}

fn shell_process(terminal: Option<(u16, u16)>) -> Exec {
    let day = Duration::from_secs(24 * 3600);
    Exec {
        program: Program::Path("/bin/sh".into()),
        name: "sh".into(),
        args: terminal.map(|_| "-i".into()).into_iter().collect(),
        env: vec![("PS1".into(), "\\h:\\w# ".into())],
        unprivileged: false,
        memlock: None,
        tracer: None,
        limits: Limits {
            wall: day,
            silence: day,
            output: u64::MAX,
            ..Limits::default()
        },
        terminal,
    }
}

impl Shared {
    fn shells(&self) -> std::sync::MutexGuard<'_, HashMap<u32, UnixStream>> {
        self.shells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
