//! The rendered book: mdBook in process with the fold as its preprocessor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use mdbook_driver::MDBook;
use mdbook_preprocessor::book::{Book as MdBook, BookItem, Chapter};
use mdbook_preprocessor::config::Config;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::book::Book;
use crate::exit::Stop;
use crate::fold::fold_chapter;
use crate::hash::program_hash;
use crate::panel::panel;
use crate::record::Record;
use crate::records::{self, Records};
use crate::snippet::{Language, Snippet};

/// The name of the preprocessor in `book.toml`.
pub const NAME: &str = "measured";

/// The preprocessor: what `build` runs in process and `preprocess` runs for a
/// plain `mdbook`.
#[derive(Default)]
pub struct Fold {
    /// Records that stand in for committed ones: what this machine has just
    /// measured.
    pub local: Vec<Record>,
}

impl Preprocessor for Fold {
    fn name(&self) -> &str {
        NAME
    }

    fn supports_renderer(&self, renderer: &str) -> Result<bool> {
        Ok(supports(renderer))
    }

    fn run(&self, context: &PreprocessorContext, mut book: MdBook) -> Result<MdBook> {
        let root = context
            .root
            .parent()
            .context("the book's folder stands in the repository")?;
        let folder = Path::new("book").join(&context.config.book.src);
        let source = Source::read(root, &self.local)?;
        let mut failed = None;
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item
                && failed.is_none()
            {
                failed = source.fold(&folder, chapter).err();
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(book),
        }
    }
}

/// Panels are HTML.
pub fn supports(renderer: &str) -> bool {
    renderer == "html"
}

/// What panels are made from.
struct Source {
    book: Book,
    records: Records,
}

impl Source {
    fn read(root: &Path, local: &[Record]) -> Result<Source> {
        let mut records =
            records::load_all(root).map_err(|error| Stop::bad_input(error.to_string()))?;
        for record in local {
            records.insert(record.clone());
        }
        Ok(Source {
            records,
            book: Book::read(root),
        })
    }

    fn fold(&self, folder: &Path, chapter: &mut Chapter) -> Result<()> {
        let Some(path) = chapter.source_path.clone() else {
            return Ok(());
        };
        let name = folder.join(&path).display().to_string();
        chapter.content = fold_chapter(&name, &chapter.content, &|id| self.panel(id))
            .map_err(|error| Stop::bad_input(format!("{error:#}")))?;
        Ok(())
    }

    fn panel(&self, id: &str) -> Result<String> {
        let snippet = self.book.snippet(id).ok_or_else(|| {
            anyhow!(
                "snippet `{id}` cannot be used; `cargo xtask check` says why\n\
                 示例 `{id}` 无法使用；`cargo xtask check` 会说明原因"
            )
        })?;
        panel(snippet, &self.records, &hashes(&self.book, snippet))
    }
}

/// The hash of each of a snippet's programs as the chapters are now.
pub fn hashes(book: &Book, snippet: &Snippet) -> BTreeMap<Language, String> {
    let closure = book.closure(snippet);
    snippet
        .code
        .keys()
        .map(|language| (*language, program_hash(snippet, &closure, *language)))
        .collect()
}

/// Renders the book of the repository at `root` and returns the folder of the
/// pages. Runs no other program.
pub fn build(root: &Path) -> Result<PathBuf> {
    build_with(root, Vec::new())
}

/// As [`build`], with records that stand in for committed ones.
pub fn build_with(root: &Path, local: Vec<Record>) -> Result<PathBuf> {
    let folder = root.join("book");
    let mut config = Config::from_disk(folder.join("book.toml")).context("book/book.toml")?;
    // The command is for a plain `mdbook`; here the same code runs in process.
    let mut preprocessors: BTreeMap<String, toml::Value> = config.preprocessors()?;
    preprocessors.remove(NAME);
    config.set("preprocessor", preprocessors)?;
    let mut book = MDBook::load_with_config(folder, config)?;
    book.with_preprocessor(Fold { local });
    book.build()?;
    Ok(book.build_dir_for("html"))
}

/// Sends mdBook's warnings to standard error.
pub fn log_warnings() {
    // Another command may have set a subscriber already; its own stays.
    let _ = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .without_time()
        .with_target(false)
        .try_init();
}
