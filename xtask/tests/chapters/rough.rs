//! Rough books: what is wrong is told, and nothing else.

use std::path::Path;
use std::process::Command;

use xtask::last_words::with_last_words;
use xtask::problem::Problem;
use xtask::tangle::Tangle;

use crate::fixture::{Fixture, snippet};

fn codes(fixture: &Fixture) -> Vec<&'static str> {
    let book = fixture.book();
    book.problems.iter().map(|problem| problem.code).collect()
}

#[test]
fn a_chapter_that_cannot_be_read_does_not_make_its_snippets_unknown() {
    let user = snippet("user", "uses = [\"base\"]");
    let fixture = Fixture::with(&[("a.md", &user), ("b.md", &snippet("base", ""))]);
    assert_eq!(codes(&fixture), [""; 0]);
    fixture.write("book/src/b.md", b"# T / \xff\n");
    assert_eq!(codes(&fixture), ["invalid-utf8"]);
}

#[test]
fn a_chapter_with_carriage_returns_is_read_as_one_without() {
    let text = snippet("one", "").replace("    return", "    // Done.\n    // 完成。\n    return");
    let plain = Fixture::of(&text).sound();
    let returned = Fixture::of(&text.replace('\n', "\r\n")).sound();
    for (language, blocks) in &plain.snippets[0].code {
        let other = &returned.snippets[0].code[language];
        assert_eq!(blocks[0].code, other[0].code);
    }
}

#[test]
fn drift_is_told_only_of_a_book_that_can_be_read() {
    let check = |text: &str| {
        let fixture = Fixture::of(text);
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["check", "--root"])
            .arg(fixture.root())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let told = check(&snippet("one", ""));
    assert!(told.contains("error[drift]"), "{told}");
    let told = check(&snippet("one", "nodes = 9"));
    assert!(told.contains("error[bad-value]"), "{told}");
    assert!(!told.contains("error[drift]"), "{told}");
}

#[test]
fn a_panic_is_told_at_its_line_of_the_chapter() {
    let text = snippet("one", "").replace("fn main() {}", "fn main() {\n    panic!(\"钥匙\")\n}");
    let book = Fixture::of(&text).sound();
    let tangle = Tangle::of(&book);
    let file = &tangle.files[Path::new("snippets/src/bin/one.rs")];
    let line = file
        .text
        .lines()
        .position(|l| l.contains("panic!"))
        .unwrap()
        + 1;
    let said = format!("thread 'main' panicked at snippets/src/bin/one.rs:{line}:5:\n钥匙\n");
    let problem = Problem::new("run", "ended: exit 101", "以 exit 101 结束");
    let problem = with_last_words(problem, &book, &tangle, said.as_bytes());
    assert!(
        problem.title.en.ends_with("\n    钥匙"),
        "{}",
        problem.title.en
    );
    let at = &problem.labels[0].at;
    let told = &book.chapter(&at.file).unwrap().text[at.bytes.clone()];
    assert_eq!(told, "panic!(\"钥匙\")");
}

#[test]
fn a_program_that_said_nothing_has_no_last_words() {
    let book = Fixture::of(&snippet("one", "")).sound();
    let problem = Problem::new("run", "ended: exit 1", "以 exit 1 结束");
    let told = with_last_words(problem.clone(), &book, &Tangle::of(&book), b"\n");
    assert_eq!(told, problem);
}
