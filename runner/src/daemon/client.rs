//! What a command does with the daemon.

use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use protocol::report::End;

use super::keep::READY;
use super::message::{Answer, Ask};
use crate::agent::frame;
use crate::agent::message::{Event, Stream};

pub use super::message::Kept as Status;

/// How often a terminal is asked for its size.
const RESIZE: Duration = Duration::from_millis(200);

/// How a shell ended.
pub enum Shell {
    Exited(u8),
    /// The daemon or the guest went away.
    Lost(String),
}

/// Starts the daemon with `command`, which must call [`super::keep`] with this
/// socket, in a session of its own; passes its progress to `watch` and returns
/// when the testbed answers. Its later messages go to `log`.
pub fn up(
    mut command: Command,
    socket: &Path,
    log: &Path,
    mut watch: impl FnMut(&str),
) -> Result<Status> {
    if let Some(status) = status(socket)? {
        bail!(
            "the testbed is up already, process {}; `cargo xtask testbed down` ends it\n\
             测试床已在运行，进程 {}；可用 `cargo xtask testbed down` 结束它",
            status.pid,
            status.pid
        );
    }
    let file = std::fs::File::create(log)
        .with_context(|| format!("cannot write the log {}", log.display()))?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(file);
    // SAFETY: one system call between fork and exec.
    unsafe {
        command.pre_exec(|| match libc::setsid() {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
    let mut child = command.spawn().context("cannot start the daemon")?;
    let out = child.stdout.take().context("the daemon has no output")?;
    for line in BufReader::new(out).lines() {
        let line = line?;
        if line == READY {
            let status = status(socket)?;
            return status.context("the testbed was lost as soon as it was up");
        }
        watch(&line);
    }
    child.wait()?;
    let text = std::fs::read_to_string(log).unwrap_or_default();
    bail!(
        "the testbed did not come up / 测试床未能启动：\n{}",
        text.trim()
    )
}

/// The testbed that is up; `None` when there is none.
pub fn status(socket: &Path) -> Result<Option<Status>> {
    match ask(socket, &Ask::Status)? {
        None => Ok(None),
        Some((_, Answer::Status(status))) => Ok(Some(*status)),
        Some((_, other)) => bail!("the daemon answers {other:?}; it may be of another version"),
    }
}

/// Ends the testbed; false when none was up.
pub fn down(socket: &Path) -> Result<bool> {
    let Some((mut line, _)) = ask(socket, &Ask::Down)? else {
        return Ok(false);
    };
    // Its end closes the line.
    let _ = line.read(&mut [0]);
    Ok(true)
}

/// Asks the daemon; `None` when none listens.
fn ask(socket: &Path, question: &Ask) -> Result<Option<(UnixStream, Answer)>> {
    let Ok(mut line) = UnixStream::connect(socket) else {
        return Ok(None);
    };
    frame::write(&mut line, question)?;
    let answer = frame::read(&mut line)?.context("the daemon closed the line")?;
    Ok(Some((line, answer)))
}

/// A shell on `node`, on this process's standard streams.
pub fn shell(socket: &Path, node: usize) -> Result<Shell> {
    let mut line = UnixStream::connect(socket).ok().context(
        "no testbed is up; start one with `cargo xtask testbed up`\n\
         测试床没有运行；请先执行 `cargo xtask testbed up`",
    )?;
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let size = terminal.then(window).flatten();
    frame::write(
        &mut line,
        &Ask::Shell {
            node,
            terminal: size,
        },
    )?;
    let raw = size.map(|_| Raw::enter()).transpose()?;
    let input = line.try_clone()?;
    let input = Arc::new(Mutex::new(input));
    if let Some(size) = size {
        let line = input.clone();
        std::thread::spawn(move || send_sizes(&line, size));
    }
    std::thread::spawn(move || send_input(&input));
    let end = receive(&mut line);
    drop(raw);
    end
}

fn send_input(line: &Mutex<UnixStream>) {
    let mut buffer = [0; 4096];
    let mut stdin = io::stdin().lock();
    while let Ok(count) = stdin.read(&mut buffer) {
        let ask = match count {
            0 => Ask::EndOfInput,
            _ => Ask::Input(buffer[..count].to_vec()),
        };
        if !say(line, &ask) || count == 0 {
            return;
        }
    }
}

/// One frame, whole; false when the daemon is gone.
fn say(line: &Mutex<UnixStream>, ask: &Ask) -> bool {
    let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
    frame::write(&mut *line, ask).is_ok()
}

fn send_sizes(line: &Mutex<UnixStream>, mut last: (u16, u16)) {
    loop {
        std::thread::sleep(RESIZE);
        if let Some(size) = window().filter(|size| *size != last) {
            last = size;
            if !say(line, &Ask::Resize(size.0, size.1)) {
                return;
            }
        }
    }
}

fn receive(line: &mut UnixStream) -> Result<Shell> {
    loop {
        match frame::read(line) {
            Ok(Some(Answer::Shell(Event::Output { stream, bytes, .. }))) => match stream {
                Stream::Stdout => write_all(io::stdout(), &bytes)?,
                Stream::Stderr => write_all(io::stderr(), &bytes)?,
            },
            Ok(Some(Answer::Shell(Event::Exited { exit, .. }))) => {
                return Ok(Shell::Exited(match exit.end {
                    End::Exited { code } => code as u8,
                    // As shells report it.
                    End::Signal { signal } => 128 + signal as u8,
                    _ => 1,
                }));
            }
            Ok(Some(Answer::Shell(Event::Failed { reason, .. }))) => bail!(reason),
            Ok(Some(Answer::Refused(reason))) => bail!(reason),
            Ok(Some(_)) => {}
            Ok(None) => return Ok(Shell::Lost("the testbed went down".into())),
            Err(error) => return Ok(Shell::Lost(error.to_string())),
        }
    }
}

fn write_all(mut out: impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes)?;
    out.flush()
}

/// Rows and columns of the terminal.
fn window() -> Option<(u16, u16)> {
    let mut size = libc::winsize {
        ws_row: 0,
        ws_col: 0,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: fills in the structure it is given.
    let failed = unsafe { libc::ioctl(io::stdout().as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) };
    (failed == 0).then_some((size.ws_row, size.ws_col))
}

/// The terminal passes every key on; as it was before when dropped.
struct Raw(libc::termios);

impl Raw {
    fn enter() -> Result<Raw> {
        // SAFETY: an all-zero termios is a valid value, and the calls fill it
        // in or read it.
        unsafe {
            let mut before: libc::termios = std::mem::zeroed();
            if libc::tcgetattr(0, &raw mut before) != 0 {
                return Err(io::Error::last_os_error()).context("no terminal on standard input");
            }
            let mut raw = before;
            libc::cfmakeraw(&raw mut raw);
            libc::tcsetattr(0, libc::TCSANOW, &raw const raw);
            Ok(Raw(before))
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { libc::tcsetattr(0, libc::TCSANOW, &raw const self.0) };
    }
}
