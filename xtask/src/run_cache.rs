//! Reports of earlier runs: a program that has not changed is not run again on
//! a testbed that has not changed, but judged anew from what it showed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use protocol::report::{End, Provenance, Report};
use serde::{Deserialize, Serialize};

use crate::interrupt;
use crate::snippet::Language;
use crate::varies::Try;

/// What was kept of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    pub report: Report,
    pub provenance: Provenance,
    /// Runs before it that said nothing about the program.
    pub tries: Vec<Try>,
    /// The yardstick of its session; see [`crate::varies::reference_unit`].
    pub unit: Option<Duration>,
}

/// Everything that a run depends on.
pub struct Inputs<'a> {
    /// See [`crate::hash::run_hash`].
    pub program: &'a str,
    pub toolchain: &'a str,
    /// Hash of the tracer's content.
    pub tracer: &'a str,
    /// See [`runner::testbed::Testbed::key`].
    pub testbed: &'a str,
}

impl Inputs<'_> {
    pub fn key(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let protocol = protocol::PROTOCOL.to_string();
        for part in [
            self.program,
            self.toolchain,
            self.tracer,
            self.testbed,
            &protocol,
        ] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Hash of a file's content, for [`Inputs::tracer`].
pub fn hash_of_file(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
}

/// `target/runs/<testbed>/<id>.<language>`: a line with the key, then the
/// report as JSON.
pub struct RunCache {
    folder: PathBuf,
}

impl RunCache {
    pub fn new(root: &Path, testbed: &str) -> RunCache {
        RunCache {
            folder: root.join("target/runs").join(testbed),
        }
    }

    /// The report of a run with this key. One that cannot be read is none:
    /// the program is then run again.
    pub fn find(&self, id: &str, language: Language, key: &str) -> Option<Kept> {
        let text = fs::read_to_string(self.path(id, language)).ok()?;
        let (stored, report) = text.split_once('\n')?;
        if stored != key {
            return None;
        }
        serde_json::from_str(report).ok()
    }

    /// Keeps a run, whole or not at all.
    pub fn keep(&self, id: &str, language: Language, key: &str, kept: &Kept) -> Result<()> {
        let path = self.path(id, language);
        let text = format!("{key}\n{}", serde_json::to_string(kept)?);
        interrupt::whole(|| {
            fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(text.as_bytes())?;
            file.persist(&path)?;
            std::io::Result::Ok(())
        })
        .with_context(|| {
            format!(
                "cannot keep the run in {}; make room there and run the command again",
                path.display()
            )
        })
    }

    fn path(&self, id: &str, language: Language) -> PathBuf {
        self.folder.join(format!("{id}.{}", language.name()))
    }
}

/// Whether another run would show the same. Where a node was lost or a limit
/// ended a process, that may be due to how busy the machine was.
pub fn is_lasting(report: &Report) -> bool {
    let by_itself = |end: &End| matches!(end, End::Exited { .. } | End::Signal { .. });
    report.fault.is_none() && report.roles.iter().all(|role| by_itself(&role.end))
}
