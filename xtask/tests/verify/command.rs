//! The command itself, as a process.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use xtask::lock::Lock;

use crate::fixture::*;

fn verify(root: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("--root")
        .arg(root)
        .args(["verify", "--format", "json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Standard output, and the exit status.
fn end(mut child: Child) -> (String, Option<i32>) {
    let mut out = String::new();
    let mut from = child.stdout.take().unwrap();
    from.read_to_string(&mut out).unwrap();
    (out, child.wait().unwrap().code())
}

#[test]
fn a_second_verify_names_the_holder_and_ctrl_c_ends_its_wait_with_130() {
    let root = repository(MAIN, "");
    let path = root.path().join("target/verify.lock");
    let _lock = Lock::acquire(&path, |_| panic!("nobody holds it")).unwrap();
    let mut child = verify(root.path());
    let mut said = String::new();
    let mut from = BufReader::new(child.stderr.take().unwrap());
    from.read_line(&mut said).unwrap();
    let own = format!("process {}", std::process::id());
    assert!(said.contains(&own), "{said}");
    // SAFETY: a plain system call; the child has not been waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    assert_eq!(end(child), (String::new(), Some(130)));
}

#[test]
fn a_chapter_that_cannot_be_read_ends_with_2_and_says_where() {
    let root = repository(MAIN, "expect = [\"call ibv_opne_device succeeds\"]");
    let mut child = verify(root.path());
    let mut said = String::new();
    let mut from = child.stderr.take().unwrap();
    from.read_to_string(&mut said).unwrap();
    assert_eq!(end(child), (String::new(), Some(2)));
    assert!(said.contains("book/src/a.md:13:"), "{said}");
    assert!(said.contains("ibv_open_device"), "{said}");
}

#[test]
fn a_truncated_record_ends_with_2_and_is_left_as_it_is() {
    let root = repository(MAIN, "");
    let path = root.path().join("book/measured/qemu/hello.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{\"format\": 1,").unwrap();
    let mut child = verify(root.path());
    let mut said = String::new();
    let mut from = child.stderr.take().unwrap();
    from.read_to_string(&mut said).unwrap();
    assert_eq!(end(child), (String::new(), Some(2)));
    assert!(said.contains("book/measured/qemu/hello.json:1:"), "{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"format\": 1,");
}
