//! What `verify --format junit` says, for continuous integration.

use std::fmt::Write;

use crate::outcome::Outcome;
use crate::verify_report::{Document, Row};

/// One suite, one case a snippet and language.
pub fn junit(document: &Document) -> String {
    let runs = &document.runs;
    let count = |is: fn(Outcome) -> bool| runs.iter().filter(|row| is(row.outcome)).count();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuites>\n  <testsuite name=\"verify {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        escape(&document.testbed),
        runs.len(),
        count(is_failure),
        count(is_error),
        count(|outcome| outcome == Outcome::Unsupported),
    );
    for row in runs {
        case(row, &mut xml);
    }
    xml.push_str("  </testsuite>\n</testsuites>");
    xml
}

fn is_failure(outcome: Outcome) -> bool {
    !outcome.is_good() && !is_error(outcome)
}

/// Says nothing about the program.
fn is_error(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::NodeLost | Outcome::HarnessFault)
}

fn case(row: &Row, xml: &mut String) {
    let _ = write!(
        xml,
        "    <testcase classname=\"{}\" name=\"{}/{}\" file=\"{}\" line=\"{}\" time=\"{:.3}\"",
        escape(&row.chapter),
        escape(&row.id),
        row.lang,
        escape(&row.chapter),
        row.line,
        row.wall_ms / 1000.0,
    );
    let inside = match row.outcome {
        Outcome::Passed => None,
        Outcome::Unsupported => Some("<skipped/>".to_string()),
        outcome => {
            let tag = if is_error(outcome) {
                "error"
            } else {
                "failure"
            };
            let told: String = row
                .findings
                .iter()
                .map(|f| format!("{}:{}:{}: {}\n", f.file, f.line, f.column, f.message))
                .collect();
            Some(format!(
                "<{tag} type=\"{}\">{}</{tag}>",
                outcome.name(),
                escape(told.trim_end())
            ))
        }
    };
    match inside {
        None => xml.push_str("/>\n"),
        Some(inside) => {
            let _ = writeln!(xml, ">{inside}</testcase>");
        }
    }
}

/// Characters that XML forbids altogether become a replacement mark.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' | '\r' => out.push(c),
            c if c < ' ' || c == '\u{fffe}' || c == '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
