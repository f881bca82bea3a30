//! A program becomes a job.

use std::path::Path;
use std::time::Duration;

use protocol::job::{Job, Limits, Role, RoleJob};

use crate::snippet::{Language, Snippet};

/// How the program of a snippet is run. What a chapter expects of it is not
/// in here: an expectation can change without another run.
pub fn job(snippet: &Snippet, language: Language, program: &Path) -> Job {
    let role = |role| RoleJob {
        role,
        program: program.to_path_buf(),
        args: Vec::new(),
        env: Vec::new(),
        unprivileged: snippet.unprivileged,
        memlock: snippet.memlock,
    };
    let roles = match snippet.nodes {
        1 => vec![role(Role::Single)],
        _ => vec![role(Role::Server), role(Role::Client)],
    };
    Job {
        name: name(snippet, language),
        roles,
        trace: true,
        limits: limits(snippet.timeout),
    }
}

/// `rdma-write/c`
pub fn name(snippet: &Snippet, language: Language) -> String {
    format!("{}/{}", snippet.id, language.name())
}

/// A chapter that says how long its program may take means silence too.
fn limits(timeout: Option<Duration>) -> Limits {
    let usual = Limits::default();
    match timeout {
        None => usual,
        Some(wall) => Limits {
            wall,
            silence: wall,
            ..usual
        },
    }
}
