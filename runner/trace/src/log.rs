//! The log: a file mapped shared, so that what was written before a SIGKILL
//! is there after it, and an atomic offset, so that threads do not tear each
//! other's records. See [`protocol::log`] for the layout.
//!
//! A record is published by storing its length last. A reader stops at the
//! first length that is still 0.

use std::ffi::{CString, OsStr};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

use protocol::log::{DEFAULT_LIMIT, LIMIT_VARIABLE, LOG_VARIABLE, MAGIC, TRAILER};

/// How much of the file is given room at a time.
const STEP: u64 = 256 << 10;

/// One mapped log file. Never unmapped: a thread may be writing to it.
pub struct Log {
    base: *mut u8,
    /// Where records end and the trailer begins, from `base`.
    room: u64,
    /// Up to here the file is known to have room for what is written.
    ready: AtomicU64,
}

// SAFETY: `base` points to a mapping that lives as long as the process, and
// every access to it goes through a reserved range or an atomic.
unsafe impl Sync for Log {}
// SAFETY: as above; no thread owns the mapping.
unsafe impl Send for Log {}

impl Log {
    /// Lays out `file` and maps it.
    pub fn create(file: &File, limit: u64) -> io::Result<Log> {
        let limit = limit.next_multiple_of(8).max(2 * TRAILER);
        file.set_len(limit)?;
        // SAFETY: a new mapping of a file of this length at any address.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                limit as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let log = Log {
            base: base.cast(),
            room: limit - TRAILER,
            ready: AtomicU64::new(0),
        };
        // Written through the file so that a full disk is an error here and
        // not a SIGBUS later.
        file.write_all_at(&MAGIC.to_le_bytes(), log.room + 16)?;
        Ok(log)
    }

    fn word(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: the trailer is inside the mapping and 8-aligned, for `room`
        // is a multiple of 8 and mappings begin on a page.
        unsafe { &*self.base.add((self.room + offset) as usize).cast() }
    }

    /// Bytes given out to records.
    fn used(&self) -> &AtomicU64 {
        self.word(0)
    }

    /// Records left out. Once there is one, no later record is written, so
    /// that a log is whole up to its end.
    fn dropped(&self) -> &AtomicU64 {
        self.word(8)
    }

    /// Appends one record: `bytes` is a multiple of 4 long and begins with
    /// four bytes for the length.
    pub fn append(&self, bytes: &[u8]) {
        debug_assert!(bytes.len().is_multiple_of(4) && bytes.len() > 4);
        let Some(start) = self.reserve(bytes.len() as u64) else {
            self.dropped().fetch_add(1, Ordering::Relaxed);
            return;
        };
        // SAFETY: the range from `start` was given to this call alone, is
        // inside the mapping, and `start` is a multiple of 4.
        unsafe {
            let record = self.base.add(start as usize);
            std::ptr::copy_nonoverlapping(bytes[4..].as_ptr(), record.add(4), bytes.len() - 4);
            let length = (bytes.len() as u32 - 4).to_le();
            (*record.cast::<AtomicU32>()).store(length, Ordering::Release);
        }
    }

    fn reserve(&self, length: u64) -> Option<u64> {
        if self.dropped().load(Ordering::Relaxed) != 0 {
            return None;
        }
        let mut start = self.used().load(Ordering::Relaxed);
        loop {
            let end = start + length;
            // Four bytes stay 0 behind the last record: the reader's end.
            if end + 4 > self.room || !self.make_room(end + 4) {
                return None;
            }
            match self.used().compare_exchange_weak(
                start,
                end,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(start),
                Err(now) => start = now,
            }
        }
    }

    /// Asks the kernel for the pages up to `end`. Touching a page of a full
    /// file system would kill the program with SIGBUS; asking tells.
    fn make_room(&self, end: u64) -> bool {
        let mut ready = self.ready.load(Ordering::Relaxed);
        while ready < end {
            let length = STEP.min(self.room + TRAILER - ready);
            // SAFETY: the range is inside the mapping, from a page boundary
            // on, for `STEP` is a multiple of the page size.
            let asked = unsafe {
                libc::madvise(
                    self.base.add(ready as usize).cast(),
                    length as usize,
                    libc::MADV_POPULATE_WRITE,
                )
            };
            // Kernels before 5.14 do not know this request: they are trusted
            // to have room.
            if asked != 0 && io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL) {
                return false;
            }
            ready += length;
            self.ready.fetch_max(ready, Ordering::Relaxed);
        }
        true
    }
}

