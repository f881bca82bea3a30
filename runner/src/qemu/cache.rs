//! The folder that keeps what is costly to make: kernels, images and the
//! saved states of booted pairs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

/// A cache below one root folder. Entries are folders, made whole or not at
/// all: they are filled under a scratch name and renamed.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

/// A private folder that goes away with its owner; one left by a process that
/// was killed is removed by the next [`Cache::at`].
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

/// Scratch names are `tmp-PID-NUMBER`, so that a dead owner can be told.
const SCRATCH: &str = "tmp-";

impl Cache {
    /// `$XDG_CACHE_HOME/rdma-manual`, or `~/.cache/rdma-manual`.
    pub fn user() -> Result<Cache> {
        let base = match std::env::var_os("XDG_CACHE_HOME").filter(|v| !v.is_empty()) {
            Some(base) => PathBuf::from(base),
            None => match std::env::var_os("HOME").filter(|v| !v.is_empty()) {
                Some(home) => Path::new(&home).join(".cache"),
                None => bail!(
                    "no place for the cache: neither XDG_CACHE_HOME nor HOME is set; \
                     set XDG_CACHE_HOME to a folder with 1 GiB of free space"
                ),
            },
        };
        Cache::at(&base.join("rdma-manual"))
    }

    /// A cache at this folder, made when absent.
    pub fn at(root: &Path) -> Result<Cache> {
        let cache = Cache {
            root: root.to_path_buf(),
        };
        fs::create_dir_all(root).map_err(|e| cache.explain(e, "make the cache folder"))?;
        cache.sweep();
        Ok(cache)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Removes everything, the root folder too.
    pub fn remove(self) -> Result<()> {
        match fs::remove_dir_all(&self.root) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                Err(e).with_context(|| format!("cannot remove {}", self.root.display()))
            }
            _ => Ok(()),
        }
    }

    /// The entry's folder when it is there; marks it as used now.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        let path = self.root.join(name);
        let stamp = fs::File::open(&path).ok()?;
        // A cache on a read-only disk still serves.
        let _ = stamp.set_modified(SystemTime::now());
        Some(path)
    }

    /// The entry's folder, filled by `fill` when it is not there yet.
    pub fn entry(&self, name: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        if let Some(path) = self.find(name) {
            return Ok(path);
        }
        let scratch = self.scratch()?;
        fill(scratch.path()).map_err(|e| self.explain_any(e))?;
        self.keep(scratch, name)
    }

    /// Makes a filled scratch folder the entry `name`. When another process
    /// was faster, its entry is the one kept.
    pub fn keep(&self, scratch: Scratch, name: &str) -> Result<PathBuf> {
        let path = self.root.join(name);
        match fs::rename(scratch.path(), &path) {
            Ok(()) => Ok(path),
            Err(_) if path.is_dir() => Ok(path),
            Err(e) => Err(self.explain(e, "name the new cache entry")),
        }
    }

    /// Names of the entries that begin with `prefix`, the last used first.
    pub fn entries(&self, prefix: &str) -> Vec<String> {
        let mut found: Vec<(SystemTime, String)> = fs::read_dir(&self.root)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let used = entry.metadata().ok()?.modified().ok()?;
                name.starts_with(prefix).then_some((used, name))
            })
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// Removes all but the `keep` last used entries that begin with `prefix`.
    /// A machine that still runs from a removed entry has its files open and
    /// is not disturbed.
    pub fn prune(&self, prefix: &str, keep: usize) {
        for name in self.entries(prefix).into_iter().skip(keep) {
            let _ = fs::remove_dir_all(self.root.join(name));
        }
    }

    /// A new private folder on the cache's disk.
    pub fn scratch(&self) -> Result<Scratch> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = self
            .root
            .join(format!("{SCRATCH}{}-{number}", std::process::id()));
        fs::create_dir(&path).map_err(|e| self.explain(e, "make a folder in the cache"))?;
        Ok(Scratch { path })
    }

    /// Removes scratch folders whose owner is gone.
    fn sweep(&self) {
        for name in self.entries(SCRATCH) {
            let owner = name[SCRATCH.len()..].split('-').next();
            let alive = owner.is_some_and(|pid| Path::new("/proc").join(pid).exists());
            if !alive {
                let _ = fs::remove_dir_all(self.root.join(name));
            }
        }
    }

    /// Says what a failed file operation in the cache means for its user.
    pub fn explain(&self, error: io::Error, doing: &str) -> anyhow::Error {
        let full = is_full(&error);
        let error = anyhow::Error::new(error)
            .context(format!("cannot {doing} below {}", self.root.display()));
        if full { self.disk_full(error) } else { error }
    }

    /// As [`Cache::explain`], for an error that already has its context. A
    /// child process that met a full disk only tells so in its text.
    fn explain_any(&self, error: anyhow::Error) -> anyhow::Error {
        let full = error.chain().any(|cause| {
            cause.downcast_ref::<io::Error>().is_some_and(is_full)
                || cause.to_string().contains("No space left on device")
        });
        if full { self.disk_full(error) } else { error }
    }

    fn disk_full(&self, error: anyhow::Error) -> anyhow::Error {
        let place = self.root.display();
        error.context(format!(
            "no disk space left for the cache at {place} (1 GiB is needed while it is filled): \
             free some space there, or set XDG_CACHE_HOME to a folder on another disk, \
             then run the same command again; nothing half-made was kept\n\
             缓存目录 {place} 所在磁盘已满（填充时需要 1 GiB）：请腾出空间，或把 XDG_CACHE_HOME \
             设为另一块磁盘上的目录，再运行同一命令；没有留下半成品\n  "
        ))
    }
}

