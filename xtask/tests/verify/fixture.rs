//! A small book, and reports built in code.

use std::fs;
use std::time::Duration;

use protocol::job::Role;
use protocol::report::{End, Provenance, Report, RoleReport};
use tempfile::TempDir;
use xtask::book::Book;

/// A folder with a book of one chapter that holds one snippet, `hello`; `more`
/// are further lines of its declaration.
pub fn repository(code: &str, more: &str) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("book/src");
    fs::create_dir_all(&source).unwrap();
    fs::write(source.join("SUMMARY.md"), "# Summary\n\n- [A / 甲](a.md)\n").unwrap();
    let chapter = format!(
        "```c id=hello main\n{code}\n```\n\n```rust id=hello main\nfn main() {{}}\n```\n\n\
         ```toml snippet\nid = \"hello\"\ntitle = \"T\"\ntitle_zh = \"题\"\n{more}\n```\n"
    );
    fs::write(source.join("a.md"), chapter).unwrap();
    root
}

pub const MAIN: &str = "int main(void) { return 0; }";

pub fn book(root: &TempDir) -> Book {
    let book = Book::read(root.path());
    assert!(book.snippet("hello").is_some(), "{:?}", book.problems);
    book
}

pub fn report(end: End) -> Report {
    Report {
        roles: vec![RoleReport {
            role: Role::Single,
            end,
            stdout: b"hello\n".to_vec(),
            stderr: Vec::new(),
            wall: Duration::from_millis(1500),
            cpu: Duration::from_millis(3),
            events: Vec::new(),
            trace_truncated: false,
        }],
        kernel_log: Vec::new(),
        harness: Duration::from_millis(20),
        fault: None,
    }
}

pub fn provenance() -> Provenance {
    Provenance {
        testbed: "qemu".into(),
        driver: "rdma_rxe".into(),
        kernel: "6.1.0".into(),
        accelerator: "tcg".into(),
        ..Provenance::default()
    }
}
