//! `cargo xtask copy`

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use super::{find, sound_book};
use crate::comment::Comments;
use crate::exit::{Exit, Stop};
use crate::export::Export;
use crate::snippet::Language;

/// Copy one snippet into a folder that builds by itself / 导出一个示例
///
/// The folder holds the program, the library parts it uses, a Makefile (C) or
/// a manifest (Rust), and how to run it.
#[derive(Debug, Args)]
pub struct Copy {
    /// `cargo xtask list` shows them
    id: String,
    #[arg(long, value_enum)]
    lang: Lang,
    /// The folder; made when it does not exist
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The language of the comments that are kept / 保留哪种语言的注释
    #[arg(long, value_enum, default_value_t = Comments::Both)]
    comments: Comments,
    /// Write into a folder that holds files already
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Lang {
    C,
    Rust,
}

impl Copy {
    pub fn run(self, root: &Path) -> Result<Exit> {
        let book = sound_book(root)?;
        let snippet = find(&book, &self.id)?;
        let to = self.to.display();
        let holds_files = fs::read_dir(&self.to).is_ok_and(|mut files| files.next().is_some());
        if holds_files && !self.force {
            return Err(Stop::bad_input(format!(
                "{to} is not empty; pass --force to write into it, or name another folder\n\
                 {to} 不是空目录；请使用 --force，或换一个目录"
            )));
        }
        let language = match self.lang {
            Lang::C => Language::C,
            Lang::Rust => Language::Rust,
        };
        let export = Export {
            book: &book,
            snippet,
            language,
            comments: self.comments,
        };
        for (name, text) in export.files() {
            let path = self.to.join(name);
            let folder = path.parent().expect("a file is in a folder");
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, text))
                .with_context(|| format!("writing {}", path.display()))?;
        }
        let build = match language {
            Language::C => "make",
            Language::Rust => "cargo build --release",
        };
        eprintln!(
            "wrote `{id}` to {to}; README.md there says how to run it: `cd {to} && {build}`\n\
             已将 `{id}` 写入 {to}，运行方法见其中的 README.md：`cd {to} && {build}`",
            id = self.id
        );
        Ok(Exit::Ok)
    }
}
