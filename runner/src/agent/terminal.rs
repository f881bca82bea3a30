//! A terminal of a node, for an interactive shell.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The two ends of a pseudo-terminal.
pub struct Pair {
    pub host: OwnedFd,
    pub program: OwnedFd,
}

/// Opens a pair of this many rows and columns.
pub fn open((rows, columns): (u16, u16)) -> io::Result<Pair> {
    let (mut host, mut program) = (-1, -1);
    let size = window(rows, columns);
    // SAFETY: both descriptors are filled in on success; the name and the
    // terminal's modes are optional.
    let failed = unsafe {
        libc::openpty(
            &raw mut host,
            &raw mut program,
            std::ptr::null_mut(),
            std::ptr::null(),
            &raw const size,
        )
    };
    if failed != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: two new descriptors that nobody else owns.
    let pair = unsafe {
        Pair {
            host: OwnedFd::from_raw_fd(host),
            program: OwnedFd::from_raw_fd(program),
        }
    };
    for end in [&pair.host, &pair.program] {
        // SAFETY: a call on an open descriptor.
        unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    Ok(pair)
}

/// Tells the terminal its new size.
pub fn resize(host: &OwnedFd, rows: u16, columns: u16) {
    let size = window(rows, columns);
    // SAFETY: a call on an open descriptor with a valid structure.
    unsafe { libc::ioctl(host.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) };
}

fn window(rows: u16, columns: u16) -> libc::winsize {
    libc::winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}
