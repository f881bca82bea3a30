//! `cargo xtask doctor`

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use clap::Args;
use comfy_table::{Table, presets};
use runner::daemon;
use runner::qemu::cache::Cache;

use crate::exit::Exit;
use crate::needs;

/// Say what this machine has and lacks, and change nothing / 检查本机环境，不做任何改动
#[derive(Debug, Args)]
pub struct Doctor {}

impl Doctor {
    /// Status 3 when something is missing.
    pub fn run(self, root: &Path) -> Result<Exit> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        for need in needs::NEEDS {
            let why = (need.why)();
            let state = if need.present() {
                "ok / 有"
            } else {
                "MISSING / 缺"
            };
            table.add_row([
                state.into(),
                need.what.into(),
                need.package.to_string(),
                why.en,
                why.zh,
            ]);
        }
        println!("{table}\n");
        for (command, argument) in [("cargo", "-V"), ("rustc", "-V"), ("cc", "--version")] {
            println!("{command:<10} {}", first_line(command, argument));
        }
        println!("{:<10} {}", "devices", devices());
        let cache = Cache::user()?;
        println!(
            "{:<10} {} ({})",
            "cache",
            cache.root().display(),
            entries(&cache)
        );
        let up = daemon::status(&daemon::socket(cache.root()))?;
        let up = up.map_or("not up".into(), |kept| format!("up, process {}", kept.pid));
        println!("{:<10} {up}", "testbed");
        println!("{:<10} {}", "repository", root.display());
        Ok(if needs::missing(true).is_empty() {
            Exit::Ok
        } else {
            Exit::Environment
        })
    }
}

fn first_line(command: &str, argument: &str) -> String {
    let output = Command::new(command).arg(argument).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.ok()
        .and_then(|text| text.lines().next().map(String::from))
        .unwrap_or("missing / 缺".into())
}

/// RDMA devices of this host, for the testbed `local`.
fn devices() -> String {
    let names: Vec<String> = std::fs::read_dir("/sys/class/infiniband")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    if names.is_empty() {
        "none on this host / 本机没有 RDMA 设备".into()
    } else {
        names.join(", ")
    }
}

fn entries(cache: &Cache) -> String {
    let count = |prefix| cache.entries(prefix).len();
    format!(
        "kernels {}, images {}, saved testbeds {}",
        count("kernel-"),
        count("image-"),
        count("saved-")
    )
}