/// Where and how much to write, as the environment said when the program
/// started; `None` when it asked for no trace.
static WANTED: OnceLock<(PathBuf, u64)> = OnceLock::new();
/// This process's log, once it has made a call.
static LOG: AtomicPtr<Log> = AtomicPtr::new(std::ptr::null_mut());
static STATE: AtomicU8 = AtomicU8::new(OFF);

const OFF: u8 = 0;
/// Wanted; no call was made yet.
const WAITING: u8 = 1;
/// A thread is laying the file out.
const OPENING: u8 = 2;
const OPEN: u8 = 3;

/// Whether calls are to be recorded.
pub fn enabled() -> bool {
    STATE.load(Ordering::Relaxed) != OFF
}

/// Appends a record to this process's log, which the first record makes.
pub fn append(bytes: &[u8]) {
    loop {
        match STATE.load(Ordering::Acquire) {
            OPEN => {
                // SAFETY: stored before `OPEN` was, from a leaked box.
                unsafe { &*LOG.load(Ordering::Acquire) }.append(bytes);
                return;
            }
            WAITING => open(),
            OPENING => std::thread::yield_now(),
            _ => return,
        }
    }
}

fn open() {
    let taken = STATE.compare_exchange(WAITING, OPENING, Ordering::Acquire, Ordering::Relaxed);
    let (Ok(_), Some((path, limit))) = (taken, WANTED.get()) else {
        return;
    };
    match claim(path, *limit) {
        Ok(log) => {
            LOG.store(Box::into_raw(Box::new(log)), Ordering::Release);
            STATE.store(OPEN, Ordering::Release);
        }
        Err(e) => {
            eprintln!(
                "verbs-trace: cannot write the log {}: {e}; the program runs on untraced / \
                 无法写入跟踪日志，程序继续运行但不被跟踪",
                path.display()
            );
            STATE.store(OFF, Ordering::Release);
        }
    }
}

/// The file named, if no process has it yet; else one with this process's id
/// behind the name.
fn claim(path: &Path, limit: u64) -> io::Result<Log> {
    let limit = limit.min(file_size_limit());
    let open = |path: &Path| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o644)
            .custom_flags(libc::O_CLOEXEC)
            .open(path)
    };
    let file = open(path)?;
    // SAFETY: calls on an open descriptor. The lock is given back by hand: a
    // mapping keeps the file open, and the lock with it, past the descriptor.
    let lock = |operation| unsafe { libc::flock(file.as_raw_fd(), operation) };
    lock(libc::LOCK_EX);
    let first = file.metadata().map(|m| m.len() == 0);
    let claimed = match first {
        Ok(true) => Some(Log::create(&file, limit)),
        Ok(false) => None,
        Err(e) => Some(Err(e)),
    };
    lock(libc::LOCK_UN);
    if let Some(claimed) = claimed {
        return claimed;
    }
    let mut own = path.as_os_str().to_owned();
    own.push(format!(".{}", std::process::id()));
    let file = open(Path::new(&own))?;
    file.set_len(0)?;
    Log::create(&file, limit)
}

/// Growing a file past this limit would end the program with SIGXFSZ.
fn file_size_limit() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: fills in the structure it is given.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    limit.rlim_cur
}

/// Runs when the library is loaded, before the program can change its
/// environment or working folder.
extern "C" fn load() {
    let Some(path) = variable(LOG_VARIABLE) else {
        return;
    };
    let limit = variable(LIMIT_VARIABLE)
        .and_then(|v| v.to_str()?.parse().ok())
        .unwrap_or(DEFAULT_LIMIT);
    let path = match std::env::current_dir() {
        Ok(folder) => folder.join(path),
        Err(_) => PathBuf::from(path),
    };
    if WANTED.set((path, limit)).is_ok() {
        // SAFETY: registers a function that lives as long as the process: the
        // library is preloaded and never unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        STATE.store(WAITING, Ordering::Release);
    }
}

fn variable(name: &str) -> Option<&'static OsStr> {
    let name = CString::new(name).ok()?;
    // SAFETY: the environment is not changed while libraries are loaded, and
    // the text is copied by the caller before the program starts.
    let value = unsafe {
        let value = libc::getenv(name.as_ptr());
        (!value.is_null()).then(|| std::ffi::CStr::from_ptr(value))
    };
    value
        .map(|v| OsStr::from_bytes(v.to_bytes()))
        .filter(|v| !v.is_empty())
}

/// A forked child writes a log of its own.
extern "C" fn in_child() {
    crate::call::forked();
    if enabled() {
        STATE.store(WAITING, Ordering::Release);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static LOAD: extern "C" fn() = load;

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
