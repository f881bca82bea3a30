//! The two files of this project that go to a testbed: the agent and the
//! tracer, built by cargo when they are not fresh.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::exit::Stop;

/// The agent: first program of a guest, child of a session on a real host.
pub fn agent(root: &Path) -> Result<PathBuf> {
    eprintln!("building the agent / 编译代理");
    agent_in(&build(root, &["--package", "runner", "--bin", "agent"])?)
}

/// The library that is loaded into programs and sees their verbs calls.
pub fn tracer(root: &Path) -> Result<PathBuf> {
    tracer_in(&build(root, &["--package", "verbs-trace"])?)
}

/// Both, by one call of cargo.
pub fn agent_and_tracer(root: &Path) -> Result<(PathBuf, PathBuf)> {
    let what = [
        "--package",
        "runner",
        "--package",
        "verbs-trace",
        "--lib",
        "--bin",
        "agent",
    ];
    let built = build(root, &what)?;
    Ok((agent_in(&built)?, tracer_in(&built)?))
}

fn agent_in(built: &[Value]) -> Result<PathBuf> {
    let executable = |message: &Value| message["executable"].as_str().map(PathBuf::from);
    find(built, "agent", executable)
}

fn tracer_in(built: &[Value]) -> Result<PathBuf> {
    find(built, "verbs_trace", |message| {
        let files = message["filenames"].as_array()?;
        let mut files = files.iter().filter_map(Value::as_str);
        files.find(|file| file.ends_with(".so")).map(PathBuf::from)
    })
}

/// Only what cargo names is current: a failed build leaves an older file.
fn find(
    messages: &[Value],
    target: &str,
    file: impl Fn(&Value) -> Option<PathBuf>,
) -> Result<PathBuf> {
    messages
        .iter()
        .filter(|m| m["reason"] == "compiler-artifact" && m["target"]["name"] == target)
        .find_map(file)
        .with_context(|| format!("cargo built no file for `{target}`"))
}

fn build(root: &Path, what: &[&str]) -> Result<Vec<Value>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root)
        .args(["build", "--message-format", "json-render-diagnostics"])
        .args(what)
        .stdin(Stdio::null())
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        return Err(Stop::environment(format!(
            "cargo could not build {}:\n{}\n  \
             help: `cargo xtask setup` installs what it needs (libibverbs-dev, libclang-dev)\n  \
             下一步：`cargo xtask setup` 会安装所需的软件包",
            what.join(" "),
            String::from_utf8_lossy(&output.stderr).trim_end()
        )));
    }
    let lines = String::from_utf8_lossy(&output.stdout);
    let messages = lines.lines().map(serde_json::from_str);
    Ok(messages.filter_map(Result::ok).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_is_taken_from_the_message_of_its_own_target() {
        let messages = [
            json!({"reason": "compiler-message", "target": {"name": "agent"}}),
            json!({"reason": "compiler-artifact", "target": {"name": "runner"}}),
            json!({
                "reason": "compiler-artifact",
                "target": {"name": "agent"},
                "executable": "/t/agent",
            }),
        ];
        let executable = |m: &Value| m["executable"].as_str().map(PathBuf::from);
        assert_eq!(
            find(&messages, "agent", executable).unwrap(),
            Path::new("/t/agent")
        );
        assert!(find(&messages, "tracer", executable).is_err());
    }
}
