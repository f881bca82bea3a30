//! `cargo xtask build`

use std::path::Path;

use anyhow::Result;
use clap::Args;

use super::sound_book;
use crate::exit::Exit;
use crate::site;

/// Render the book from its chapters and committed records / 渲染全书
///
/// Needs neither a testbed nor any RDMA library, and runs no snippet.
/// 不需要测试床，也不需要 RDMA 库；不运行任何示例。
#[derive(Debug, Args)]
pub struct Build {}

impl Build {
    pub fn run(self, root: &Path) -> Result<Exit> {
        site::log_warnings();
        sound_book(root)?;
        let pages = site::build(root)?;
        println!("{}", pages.join("index.html").display());
        Ok(Exit::Ok)
    }
}
