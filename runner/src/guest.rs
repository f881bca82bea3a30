//! What the agent does when it is the first program of a guest: it makes the
//! machine a node (file systems, modules, network, an rxe device), then serves
//! the host in a child process while it collects the processes nobody waits
//! for.

mod mount;
mod net;
mod rxe;

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Name of the virtio-serial port that leads to the host.
pub const PORT: &str = "rdma-manual.agent";

/// On the kernel's command line: `manual.node=0` or `manual.node=1`.
pub const NODE_PARAMETER: &str = "manual.node=";

/// IPv4 address of a node's interface, a /24.
pub fn address(node: usize) -> [u8; 4] {
    [10, 10, 0, node as u8 + 1]
}

/// How long the devices of a guest may take to appear. Under emulation on a
/// busy machine they take a second.
const DEADLINE: Duration = Duration::from_secs(30);

/// Runs as process 1 and never returns. `serve` gets the port to the host,
/// in a child process; when it ends, the guest is switched off.
pub fn run(serve: impl FnOnce(File) -> Result<()>) -> ! {
    let end = prepare().and_then(|port| {
        // SAFETY: this process has one thread, so the child may go on using
        // everything it has.
        match unsafe { libc::fork() } {
            -1 => bail!("cannot fork: {}", std::io::Error::last_os_error()),
            0 => {
                if let Err(e) = serve(port) {
                    eprintln!("agent: {e:#}");
                }
                std::process::exit(0)
            }
            agent => {
                drop(port);
                reap_until(agent);
                Ok(())
            }
        }
    });
    if let Err(e) = end {
        eprintln!("guest: {e:#}");
    }
    // SAFETY: plain system calls; nothing of this process is needed any more.
    unsafe {
        libc::sync();
        libc::reboot(libc::LINUX_REBOOT_CMD_POWER_OFF);
        libc::_exit(1)
    }
}

/// Makes this machine a node and opens the port to the host.
fn prepare() -> Result<File> {
    mount::all().context("cannot mount the guest's file systems")?;
    let node = node_number()?;
    fs::write("/proc/sys/kernel/hostname", format!("node{node}"))?;
    load_modules()?;
    net::up(node).context("cannot bring up the guest's network")?;
    rxe::add(net::INTERFACE).context("cannot make the rxe device")?;
    rxe::wait_usable(address(node))?;
    open_port()
}

fn node_number() -> Result<usize> {
    let line = fs::read_to_string("/proc/cmdline")?;
    line.split_whitespace()
        .find_map(|word| word.strip_prefix(NODE_PARAMETER))
        .and_then(|number| number.parse().ok())
        .with_context(|| format!("no {NODE_PARAMETER}N on the kernel command line"))
}

fn load_modules() -> Result<()> {
    let order = fs::read_to_string("/modules/order").context("no list of modules")?;
    for name in order.lines() {
        let file = File::open(format!("/modules/{name}.ko"))?;
        // SAFETY: the descriptor is open and the parameter string is a valid,
        // empty C string.
        let failed =
            unsafe { libc::syscall(libc::SYS_finit_module, file.as_raw_fd(), c"".as_ptr(), 0) };
        if failed != 0 {
            let error = std::io::Error::last_os_error();
            // Built in, or loaded on behalf of another.
            if error.raw_os_error() != Some(libc::EEXIST) {
                return Err(error).with_context(|| format!("cannot load module {name}"));
            }
        }
    }
    // The files' memory is better used by programs.
    fs::remove_dir_all("/modules")?;
    Ok(())
}

fn open_port() -> Result<File> {
    let device = wait_for("the virtio-serial port to the host", || {
        let ports = fs::read_dir("/sys/class/virtio-ports").ok()?;
        ports.flatten().find_map(|port| {
            let name = fs::read_to_string(port.path().join("name")).ok()?;
            (name.trim() == PORT).then(|| PathBuf::from("/dev").join(port.file_name()))
        })
    })?;
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(&device)
        .with_context(|| format!("cannot open {}", device.display()))
}

/// Asks until there is an answer. The kernel tells of these devices by uevents
/// only, and a guest has no daemon for them; a millisecond is below what the
/// rest of a boot varies by.
fn wait_for<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> Result<T> {
    let begin = Instant::now();
    loop {
        if let Some(found) = probe() {
            return Ok(found);
        }
        if begin.elapsed() > DEADLINE {
            bail!("{what} did not appear within {} s", DEADLINE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Collects every process that ends, until `agent` does.
fn reap_until(agent: libc::pid_t) {
    loop {
        // SAFETY: no status is asked for, so nothing is written.
        let ended = unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) };
        let interrupted = std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR);
        if ended == agent || (ended == -1 && !interrupted) {
            return;
        }
    }
}

/// A C string from text that has no zero byte in it.
fn c_string(text: &str) -> CString {
    CString::new(text).expect("no zero byte in a path")
}
