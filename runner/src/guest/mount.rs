//! The file systems of a guest.

use std::fs;
use std::io;

use anyhow::{Context, Result};

use super::c_string;

/// Type, place, options. `devtmpfs` makes the device nodes, those of
/// `/dev/infiniband` with the mode their driver asks for.
const MOUNTS: &[(&str, &str, &str)] = &[
    ("proc", "/proc", ""),
    ("sysfs", "/sys", ""),
    ("devtmpfs", "/dev", "mode=0755"),
    ("devpts", "/dev/pts", "mode=0620,ptmxmode=0666"),
    ("tmpfs", "/dev/shm", "mode=1777"),
    ("tmpfs", "/tmp", "mode=1777"),
    ("tmpfs", "/run", "mode=0755"),
    ("cgroup2", "/sys/fs/cgroup", ""),
];

/// So that a program may name its open files, as on any Linux.
const LINKS: &[(&str, &str)] = &[
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
];

pub fn all() -> Result<()> {
    for (kind, place, options) in MOUNTS {
        mount(kind, place, options).with_context(|| format!("cannot mount {kind} on {place}"))?;
    }
    for (target, link) in LINKS {
        std::os::unix::fs::symlink(target, link)?;
    }
    Ok(())
}

fn mount(kind: &str, place: &str, options: &str) -> io::Result<()> {
    // Those below /sys are there already.
    if !place.starts_with("/sys/") {
        fs::create_dir_all(place)?;
    }
    let (kind, place, options) = (c_string(kind), c_string(place), c_string(options));
    // SAFETY: the four strings are valid for the call.
    let failed = unsafe {
        libc::mount(
            kind.as_ptr(),
            place.as_ptr(),
            kind.as_ptr(),
            0,
            options.as_ptr().cast(),
        )
    };
    match failed {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
