use std::time::Duration;

use protocol::report::{End, Fault, TimeLimit};
use xtask::hash::{run_hash, snippet_hash};
use xtask::run_cache::{Inputs, Kept, RunCache, is_lasting};
use xtask::snippet::Language;

use crate::fixture::*;

const INPUTS: Inputs = Inputs {
    program: "p",
    toolchain: "cc 12",
    tracer: "t",
    testbed: "saved-1",
};

fn hashes(code: &str, more: &str) -> (String, String) {
    let root = repository(code, more);
    let book = book(&root);
    let snippet = book.snippet("hello").unwrap();
    (
        run_hash(&book, snippet, Language::C),
        snippet_hash(&book, snippet, Language::C),
    )
}

#[test]
fn a_changed_expectation_needs_no_run_but_makes_a_record_stale() {
    let (run, record) = hashes(MAIN, "expect = [\"exit 0\"]");
    let (same_run, other_record) = hashes(MAIN, "expect = [\"exit 1\"]");
    assert_eq!(run, same_run);
    assert_ne!(record, other_record);
}

#[test]
fn changed_code_and_a_changed_way_to_run_it_need_a_run() {
    let (run, _) = hashes(MAIN, "");
    let others = [
        hashes("int main(void) { return 1; }", ""),
        hashes(MAIN, "nodes = 2"),
        hashes(MAIN, "unprivileged = true"),
        hashes(MAIN, "memlock = 65536"),
        hashes(MAIN, "timeout = \"5s\""),
    ];
    for (other, _) in others {
        assert_ne!(run, other);
    }
}

#[test]
fn every_input_changes_the_key_and_none_passes_for_another() {
    let key = INPUTS.key();
    let others = [
        Inputs {
            program: "q",
            ..INPUTS
        },
        Inputs {
            toolchain: "cc 13",
            ..INPUTS
        },
        Inputs {
            tracer: "u",
            ..INPUTS
        },
        Inputs {
            testbed: "saved-2",
            ..INPUTS
        },
        Inputs {
            program: "pc",
            toolchain: "c 12",
            ..INPUTS
        },
    ];
    for other in others {
        assert_ne!(other.key(), key);
    }
}

fn kept(end: End) -> Kept {
    Kept {
        report: report(end),
        provenance: provenance(),
        tries: Vec::new(),
        unit: Some(Duration::from_micros(7)),
    }
}

#[test]
fn a_kept_run_comes_back_under_its_key_alone() {
    let root = tempfile::tempdir().unwrap();
    let cache = RunCache::new(root.path(), "qemu");
    assert!(cache.find("hello", Language::C, "k").is_none());
    let run = kept(End::Exited { code: 3 });
    cache.keep("hello", Language::C, "k", &run).unwrap();
    let found = cache.find("hello", Language::C, "k").unwrap();
    assert_eq!(found.report.roles[0].end, End::Exited { code: 3 });
    assert_eq!(found.report.roles[0].stdout, b"hello\n");
    assert_eq!(found.unit, run.unit);
    assert!(cache.find("hello", Language::C, "other").is_none());
    assert!(cache.find("hello", Language::Rust, "k").is_none());
    let other_testbed = RunCache::new(root.path(), "local");
    assert!(other_testbed.find("hello", Language::C, "k").is_none());
}

#[test]
fn a_torn_file_is_no_run_and_is_replaced() {
    let root = tempfile::tempdir().unwrap();
    let cache = RunCache::new(root.path(), "qemu");
    let run = kept(End::Exited { code: 0 });
    cache.keep("hello", Language::C, "k", &run).unwrap();
    let path = root.path().join("target/runs/qemu/hello.c");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    assert!(cache.find("hello", Language::C, "k").is_none());
    cache.keep("hello", Language::C, "k", &run).unwrap();
    assert!(cache.find("hello", Language::C, "k").is_some());
}

#[test]
fn what_a_busy_machine_may_have_done_is_not_kept() {
    assert!(is_lasting(&report(End::Exited { code: 1 })));
    assert!(is_lasting(&report(End::Signal { signal: 11 })));
    let limit = TimeLimit::Wall;
    assert!(!is_lasting(&report(End::TimedOut { limit })));
    let mut lost = report(End::Exited { code: 0 });
    lost.fault = Some(Fault::Harness {
        reason: "no".into(),
    });
    assert!(!is_lasting(&lost));
}
