//! What host and agent say to each other.

use std::time::Duration;

use protocol::job::Limits;
use protocol::report::{End, Provenance};
use serde::{Deserialize, Serialize};

/// Raised when one side could no longer understand the other.
pub const VERSION: u32 = 1;

/// From the host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Answered by [`Event::Hello`]; also asks whether the agent is alive.
    Hello,
    /// Sets the node's clock: nanoseconds since 1970. Needed after a restore.
    SetClock { unix_ns: u64 },
    /// Keeps an executable under its content's hash; answered by [`Event::Kept`].
    Put {
        hash: String,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// Starts a process; answered by [`Event::Exited`] in the end.
    Exec { id: u32, exec: Exec },
    Stdin {
        id: u32,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// Closes the process's standard input.
    Eof { id: u32 },
    /// The terminal's new size.
    Resize { id: u32, rows: u16, columns: u16 },
    /// Ends the process: TERM, then KILL.
    Kill { id: u32 },
    /// Asks for the kernel's messages since the last time; answered by
    /// [`Event::KernelLog`].
    KernelLog,
}

/// A process to start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exec {
    pub program: Program,
    /// What the program is told of its own name.
    pub name: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub unprivileged: bool,
    pub memlock: Option<u64>,
    /// Hash of the tracer put before; preloads it.
    pub tracer: Option<String>,
    pub limits: Limits,
    /// A terminal of this many rows and columns instead of pipes. The limits
    /// of time and output do not hold for it.
    pub terminal: Option<(u16, u16)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Program {
    /// Put before, by hash.
    Kept(String),
    /// A command of the node.
    Path(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// From the agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Event {
    Hello(Box<Hello>),
    Kept {
        hash: String,
    },
    Output {
        id: u32,
        stream: Stream,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    Exited {
        id: u32,
        exit: Exit,
    },
    /// The process could not be started, or a file not be kept.
    Failed {
        id: u32,
        reason: String,
    },
    KernelLog {
        lines: String,
    },
}

/// What a node says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    pub version: u32,
    pub provenance: Provenance,
    /// Limits are held by a cgroup, or else by resource limits and the
    /// process group.
    pub cgroup: bool,
}

/// The end of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exit {
    pub end: End,
    pub wall: Duration,
    pub cpu: Duration,
    /// For `protocol::event::decode_log`.
    #[serde(with = "serde_bytes")]
    pub trace: Vec<u8>,
    pub trace_truncated: bool,
}
