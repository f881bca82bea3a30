//! What compilers say, as problems that name lines of chapters.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::Work;
use crate::book::Book;
use crate::problem::Problem;
use crate::snippet::{Language, Snippet, Span};
use crate::tangle::Tangle;

/// The errors in a C compiler's output. `#line` makes it name chapters; its
/// columns count bytes of the code, which a list or a hidden-line mark shifts
/// in the chapter.
pub fn c_problems(work: &Work, snippet: &Snippet, said: &str) -> Vec<Problem> {
    static ERROR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^([^:\s][^:]*):(\d+):(?:(\d+):)? (?:(?:fatal )?error: |warning: )?(.*)$")
            .expect("a regex")
    });
    static TOLD: [&str; 3] = ["error: ", "warning: ", "undefined reference"];
    let mut problems = Vec::new();
    for line in said
        .lines()
        .filter(|line| TOLD.iter().any(|told| line.contains(told)))
    {
        let Some(found) = ERROR.captures(line.trim_start_matches("/usr/bin/ld: ")) else {
            continue;
        };
        let number = |group| found.get(group).and_then(|m| m.as_str().parse().ok());
        let (line, column) = (number(2).unwrap_or(0), number(3).unwrap_or(1));
        let message = &found[4];
        let problem = refused(Language::C, message);
        if let Some(at) = c_span(work, Path::new(&found[1]), line, column) {
            problems.push(problem.at(&at, ""));
        }
    }
    if problems.is_empty() {
        problems.push(unplaced(snippet, Language::C, said));
    }
    problems
}

/// The word at a line and byte column of C code in a chapter.
fn c_span(work: &Work, file: &Path, line: usize, column: usize) -> Option<Span> {
    let chapter = work.book.chapter(file)?;
    let origins = work.tangle.files.values().flat_map(|file| &file.origins);
    let origin = origins.flatten().find(|o| o.file == file && o.line == line);
    let start = match origin {
        Some(origin) => origin.start,
        None => chapter.lines.start(line)?,
    };
    let rest_of_line = chapter.text.get(start..)?.lines().next().unwrap_or("");
    let at = (column.max(1) - 1).min(rest_of_line.len());
    let rest = rest_of_line.get(at..).unwrap_or("");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let length = word.max(rest.chars().next().map_or(0, char::len_utf8));
    Some(chapter.span(start + at..start + at + length))
}

/// A `compiler-message` of cargo about code of a chapter; none for summaries
/// and for notes.
pub fn rust_problem(
    book: &Book,
    tangle: &Tangle,
    snippet: &Snippet,
    message: &Value,
) -> Option<Problem> {
    let level = message["level"].as_str().unwrap_or("");
    if level != "error" && level != "warning" {
        return None;
    }
    let text = message["message"].as_str().unwrap_or("");
    let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
    let primary = spans.iter().filter(|span| span["is_primary"] == true);
    let placed = primary.filter_map(|span| Some((rust_span(book, tangle, span)?, span)));
    let (code, text) = match message["code"]["code"].as_str() {
        Some(code) => (code, format!("{text} [{code}]")),
        None => ("", text.to_string()),
    };
    let mut problem = refused(Language::Rust, &text);
    let mut any = false;
    for (at, span) in placed {
        problem = problem.at(&at, span["label"].as_str().unwrap_or(""));
        any = true;
    }
    if !any {
        let summary = text.starts_with("aborting due to") || text.ends_with("emitted");
        if summary && code.is_empty() {
            return None;
        }
        let rendered = message["rendered"].as_str().unwrap_or(&text);
        return Some(unplaced(snippet, Language::Rust, rendered));
    }
    let children = message["children"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let hints: Vec<&str> = children
        .iter()
        .filter_map(|c| c["message"].as_str())
        .collect();
    if !hints.is_empty() {
        problem.help = problem.help.map(|mut help| {
            help.en = format!("{} ({})", help.en, hints.join("; "));
            help
        });
    }
    Some(problem)
}

/// The place in a chapter of a span of rustc, or of the macro call it comes
/// from.
fn rust_span(book: &Book, tangle: &Tangle, span: &Value) -> Option<Span> {
    let number = |name: &str| span[name].as_u64().map(|n| n as usize);
    let path = Path::new(span["file_name"].as_str()?);
    let line = number("line_start")?;
    let Some(origin) = tangle.origin(path, line) else {
        return rust_span(book, tangle, span["expansion"].get("span")?);
    };
    let chapter = book.chapter(&origin.file)?;
    let code = chapter
        .text
        .get(origin.start..)?
        .lines()
        .next()
        .unwrap_or("");
    let byte = |column: usize| {
        let nth = code.char_indices().nth(column.saturating_sub(1));
        nth.map_or(code.len(), |(at, _)| at)
    };
    let from = byte(number("column_start")?);
    let to = if number("line_end") == Some(line) {
        byte(number("column_end")?)
    } else {
        code.len()
    };
    Some(chapter.span(origin.start + from..origin.start + to.max(from)))
}

fn refused(language: Language, message: &str) -> Problem {
    let code = match language {
        Language::C => "cc",
        Language::Rust => "rustc",
    };
    Problem::new(code, message, format!("编译器报错：{message}"))
        .help("mend the code in the chapter", "请修改章节中的代码")
}

/// What a compiler or linker said without naming a line of a chapter.
pub fn unplaced(snippet: &Snippet, language: Language, said: &str) -> Problem {
    let name = language.name();
    let tail: Vec<&str> = said.trim().lines().rev().take(12).collect();
    let tail: Vec<&str> = tail.into_iter().rev().collect();
    let tail = tail.join("\n");
    Problem::new(
        "compile",
        format!(
            "the {name} variant of `{}` does not compile:\n{tail}",
            snippet.id
        ),
        format!("`{}` 的 {name} 版本无法编译", snippet.id),
    )
    .at(&snippet.declared, "")
    .help("mend the code in the chapter", "请修改章节中的代码")
}
