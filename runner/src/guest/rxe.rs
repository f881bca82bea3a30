//! The rxe device of a guest.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};

use super::wait_for;

/// Name of the device.
const DEVICE: &str = "rxe0";

/// Adds an rxe device on a network interface: what `rdma link add rxe0 type
/// rxe netdev eth0` does, by the kernel's RDMA netlink interface
/// (include/uapi/rdma/rdma_netlink.h).
pub fn add(interface: &str) -> Result<()> {
    const CLIENT_NLDEV: u16 = 5;
    const COMMAND_NEWLINK: u16 = 3;
    const DEVICE_NAME: u16 = 2;
    const INTERFACE_NAME: u16 = 51;
    const LINK_TYPE: u16 = 65;

    let mut attributes = Vec::new();
    for (kind, text) in [
        (DEVICE_NAME, DEVICE),
        (INTERFACE_NAME, interface),
        (LINK_TYPE, "rxe"),
    ] {
        let length = 4 + text.len() as u16 + 1;
        attributes.extend_from_slice(&length.to_ne_bytes());
        attributes.extend_from_slice(&kind.to_ne_bytes());
        attributes.extend_from_slice(text.as_bytes());
        attributes.push(0);
        attributes.resize(attributes.len().next_multiple_of(4), 0);
    }
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16;
    let mut message = Vec::new();
    message.extend_from_slice(&(16 + attributes.len() as u32).to_ne_bytes());
    message.extend_from_slice(&((CLIENT_NLDEV << 10) + COMMAND_NEWLINK).to_ne_bytes());
    message.extend_from_slice(&flags.to_ne_bytes());
    message.extend_from_slice(&[0; 8]); // sequence and port: one message only
    message.extend_from_slice(&attributes);
    Ok(exchange(&message)?)
}

/// Sends one netlink request and takes its acknowledgement.
fn exchange(message: &[u8]) -> io::Result<()> {
    const NETLINK_RDMA: libc::c_int = 20;
    // SAFETY: a plain call; the descriptor it gives is owned here alone.
    let socket = unsafe {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        let fd = libc::socket(libc::AF_NETLINK, kind, NETLINK_RDMA);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(fd)
    };
    let mut answer = [0u8; 1024];
    // SAFETY: both buffers are valid for the lengths given. A socket without
    // an address talks to the kernel.
    let got = unsafe {
        let fd = socket.as_raw_fd();
        if libc::send(fd, message.as_ptr().cast(), message.len(), 0) < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::recv(fd, answer.as_mut_ptr().cast(), answer.len(), 0)
    };
    if got < 20 {
        return Err(io::Error::other("the kernel's answer is cut"));
    }
    // An acknowledgement is a header of 16 bytes and a negative errno or 0.
    let error = i32::from_ne_bytes(answer[16..20].try_into().expect("four bytes"));
    match error {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}

/// Waits until the port is active and its GID table has the interface's IPv4
/// address as RoCE v2, then lets ordinary users open the devices.
pub fn wait_usable(address: [u8; 4]) -> Result<()> {
    let port = Path::new("/sys/class/infiniband")
        .join(DEVICE)
        .join("ports/1");
    wait_for("the rxe port in state ACTIVE", || {
        let state = fs::read_to_string(port.join("state")).ok()?;
        state.contains("ACTIVE").then_some(())
    })?;
    let [a, b, c, d] = address;
    let gid = format!("0000:0000:0000:0000:0000:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}");
    wait_for("the GID of the IPv4 address", || {
        let gids = fs::read_dir(port.join("gids")).ok()?;
        gids.flatten().find_map(|entry| {
            let kind = port.join("gid_attrs/types").join(entry.file_name());
            let same = fs::read_to_string(entry.path()).ok()?.trim() == gid;
            // An empty entry has no type: reading it is an error.
            (same && fs::read_to_string(kind).ok()?.trim() == "RoCE v2").then_some(())
        })
    })?;
    open_to_all()
}

fn open_to_all() -> Result<()> {
    let folder = Path::new("/dev/infiniband");
    for name in ["uverbs0", "rdma_cm"] {
        let path = folder.join(name);
        wait_for("the verbs device files", || path.exists().then_some(()))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666))
            .with_context(|| format!("cannot open {} to all", path.display()))?;
    }
    Ok(())
}
