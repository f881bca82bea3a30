//! Starting one process with its limits.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use protocol::log::{LIMIT_VARIABLE, LOG_VARIABLE};

use super::cgroup::Cgroup;
use super::message::{Exec, Program};
use super::terminal;

/// User and group of an unprivileged process: `nobody` on every distribution.
const NOBODY: u32 = 65534;

/// Bytes of trace a run may leave: a hundred thousand calls.
const TRACE_LIMIT: u64 = 16 << 20;

/// Where this agent keeps programs and the runs' private folders.
pub struct Store {
    folder: tempfile::TempDir,
}

impl Store {
    pub fn new() -> io::Result<Store> {
        sweep();
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
        // An unprivileged process must reach its program.
        set_mode(folder.path(), 0o755)?;
        Ok(Store { folder })
    }

    /// Keeps an executable: written, then named, so that it is whole.
    pub fn keep(&self, hash: &str, bytes: &[u8]) -> io::Result<()> {
        let target = self.kept(hash)?;
        let scratch = target.with_extension("new");
        std::fs::write(&scratch, bytes)?;
        set_mode(&scratch, 0o755)?;
        std::fs::rename(scratch, target)
    }

    /// The path of an executable kept before. A hash is hexadecimal, so it
    /// cannot name anything outside the store.
    pub fn kept(&self, hash: &str) -> io::Result<PathBuf> {
        if hash.is_empty() || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(io::Error::other(format!("{hash:?} is no content hash")));
        }
        Ok(self.folder.path().join(hash))
    }

    /// A new working folder for a run, writable for everybody.
    pub fn working_folder(&self) -> io::Result<tempfile::TempDir> {
        let folder = tempfile::tempdir_in(self.folder.path())?;
        set_mode(folder.path(), 0o777)?;
        Ok(folder)
    }
}

const PREFIX: &str = "rdma-manual-";

/// Removes the folders of agents that were killed.
fn sweep() {
    for entry in std::fs::read_dir(std::env::temp_dir())
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        if owner
            .is_some_and(|pid| pid.parse::<u32>().is_ok() && !Path::new("/proc").join(pid).exists())
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// A started process and the host's ends of its streams.
pub struct Started {
    pub pid: i32,
    pub stdin: Option<OwnedFd>,
    pub stdout: OwnedFd,
    /// Absent for a terminal, which has one stream.
    pub stderr: Option<OwnedFd>,
    pub terminal: bool,
}

/// Starts `exec` in a session and, where there is one, a group of its own.
pub fn start(
    exec: &Exec,
    store: &Store,
    folder: &Path,
    log: &Path,
    group: Option<&Cgroup>,
) -> io::Result<Started> {
    let mut command = command(exec, store, folder, log)?;
    let entrance = group.map(Cgroup::entrance).transpose()?;
    let own_memory = entrance.is_none().then_some(exec.limits.memory);
    let terminal = exec.terminal.map(terminal::open).transpose()?;
    match &terminal {
        Some(pair) => {
            for stream in [Command::stdin, Command::stdout, Command::stderr] {
                stream(&mut command, Stdio::from(pair.program.try_clone()?));
            }
        }
        None => {
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
        }
    }
    confine(&mut command, exec, entrance, own_memory);
    let mut child = spawn(&mut command)?;
    let pid = child.id() as i32;
    match terminal {
        Some(pair) => Ok(Started {
            pid,
            stdin: Some(pair.host.try_clone()?),
            stdout: pair.host,
            stderr: None,
            terminal: true,
        }),
        None => Ok(Started {
            pid,
            stdin: child.stdin.take().map(OwnedFd::from),
            stdout: child.stdout.take().expect("piped").into(),
            stderr: child.stderr.take().map(OwnedFd::from),
            terminal: false,
        }),
    }
}

fn command(exec: &Exec, store: &Store, folder: &Path, log: &Path) -> io::Result<Command> {
    let mut command = match &exec.program {
        Program::Kept(hash) => Command::new(store.kept(hash)?),
        Program::Path(path) => Command::new(path),
    };
    command
        .arg0(&exec.name)
        .args(&exec.args)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", folder)
        .current_dir(folder);
    if exec.terminal.is_some() {
        command.env("TERM", "linux");
    }
    if let Some(tracer) = &exec.tracer {
        command
            .env("LD_PRELOAD", store.kept(tracer)?)
            .env(LOG_VARIABLE, log)
            .env(LIMIT_VARIABLE, TRACE_LIMIT.to_string());
    }
    command.envs(exec.env.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// Registers what the child does to itself before the program begins.
fn confine(command: &mut Command, exec: &Exec, entrance: Option<File>, memory: Option<u64>) {
    let (unprivileged, memlock) = (exec.unprivileged, exec.memlock);
    let pids = u64::from(exec.limits.pids);
    let terminal = exec.terminal.is_some();
    // SAFETY: between fork and exec the closure makes plain system calls only,
    // and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            check(libc::setsid())?;
            if terminal {
                check(libc::ioctl(0, libc::TIOCSCTTY, 0))?;
            }
            if let Some(entrance) = &entrance {
                let moved = libc::write(entrance.as_raw_fd(), c"0".as_ptr().cast(), 1);
                check(moved as libc::c_int)?;
            }
            if let Some(bytes) = memory {
                limit(libc::RLIMIT_DATA, bytes)?;
            }
            if let Some(bytes) = memlock {
                limit(libc::RLIMIT_MEMLOCK, bytes)?;
            }
            limit(libc::RLIMIT_CORE, 0)?;
            if unprivileged {
                check(libc::setgroups(0, std::ptr::null()))?;
                check(libc::setgid(NOBODY))?;
                limit(libc::RLIMIT_NPROC, pids)?;
                check(libc::setuid(NOBODY))?;
                check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
            }
            // The thread that starts a process watches it to its end. Asked
            // for last: a change of user takes it back.
            check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
            Ok(())
        });
    }
}

fn limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    let limit = libc::rlimit {
        rlim_cur: value,
        rlim_max: value,
    };
    // SAFETY: the structure is valid for the call.
    check(unsafe { libc::setrlimit(resource, &raw const limit) })
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// A file just written may still be open for writing in a process that is
/// being started at this moment.
fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..50 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(2));
            }
            other => return other,
        }
    }
    command.spawn()
}
