//! What a client and the daemon say to each other, in the agent's frames.

use std::time::Duration;

use protocol::report::Provenance;
use serde::{Deserialize, Serialize};

use crate::agent::message::Event;

/// The first thing a client says, and the input that follows a shell.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask {
    Status,
    Down,
    /// A terminal of this many rows and columns, or pipes.
    Shell {
        node: usize,
        terminal: Option<(u16, u16)>,
    },
    Input(#[serde(with = "serde_bytes")] Vec<u8>),
    EndOfInput,
    Resize(u16, u16),
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    Status(Box<Kept>),
    /// The daemon is about to end.
    Ending,
    /// Output and end of a shell.
    Shell(Event),
    Refused(String),
}

/// The testbed that is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    pub pid: u32,
    pub qemu_pids: [u32; 2],
    pub since: Duration,
    pub provenance: Provenance,
}
