use std::fs;
use std::path::Path;

use tempfile::TempDir;
use xtask::record::{Record, RecordState};
use xtask::records::{RecordError, load_all, write};
use xtask::snippet::Language;

use crate::sample::*;

fn record() -> Record {
    let snippet = snippet(vec![]);
    let mut record = Record::new("sample", "qemu");
    for language in Language::ALL {
        record.update(language, run(&snippet, "hash", &writing()));
    }
    record
}

fn stored(text: &str, path: &str) -> (TempDir, RecordError) {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
    let error = load_all(root.path()).unwrap_err();
    (root, error)
}

#[test]
fn a_record_reads_back_as_it_was_written() {
    let root = tempfile::tempdir().unwrap();
    let path = write(root.path(), &record()).unwrap();
    assert_eq!(path, Path::new("book/measured/qemu/sample.json"));
    let records = load_all(root.path()).unwrap();
    assert_eq!(records.get("sample", "qemu"), Some(&record()));
    let folder = root.path().join("book/measured/qemu");
    assert_eq!(
        fs::read_dir(folder).unwrap().count(),
        1,
        "no temporary left"
    );
}

#[test]
fn no_records_are_an_empty_set() {
    let records = load_all(tempfile::tempdir().unwrap().path()).unwrap();
    assert_eq!(records.of("sample").count(), 0);
}

#[test]
fn a_torn_record_is_named_with_line_and_next_step_in_both_languages() {
    let whole = serde_json::to_string_pretty(&record()).unwrap();
    let torn = &whole[..whole.len() / 2];
    let (_root, error) = stored(torn, "book/measured/qemu/sample.json");
    let line = torn.lines().count();
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("book/measured/qemu/sample.json:{line}:")),
        "{text}"
    );
    assert!(text.contains("git checkout"), "{text}");
    assert!(text.contains("这不是完整的记录"), "{text}");
}

#[test]
fn what_is_not_json_is_named() {
    let (_root, error) = stored("hello", "book/measured/qemu/sample.json");
    assert!(
        matches!(error, RecordError::NotARecord { line: 1, .. }),
        "{error}"
    );
}

#[test]
fn a_newer_format_is_told_from_a_broken_record() {
    let (_root, error) = stored(
        "{\"format\": 99, \"unheard\": []}",
        "book/measured/qemu/sample.json",
    );
    assert!(
        matches!(error, RecordError::Newer { format: 99, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("git pull"));
}

#[test]
fn an_unknown_testbed_is_named() {
    let (_root, error) = stored("{}", "book/measured/moon/sample.json");
    assert!(
        matches!(error, RecordError::UnknownTestbed { .. }),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .contains("compile, local, qemu, slurm, ssh")
    );
}

#[test]
fn a_record_in_the_wrong_place_is_named() {
    let text = serde_json::to_string(&record()).unwrap();
    let (_root, error) = stored(&text, "book/measured/qemu/other.json");
    assert!(matches!(error, RecordError::Misplaced { .. }), "{error}");
}

#[test]
fn a_second_run_with_the_same_facts_changes_nothing() {
    let mut record = record();
    let mut again = run(&snippet(vec![]), "hash", &writing());
    again.varies.date = "2031-01-01".into();
    again.varies.roles[0].empty_polls = 7;
    assert!(!record.update(Language::C, again.clone()));
    again.hash = "other".into();
    assert!(record.update(Language::C, again), "a new hash is a change");
}

#[test]
fn a_record_is_stale_when_the_hash_differs() {
    let mut records = xtask::records::Records::default();
    records.insert(record());
    let state = |id, hash| records.state(id, Language::C, hash);
    assert_eq!(state("sample", "hash"), RecordState::Fresh);
    assert_eq!(state("sample", "new"), RecordState::Stale);
    assert_eq!(state("other", "hash"), RecordState::None);
    assert_eq!(records.orphans(&["other"]).len(), 1);
}
