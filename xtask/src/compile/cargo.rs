//! One cargo call and what it reports, message by message.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

/// What a build said about the package `snippets` and its dependencies.
#[derive(Debug, Default)]
pub struct Build {
    /// Executables by the name of their target, and whether cargo had nothing
    /// to do for them. Only these are current: a failed build leaves an older
    /// file behind.
    pub executables: BTreeMap<String, (PathBuf, bool)>,
    /// Compiler messages by the name of the target.
    pub messages: BTreeMap<String, Vec<Value>>,
    /// Libraries by crate name, those of the programs' own profile.
    pub libraries: BTreeMap<String, PathBuf>,
    pub success: bool,
    /// What cargo wrote on standard error.
    pub log: String,
}

/// Builds the programs with these ids, and nothing else of the workspace.
pub fn build(root: &Path, ids: &[&str]) -> Result<Build> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(root)
        .args(["build", "--package", "snippets", "--lib", "--keep-going"])
        .args(["--message-format", "json", "--color", "never"])
        .stdin(Stdio::null());
    // Measured: without incremental state the many small programs build
    // faster and take less space.
    command.env("CARGO_INCREMENTAL", "0");
    for id in ids {
        command.args(["--bin", id]);
    }
    let output = command.output().context("running cargo")?;
    let mut build = Build {
        success: output.status.success(),
        log: String::from_utf8_lossy(&output.stderr).into_owned(),
        ..Build::default()
    };
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Ok(message) = serde_json::from_str::<Value>(line) {
            build.take(&message);
        }
    }
    Ok(build)
}

impl Build {
    fn take(&mut self, message: &Value) {
        let target = &message["target"];
        let name = target["name"].as_str().unwrap_or("");
        let is_ours = target["src_path"]
            .as_str()
            .is_some_and(|path| path.contains("/snippets/src/"));
        match message["reason"].as_str() {
            Some("compiler-artifact") => self.artifact(message, name),
            Some("compiler-message") if is_ours => {
                let messages = self.messages.entry(name.to_string()).or_default();
                messages.push(message["message"].clone());
            }
            _ => {}
        }
    }

    fn artifact(&mut self, message: &Value, name: &str) {
        if let Some(executable) = message["executable"].as_str() {
            let fresh = message["fresh"] == true;
            let found = (PathBuf::from(executable), fresh);
            self.executables.insert(name.to_string(), found);
            return;
        }
        let files = message["filenames"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let mut files = files.iter().filter_map(Value::as_str);
        // Build scripts have libraries of their own, without debug
        // information, under the same names.
        let for_programs = message["profile"]["debuginfo"] != 0;
        if let Some(file) = files
            .find(|file| file.ends_with(".rlib"))
            .filter(|_| for_programs)
        {
            self.libraries.insert(name.to_string(), PathBuf::from(file));
        }
    }
}
