//! The command line. Doc comments here are its help.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::commands;
use crate::exit::{Exit, Stop};

/// Works on the measured RDMA manual: chapters become snippets, programs, runs and pages.
///
/// 本书的工具：由章节得到示例、程序、运行结果与页面。
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "First time here? `cargo xtask verify` sets up what is missing, runs every snippet
between two soft-RoCE nodes and renders the book. `cargo xtask check` only reads
the chapters and needs nothing but cargo. How to write a chapter:
book/src/how-this-book-is-made.md

初次使用：`cargo xtask verify` 会准备好所缺的一切，在两个软件 RoCE 节点之间运行全部示例，
并生成本书；`cargo xtask check` 只读取章节，有 cargo 即可。

Exit status / 退出码：
  0    all is well / 成功
  1    a check or a snippet failed / 检查或示例失败
  2    wrong usage, or chapters or records that cannot be read / 用法错误，或章节、记录无法读取
  3    this machine lacks something / 本机缺少所需的东西
  130  interrupted / 被中断"
)]
pub struct Cli {
    /// The repository to work on (default: the one around the current folder)
    #[arg(long, global = true, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Verify(commands::verify::Verify),
    Test(commands::test::Test),
    Setup(commands::setup::Setup),
    Doctor(commands::doctor::Doctor),
    Testbed(commands::testbed::Testbed),
    Trace(commands::trace::Trace),
    Build(commands::build::Build),
    Serve(commands::serve::Serve),
    Preprocess(commands::preprocess::Preprocess),
    Check(commands::check::Check),
    List(commands::list::List),
    Copy(commands::copy::Copy),
    New(commands::new::New),
    Compile(commands::compile::Compile),
}

impl Cli {
    pub fn run(self) -> Result<Exit> {
        let root = match self.root {
            Some(root) => root
                .canonicalize()
                .map_err(|error| Stop::bad_input(format!("--root {}: {error}", root.display())))?,
            None => find_root()?,
        };
        match self.command {
            Command::Verify(command) => command.run(&root),
            Command::Test(command) => command.run(&root),
            Command::Setup(command) => command.run(&root),
            Command::Doctor(command) => command.run(&root),
            Command::Testbed(command) => command.run(&root),
            Command::Trace(command) => command.run(&root),
            Command::Build(command) => command.run(&root),
            Command::Serve(command) => command.run(&root),
            Command::Preprocess(command) => command.run(&root),
            Command::Check(command) => command.run(&root),
            Command::List(command) => command.run(&root),
            Command::Copy(command) => command.run(&root),
            Command::New(command) => command.run(&root),
            Command::Compile(command) => command.run(&root),
        }
    }
}

/// The nearest folder upward that holds the book.
fn find_root() -> Result<PathBuf> {
    let here = std::env::current_dir()?;
    let holds_book = |folder: &&Path| folder.join(crate::summary::SOURCE).is_dir();
    let found = here.ancestors().find(holds_book);
    found.map(Path::to_path_buf).ok_or_else(|| {
        Stop::bad_input(format!(
            "no book/src in {} or above it; go into the repository or pass --root DIR\n\
             {} 及其上级目录中没有 book/src；请进入仓库，或使用 --root DIR",
            here.display(),
            here.display()
        ))
    })
}
