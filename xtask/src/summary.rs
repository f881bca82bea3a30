//! Which files are chapters: what `SUMMARY.md` lists, in its order.

use std::path::{Path, PathBuf};

use mdbook_summary::{Summary, SummaryItem, parse_summary};

use crate::chapter::Chapter;
use crate::diagnose::Sources;
use crate::position::Lines;
use crate::problem::Problem;
use crate::snippet::Span;

/// Where chapters live, relative to the repository.
pub const SOURCE: &str = "book/src";

/// The chapters that `SUMMARY.md` lists, in its order, and what is wrong with
/// the list and the files.
pub fn read_all(root: &Path, sources: &mut Sources) -> (Vec<Chapter>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut chapters = Vec::new();
    let summary_path = Path::new(SOURCE).join("SUMMARY.md");
    let Some(summary) = read_text(root, &summary_path, sources, &mut problems) else {
        return (chapters, problems);
    };
    let listed = match parse_summary(&summary) {
        Ok(parsed) => listed(&parsed),
        Err(error) => {
            problems.push(bad_summary(&summary_path, &summary, &format!("{error:#}")));
            return (chapters, problems);
        }
    };
    for location in &listed {
        let path = Path::new(SOURCE).join(location);
        if !root.join(&path).is_file() {
            problems.push(missing_file(&summary_path, &summary, location));
        } else if let Some(text) = read_text(root, &path, sources, &mut problems) {
            chapters.push(Chapter::parse(path, text));
        }
    }
    problems.extend(unlisted(root, &listed));
    (chapters, problems)
}

fn listed(summary: &Summary) -> Vec<PathBuf> {
    let parts = [
        &summary.prefix_chapters,
        &summary.numbered_chapters,
        &summary.suffix_chapters,
    ];
    let mut found = Vec::new();
    parts
        .into_iter()
        .for_each(|items| collect(items, &mut found));
    found
}

fn collect(items: &[SummaryItem], found: &mut Vec<PathBuf>) {
    for item in items {
        if let SummaryItem::Link(link) = item {
            found.extend(link.location.clone());
            collect(&link.nested_items, found);
        }
    }
}

/// The text of a file, noted as a source of excerpts.
fn read_text(
    root: &Path,
    path: &Path,
    sources: &mut Sources,
    problems: &mut Vec<Problem>,
) -> Option<String> {
    let shown = path.display();
    let bytes = match std::fs::read(root.join(path)) {
        Ok(bytes) => bytes,
        Err(error) => {
            problems.push(
                Problem::new(
                    "unreadable",
                    format!("cannot read `{shown}`: {error}"),
                    format!("无法读取 `{shown}`：{error}"),
                )
                .help(
                    "run the command inside the book's repository",
                    "请在本书的仓库内运行该命令",
                ),
            );
            return None;
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => {
            sources.insert(path.to_path_buf(), text.clone());
            if text.starts_with('\u{feff}') {
                problems.push(byte_order_mark(path, &text));
            }
            Some(text)
        }
        Err(error) => {
            problems.push(invalid_utf8(path, &error, sources));
            None
        }
    }
}

fn byte_order_mark(path: &Path, text: &str) -> Problem {
    Problem::new(
        "byte-order-mark",
        "the file begins with a byte order mark",
        "文件以字节序标记（BOM）开头",
    )
    .at(&Lines::of(text).span(path, text, 0..0), "")
    .help(
        "save it as UTF-8 without a byte order mark",
        "请保存为不带 BOM 的 UTF-8",
    )
}

fn invalid_utf8(path: &Path, error: &std::string::FromUtf8Error, sources: &mut Sources) -> Problem {
    let bytes = error.as_bytes();
    let at = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(bytes).into_owned();
    let span = Lines::of(&text).span(path, &text, at..at + '\u{fffd}'.len_utf8());
    sources.insert(path.to_path_buf(), text);
    let byte = bytes[at];
    Problem::new(
        "invalid-utf8",
        format!("the chapter is not UTF-8: byte {byte:#04x} at offset {at}"),
        format!("章节不是 UTF-8：偏移 {at} 处的字节为 {byte:#04x}"),
    )
    .at(&span, "the bad byte / 错误的字节")
    .help("save the file as UTF-8", "请将文件保存为 UTF-8")
}

fn bad_summary(path: &Path, text: &str, error: &str) -> Problem {
    Problem::new(
        "bad-summary",
        format!("SUMMARY.md cannot be read as a list of chapters: {error}"),
        format!("SUMMARY.md 不是合法的章节列表：{error}"),
    )
    .at(&Lines::of(text).span(path, text, 0..0), "")
    .help(
        "write one list item a chapter: `- [Title / 标题](file.md)`",
        "每章写一个列表项：`- [Title / 标题](file.md)`",
    )
}

fn missing_file(summary_path: &Path, summary: &str, location: &Path) -> Problem {
    let shown = location.display().to_string();
    let at = summary.find(&shown).unwrap_or(0);
    let span = Lines::of(summary).span(summary_path, summary, at..at + shown.len());
    Problem::new(
        "missing-chapter",
        format!("SUMMARY.md lists `{shown}`, which is not a file"),
        format!("SUMMARY.md 列出了 `{shown}`，但没有这个文件"),
    )
    .at(&span, "no such file / 没有这个文件")
    .help(
        format!("create `{SOURCE}/{shown}` or remove the line"),
        format!("请创建 `{SOURCE}/{shown}`，或删除这一行"),
    )
}

/// Chapter files that no line of `SUMMARY.md` names: they would never be read.
fn unlisted(root: &Path, listed: &[PathBuf]) -> Vec<Problem> {
    let source = root.join(SOURCE);
    let mut problems = Vec::new();
    let files = walkdir::WalkDir::new(&source).sort_by_file_name();
    for entry in files.into_iter().flatten() {
        let Ok(location) = entry.path().strip_prefix(&source) else {
            continue;
        };
        let is_chapter = entry.file_type().is_file()
            && location.extension().is_some_and(|e| e == "md")
            && location != Path::new("SUMMARY.md");
        if !is_chapter || listed.iter().any(|l| same_path(l, location)) {
            continue;
        }
        let path = Path::new(SOURCE).join(location);
        let shown = location.display();
        let first_line = Span {
            file: path,
            line: 1,
            column: 1,
            bytes: 0..0,
        };
        problems.push(
            Problem::new(
                "not-in-summary",
                format!("SUMMARY.md does not list the chapter `{shown}`"),
                format!("SUMMARY.md 没有列出章节 `{shown}`"),
            )
            .at(&first_line, "")
            .help(
                format!("add `- [Title / 标题]({shown})` to {SOURCE}/SUMMARY.md"),
                format!("请在 {SOURCE}/SUMMARY.md 中加入 `- [Title / 标题]({shown})`"),
            ),
        );
    }
    problems
}

fn same_path(listed: &Path, found: &Path) -> bool {
    listed.strip_prefix(".").unwrap_or(listed) == found
}
