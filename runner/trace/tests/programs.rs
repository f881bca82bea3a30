//! The tracer under real programs. They need no RDMA device: what is tested
//! is that calls are seen and that the program behaves as without it.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use protocol::event::{Event, What, decode_log};
use protocol::log::{LOG_VARIABLE, Recorded, read};

fn tracer() -> PathBuf {
    // Built for this test, it lies beside the test's own executable.
    let executable = std::env::current_exe().unwrap();
    let library = executable.with_file_name("libverbs_trace.so");
    assert!(library.is_file(), "{} was not built", library.display());
    library
}

/// Compiles `tests/programs/NAME.c` into `folder`.
fn program(name: &str, folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{name}.c"));
    let program = folder.join(name);
    let status = Command::new("cc")
        .arg(source)
        .args(["-Wall", "-Werror", "-libverbs", "-o"])
        .arg(&program)
        .status()
        .unwrap();
    assert!(status.success());
    program
}

fn traced(program: &Path, log: &Path) -> Output {
    Command::new(program)
        .env("LD_PRELOAD", tracer())
        .env(LOG_VARIABLE, log)
        .output()
        .unwrap()
}

fn calls(recorded: &Recorded) -> Vec<String> {
    let events: Vec<Event> = decode_log(&recorded.bytes).unwrap();
    events
        .into_iter()
        .filter_map(|event| match event.what {
            What::Call { call, .. } => Some(call),
            _ => None,
        })
        .collect()
}

#[test]
fn a_traced_program_shows_what_it_shows_untraced() {
    let folder = tempfile::tempdir().unwrap();
    let program = program("list", folder.path());
    let log = folder.path().join("log");
    let untraced = Command::new(&program).output().unwrap();
    let traced = traced(&program, &log);
    assert_eq!(traced, untraced);
    let calls = calls(&read(&log).unwrap());
    assert_eq!(calls[0], "ibv_get_device_list");
}

#[test]
fn a_program_that_asks_for_no_trace_writes_none() {
    let folder = tempfile::tempdir().unwrap();
    let program = program("list", folder.path());
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    let status = Command::new(&program)
        .current_dir(folder.path())
        .env("LD_PRELOAD", tracer())
        .env_remove(LOG_VARIABLE)
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before);
}

#[test]
fn a_log_that_cannot_be_written_is_told_and_the_program_runs_on() {
    let folder = tempfile::tempdir().unwrap();
    let program = program("list", folder.path());
    let traced = traced(&program, &folder.path().join("no/such/folder/log"));
    assert!(traced.status.success());
    let message = String::from_utf8(traced.stderr).unwrap();
    assert!(message.contains("cannot write the log"), "{message}");
    assert_eq!(
        traced.stdout,
        Command::new(&program).output().unwrap().stdout
    );
}

#[test]
fn what_was_called_before_a_sudden_death_is_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let program = program("killed", folder.path());
    let log = folder.path().join("log");
    let status = traced(&program, &log).status;
    assert_eq!(status.signal(), Some(libc::SIGKILL));
    assert_eq!(calls(&read(&log).unwrap()), ["ibv_get_device_list"]);
}

#[test]
fn a_forked_child_has_a_log_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let program = program("forks", folder.path());
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    assert!(traced(&program, &logs.join("log")).status.success());
    assert_eq!(calls(&read(&logs.join("log")).unwrap()).len(), 1);
    let child = std::fs::read_dir(&logs)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some())
        .unwrap();
    assert_eq!(calls(&read(&child).unwrap()).len(), 2);
}
