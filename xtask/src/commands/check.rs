//! `cargo xtask check`

use std::path::Path;

use anyhow::Result;
use clap::Args;

use super::tell;
use crate::book::Book;
use crate::exit::Exit;
use crate::hash::snippet_hash;
use crate::problem::Problem;
use crate::record::{Record, RecordState};
use crate::records;
use crate::snippet::{Language, Snippet};
use crate::tangle::{DriftKind, Mode, Tangle};

/// Read every chapter and name every problem / 检查全部章节并列出问题
///
/// Checks the format of the chapters, the pairs of English and Chinese text,
/// the declarations and expectations, that `snippets/` is what the chapters
/// say, and that no record is older than its snippet. Runs and compiles
/// nothing.
#[derive(Debug, Args)]
pub struct Check {
    /// Bring `snippets/` up to date with the chapters / 更新 snippets/
    #[arg(long)]
    fix: bool,
}

impl Check {
    pub fn run(self, root: &Path) -> Result<Exit> {
        let book = Book::read(root);
        let mut problems = book.problems.clone();
        problems.extend(self.drift(&book)?);
        problems.extend(records_problems(&book));
        if problems.is_empty() {
            eprintln!(
                "{} chapters, {} snippets: all is well / {} 章、{} 个示例：没有问题",
                book.chapters.len(),
                book.snippets.len(),
                book.chapters.len(),
                book.snippets.len()
            );
            return Ok(Exit::Ok);
        }
        tell(&book, &problems);
        let count = problems.len();
        eprintln!("{count} problem(s) / {count} 个问题");
        Ok(Exit::Failed)
    }

    /// Differences in `snippets/` that are left after mending. Those that come
    /// of a chapter that cannot be read would only hide what is wrong in it.
    fn drift(&self, book: &Book) -> Result<Vec<Problem>> {
        let mode = match (self.fix, book.problems.iter().all(Problem::is_prose)) {
            (false, false) => return Ok(Vec::new()),
            (false, true) => Mode::Check,
            (true, false) => Mode::Write,
            (true, true) => Mode::WriteAndRemove,
        };
        let mut left = Vec::new();
        for drift in Tangle::of(book).sync(&book.root, mode)? {
            let mended = match (mode, drift.kind) {
                (Mode::Check, _) | (_, DriftKind::Foreign) => false,
                (Mode::Write, DriftKind::Stale) => {
                    // Mended once the whole book can be read.
                    continue;
                }
                _ => true,
            };
            if mended {
                let removed = drift.kind == DriftKind::Stale;
                let (en, zh) = if removed {
                    ("removed", "已删除")
                } else {
                    ("wrote", "已写入")
                };
                eprintln!("{en} / {zh} {}", drift.path.display());
            } else {
                left.push(drift.problem());
            }
        }
        Ok(left)
    }
}

/// Records that cannot be read, that no longer match their snippet, or whose
/// snippet is gone.
fn records_problems(book: &Book) -> Vec<Problem> {
    let records = match records::load_all(&book.root) {
        Ok(records) => records,
        Err(error) => {
            let text = error.to_string();
            let (en, zh) = text.split_once('\n').unwrap_or((&text, &text));
            return vec![Problem::new("record", en, zh)];
        }
    };
    let mut problems = Vec::new();
    for snippet in &book.snippets {
        let stale = snippet.code.keys().filter(|&&language| {
            let hash = snippet_hash(book, snippet, language);
            records.state(&snippet.id, language, &hash) == RecordState::Stale
        });
        problems.extend(stale.map(|language| stale_record(snippet, *language)));
    }
    if !book.problems.iter().all(Problem::is_prose) {
        // A record may belong to a snippet that cannot be read just now.
        return problems;
    }
    let ids: Vec<&str> = book.snippets.iter().map(|s| s.id.as_str()).collect();
    let orphans = records.orphans(&ids);
    problems.extend(orphans.iter().map(|record| orphan(record)));
    problems
}

fn stale_record(snippet: &Snippet, language: Language) -> Problem {
    let (id, name) = (&snippet.id, language.name());
    Problem::new(
        "stale-record",
        format!("the record of `{id}` ({name}) is older than the snippet"),
        format!("`{id}`（{name}）的记录早于示例的现状"),
    )
    .at(&snippet.declared, "")
    .help(
        "run `cargo xtask verify --update`",
        "请运行 `cargo xtask verify --update`",
    )
}

fn orphan(record: &Record) -> Problem {
    let path = records::path_of(&record.testbed, &record.snippet);
    let path = path.display();
    Problem::new(
        "orphan-record",
        format!("{path}: the book has no snippet `{}`", record.snippet),
        format!("{path}：本书没有示例 `{}`", record.snippet),
    )
    .help("delete the record", "请删除这条记录")
}
