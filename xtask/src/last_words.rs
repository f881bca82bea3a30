//! What a program said on its standard error before it ended badly, told with
//! the problem; a Rust panic at its line of the chapter.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::book::Book;
use crate::problem::{Label, Problem};
use crate::snippet::Span;
use crate::tangle::Tangle;

/// Lines of standard error that are told.
const LINES: usize = 12;

/// The problem, with the end of `stderr` below its title.
pub fn with_last_words(problem: Problem, book: &Book, tangle: &Tangle, stderr: &[u8]) -> Problem {
    let said = tangle.remap_text(&String::from_utf8_lossy(stderr));
    let lines: Vec<&str> = said.lines().filter(|l| !l.trim().is_empty()).collect();
    if lines.is_empty() {
        return problem;
    }
    let mut problem = problem;
    problem.title.en += "; it said on standard error:";
    for line in &lines[lines.len().saturating_sub(LINES)..] {
        problem.title.en += "\n    ";
        problem.title.en += line;
    }
    problem.title.zh += "；它的标准错误输出见上";
    if let Some(at) = panic_place(book, &said) {
        let text = "it panicked here / 在此 panic".to_string();
        problem.labels.insert(0, Label { at, text });
    }
    problem
}

/// Where the first panic happened, when that is in a chapter.
fn panic_place(book: &Book, said: &str) -> Option<Span> {
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"panicked at ([^\s:]+\.md):(\d+):(\d+)").expect("a regex"));
    let found = PLACE.captures(said)?;
    let chapter = book.chapter(Path::new(&found[1]))?;
    let start = chapter.lines.start(found[2].parse().ok()?)?;
    let line = chapter.text.get(start..)?.lines().next()?;
    let before: usize = found[3].parse::<usize>().ok()?.checked_sub(1)?;
    // The compiler counts columns in characters.
    let from = line.char_indices().nth(before)?.0;
    Some(chapter.span(start + from..start + line.trim_end().len()))
}
