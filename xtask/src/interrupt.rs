//! Ctrl-C, in every stage: what is being written is finished, what was
//! started is ended, and the status is 130.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::Exit;

/// Held while something is done that must not be half done.
static WHOLE: Mutex<()> = Mutex::new(());
/// The program is about to end. Set by the signal handler itself: a child that
/// got the same signal may be gone before any thread of ours wakes up.
static ENDING: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// How long an ended child may take to clean up after itself.
const CLEAN_UP: Duration = Duration::from_secs(2);

/// From now on, SIGINT, SIGTERM and SIGHUP end this program and what it
/// started.
pub fn install() -> Result<()> {
    let ending = ENDING.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, ending.clone()).context("no signal handler")?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("no signal handler")?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            end_all()
        }
    });
    Ok(())
}

fn end_all() -> ! {
    let guard = WHOLE.try_lock().unwrap_or_else(|_| {
        eprintln!("\nfinishing what must not be half done / 正在完成不能中断的一步");
        lock()
    });
    end_children();
    eprintln!(
        "\ninterrupted; what is finished is kept, the same command goes on from here\n\
         已中断；已完成的部分保留，重新运行同一命令即可继续"
    );
    drop(guard);
    std::process::exit(Exit::Interrupted as i32)
}

/// Does something that an interruption waits for: a file written and renamed,
/// packages being installed.
pub fn whole<R>(work: impl FnOnce() -> R) -> R {
    let _guard = lock();
    work()
}

/// Does not return once the program is about to end: what then went wrong,
/// went wrong because of that, and is not worth telling.
pub fn checkpoint() {
    let ending = ENDING.get();
    while ending.is_some_and(|ending| ending.load(Ordering::SeqCst)) {
        std::thread::park();
    }
}

fn lock() -> MutexGuard<'static, ()> {
    WHOLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks every process below this one to end, and waits until this one's own
/// children have, for a short while.
fn end_children() {
    let children = children_of(std::process::id());
    for pid in &children {
        end(*pid);
    }
    let deadline = Instant::now() + CLEAN_UP;
    while Instant::now() < deadline && children.iter().any(|pid| is_running(*pid)) {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The lowest first: a child that notices the end of its own child may
/// otherwise start another.
fn end(pid: u32) {
    for child in children_of(pid) {
        end(child);
    }
    // SAFETY: a plain system call; a process that has ended meanwhile is no
    // error that matters.
    unsafe { libc::kill(pid as i32, libc::SIGTERM) };
}

/// Any thread of a process can have children.
fn children_of(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    let lists = threads.into_iter().flatten().flatten();
    lists
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| {
            let pids = list.split_whitespace().filter_map(|pid| pid.parse().ok());
            pids.collect::<Vec<u32>>()
        })
        .collect()
}

/// A zombie has ended; only its parent has not asked yet.
fn is_running(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or("").trim_start();
    !state.is_empty() && !state.starts_with('Z')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn children_and_their_children_are_ended() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 600 & wait"])
            .spawn()
            .unwrap();
        let grandchild = loop {
            if let Some(pid) = children_of(shell.id()).first() {
                break *pid;
            }
            std::thread::yield_now();
        };
        assert!(children_of(std::process::id()).contains(&shell.id()));
        end(shell.id());
        shell.wait().unwrap();
        let deadline = Instant::now() + CLEAN_UP;
        while is_running(grandchild) {
            assert!(Instant::now() < deadline, "the grandchild lives on");
            std::thread::yield_now();
        }
    }
}
