//! How a command ends, as a shell sees it.

use std::process::ExitCode;

use crate::problem::Problem;

/// Exit statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Ok = 0,
    /// A check or a snippet failed.
    Failed = 1,
    /// Wrong usage, or chapters or records that cannot be read.
    BadInput = 2,
    /// Something this machine lacks: a tool, a library, space.
    Environment = 3,
    /// Ctrl-C.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// An error that decides the exit status; the message says what happened, to
/// what, and what to do next.
#[derive(Debug)]
pub struct Stop {
    pub exit: Exit,
    pub message: String,
}

impl Stop {
    pub fn bad_input(message: impl Into<String>) -> anyhow::Error {
        Stop::with(Exit::BadInput, message)
    }

    pub fn environment(message: impl Into<String>) -> anyhow::Error {
        Stop::with(Exit::Environment, message)
    }

    fn with(exit: Exit, message: impl Into<String>) -> anyhow::Error {
        let message = message.into();
        anyhow::Error::new(Stop { exit, message })
    }

    /// A problem that stands in no chapter, such as an unknown id on the
    /// command line.
    pub fn problem(exit: Exit, problem: &Problem) -> anyhow::Error {
        let mut message = problem.one_line();
        if let Some(help) = &problem.help {
            message += &format!("\n  help: {}\n  下一步：{}", help.en, help.zh);
        }
        Stop::with(exit, message)
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Stop {}

/// The status of an error: its own, or that of a machine that could not do
/// what was asked (a file that cannot be written, a command that is missing).
pub fn status_of(error: &anyhow::Error) -> Exit {
    match error.downcast_ref::<Stop>() {
        Some(stop) => stop.exit,
        None => Exit::Environment,
    }
}
