use std::fs::File;
use std::sync::Barrier;

use protocol::log::{Recorded, TRAILER};

use super::*;
use protocol::event::{Event, What};

fn file(folder: &tempfile::TempDir) -> (PathBuf, File) {
    let path = folder.path().join("log");
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)
        .unwrap();
    (path, file)
}

/// A record of this number, `padding` bytes longer than it need be.
fn record(number: u64, padding: usize) -> Vec<u8> {
    let event = Event {
        at_ns: number,
        thread: 1,
        what: What::Connection {
            event: 0,
            status: 0,
        },
    };
    let mut bytes = postcard::to_extend(&event, vec![0; 4]).unwrap();
    bytes.resize((bytes.len() + padding).next_multiple_of(4), 0);
    bytes
}

fn numbers(path: &Path) -> (Vec<u64>, Recorded) {
    let recorded = protocol::log::read(path).unwrap();
    let events = protocol::event::decode_log(&recorded.bytes).unwrap();
    (events.iter().map(|e| e.at_ns).collect(), recorded)
}

#[test]
fn what_was_appended_is_read_back_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = file(&folder);
    let log = Log::create(&file, 1 << 20).unwrap();
    for number in 0..100 {
        log.append(&record(number, number as usize));
    }
    let (seen, recorded) = numbers(&path);
    assert_eq!(seen, (0..100).collect::<Vec<_>>());
    assert!(!recorded.truncated);
}

#[test]
fn threads_do_not_tear_each_others_records() {
    const THREADS: u64 = 4;
    const EACH: u64 = 2000;
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = file(&folder);
    let log = Log::create(&file, 4 << 20).unwrap();
    let start = Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (log, start) = (&log, &start);
            scope.spawn(move || {
                start.wait();
                for i in 0..EACH {
                    log.append(&record(thread * EACH + i, (i % 7) as usize));
                }
            });
        }
    });
    let (mut seen, _) = numbers(&path);
    seen.sort_unstable();
    assert_eq!(seen, (0..THREADS * EACH).collect::<Vec<_>>());
}

#[test]
fn a_full_log_keeps_its_beginning_and_says_that_it_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = file(&folder);
    let log = Log::create(&file, 4096).unwrap();
    for number in 0..1000 {
        log.append(&record(number, 8));
    }
    let (seen, recorded) = numbers(&path);
    assert!(recorded.truncated);
    assert!(seen.len() > 10 && seen.len() < 1000);
    assert_eq!(seen, (0..seen.len() as u64).collect::<Vec<_>>());
    assert!(recorded.bytes.len() as u64 <= 4096 - TRAILER);
}

#[test]
fn a_record_that_was_reserved_and_not_published_ends_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = file(&folder);
    let log = Log::create(&file, 4096).unwrap();
    log.append(&record(1, 0));
    assert!(log.reserve(16).is_some());
    log.append(&record(2, 0));
    let (seen, recorded) = numbers(&path);
    assert_eq!(seen, [1]);
    assert!(recorded.bytes.len() > 32, "the later record is in the file");
}

#[test]
fn a_second_process_gets_a_log_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    claim(&path, 4096).unwrap().append(&record(1, 0));
    claim(&path, 4096).unwrap().append(&record(2, 0));
    let own = folder.path().join(format!("log.{}", std::process::id()));
    assert_eq!(numbers(&path).0, [1]);
    assert_eq!(numbers(&own).0, [2]);
}

#[test]
fn a_log_survives_the_sudden_death_of_its_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    // SAFETY: the child touches only what is its own, allocates nothing that
    // another thread's lock could guard, and ends by a signal.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let log = claim(&path, 1 << 20).unwrap();
        for number in 0..50 {
            log.append(&record(number, 0));
        }
        // SAFETY: ends this process.
        unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    }
    let mut status = 0;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFSIGNALED(status));
    assert_eq!(numbers(&path).0, (0..50).collect::<Vec<_>>());
}
