//! A pair of guests kept running for fast work: a process of its own, reached
//! over a socket. It ends when it is told to, or when a guest is lost.

mod client;
mod keep;
mod message;

use std::path::{Path, PathBuf};

pub use client::{Shell, Status, down, shell, status, up};
pub use keep::keep;

/// Where the daemon listens: the user's runtime folder, which is short and
/// private, or else the cache.
pub fn socket(cache: &Path) -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => Path::new(&folder).join("rdma-manual.sock"),
        None => cache.join("testbed.sock"),
    }
}
