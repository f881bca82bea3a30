use std::fs;
use std::path::{Path, PathBuf};

use mdbook_driver::MDBook;
use xtask::book::Book;
use xtask::exit::{Exit, status_of};
use xtask::record::Record;
use xtask::{records, site};

use crate::sample::*;

/// A repository with a small book, this project's `book.toml` and a record.
fn repository() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = |from: PathBuf, to: &str| {
        let to = root.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    };
    copy(own.join("../book/book.toml"), "book/book.toml");
    copy(
        own.join("../book/theme/measured.css"),
        "book/theme/measured.css",
    );
    for file in ["SUMMARY.md", "sample.md"] {
        let from = own.join("tests/pages/small/src").join(file);
        copy(from, &format!("book/src/{file}"));
    }
    let book = Book::read(root.path());
    let snippet = book.snippet("sample").expect("the sample is sound");
    let mut record = Record::new("sample", "qemu");
    for (language, hash) in site::hashes(&book, snippet) {
        record.update(language, run(snippet, &hash, &single(writing_client())));
    }
    records::write(root.path(), &record).unwrap();
    root
}

fn page(root: &Path) -> String {
    fs::read_to_string(root.join("book/html/sample.html")).unwrap()
}

#[test]
fn a_page_holds_its_panel_where_the_declaration_stood() {
    let root = repository();
    let pages = site::build(root.path()).unwrap();
    assert_eq!(pages, root.path().join("book/html"));
    let html = page(root.path());
    let code = html.find("int main(void)").unwrap();
    let panel = html.find("id=\"measured-sample\"").unwrap();
    let after = html.find("The chapter goes on").unwrap();
    assert!(code < panel && panel < after);
    assert!(html.contains("m-line m-measured"), "{html}");
    assert!(html.contains("IBV_QPS_RTS"));
    assert!(!html.contains("title_zh"), "the declaration itself is gone");
    assert!(html.contains("<div lang=\"zh-Hans\" class=\"zh\">"));
    assert!(
        html.contains("<li><strong>硬件</strong>"),
        "Markdown inside"
    );
    assert!(
        html.contains("<span class=\"boring\">#include"),
        "hidden line"
    );
}

#[test]
fn plain_mdbook_with_the_command_renders_the_same_page() {
    let root = repository();
    site::build(root.path()).unwrap();
    let in_process = page(root.path());
    fs::remove_dir_all(root.path().join("book/html")).unwrap();

    let config = root.path().join("book/book.toml");
    let program = env!("CARGO_BIN_EXE_xtask");
    let text = fs::read_to_string(&config).unwrap();
    let command = "cargo run --quiet --package xtask --";
    assert!(text.contains(command));
    fs::write(&config, text.replace(command, program)).unwrap();
    MDBook::load(root.path().join("book"))
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(page(root.path()), in_process);
}

#[test]
fn a_chapter_whose_declaration_is_broken_is_named() {
    let root = repository();
    let chapter = root.path().join("book/src/sample.md");
    let text = fs::read_to_string(&chapter).unwrap();
    fs::write(&chapter, text.replace("id = \"sample\"", "id = ")).unwrap();
    let error = format!("{:#}", site::build(root.path()).unwrap_err());
    assert!(error.contains("book/src/sample.md:32: "), "{error}");
}

#[test]
fn chapters_and_records_that_cannot_be_used_are_bad_input() {
    let root = repository();
    let record = root.path().join("book/measured/qemu/sample.json");
    fs::write(&record, "{").unwrap();
    let error = site::build(root.path()).unwrap_err();
    assert_eq!(status_of(&error), Exit::BadInput);
    assert!(format!("{error:#}").contains("book/measured/qemu/sample.json:1:1: "));

    fs::remove_file(&record).unwrap();
    let chapter = root.path().join("book/src/sample.md");
    let text = fs::read_to_string(&chapter).unwrap();
    fs::write(&chapter, text.replace("id = \"sample\"", "id = ")).unwrap();
    let error = site::build(root.path()).unwrap_err();
    assert_eq!(status_of(&error), Exit::BadInput, "{error:#}");
}
