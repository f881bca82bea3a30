//! Why a run did not pass, in the book's two languages.

use crate::problem::Problem;
use crate::snippet::{Bilingual, Span};

/// One reason. The span is the expectation that was not shown, or the
/// snippet's declaration where something happened that no line predicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub at: Span,
    /// `client`, `server`, `single`; empty when it is about the whole run.
    pub role: String,
    pub happened: Bilingual,
    pub expected: Bilingual,
    pub next: Bilingual,
}

pub(crate) fn both(en: impl Into<String>, zh: impl Into<String>) -> Bilingual {
    Bilingual {
        en: en.into(),
        zh: zh.into(),
    }
}

impl Finding {
    /// The form that is told with an excerpt of the chapter. `program` is
    /// what ran: `rdma-write/c`.
    pub fn problem(&self, program: &str) -> Problem {
        let who = who(program, &self.role);
        let title = |happened: &str| format!("{who}: {happened}");
        let expected = format!("{} / {}", self.expected.en, self.expected.zh);
        Problem::new("run", title(&self.happened.en), title(&self.happened.zh))
            .at(&self.at, expected)
            .help(&self.next.en, &self.next.zh)
    }
}

/// `rdma-write/c, client`; the program alone where there is one role.
pub(crate) fn who(program: &str, role: &str) -> String {
    match role {
        "" | "single" => program.to_string(),
        role => format!("{program}, {role}"),
    }
}
