//! What `cargo xtask new` leaves, and what commands answer.

use std::process::{Command, Output};

use crate::fixture::{Fixture, snippet};

fn xtask(fixture: &Fixture, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("--root").arg(fixture.root()).args(arguments);
    command.output().unwrap()
}

fn status(fixture: &Fixture, arguments: &[&str]) -> i32 {
    xtask(fixture, arguments).status.code().unwrap()
}

#[test]
fn a_new_snippet_lacks_only_what_its_author_must_write() {
    let fixture = Fixture::of("# T / 题\n");
    assert_eq!(
        status(
            &fixture,
            &["new", "one-more", "--title", "One more / 又一个"]
        ),
        0
    );
    assert_eq!(
        status(&fixture, &["new", "last", "--chapter", "one-more.md"]),
        0
    );
    let book = fixture.book();
    let ids: Vec<_> = book.snippets.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["one-more", "last"]);
    let codes: Vec<_> = book.problems.iter().map(|p| p.code).collect();
    assert_eq!(codes, ["unwritten", "unwritten"]);
    assert!(
        fixture
            .read("book/src/SUMMARY.md")
            .ends_with("- [One more / 又一个](one-more.md)\n")
    );
    assert_eq!(status(&fixture, &["new", "last"]), 2, "the id is taken");
    assert_eq!(status(&fixture, &["new", "x", "--chapter", "../x.md"]), 2);
    assert_eq!(
        status(&fixture, &["new", "x", "--title", "English only"]),
        2
    );
}

#[test]
fn check_ends_1_until_the_drift_is_mended() {
    let fixture = Fixture::of(&snippet("one", ""));
    let output = xtask(&fixture, &["check"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("cargo xtask check --fix"), "{told}");
    assert_eq!(status(&fixture, &["check", "--fix"]), 0);
    assert_eq!(status(&fixture, &["check"]), 0);
}

#[test]
fn a_record_that_is_no_record_fails_check() {
    let fixture = Fixture::of(&snippet("one", ""));
    fixture.write("book/measured/qemu/one.json", "{\"format\": 1,");
    let output = xtask(&fixture, &["check", "--fix"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("book/measured/qemu/one.json"), "{told}");
}

#[test]
fn chapters_that_cannot_be_read_end_other_commands_with_2() {
    let fixture = Fixture::of(&snippet("one", "nodes = 7"));
    assert_eq!(status(&fixture, &["list"]), 2);
    assert_eq!(status(&fixture, &["compile"]), 2);
}

#[test]
fn list_gives_every_snippet_as_json() {
    let fixture = Fixture::of(&format!(
        "{}\n{}",
        snippet("one", ""),
        snippet("two", "nodes = 2\nuses = [\"one\"]")
    ));
    let output = xtask(&fixture, &["list", "--format", "json"]);
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        listed[1],
        serde_json::json!({
            "id": "two",
            "title": { "en": "T", "zh": "题" },
            "chapter": "book/src/a.md",
            "line": 30,
            "languages": ["c", "rust"],
            "nodes": 2,
            "uses": ["one"],
            "record": "none",
        })
    );
}

#[test]
fn an_unknown_snippet_is_answered_with_the_nearest() {
    let fixture = Fixture::of(&snippet("rdma-write", ""));
    let to = fixture.path("out");
    let to = to.to_str().unwrap();
    let output = xtask(&fixture, &["copy", "rdma-wriet", "--lang", "c", "--to", to]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("did you mean `rdma-write`?"), "{told}");
}

#[test]
fn a_machine_without_a_compiler_ends_compile_with_3() {
    let fixture = Fixture::of(&snippet("one", ""));
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("--root").arg(fixture.root()).arg("compile");
    let output = command.env("CC", "no-such-compiler").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("no-such-compiler") && told.contains("cargo xtask setup"),
        "{told}"
    );
}
