//! What `verify --format json` says; documented in `docs/verify-json.md`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::record::RecordState;
use crate::records::Records;
use crate::remember::record_testbed;
use crate::runs::{Runs, Yardstick};
use crate::varies::Try;
use crate::verdict::Verdict;

/// Raised when a reader of an older version could misunderstand a newer one.
pub const FORMAT: u32 = 1;

#[derive(Debug, Serialize)]
pub struct Document {
    pub format: u32,
    pub testbed: String,
    /// Kernel driver of the testbed's device; empty when nothing ran.
    pub driver: String,
    pub kernel: String,
    pub accelerator: String,
    /// None when no time was taken in this session.
    pub yardstick: Option<Yardstick>,
    /// First page of the rendered book.
    pub html: PathBuf,
    pub runs: Vec<Row>,
}

/// One snippet in one language.
#[derive(Debug, Serialize)]
pub struct Row {
    pub id: String,
    pub lang: &'static str,
    /// Relative to the repository.
    pub chapter: String,
    /// Of the declaration, from 1.
    pub line: usize,
    pub nodes: u8,
    pub outcome: Outcome,
    pub testbed: String,
    pub driver: String,
    /// Not compiled or run again: nothing of it had changed.
    pub cached: bool,
    /// Of all roles.
    pub calls: usize,
    pub completions: usize,
    /// The committed record beside the chapter as it is now.
    pub record: RecordState,
    /// Wall time of the longest role, milliseconds.
    pub wall_ms: f64,
    /// What the harness added; null when nothing ran.
    pub harness_ms: Option<f64>,
    /// Runs before this one that say nothing about the program.
    pub tries: Vec<Try>,
    pub findings: Vec<Place>,
}

/// One reason why a program did not pass, and where the book says otherwise.
#[derive(Debug, Serialize)]
pub struct Place {
    /// Stable name of the kind of problem.
    pub code: &'static str,
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub message_zh: String,
    /// What to do next; may be empty.
    pub help: String,
}

impl Document {
    pub fn new(
        testbed: &str,
        verdicts: &[Verdict],
        runs: &Runs,
        records: &Records,
        html: &Path,
    ) -> Document {
        Document {
            format: FORMAT,
            testbed: testbed.to_string(),
            driver: runs.provenance.driver.clone(),
            kernel: runs.provenance.kernel.clone(),
            accelerator: runs.provenance.accelerator.clone(),
            yardstick: runs.yardstick.clone(),
            html: html.to_path_buf(),
            runs: verdicts
                .iter()
                .map(|verdict| row(verdict, testbed, records))
                .collect(),
        }
    }

    pub fn all_good(&self) -> bool {
        self.runs.iter().all(|row| row.outcome.is_good())
    }
}

fn row(verdict: &Verdict, testbed: &str, records: &Records) -> Row {
    let snippet = verdict.snippet;
    let record = records.get(&snippet.id, record_testbed(verdict, testbed));
    let milliseconds = |time: std::time::Duration| (time.as_secs_f64() * 1e5).round() / 100.0;
    Row {
        id: snippet.id.clone(),
        lang: verdict.language.name(),
        chapter: snippet.declared.file.display().to_string(),
        line: snippet.declared.line,
        nodes: snippet.nodes,
        outcome: verdict.outcome,
        testbed: verdict.testbed.clone(),
        driver: verdict.driver.clone(),
        cached: verdict.cached,
        calls: verdict.calls,
        completions: verdict.completions,
        record: record.map_or(RecordState::None, |record| {
            record.state(verdict.language, &verdict.hash)
        }),
        wall_ms: milliseconds(verdict.took),
        harness_ms: verdict.harness.map(milliseconds),
        tries: verdict.tries.clone(),
        findings: verdict.problems.iter().map(place).collect(),
    }
}

fn place(problem: &Problem) -> Place {
    let at = problem.labels.first().map(|label| &label.at);
    Place {
        code: problem.code,
        file: at.map_or_else(String::new, |at| at.file.display().to_string()),
        line: at.map_or(0, |at| at.line),
        column: at.map_or(0, |at| at.column),
        message: problem.title.en.clone(),
        message_zh: problem.title.zh.clone(),
        help: problem
            .help
            .as_ref()
            .map_or_else(String::new, |help| help.en.clone()),
    }
}
