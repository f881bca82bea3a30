//! What became of each program: compiled or not, run or not, judged.

use std::collections::BTreeMap;
use std::time::Duration;

use protocol::report::{End, Report};

use crate::book::Book;
use crate::compile::{self, Program};
use crate::differ::first_difference;
use crate::finding::{Finding, who};
use crate::job::name;
use crate::judge::judge;
use crate::last_words::with_last_words;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::record::{COMPILE, Kind, Measured, Run, RunProvenance};
use crate::runs::{self, Runs};
use crate::seen::Seen;
use crate::snippet::{Language, Snippet};
use crate::summary::SOURCE;
use crate::tangle::Tangle;
use crate::varies::Try;
use crate::wording::languages_differ;

/// The end of one program's way through `verify`.
pub struct Verdict<'a> {
    pub snippet: &'a Snippet,
    pub language: Language,
    pub hash: String,
    pub outcome: Outcome,
    /// Why it did not pass.
    pub problems: Vec<Problem>,
    /// `compile` where the compiler's word is the last.
    pub testbed: String,
    pub driver: String,
    pub cached: bool,
    pub calls: usize,
    pub completions: usize,
    pub tries: Vec<Try>,
    /// Wall time of the roles.
    pub took: Duration,
    /// What the run cost beyond the program's own time.
    pub harness: Option<Duration>,
    /// What a record would keep; nothing when the program was not measured.
    pub run: Option<Run>,
}

impl Verdict<'_> {
    pub fn name(&self) -> String {
        name(self.snippet, self.language)
    }
}

/// Judges every program, then each snippet's two languages against each
/// other. The order is that of `programs`.
pub fn verdicts<'a>(
    book: &'a Book,
    tangle: &Tangle,
    programs: &[Program],
    runs: &Runs,
) -> Vec<Verdict<'a>> {
    let mut verdicts: Vec<Verdict> = programs
        .iter()
        .filter_map(|program| {
            let snippet = book.snippet(&program.id)?;
            verdict(snippet, program, runs)
        })
        .collect();
    for verdict in &mut verdicts {
        let key = (verdict.snippet.id.clone(), verdict.language);
        if let Some(run) = runs.by_program.get(&key) {
            verdict.add_last_words(book, tangle, &run.kept.report);
        }
    }
    compare_languages(&mut verdicts);
    verdicts
}

fn verdict<'a>(snippet: &'a Snippet, program: &Program, runs: &Runs) -> Option<Verdict<'a>> {
    let mut verdict = Verdict {
        snippet,
        language: program.language,
        hash: program.hash.clone(),
        outcome: Outcome::Passed,
        problems: Vec::new(),
        testbed: COMPILE.to_string(),
        driver: String::new(),
        cached: false,
        calls: 0,
        completions: 0,
        tries: Vec::new(),
        took: Duration::ZERO,
        harness: None,
        run: None,
    };
    match &program.outcome {
        compile::Outcome::Failed { problems, .. } => {
            verdict.outcome = Outcome::CompileFailed;
            verdict.problems = problems.clone();
        }
        compile::Outcome::FailedAsExpected { message, fresh } => {
            verdict.cached = *fresh;
            verdict.run = Some(Run::compiled(
                program.hash.clone(),
                program.toolchain.clone(),
                without_place(message).to_string(),
                true,
            ));
        }
        compile::Outcome::Built { .. } => {
            let key = (program.id.clone(), program.language);
            verdict.judge(program, runs.by_program.get(&key)?);
        }
    }
    Some(verdict)
}

impl Verdict<'_> {
    /// To the first problem of each role that did not end with 0.
    fn add_last_words(&mut self, book: &Book, tangle: &Tangle, report: &Report) {
        let name = self.name();
        for role in &report.roles {
            if role.end == (End::Exited { code: 0 }) {
                continue;
            }
            let who = who(&name, role.role.name());
            let own = |problem: &&mut Problem| problem.title.en.starts_with(&format!("{who}: "));
            if let Some(problem) = self.problems.iter_mut().find(own) {
                *problem = with_last_words(problem.clone(), book, tangle, &role.stderr);
            }
        }
    }

    fn judge(&mut self, program: &Program, ran: &runs::Run) {
        let kept = &ran.kept;
        let judged = judge(self.snippet, &kept.report, &kept.provenance);
        let name = self.name();
        self.outcome = judged.outcome;
        if !judged.outcome.is_good() {
            self.problems = judged.findings.iter().map(|f| f.problem(&name)).collect();
        }
        self.testbed = kept.provenance.testbed.clone();
        self.driver = kept.provenance.driver.clone();
        self.cached = ran.cached;
        let roles: Vec<Seen> = kept.report.roles.iter().map(Seen::of).collect();
        self.calls = roles.iter().map(|role| role.calls.len()).sum();
        self.completions = roles.iter().map(|role| role.completions.len()).sum();
        self.tries = kept.tries.clone();
        let walls = kept.report.roles.iter().map(|role| role.wall);
        self.took = walls.max().unwrap_or_default();
        self.harness = Some(kept.report.harness);
        // A run that says nothing about the program replaces no record.
        let says_nothing = matches!(judged.outcome, Outcome::NodeLost | Outcome::HarnessFault);
        self.run = (!says_nothing).then(|| {
            Run::measured(Measured {
                snippet: self.snippet,
                hash: self.hash.clone(),
                report: &kept.report,
                judged: &judged,
                provenance: RunProvenance {
                    testbed: kept.provenance.clone(),
                    toolchain: program.toolchain.clone(),
                },
                unit: kept.unit,
                tries: kept.tries.clone(),
            })
        });
    }
}

/// A compiler's message without the place it begins with, which moves with the
/// text around it: `book/src/a.md:9:3: error: …`.
fn without_place(message: &str) -> &str {
    let mut rest = message;
    for _ in 0..3 {
        match rest.split_once(':') {
            Some((_, after)) if message.starts_with(SOURCE) => rest = after,
            _ => return message,
        }
    }
    rest.trim_start()
}

/// Programs that passed but did not do the same have not passed. Their
/// records keep what each showed; the page tells where they part.
fn compare_languages(verdicts: &mut [Verdict]) {
    let mut findings: BTreeMap<String, Finding> = BTreeMap::new();
    for pair in verdicts.windows(2) {
        if pair[0].snippet.id != pair[1].snippet.id {
            continue;
        }
        let measured = |v: &Verdict| match &v.run {
            Some(run) if run.kind == Kind::Run && v.outcome == Outcome::Passed => {
                Some(run.roles.clone())
            }
            _ => None,
        };
        if let (Some(left), Some(right)) = (measured(&pair[0]), measured(&pair[1]))
            && let Some(difference) = first_difference(&left, &right)
        {
            let snippet = pair[0].snippet;
            let finding = languages_differ(&snippet.declared, &difference);
            findings.insert(snippet.id.clone(), finding);
        }
    }
    for verdict in verdicts {
        if let Some(finding) = findings.get(&verdict.snippet.id) {
            verdict.outcome = Outcome::Failed;
            verdict.problems.push(finding.problem(&verdict.snippet.id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compilers_message_is_kept_without_its_place() {
        let message = "book/src/a.md:261:10: error: no member named 'port_num'";
        assert_eq!(without_place(message), "error: no member named 'port_num'");
        let message = "error[E0560]: struct `a::b` has no field: c";
        assert_eq!(without_place(message), message);
    }
}
