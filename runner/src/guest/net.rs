//! The network interfaces of a guest.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;

use anyhow::{Context, Result};

use super::{address, wait_for};

/// The interface that leads to the other node.
pub const INTERFACE: &str = "eth0";

/// Nothing but the runs' own packets on the wire: addresses are not probed for
/// duplicates and no router is asked for.
const QUIET: &[(&str, &str)] = &[
    ("ipv6/conf/default/accept_dad", "0"),
    ("ipv6/conf/default/dad_transmits", "0"),
    ("ipv6/conf/default/accept_ra", "0"),
    ("ipv6/conf/default/router_solicitations", "0"),
    ("ipv6/conf/all/accept_ra", "0"),
    ("ipv6/conf/eth0/accept_dad", "0"),
    ("ipv6/conf/eth0/dad_transmits", "0"),
    ("ipv6/conf/eth0/accept_ra", "0"),
    ("ipv6/conf/eth0/router_solicitations", "0"),
];

/// Loopback up; the interface up with this node's address.
pub fn up(node: usize) -> Result<()> {
    wait_for("the network interface eth0", || {
        Path::new("/sys/class/net/eth0").exists().then_some(())
    })?;
    for (name, value) in QUIET {
        // A kernel without IPv6 is as quiet.
        let path = Path::new("/proc/sys/net").join(name);
        if path.exists() {
            fs::write(&path, value).with_context(|| format!("cannot set {name}"))?;
        }
    }
    let socket = socket()?;
    set_up(&socket, "lo").context("cannot bring up lo")?;
    set_address(&socket, libc::SIOCSIFADDR, address(node)).context("cannot set the address")?;
    set_address(&socket, libc::SIOCSIFNETMASK, [255, 255, 255, 0])
        .context("cannot set the netmask")?;
    set_up(&socket, INTERFACE).context("cannot bring up eth0")
}

fn socket() -> io::Result<OwnedFd> {
    // SAFETY: a plain call; the descriptor it gives is owned here alone.
    unsafe {
        let fd = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

fn request(interface: &str) -> libc::ifreq {
    // SAFETY: `ifreq` is plain data for which zeros are valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    request
}

fn control(socket: &OwnedFd, what: libc::c_ulong, request: &mut libc::ifreq) -> io::Result<()> {
    // SAFETY: each request used here takes a pointer to one `ifreq`.
    match unsafe { libc::ioctl(socket.as_raw_fd(), what as _, request) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn set_up(socket: &OwnedFd, interface: &str) -> io::Result<()> {
    let mut request = request(interface);
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    control(socket, libc::SIOCSIFFLAGS, &mut request)
}

fn set_address(socket: &OwnedFd, what: libc::c_ulong, address: [u8; 4]) -> io::Result<()> {
    let mut request = request(INTERFACE);
    let inet = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: 0,
        sin_addr: libc::in_addr {
            s_addr: u32::from_ne_bytes(address),
        },
        sin_zero: [0; 8],
    };
    // SAFETY: the kernel asks for an IPv4 address in the place of a general
    // one; both are 16 bytes.
    request.ifr_ifru.ifru_addr =
        unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(inet) };
    control(socket, what, &mut request)
}
