use std::path::Path;

use protocol::report::End;
use serde_json::Value;
use xtask::book::Book;
use xtask::compile::{Outcome, Program};
use xtask::junit::junit;
use xtask::problem::Problem;
use xtask::record::{Record, Run};
use xtask::records::Records;
use xtask::run_cache::Kept;
use xtask::runs::{self, Runs, Yardstick};
use xtask::snippet::Language;
use xtask::tangle::Tangle;
use xtask::varies::Try;
use xtask::verdict::verdicts;
use xtask::verify_report::Document;
use xtask::verify_table::table;

use crate::fixture::*;

fn program(language: Language, outcome: Outcome) -> Program {
    Program {
        id: "hello".into(),
        language,
        hash: "h".into(),
        toolchain: "cc 12".into(),
        outcome,
    }
}

fn built(language: Language) -> Program {
    let path = "unused".into();
    program(language, Outcome::Built { path, fresh: true })
}

fn ran(end: End, cached: bool) -> runs::Run {
    let kept = Kept {
        report: report(end),
        provenance: provenance(),
        tries: vec![Try {
            outcome: xtask::outcome::Outcome::NodeLost,
            reason: "node 0: panic".into(),
        }],
        unit: None,
    };
    runs::Run { kept, cached }
}

/// C runs and ends as given, Rust does not compile.
fn document(book: &Book, end: End, records: &Records) -> Document {
    let at = &book.snippet("hello").unwrap().declared;
    let problem = Problem::new("rustc", "expected `<` & more", "应为 `<`").at(at, "");
    let failed = Outcome::Failed {
        problems: vec![problem],
        log: String::new(),
    };
    let programs = [built(Language::C), program(Language::Rust, failed)];
    let runs = Runs {
        by_program: [(("hello".into(), Language::C), ran(end, true))].into(),
        yardstick: Some(Yardstick {
            id: "write-latency".into(),
            lang: "c",
            ns: 420_000,
            extra: true,
        }),
        provenance: provenance(),
    };
    let verdicts = verdicts(book, &Tangle::of(book), &programs, &runs);
    Document::new(
        "qemu",
        &verdicts,
        &runs,
        records,
        Path::new("/b/index.html"),
    )
}

fn json(document: &Document) -> Value {
    serde_json::to_value(document).unwrap()
}

#[test]
fn the_object_and_its_runs_have_exactly_the_documented_fields() {
    let root = repository(MAIN, "");
    let book = book(&root);
    let value = json(&document(
        &book,
        End::Exited { code: 0 },
        &Records::default(),
    ));
    let names =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let documented = include_str!("../../../docs/verify-json.md");
    for object in [&value, &value["runs"][0]] {
        for name in names(object) {
            assert!(documented.contains(&format!("`{name}`")), "{name}");
        }
    }
    assert_eq!(value["format"], 1);
    assert_eq!(value["yardstick"]["extra"], true);
    let run = &value["runs"][0];
    for (field, expected) in [
        ("id", Value::from("hello")),
        ("lang", "c".into()),
        ("chapter", "book/src/a.md".into()),
        ("line", 9.into()),
        ("nodes", 1.into()),
        ("outcome", "passed".into()),
        ("testbed", "qemu".into()),
        ("driver", "rdma_rxe".into()),
        ("cached", true.into()),
        ("calls", 0.into()),
        ("completions", 0.into()),
        ("record", "none".into()),
        ("wall_ms", 1500.0.into()),
        ("harness_ms", 20.0.into()),
        ("findings", Value::Array(vec![])),
    ] {
        assert_eq!(run[field], expected, "{field}");
    }
    assert_eq!(run["tries"][0]["outcome"], "node-lost");
}

#[test]
fn a_program_that_does_not_compile_stands_among_the_runs_with_its_place() {
    let root = repository(MAIN, "");
    let book = book(&root);
    let document = document(&book, End::Exited { code: 0 }, &Records::default());
    let run = &json(&document)["runs"][1];
    assert_eq!(run["outcome"], "compile-failed");
    assert_eq!(run["lang"], "rust");
    assert_eq!(run["harness_ms"], Value::Null);
    assert_eq!(run["findings"][0]["file"], "book/src/a.md");
    assert_eq!(run["findings"][0]["line"], 9);
    assert!(!document.all_good());
}

#[test]
fn another_end_than_the_chapter_says_points_at_the_chapter() {
    let root = repository(MAIN, "");
    let book = book(&root);
    let value = json(&document(
        &book,
        End::Exited { code: 4 },
        &Records::default(),
    ));
    let run = &value["runs"][0];
    assert_eq!(run["outcome"], "failed");
    let finding = &run["findings"][0];
    assert_eq!(finding["file"], "book/src/a.md");
    assert!(
        finding["message"]
            .as_str()
            .unwrap()
            .starts_with("hello/c: ")
    );
    assert!(!finding["message_zh"].as_str().unwrap().is_empty());
}

#[test]
fn a_committed_record_is_fresh_or_stale_by_its_hash() {
    let root = repository(MAIN, "");
    let book = book(&root);
    for (hash, expected) in [("h", "fresh"), ("older", "stale")] {
        let mut record = Record::new("hello", "qemu");
        let run = Run::compiled(hash.into(), "cc".into(), String::new(), true);
        record.update(Language::C, run);
        let mut records = Records::default();
        records.insert(record);
        let value = json(&document(&book, End::Exited { code: 0 }, &records));
        assert_eq!(value["runs"][0]["record"], expected);
        assert_eq!(value["runs"][1]["record"], "none");
    }
}

#[test]
fn junit_counts_failures_and_escapes_what_a_compiler_says() {
    let root = repository(MAIN, "");
    let book = book(&root);
    let xml = junit(&document(
        &book,
        End::Exited { code: 0 },
        &Records::default(),
    ));
    assert!(
        xml.contains("tests=\"2\" failures=\"1\" errors=\"0\""),
        "{xml}"
    );
    assert!(xml.contains("name=\"hello/rust\""), "{xml}");
    assert!(
        xml.contains("book/src/a.md:9:1: expected `&lt;` &amp; more"),
        "{xml}"
    );
}

#[test]
fn the_table_has_a_line_a_snippet_and_marks_what_did_not_run_again() {
    let root = repository(MAIN, "");
    let book = book(&root);
    let text = table(&document(
        &book,
        End::Exited { code: 0 },
        &Records::default(),
    ));
    let line = text.lines().find(|line| line.contains("hello")).unwrap();
    assert!(line.contains("= passed (2)"), "{line}");
    assert!(line.contains("compile-failed"), "{line}");
    assert!(text.contains("1 passed, 1 compile-failed"), "{text}");
}
