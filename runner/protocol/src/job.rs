//! What is asked of a testbed.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One execution of one program in one or two roles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// Snippet and language, for messages: `rdma-write/c`.
    pub name: String,
    /// One role (`Single`) or two (`Server`, then `Client`).
    pub roles: Vec<RoleJob>,
    /// Preload the tracer into every role.
    pub trace: bool,
    pub limits: Limits,
}

/// One process of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoleJob {
    pub role: Role,
    /// The executable on this host; the testbed carries it to the node.
    pub program: PathBuf,
    /// Arguments after the role's own (see [`Role::args`]).
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    /// Run as an ordinary user (uid and gid 65534) without capabilities.
    pub unprivileged: bool,
    /// `RLIMIT_MEMLOCK` in bytes, soft and hard; the node's own when absent.
    pub memlock: Option<u64>,
}

/// The part a process plays, and with it the node it runs on: `Single` and
/// `Server` on node 0, `Client` on node 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Single,
    Server,
    Client,
}

impl Role {
    pub fn node(self) -> usize {
        match self {
            Role::Single | Role::Server => 0,
            Role::Client => 1,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Role::Single => "single",
            Role::Server => "server",
            Role::Client => "client",
        }
    }

    /// How a program learns its part: nothing, `server`, or `client ADDRESS`
    /// with the address of node 0.
    pub fn args(self, node0: &str) -> Vec<String> {
        match self {
            Role::Single => vec![],
            Role::Server => vec!["server".into()],
            Role::Client => vec!["client".into(), node0.into()],
        }
    }
}

/// What ends a process that does not end by itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Wall clock from exec, the whole job.
    pub wall: Duration,
    /// Time without a byte of output from a process.
    pub silence: Duration,
    /// Bytes kept of each of standard output and standard error; a process
    /// that writes more is ended.
    pub output: u64,
    /// Bytes of memory, the process and its children.
    pub memory: u64,
    /// Processes and threads.
    pub pids: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            wall: Duration::from_secs(60),
            silence: Duration::from_secs(30),
            output: 1 << 20,
            memory: 128 << 20,
            pids: 64,
        }
    }
}
