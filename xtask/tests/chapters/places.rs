//! Every line and column is that of the raw chapter.

use xtask::snippet::Language;
use xtask::tangle::Tangle;

use crate::fixture::{Fixture, declaration, snippet};

/// Where the first problem stands: line and column.
fn place(text: &str) -> (usize, usize) {
    let book = Fixture::of(text).book();
    let at = &book.problems.first().expect("a problem").labels[0].at;
    (at.line, at.column)
}

#[test]
fn a_column_counts_characters_after_chinese_text() {
    let text = snippet("one", "expect = [\"prints \\\"设备\\\"\", \"exit zero\"]");
    let line = text.lines().position(|l| l.starts_with("expect")).unwrap() + 1;
    let column = "expect = [\"prints \\\"设备\\\"\", \"exit ".chars().count() + 1;
    assert_eq!(place(&text), (line, column));
}

#[test]
fn lines_may_end_in_carriage_returns() {
    let text = snippet("one", "nodes = 3").replace('\n', "\r\n");
    let line = text.lines().position(|l| l.starts_with("nodes")).unwrap() + 1;
    assert_eq!(place(&text), (line, 9));
    let fixture = Fixture::of(&snippet("one", "").replace('\n', "\r\n"));
    let book = fixture.sound();
    let code = &book.snippets[0].code[&Language::C][0].code;
    assert_eq!(code, "int main(void)\n{\n    return 0;\n}\n");
}

#[test]
fn a_tab_is_one_column() {
    let text = snippet("one", "\tnodes\t=\t3");
    let line = text.lines().position(|l| l.starts_with("\tnodes")).unwrap() + 1;
    assert_eq!(place(&text), (line, 10));
}

#[test]
fn a_fence_in_a_list_loses_its_indentation_and_keeps_its_place() {
    let text = format!(
        "- 一\n  - two\n\n    ~~~c id=one\n    int 语 = 1;\n\n      int y;\n    ~~~\n\n  二\n\n> 中\n\n{}",
        snippet("one", "")
    );
    let fixture = Fixture::of(&text);
    let book = fixture.sound();
    let block = &book.snippets[0].code[&Language::C][0];
    assert_eq!(block.code, "int 语 = 1;\n\n  int y;\n");
    assert_eq!((block.at.line, block.at.column), (5, 5));
    for (line, &start) in block.code.lines().zip(&block.starts) {
        assert!(book.chapters[0].text[start..].starts_with(line));
    }
}

#[test]
fn an_indented_fence_keeps_its_place() {
    let text = format!(
        "   ```c id=one\n   int x;\n     int y;\n   ```\n\n{}",
        snippet("one", "")
    );
    let book = Fixture::of(&text).sound();
    let block = &book.snippets[0].code[&Language::C][0];
    assert_eq!(block.code, "int x;\n  int y;\n");
    assert_eq!((block.at.line, block.at.column), (2, 4));
}

#[test]
fn a_fence_inside_a_longer_fence_is_text() {
    let text = format!("````text\n{}````\n", snippet("shown", ""));
    assert!(Fixture::of(&text).sound().snippets.is_empty());
}

#[test]
fn hidden_line_marks_are_stripped_and_the_code_keeps_its_place() {
    let text = format!(
        "```c id=one main\n~#include <stdio.h>\nint main(void) {{ return ~0; }}\n```\n\n\
         ```rust id=one main\n# use std::ptr;\n#\n#[rustfmt::skip]\nfn main() {{}}\n    # //\n```\n\n{}",
        declaration("one", "")
    );
    let book = Fixture::of(&text).sound();
    let c = &book.snippets[0].code[&Language::C][0];
    assert_eq!(
        c.code,
        "#include <stdio.h>\nint main(void) { return ~0; }\n"
    );
    let rust = &book.snippets[0].code[&Language::Rust][0];
    assert_eq!(
        rust.code,
        "use std::ptr;\n\n#[rustfmt::skip]\nfn main() {}\n//\n"
    );
    assert!(book.chapters[0].text[c.starts[0]..].starts_with("#include"));
    assert!(book.chapters[0].text[rust.starts[0]..].starts_with("use std"));
}

#[test]
fn a_place_in_assembled_rust_code_leads_back_to_the_chapter() {
    let text = format!(
        "- list\n\n  ```rust id=one\n  pub fn f() {{}}\n  ```\n\n> 列表\n\n{}",
        snippet("one", "")
    );
    let book = Fixture::of(&text).sound();
    let tangle = Tangle::of(&book);
    let module = &tangle.files[std::path::Path::new("snippets/src/one.rs")];
    let line = module
        .text
        .lines()
        .position(|l| l == "pub fn f() {}")
        .unwrap()
        + 1;
    let panic =
        format!("panicked at snippets/src/bin/../one.rs:{line}:5: no\nsnippets/src/one.rs:1:1");
    assert_eq!(
        tangle.remap_text(&panic),
        "panicked at book/src/a.md:4:7: no\nsnippets/src/one.rs:1:1"
    );
}
