//! The agent's loop: requests in, events out, a thread for each process.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};

use anyhow::{Context, Result};

use super::cgroup::Cgroup;
use super::frame;
use super::message::{Event, Exec, Hello, Request, VERSION};
use super::process::{self, Store};
use super::supervise::Watch;
use super::{node, terminal};

/// What the host can still say to a running process.
struct Running {
    /// To the thread that writes the process's input: a process need not read
    /// it, and must not hold up anything else.
    stdin: Option<Sender<Vec<u8>>>,
    /// The host's end of a terminal.
    terminal: Option<OwnedFd>,
    /// Dropped to ask for the end.
    stop: Option<io::PipeWriter>,
}

type Processes = Arc<Mutex<HashMap<u32, Running>>>;
type Line = Arc<Mutex<Box<dyn Write + Send>>>;

/// Serves one host until it closes the line; then ends every process and
/// returns.
pub fn serve(mut from: impl Read, to: impl Write + Send + 'static) -> Result<()> {
    let line: Line = Arc::new(Mutex::new(Box::new(to)));
    let store = Arc::new(Store::new().context("no folder for programs")?);
    let processes = Processes::default();
    let mut kernel_log = open_kernel_log();
    let mut threads = Vec::new();
    let end = loop {
        // A line that breaks ends as one that is closed does.
        let request = match frame::read::<Request>(&mut from) {
            Ok(Some(request)) => request,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error).context("a broken request"),
        };
        match request {
            Request::Hello => {
                // What the kernel said before belongs to no run of this host.
                read_kernel_log(&mut kernel_log);
                send(&line, &hello());
            }
            Request::SetClock { unix_ns } => set_clock(unix_ns),
            Request::Put { hash, bytes } => send(&line, &put(&store, hash, &bytes)),
            Request::Exec { id, exec } => {
                threads.retain(|thread: &std::thread::JoinHandle<()>| !thread.is_finished());
                let (line, store, processes) = (line.clone(), store.clone(), processes.clone());
                // Known before it runs: what the host says next may be for it.
                let ends = register(&processes, id).context("no pipe for a process")?;
                threads.push(std::thread::spawn(move || {
                    if let Err(error) = run(id, &exec, ends, &store, &line, &processes) {
                        let reason = format!("{error:#}");
                        send(&line, &Event::Failed { id, reason });
                    }
                    forget(&processes, id);
                }));
            }
            Request::KernelLog => {
                send(
                    &line,
                    &Event::KernelLog {
                        lines: read_kernel_log(&mut kernel_log),
                    },
                );
            }
            other => control(&processes, other),
        }
    };
    // The host is gone: nobody wants what is still running.
    for running in processes
        .lock()
        .expect("no thread panics here")
        .values_mut()
    {
        running.stop = None;
    }
    for thread in threads {
        let _ = thread.join();
    }
    end
}

/// A line that is closed is noticed where it is read.
fn send(line: &Line, event: &Event) {
    let mut line = line.lock().expect("no thread panics here");
    let _ = frame::write(&mut *line, event);
}

fn hello() -> Event {
    Event::Hello(Box::new(Hello {
        version: VERSION,
        provenance: node::provenance(),
        cgroup: Cgroup::available(),
    }))
}

fn put(store: &Store, hash: String, bytes: &[u8]) -> Event {
    match store.keep(&hash, bytes) {
        Ok(()) => Event::Kept { hash },
        Err(error) => Event::Failed {
            id: 0,
            reason: format!("cannot keep a program of {} bytes: {error}", bytes.len()),
        },
    }
}

fn control(processes: &Processes, request: Request) {
    let mut processes = processes.lock().expect("no thread panics here");
    // A process that has just ended is no longer there; its end is on the way.
    match request {
        Request::Stdin { id, bytes } => {
            if let Some(Running {
                stdin: Some(stdin), ..
            }) = processes.get(&id)
            {
                // A process may have closed its input.
                let _ = stdin.send(bytes);
            }
        }
        Request::Eof { id } => {
            if let Some(running) = processes.get_mut(&id) {
                running.stdin = None;
            }
        }
        Request::Resize { id, rows, columns } => {
            if let Some(Running {
                terminal: Some(host),
                ..
            }) = processes.get(&id)
            {
                terminal::resize(host, rows, columns);
            }
        }
        Request::Kill { id } => {
            if let Some(running) = processes.get_mut(&id) {
                running.stop = None;
            }
        }
        _ => {}
    }
}

