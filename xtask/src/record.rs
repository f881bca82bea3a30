//! A record: the stored outcome of a snippet's programs on one testbed.

use std::collections::BTreeMap;
use std::time::Duration;

use protocol::report::{Provenance, Report};
use serde::{Deserialize, Serialize};

use crate::facts::{RoleFacts, role_facts};
use crate::judge::Judged;
use crate::outcome::Outcome;
use crate::seen::Seen;
use crate::snippet::{Expected, Language, Snippet};
use crate::varies::{Try, Varies, role_varies, today};

/// Raised when older readers could no longer understand a record.
pub const FORMAT: u32 = 1;

/// Testbeds that programs run on, and `compile` for snippets that only show
/// what a compiler says.
pub const TESTBEDS: [&str; 5] = [COMPILE, "local", "qemu", "slurm", "ssh"];

/// The folder of records of snippets that do not compile, on purpose.
pub const COMPILE: &str = "compile";

/// `book/measured/<testbed>/<snippet>.json`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub format: u32,
    pub snippet: String,
    pub testbed: String,
    /// By language: `c`, `rust`.
    pub programs: BTreeMap<String, Run>,
}

/// What the program of one language showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// See [`crate::hash`].
    pub hash: String,
    pub kind: Kind,
    pub outcome: Outcome,
    pub provenance: RunProvenance,
    /// Why it did not pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The compiler's message that the chapter predicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compile_error: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleFacts>,
    pub varies: Varies,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Run,
    /// Compiled, not run: the compiler's message is what the chapter shows.
    CompileOnly,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunProvenance {
    #[serde(flatten)]
    pub testbed: Provenance,
    /// `cc` or `rustc` with its version.
    pub toolchain: String,
}

/// A finding, without its place in the chapter, which moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    pub en: String,
    pub zh: String,
}

/// What a [`Run`] is made of.
pub struct Measured<'a> {
    pub snippet: &'a Snippet,
    pub hash: String,
    pub report: &'a Report,
    pub judged: &'a Judged,
    pub provenance: RunProvenance,
    /// See [`crate::varies::reference_unit`].
    pub unit: Option<Duration>,
    /// Earlier runs that were lost.
    pub tries: Vec<Try>,
}

impl Run {
    pub fn measured(measured: Measured) -> Run {
        let Measured {
            snippet,
            hash,
            report,
            judged,
            provenance,
            unit,
            tries,
        } = measured;
        let lab = provenance.testbed.accelerator == "none";
        // The reference loop prints absolute figures, which an emulated
        // testbed must not put into a record.
        let keep_output = lab || !snippet.reference;
        let roles: Vec<RoleFacts> = report
            .roles
            .iter()
            .map(|r| role_facts(&Seen::of(r), &expected_prints(snippet, r.role)))
            .collect();
        Run {
            hash,
            kind: Kind::Run,
            outcome: judged.outcome,
            provenance,
            reasons: judged
                .findings
                .iter()
                .map(|f| Reason {
                    role: f.role.clone(),
                    en: f.happened.en.clone(),
                    zh: f.happened.zh.clone(),
                })
                .collect(),
            compile_error: None,
            varies: Varies {
                date: today(),
                roles: report
                    .roles
                    .iter()
                    .zip(&roles)
                    .map(|(r, facts)| role_varies(r, facts, unit, keep_output))
                    .collect(),
                tries,
            },
            roles,
        }
    }

    /// A snippet whose compiler gave, or did not give, the message that the
    /// chapter predicts.
    pub fn compiled(hash: String, toolchain: String, message: String, gave_it: bool) -> Run {
        Run {
            hash,
            kind: Kind::CompileOnly,
            outcome: match gave_it {
                true => Outcome::Passed,
                false => Outcome::Failed,
            },
            provenance: RunProvenance {
                testbed: Provenance {
                    testbed: COMPILE.to_string(),
                    ..Provenance::default()
                },
                toolchain,
            },
            reasons: Vec::new(),
            compile_error: Some(message),
            roles: Vec::new(),
            varies: Varies {
                date: today(),
                ..Varies::default()
            },
        }
    }

    /// Equal but for what varies from run to run.
    pub fn same_facts(&self, other: &Run) -> bool {
        let bare = |run: &Run| Run {
            varies: Varies::default(),
            ..run.clone()
        };
        bare(self) == bare(other)
    }
}

fn expected_prints(snippet: &Snippet, role: protocol::job::Role) -> Vec<&str> {
    snippet
        .expect
        .iter()
        .filter(|e| e.role.is_none_or(|r| r == role))
        .filter_map(|e| match &e.expected {
            Expected::Prints(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// How a record stands to the chapter as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordState {
    Fresh,
    /// The code, or what is expected of it, has changed since.
    Stale,
    None,
}

impl RecordState {
    pub fn name(self) -> &'static str {
        match self {
            RecordState::Fresh => "fresh",
            RecordState::Stale => "stale",
            RecordState::None => "none",
        }
    }
}

impl Record {
    pub fn new(snippet: &str, testbed: &str) -> Record {
        Record {
            format: FORMAT,
            snippet: snippet.to_string(),
            testbed: testbed.to_string(),
            programs: BTreeMap::new(),
        }
    }

    pub fn run(&self, language: Language) -> Option<&Run> {
        self.programs.get(language.name())
    }

    pub fn state(&self, language: Language, hash: &str) -> RecordState {
        match self.run(language) {
            None => RecordState::None,
            Some(run) if run.hash == hash => RecordState::Fresh,
            Some(_) => RecordState::Stale,
        }
    }

    /// Puts a run in, keeping the stored one when only what varies differs;
    /// says whether the record changed.
    pub fn update(&mut self, language: Language, run: Run) -> bool {
        match self.run(language) {
            Some(stored) if stored.same_facts(&run) => false,
            _ => {
                self.programs.insert(language.name().to_string(), run);
                true
            }
        }
    }
}