impl Scratch {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ENOSPC) | Some(libc::EDQUOT)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_filled_once() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path()).unwrap();
        let fill = |path: &Path| Ok(fs::write(path.join("a"), "1")?);
        let first = cache.entry("e", fill).unwrap();
        let second = cache.entry("e", |_| bail!("filled a second time")).unwrap();
        assert_eq!(first, second);
        assert_eq!(fs::read_to_string(second.join("a")).unwrap(), "1");
    }

    #[test]
    fn a_failed_fill_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path()).unwrap();
        let failed = cache.entry("e", |path| {
            fs::write(path.join("half"), "1")?;
            bail!("broken off")
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_full_disk_names_the_cache_and_the_way_out() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path()).unwrap();
        let failed = cache.entry("e", |_| {
            Err(io::Error::from_raw_os_error(libc::ENOSPC)).context("cannot write vmlinux")
        });
        let text = format!("{:#}", failed.unwrap_err());
        assert!(text.contains(dir.path().to_str().unwrap()), "{text}");
        assert!(text.contains("XDG_CACHE_HOME"), "{text}");
        assert!(text.contains("磁盘已满"), "{text}");
        assert!(text.contains("cannot write vmlinux"), "{text}");
    }

    #[test]
    fn a_full_disk_met_by_a_child_process_is_recognised() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path()).unwrap();
        let failed = cache.entry("e", |_| bail!("dpkg-deb: write: No space left on device"));
        assert!(format!("{:#}", failed.unwrap_err()).contains("XDG_CACHE_HOME"));
    }

    #[test]
    fn scratch_of_a_dead_process_is_swept() {
        let dir = tempfile::tempdir().unwrap();
        // Process ids end at 4194304 (2^22) on 64-bit Linux.
        fs::create_dir(dir.path().join("tmp-4194305-0")).unwrap();
        let cache = Cache::at(dir.path()).unwrap();
        let mine = cache.scratch().unwrap();
        Cache::at(dir.path()).unwrap();
        assert!(mine.path().is_dir());
        assert_eq!(cache.entries(SCRATCH).len(), 1);
    }

    #[test]
    fn prune_keeps_the_last_used() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path()).unwrap();
        for (age, name) in [(3, "image-a"), (1, "image-b"), (2, "image-c")] {
            let path = cache.entry(name, |_| Ok(())).unwrap();
            let used = SystemTime::now() - std::time::Duration::from_secs(age);
            fs::File::open(path).unwrap().set_modified(used).unwrap();
        }
        cache.prune("image-", 2);
        assert_eq!(cache.entries("image-"), ["image-b", "image-c"]);
    }
}
