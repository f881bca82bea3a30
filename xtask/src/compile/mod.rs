//! Snippets become programs.

mod c;
mod cargo;
mod fails;
mod place;
mod rust;
mod tools;

pub use place::rust_problem;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use indicatif::ProgressBar;

use crate::book::Book;
use crate::hash::snippet_hash;
use crate::problem::Problem;
use crate::snippet::{Language, Snippet};
use crate::tangle::{Mode, Tangle};

/// One snippet in one language, compiled.
#[derive(Debug)]
pub struct Program {
    pub id: String,
    pub language: Language,
    /// See [`snippet_hash`].
    pub hash: String,
    /// The compiler's own words: `gcc (Debian 12.2.0-14) 12.2.0`.
    pub toolchain: String,
    pub outcome: Outcome,
}

#[derive(Debug)]
pub enum Outcome {
    Built {
        /// The executable.
        path: PathBuf,
        /// True when it was built before and nothing it is made of changed.
        fresh: bool,
    },
    /// The problems name lines of chapters; `log` is what the compiler said.
    Failed { problems: Vec<Problem>, log: String },
    /// The compiler refused the program with the text that the chapter
    /// predicts.
    FailedAsExpected {
        /// The line of the compiler's output that holds the text.
        message: String,
        fresh: bool,
    },
}

/// Libraries of every program, by their `pkg-config` names.
pub const LIBRARIES: [&str; 2] = ["libibverbs", "librdmacm"];

/// Compiles `snippets` in both languages, after writing what the chapters say
/// to `snippets/`. What was built before and has not changed is left alone.
///
/// Errors are about the machine (no compiler, no library); a program that does
/// not compile is an [`Outcome`].
pub fn compile(
    book: &Book,
    tangle: &Tangle,
    snippets: &[&Snippet],
    progress: &ProgressBar,
) -> Result<Vec<Program>> {
    let work = Work::begin(book, tangle, progress)?;
    let (c, rust) = std::thread::scope(|scope| {
        let rust = scope.spawn(|| rust::compile(&work, snippets));
        let c = c::compile(&work, snippets);
        (c, rust.join().expect("the thread does not panic"))
    });
    let mut programs = c?;
    programs.extend(rust?);
    let order = |id: &str| book.snippets.iter().position(|s| s.id == id);
    programs.sort_by_key(|program| (order(&program.id), program.language));
    Ok(programs)
}

/// [`compile`] for the C variants alone.
pub fn compile_c(
    book: &Book,
    tangle: &Tangle,
    snippets: &[&Snippet],
    progress: &ProgressBar,
) -> Result<Vec<Program>> {
    c::compile(&Work::begin(book, tangle, progress)?, snippets)
}

/// What the parts of this module share.
struct Work<'a> {
    book: &'a Book,
    tangle: &'a Tangle,
    progress: &'a ProgressBar,
    /// Folder of what is compiled here; cargo has its own.
    programs: PathBuf,
}

impl<'a> Work<'a> {
    fn begin(book: &'a Book, tangle: &'a Tangle, progress: &'a ProgressBar) -> Result<Work<'a>> {
        tangle.sync(&book.root, Mode::Write)?;
        Ok(Work {
            book,
            tangle,
            progress,
            programs: book.root.join("target/programs"),
        })
    }

    fn program(
        &self,
        snippet: &Snippet,
        language: Language,
        toolchain: &str,
        outcome: Outcome,
    ) -> Program {
        self.progress
            .set_message(format!("{}/{}", snippet.id, language.name()));
        self.progress.inc(1);
        Program {
            id: snippet.id.clone(),
            language,
            hash: snippet_hash(self.book, snippet, language),
            toolchain: toolchain.to_string(),
            outcome,
        }
    }

    /// The text of an assembled file, for keys of what is built from it.
    fn text(&self, path: &Path) -> &str {
        self.tangle.files.get(path).map_or("", |file| &file.text)
    }
}

/// Runs `job` for each item, as many at a time as there are processors, and
/// keeps the order.
fn in_parallel<T: Sync, R: Send>(items: &[T], job: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(|| {
                while let Some((nth, item)) = {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    items.get(nth).map(|item| (nth, item))
                } {
                    let result = job(item);
                    done.lock().expect("no panic holds it").push((nth, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no panic held it");
    done.sort_by_key(|(nth, _)| *nth);
    done.into_iter().map(|(_, result)| result).collect()
}

/// A key of everything that a file is made from.
fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
