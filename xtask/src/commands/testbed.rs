//! `cargo xtask testbed`

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use runner::daemon;
use runner::qemu::Qemu;
use runner::qemu::cache::Cache;

use crate::artifacts;
use crate::exit::{Exit, Stop};
use crate::install::make_ready;
use crate::interrupt;
use crate::testbeds::{Choice, KernelArgs, Kind, tell};

/// Keep the two guests running for fast work / 让两台虚拟机保持运行
#[derive(Debug, Args)]
pub struct Testbed {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Start the testbed, and leave it running
    Up {
        /// Instead, boot once and restore once, and say how long each took
        #[arg(long)]
        time: bool,
        #[command(flatten)]
        kernel: KernelArgs,
    },
    /// Say whether it runs, since when, and what its nodes are
    Status,
    /// Open a shell on a node, or run what standard input says
    Shell {
        /// 0 or 1
        #[arg(default_value_t = 0)]
        node: usize,
    },
    /// End it
    Down,
    /// What `up` starts
    #[command(hide = true)]
    Keep {
        #[arg(long)]
        agent: PathBuf,
        #[command(flatten)]
        kernel: KernelArgs,
    },
}

impl Testbed {
    pub fn run(self, root: &Path) -> Result<Exit> {
        let cache = Cache::user()?;
        let socket = daemon::socket(cache.root());
        match self.action {
            Action::Up { time: true, kernel } => time(root, &kernel),
            Action::Up {
                time: false,
                kernel,
            } => up(root, &cache, &socket, &kernel),
            Action::Status => status(&socket),
            Action::Shell { node } => shell(&socket, node),
            Action::Down => down(&socket),
            Action::Keep { agent, kernel } => {
                let choice = Choice {
                    kind: Kind::Qemu,
                    agent,
                    source: kernel.source(),
                };
                daemon::keep(&choice.options()?, &socket).map(|()| Exit::Ok)
            }
        }
    }
}

fn time(root: &Path, kernel: &KernelArgs) -> Result<Exit> {
    interrupt::install()?;
    make_ready(false, true)?;
    let agent = artifacts::agent(root)?;
    let choice = Choice {
        kind: Kind::Qemu,
        agent,
        source: kernel.source(),
    };
    let times = Qemu::time(&choice.options()?, &mut tell)?;
    println!(
        "cold boot to first answer on both nodes / 冷启动到两个节点都应答：{:.2} s",
        times.boot.as_secs_f64()
    );
    println!(
        "saved state to first answer on both nodes / 从保存的状态恢复到两个节点都应答：{:.2} s",
        times.restore.as_secs_f64()
    );
    Ok(Exit::Ok)
}

fn up(root: &Path, cache: &Cache, socket: &Path, kernel: &KernelArgs) -> Result<Exit> {
    interrupt::install()?;
    make_ready(false, true)?;
    let agent = artifacts::agent(root)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["testbed", "keep", "--agent"]).arg(&agent);
    for (option, value) in [("--kernel", &kernel.kernel), ("--modules", &kernel.modules)] {
        if let Some(value) = value {
            let path = value.canonicalize();
            command
                .arg(option)
                .arg(path.with_context(|| format!("no {}", value.display()))?);
        }
    }
    command.current_dir(root);
    let log = cache.root().join("testbed.log");
    let kept = daemon::up(command, socket, &log, |line| eprintln!("testbed: {line}"))?;
    tell_kept(&kept);
    Ok(Exit::Ok)
}

fn status(socket: &Path) -> Result<Exit> {
    match daemon::status(socket)? {
        Some(kept) => tell_kept(&kept),
        None => println!(
            "no testbed is up; start one with `cargo xtask testbed up`\n\
             测试床没有运行；可用 `cargo xtask testbed up` 启动"
        ),
    }
    Ok(Exit::Ok)
}

fn tell_kept(kept: &daemon::Status) {
    let at = &kept.provenance;
    println!(
        "the testbed is up / 测试床正在运行：process {}, for {} s, QEMU {} and {}",
        kept.pid,
        kept.since.as_secs(),
        kept.qemu_pids[0],
        kept.qemu_pids[1]
    );
    println!(
        "  {} ({}), Linux {}, rdma-core {}, {}, MTU {} on the wire and {} on the port, {} CPUs a node, {}",
        at.device,
        at.driver,
        at.kernel,
        at.rdma_core,
        at.gid_type,
        at.netdev_mtu,
        at.active_mtu,
        at.cpus,
        at.accelerator
    );
}

/// Ends with the shell's own status.
fn shell(socket: &Path, node: usize) -> Result<Exit> {
    match daemon::shell(socket, node)? {
        daemon::Shell::Exited(status) => std::process::exit(status.into()),
        daemon::Shell::Lost(reason) => Err(Stop::environment(format!(
            "the shell's node is gone: {reason}; start the testbed anew with `cargo xtask testbed up`\n\
             节点失联：{reason}；请用 `cargo xtask testbed up` 重新启动"
        ))),
    }
}

fn down(socket: &Path) -> Result<Exit> {
    match daemon::down(socket)? {
        true => println!("the testbed is down / 测试床已关闭"),
        false => println!("no testbed was up / 测试床本来就没有运行"),
    }
    Ok(Exit::Ok)
}
