//! How the run of one program of a snippet ended, in one word.

use serde::{Deserialize, Serialize};

/// The words stand in records, in JSON output and in JUnit output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Showed everything the chapter says, and nothing it does not say.
    Passed,
    Failed,
    /// The device lacks what an optional snippet shows.
    Unsupported,
    Timeout,
    /// Ended by a signal that the chapter does not predict.
    Signal,
    Oom,
    /// The node went away; says nothing about the program.
    NodeLost,
    /// The harness could not do its part; says nothing about the program.
    HarnessFault,
    CompileFailed,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Unsupported => "unsupported",
            Outcome::Timeout => "timeout",
            Outcome::Signal => "signal",
            Outcome::Oom => "oom",
            Outcome::NodeLost => "node-lost",
            Outcome::HarnessFault => "harness-fault",
            Outcome::CompileFailed => "compile-failed",
        }
    }

    /// Whether the book may stand on this: the program did what the chapter
    /// says, or the device cannot.
    pub fn is_good(self) -> bool {
        matches!(self, Outcome::Passed | Outcome::Unsupported)
    }
}
