//! How a snippet stands, as a page shows it.

use serde::Serialize;

use crate::outcome::Outcome;
use crate::record::{Kind, Run};

/// The worst first: a line that stands for several programs shows the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageState {
    Failed,
    Stale,
    Unmeasured,
    Unsupported,
    CompileOnly,
    Measured,
}

impl PageState {
    pub fn of(run: Option<&Run>, hash: &str) -> PageState {
        match run {
            None => PageState::Unmeasured,
            Some(run) if run.hash != hash => PageState::Stale,
            Some(run) if run.outcome == Outcome::Unsupported => PageState::Unsupported,
            // A lost node says nothing about the program.
            Some(run) if matches!(run.outcome, Outcome::NodeLost | Outcome::HarnessFault) => {
                PageState::Unmeasured
            }
            Some(run) if run.outcome != Outcome::Passed => PageState::Failed,
            Some(run) if run.kind == Kind::CompileOnly => PageState::CompileOnly,
            Some(_) => PageState::Measured,
        }
    }

    /// Told apart without colour.
    pub fn symbol(self) -> &'static str {
        match self {
            PageState::Failed => "✘",
            PageState::Stale => "↻",
            PageState::Unmeasured => "○",
            PageState::Unsupported => "⊘",
            PageState::CompileOnly => "⚙",
            PageState::Measured => "✔",
        }
    }

    /// English and Chinese.
    pub fn verdict(self) -> (&'static str, &'static str) {
        match self {
            PageState::Failed => ("failed", "未通过"),
            PageState::Stale => (
                "stale: changed since it was measured",
                "已过期：测量之后有改动",
            ),
            PageState::Unmeasured => ("not measured", "未测"),
            PageState::Unsupported => ("not supported by this device", "此设备不支持"),
            PageState::CompileOnly => (
                "refused by the compiler, as predicted",
                "如预期被编译器拒绝",
            ),
            PageState::Measured => ("measured", "已实测"),
        }
    }
}
