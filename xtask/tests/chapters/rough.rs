//! Rough books: what is wrong is told, and nothing else.

use std::process::Command;

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
