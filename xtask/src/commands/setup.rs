//! `cargo xtask setup`

use std::path::Path;

use anyhow::Result;
use clap::Args;
use runner::qemu::cache::Cache;

use crate::artifacts;
use crate::exit::Exit;
use crate::install::make_ready;
use crate::interrupt;
use crate::testbeds::{Choice, KernelArgs, Kind};

/// Install what this machine lacks and fetch the guests' kernel / 安装缺少的软件并获取虚拟机内核
///
/// `verify` does the same when it needs to. The kernel is unpacked into a
/// cache and not installed.
#[derive(Debug, Args)]
pub struct Setup {
    /// Install missing packages without asking
    #[arg(long)]
    yes: bool,
    /// Instead, remove the cache: kernels, images and saved testbeds
    #[arg(long, conflicts_with_all = ["yes", "kernel"])]
    clean: bool,
    #[command(flatten)]
    kernel: KernelArgs,
}

impl Setup {
    pub fn run(self, root: &Path) -> Result<Exit> {
        if self.clean {
            let cache = Cache::user()?;
            let place = cache.root().display().to_string();
            cache.remove()?;
            println!("removed / 已删除 {place}");
            return Ok(Exit::Ok);
        }
        interrupt::install()?;
        make_ready(self.yes, true)?;
        eprintln!("building the agent and the tracer / 编译代理与跟踪库");
        let (agent, _) = artifacts::agent_and_tracer(root)?;
        let choice = Choice {
            kind: Kind::Qemu,
            agent,
            source: self.kernel.source(),
        };
        let key = choice.key()?;
        println!(
            "ready / 已就绪：testbed {key}, cache {}",
            Cache::user()?.root().display()
        );
        Ok(Exit::Ok)
    }
}
