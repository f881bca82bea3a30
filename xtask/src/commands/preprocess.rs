//! `cargo xtask preprocess`: what a plain `mdbook` runs.

use std::path::Path;

use anyhow::Result;
use clap::{Args, Subcommand};
use mdbook_preprocessor::{Preprocessor, parse_input};

use super::sound_book;
use crate::exit::{Exit, Stop};
use crate::site;

/// Fold results into the pages of a plain `mdbook` / 供 mdbook 调用的预处理器
///
/// `mdbook build` and `mdbook serve` call this by themselves (see
/// `book/book.toml`): a book comes in on standard input and leaves on standard
/// output.
#[derive(Debug, Args)]
pub struct Preprocess {
    #[command(subcommand)]
    question: Option<Question>,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// Whether pages for this renderer can have panels: the exit status is
    /// the answer
    Supports { renderer: String },
}

impl Preprocess {
    pub fn run(self, root: &Path) -> Result<Exit> {
        if let Some(Question::Supports { renderer }) = self.question {
            return Ok(match site::supports(&renderer) {
                true => Exit::Ok,
                false => Exit::Failed,
            });
        }
        let (context, book) = parse_input(std::io::stdin().lock()).map_err(|error| {
            Stop::bad_input(format!(
                "what came in is not a book of mdbook 0.5: {error:#}; let `mdbook` call this\n\
                     输入不是 mdbook 0.5 的书：{error:#}；请由 `mdbook` 调用本命令"
            ))
        })?;
        sound_book(root)?;
        let folded = site::Fold::default().run(&context, book)?;
        serde_json::to_writer(std::io::stdout().lock(), &folded)?;
        Ok(Exit::Ok)
    }
}