fn forget(processes: &Processes, id: u32) {
    lock(processes).remove(&id);
}

/// The process's ends of what [`Running`] holds.
struct Ends {
    stdin: Receiver<Vec<u8>>,
    /// At its end when the process is to end.
    stop: io::PipeReader,
}

fn register(processes: &Processes, id: u32) -> io::Result<Ends> {
    let (stop, stopper) = io::pipe()?;
    let (sender, stdin) = channel();
    let running = Running {
        stdin: Some(sender),
        terminal: None,
        stop: Some(stopper),
    };
    lock(processes).insert(id, running);
    Ok(Ends { stdin, stop })
}

/// One process from its start to its end, told to the host.
fn run(
    id: u32,
    exec: &Exec,
    ends: Ends,
    store: &Store,
    line: &Line,
    processes: &Processes,
) -> Result<()> {
    let group = match Cgroup::available() {
        true => Some(Cgroup::create(id, &exec.limits).context("cannot make a control group")?),
        false => None,
    };
    let folder = store
        .working_folder()
        .context("cannot make a working folder")?;
    let log = folder.path().join(".trace");
    let mut started = process::start(exec, store, folder.path(), &log, group.as_ref())
        .with_context(|| format!("cannot start {:?}", exec.program))?;
    if let Some(stdin) = started.stdin.take() {
        feed(ends.stdin, stdin.into());
    }
    if started.terminal
        && let Some(running) = lock(processes).get_mut(&id)
    {
        running.terminal = Some(started.stdout.try_clone()?);
    }
    let watch = Watch {
        started: &started,
        limits: &exec.limits,
        group: group.as_ref(),
        stop: ends.stop.as_raw_fd(),
        output: &mut |stream, bytes| {
            let bytes = bytes.to_vec();
            send(line, &Event::Output { id, stream, bytes });
        },
    };
    let exit = watch
        .until_exit(&log)
        .context("the process could not be watched")?;
    forget(processes, id);
    // Told before the group and the folder are removed: the host need not
    // wait for that.
    send(line, &Event::Exited { id, exit });
    Ok(())
}

/// Writes to a process what is sent, in order, until either end is closed.
fn feed(input: Receiver<Vec<u8>>, mut stdin: File) {
    std::thread::spawn(move || {
        for bytes in input {
            if stdin.write_all(&bytes).is_err() {
                return;
            }
        }
    });
}

fn lock(processes: &Processes) -> MutexGuard<'_, HashMap<u32, Running>> {
    processes.lock().expect("no thread panics here")
}

fn set_clock(unix_ns: u64) {
    let time = libc::timespec {
        tv_sec: (unix_ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (unix_ns % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: the structure is valid for the call. Without the privilege the
    // clock stays as it is: it is right on a host that was not restored.
    unsafe { libc::clock_settime(libc::CLOCK_REALTIME, &raw const time) };
}

/// At its end, so that only what comes later is read. Absent where an
/// ordinary user may not read it.
fn open_kernel_log() -> Option<File> {
    use std::io::Seek;
    let mut log = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/kmsg")
        .ok()?;
    log.seek(io::SeekFrom::End(0)).ok()?;
    Some(log)
}

/// The messages since the last time, a line each, without their prefix.
fn read_kernel_log(log: &mut Option<File>) -> String {
    let Some(log) = log else { return String::new() };
    let mut lines = String::new();
    let mut record = [0; 8192];
    loop {
        match log.read(&mut record) {
            Ok(count) if count > 0 => {
                // PRIORITY,SEQUENCE,TIME,FLAGS;MESSAGE
                let text = String::from_utf8_lossy(&record[..count]);
                let message = text.split_once(';').map_or("", |(_, message)| message);
                lines.push_str(message.lines().next().unwrap_or(""));
                lines.push('\n');
            }
            // Overwritten before it was read: go on with what is there.
            Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
            _ => return lines,
        }
    }
}
