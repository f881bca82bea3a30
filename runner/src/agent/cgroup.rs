//! A control group for one run (cgroup v2), so that memory and processes are
//! bounded and nothing of a run is left when it ends.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use protocol::job::Limits;

const ROOT: &str = "/sys/fs/cgroup";

/// One run's group; removed when dropped.
pub struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    /// Whether this process may make groups here.
    pub fn available() -> bool {
        parent().is_ok()
    }

    pub fn create(id: u32, limits: &Limits) -> io::Result<Cgroup> {
        let path = parent()?.join(format!("run-{}-{id}", std::process::id()));
        fs::create_dir(&path)?;
        let group = Cgroup { path };
        group.set("memory.max", limits.memory)?;
        // The whole group goes, not a random process of it.
        group.set("memory.oom.group", 1)?;
        group.set("pids.max", u64::from(limits.pids))?;
        // Swap would only delay the end; a kernel without it has no such file.
        let _ = group.set("memory.swap.max", 0);
        Ok(group)
    }

    fn set(&self, file: &str, value: u64) -> io::Result<()> {
        fs::write(self.path.join(file), value.to_string())
    }

    /// Open for a process to write `0` to, which moves it into the group.
    pub fn entrance(&self) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .open(self.path.join("cgroup.procs"))
    }

    pub fn kill(&self) {
        // An empty group may refuse; there is nothing to kill then.
        let _ = fs::write(self.path.join("cgroup.kill"), "1");
    }

    /// The kernel ended the group for want of memory.
    pub fn out_of_memory(&self) -> bool {
        fs::read_to_string(self.path.join("memory.events")).is_ok_and(|events| {
            events
                .lines()
                .filter_map(|line| line.strip_prefix("oom_kill "))
                .any(|count| count != "0")
        })
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        self.kill();
        // Killed processes leave their group in their own time.
        for _ in 0..1000 {
            match fs::remove_dir(&self.path) {
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                _ => return,
            }
        }
    }
}

/// The group above the runs' own, made when first asked for.
fn parent() -> io::Result<PathBuf> {
    static PARENT: Mutex<Option<PathBuf>> = Mutex::new(None);
    let mut parent = PARENT.lock().unwrap_or_else(PoisonError::into_inner);
    if parent.is_none() {
        *parent = Some(make_parent()?);
    }
    Ok(parent.clone().expect("just made"))
}

/// With the controllers that runs need.
fn make_parent() -> io::Result<PathBuf> {
    let root = Path::new(ROOT);
    let controllers = fs::read_to_string(root.join("cgroup.controllers"))?;
    if !["memory", "pids"]
        .iter()
        .all(|c| controllers.split_whitespace().any(|has| has == *c))
    {
        return Err(io::Error::from_raw_os_error(libc::ENOTSUP));
    }
    let parent = root.join("rdma-manual");
    match fs::create_dir(&parent) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    for folder in [root, &parent] {
        fs::write(folder.join("cgroup.subtree_control"), "+memory +pids")?;
    }
    Ok(parent)
}
