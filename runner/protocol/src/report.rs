//! What a testbed answers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::job::Role;

/// The outcome of one [`crate::job::Job`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub roles: Vec<RoleReport>,
    /// Kernel messages logged on each node while the job ran.
    pub kernel_log: Vec<String>,
    /// What the harness cost: everything but the program's own time.
    pub harness: Duration,
    /// Set when no role's end can be trusted: the node is gone, or the
    /// harness itself failed.
    pub fault: Option<Fault>,
}

/// How one process of a job ended, and what it showed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoleReport {
    pub role: Role,
    pub end: End,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Wall time from exec to exit.
    pub wall: Duration,
    /// User and system CPU time.
    pub cpu: Duration,
    /// In the order they began; whatever was logged before the process died.
    pub events: Vec<Event>,
    /// The trace was cut because the log was full.
    pub trace_truncated: bool,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    Exited {
        code: i32,
    },
    Signal {
        signal: i32,
    },
    TimedOut {
        limit: TimeLimit,
    },
    OutputExceeded,
    OutOfMemory,
    /// The job ended for another reason before this process did.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeLimit {
    Wall,
    Silence,
}

/// A run that says nothing about the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Panic, power-off, hung guest or killed QEMU, with the node's number.
    NodeLost {
        node: usize,
        reason: String,
        /// Ended from outside; what ran on it is not to blame.
        killed: bool,
    },
    /// The harness could not do its part; says what and what to do next.
    Harness { reason: String },
}

/// Where a report came from: the provenance that a record keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// `qemu`, `local`, `ssh`, `slurm`.
    pub testbed: String,
    /// For example `6.1.0-44-amd64`.
    pub kernel: String,
    /// Kernel driver of the device: `rdma_rxe`, `mlx5_ib`, …
    pub driver: String,
    pub device: String,
    /// Firmware version as the device reports it; empty when it has none.
    pub firmware: String,
    /// Version of libibverbs' package or library on the nodes.
    pub rdma_core: String,
    /// `Ethernet` or `InfiniBand`.
    pub link: String,
    /// Bytes: the interface's, and the port's active one.
    pub netdev_mtu: u32,
    pub active_mtu: u32,
    /// GID type used: `RoCE v2`, `RoCE v1`, `IB`.
    pub gid_type: String,
    /// `tcg`, `kvm`, or `none` on real hosts.
    pub accelerator: String,
    /// Number of CPUs of a node.
    pub cpus: u32,
}
