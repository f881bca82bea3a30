//! One file a command.

pub mod build;
pub mod check;
pub mod compile;
pub mod copy;
pub mod doctor;
pub mod list;
pub mod new;
pub mod preprocess;
pub mod serve;
pub mod setup;
pub mod test;
pub mod testbed;
pub mod trace;
pub mod verify;

use std::io::IsTerminal;
use std::path::Path;

use anyhow::Result;

use crate::book::Book;
use crate::exit::{Exit, Stop};
use crate::problem::Problem;
use crate::snippet::Snippet;

/// The book, when every snippet in it can be read; otherwise its problems are
/// told and the error says how many. Text in one language only is left to
/// `check`.
pub fn sound_book(root: &Path) -> Result<Book> {
    let book = Book::read(root);
    let broken: Vec<Problem> = book
        .problems
        .iter()
        .filter(|p| !p.is_prose())
        .cloned()
        .collect();
    if broken.is_empty() {
        return Ok(book);
    }
    tell(&book, &broken);
    let count = broken.len();
    Err(Stop::bad_input(format!(
        "{count} problem(s) in the chapters; mend them and run the command again\n\
         章节中有 {count} 个问题；请修正后重新运行"
    )))
}

/// Prints problems with their excerpts on standard error.
pub fn tell(book: &Book, problems: &[Problem]) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    eprint!("{}", book.sources.render(problems, colour));
}

/// The snippet with this id, or an error with the nearest id.
pub fn find<'a>(book: &'a Book, id: &str) -> Result<&'a Snippet> {
    book.snippet(id).ok_or_else(|| {
        let problem = Problem::new(
            "unknown-snippet",
            format!("no snippet `{id}`"),
            format!("没有示例 `{id}`"),
        );
        let ids = book.snippets.iter().map(|s| s.id.as_str());
        let problem = problem.suggest(id, ids);
        let problem = match problem.help {
            Some(_) => problem,
            None => problem.help(
                "`cargo xtask list` shows all of them",
                "`cargo xtask list` 列出全部示例",
            ),
        };
        Stop::problem(Exit::BadInput, &problem)
    })
}
