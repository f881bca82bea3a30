//! `cargo xtask check`

use std::path::Path;

use anyhow::Result;
use clap::Args;

use super::tell;
use crate::book::Book;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::tangle::{DriftKind, Mode, Tangle};

/// Read every chapter and name every problem / 检查全部章节并列出问题
///
/// Checks the format of the chapters, the pairs of English and Chinese text,
/// the declarations and expectations, and that `snippets/` is what the
/// chapters say. Runs and compiles nothing.
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

    /// Differences in `snippets/` that are left after mending.
    fn drift(&self, book: &Book) -> Result<Vec<Problem>> {
        let mode = match (self.fix, book.problems.iter().all(Problem::is_prose)) {
            (false, _) => Mode::Check,
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
