//! Starts processes that never outlive this one.
//!
//! The kernel's parent-death signal is bound to the thread that forked, so one
//! thread that lives as long as the process does all the forking.

use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

type Request = (Command, Sender<io::Result<Child>>);

/// Starts `command` in a process group of its own. It gets a SIGKILL when this
/// process ends, however that ends; `inherit` are the descriptors it keeps,
/// under the numbers they have here.
pub fn spawn(mut command: Command, inherit: Vec<RawFd>) -> io::Result<Child> {
    let parent = std::process::id();
    // SAFETY: between fork and exec the closure makes plain system calls only,
    // and allocates nothing.
    unsafe {
        command.process_group(0).pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            // The parent may have died before the line above.
            if libc::getppid() as u32 != parent {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            for &fd in &inherit {
                if libc::fcntl(fd, libc::F_SETFD, 0) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
    let (answer, child) = channel();
    keeper()
        .send((command, answer))
        .map_err(|_| io::Error::other("the thread that starts processes has ended"))?;
    child
        .recv()
        .map_err(|_| io::Error::other("the thread that starts processes has ended"))?
}

fn keeper() -> &'static Sender<Request> {
    static KEEPER: OnceLock<Sender<Request>> = OnceLock::new();
    KEEPER.get_or_init(|| {
        let (sender, requests) = channel::<Request>();
        std::thread::spawn(move || {
            for (mut command, answer) in requests {
                // Nobody waits any more: the child is dropped and lives on
                // until this process ends.
                let _ = answer.send(command.spawn());
            }
        });
        sender
    })
}
