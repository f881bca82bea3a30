//! One `verify` at a time: the second says who holds the lock, and waits.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use anyhow::Context;

/// Held until dropped; a process that dies lets go of it too.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock at `path`, calling `waiting` with the holder's process
    /// id first when somebody has it.
    pub fn acquire(path: &Path, waiting: impl FnOnce(&str)) -> anyhow::Result<Lock> {
        let parent = path.parent().context("a lock lies in a folder")?;
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(|| format!("cannot open the lock {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder)?;
                waiting(holder.trim());
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        file.rewind()?;
        file.set_len(0)?;
        write!(file, "{}", std::process::id())?;
        Ok(Lock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn the_second_learns_who_holds_it_and_gets_it_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/verify.lock");
        let first = Lock::acquire(&path, |_| panic!("nobody holds it")).unwrap();
        let (told, holder) = mpsc::channel();
        let second = std::thread::spawn({
            let path = path.clone();
            move || Lock::acquire(&path, |pid| told.send(pid.to_string()).unwrap())
        });
        assert_eq!(holder.recv().unwrap(), std::process::id().to_string());
        drop(first);
        second.join().unwrap().unwrap();
    }
}
