//! What `verify` says to a person: one line a snippet, then the sum.

use comfy_table::{Table, presets};

use crate::outcome::Outcome;
use crate::verify_report::{Document, Row};

/// The whole text, without a line end.
pub fn table(document: &Document) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "snippet / 示例",
        "nodes",
        "C",
        "Rust",
        "calls",
        "completions",
        "record",
        "chapter / 章",
    ]);
    for rows in document.runs.chunk_by(|a, b| a.id == b.id) {
        table.add_row(line(rows));
    }
    format!("{table}\n{}", sum(document))
}

fn line(rows: &[Row]) -> [String; 8] {
    let first = &rows[0];
    let of = |lang: &str| rows.iter().find(|row| row.lang == lang);
    [
        first.id.clone(),
        first.nodes.to_string(),
        of("c").map_or_else(String::new, outcome),
        of("rust").map_or_else(String::new, outcome),
        numbers(rows, |row| row.calls),
        numbers(rows, |row| row.completions),
        records(rows),
        format!("{}:{}", first.chapter, first.line),
    ]
}

/// `passed`, `= passed` when it was not run again, `passed (2)` at the second
/// try.
fn outcome(row: &Row) -> String {
    let cached = if row.cached { "= " } else { "" };
    let tries = match row.tries.len() {
        0 => String::new(),
        before => format!(" ({})", before + 1),
    };
    format!("{cached}{}{tries}", row.outcome.name())
}

fn numbers(rows: &[Row], of: impl Fn(&Row) -> usize) -> String {
    let mut numbers: Vec<String> = rows.iter().map(|row| of(row).to_string()).collect();
    numbers.dedup();
    numbers.join("/")
}

fn records(rows: &[Row]) -> String {
    let mut names: Vec<&str> = rows.iter().map(|row| row.record.name()).collect();
    names.dedup();
    names.join("/")
}

fn sum(document: &Document) -> String {
    let runs = &document.runs;
    let mut parts = Vec::new();
    for outcome in [
        Outcome::Passed,
        Outcome::Unsupported,
        Outcome::Failed,
        Outcome::CompileFailed,
        Outcome::Timeout,
        Outcome::Signal,
        Outcome::Oom,
        Outcome::NodeLost,
        Outcome::HarnessFault,
    ] {
        let count = runs.iter().filter(|row| row.outcome == outcome).count();
        if count > 0 {
            parts.push(format!("{count} {}", outcome.name()));
        }
    }
    let cached = runs.iter().filter(|row| row.cached).count();
    format!(
        "{0} programs / {0} 个程序：{1}；{cached} unchanged (=) / {cached} 个未变，沿用先前的结果",
        runs.len(),
        parts.join(", ")
    )
}
