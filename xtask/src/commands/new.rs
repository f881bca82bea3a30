//! `cargo xtask new`

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::book::Book;
use crate::exit::{Exit, Stop};
use crate::id;
use crate::passage::{UNWRITTEN, split_heading};
use crate::problem::Problem;
use crate::snippet::module_name;
use crate::summary::SOURCE;
use crate::tangle::{Mode, Tangle};

/// Begin a snippet, in a new chapter or at the end of one / 新建示例
///
/// Writes a small program that opens the first device, in C and in Rust, with
/// its declaration. `cargo xtask check` then asks only for the two passages.
#[derive(Debug, Args)]
pub struct New {
    /// Lower-case words joined by hyphens: `rdma-write`
    id: String,
    /// File under `book/src` (default: `<id>.md`)
    #[arg(long, value_name = "FILE")]
    chapter: Option<PathBuf>,
    /// In both languages: "RDMA WRITE / RDMA 写"
    #[arg(long, value_name = "TITLE / 标题")]
    title: Option<String>,
}

impl New {
    pub fn run(self, root: &Path) -> Result<Exit> {
        let book = Book::read(root);
        if let Some(problem) = self.refused(&book) {
            return Err(Stop::problem(Exit::BadInput, &problem));
        }
        let (en, zh) = self.titles()?;
        let location = self.location();
        let path = root.join(SOURCE).join(&location);
        let shown = Path::new(SOURCE).join(&location);
        let section = section(&self.id, &en, &zh, path.exists());
        if path.exists() {
            let mut text = fs::read_to_string(&path)
                .with_context(|| format!("reading {}", shown.display()))?;
            if !text.ends_with('\n') {
                text.push('\n');
            }
            fs::write(&path, format!("{text}\n{section}"))?;
        } else {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, section).with_context(|| format!("writing {}", shown.display()))?;
            list_in_summary(root, &location, &en, &zh)?;
        }
        Tangle::of(&Book::read(root)).sync(root, Mode::Write)?;
        eprintln!(
            "wrote snippet `{id}` to {path}; next: write its two passages, its code and what it must show, then run `cargo xtask check --fix`\n\
             已将示例 `{id}` 写入 {path}；接下来请写好两段文字、代码与期望，再运行 `cargo xtask check --fix`",
            id = self.id,
            path = shown.display()
        );
        Ok(Exit::Ok)
    }

    fn location(&self) -> PathBuf {
        let default = || PathBuf::from(format!("{}.md", self.id));
        let given = self.chapter.clone().unwrap_or_else(default);
        given
            .strip_prefix(SOURCE)
            .map(Path::to_path_buf)
            .unwrap_or(given)
    }

    fn refused(&self, book: &Book) -> Option<Problem> {
        if let Some(problem) = id::bad_id(&self.id) {
            return Some(problem);
        }
        let location = self.location();
        let inside = location.is_relative() && !location.starts_with("..");
        if !inside || location.extension().is_none_or(|e| e != "md") {
            let shown = location.display();
            let problem = Problem::new(
                "bad-chapter",
                format!("`{shown}` is not a Markdown file under {SOURCE}"),
                format!("`{shown}` 不是 {SOURCE} 下的 Markdown 文件"),
            );
            return Some(problem.help("pass `--chapter NAME.md`", "请使用 `--chapter 名称.md`"));
        }
        let taken = book.snippet(&self.id)?;
        let problem = Problem::new(
            "duplicate-id",
            format!("snippet `{}` exists already", self.id),
            format!("示例 `{}` 已存在", self.id),
        );
        Some(
            problem
                .at(&taken.declared, "")
                .help("choose another id", "请换一个 id"),
        )
    }

    fn titles(&self) -> Result<(String, String)> {
        let Some(title) = &self.title else {
            let words = self.id.replace('-', " ");
            return Ok((words.clone(), format!("{words}（待译）")));
        };
        let halves = split_heading(title).map(|(en, zh)| (en.to_string(), zh.to_string()));
        halves.ok_or_else(|| {
            Stop::bad_input(format!(
                "--title {title:?} does not carry both languages; write \"RDMA WRITE / RDMA 写\"\n\
                 标题须包含两种语言，例如 \"RDMA WRITE / RDMA 写\""
            ))
        })
    }
}

fn list_in_summary(root: &Path, location: &Path, en: &str, zh: &str) -> Result<()> {
    let path = root.join(SOURCE).join("SUMMARY.md");
    let mut summary = fs::read_to_string(&path).context("reading SUMMARY.md")?;
    if !summary.ends_with('\n') {
        summary.push('\n');
    }
    // A list that directly follows a heading's line is still a list; a blank
    // line keeps the file pleasant where the list is only begun.
    if !summary
        .lines()
        .any(|line| line.trim_start().starts_with("- "))
    {
        summary.push('\n');
    }
    summary.push_str(&format!("- [{en} / {zh}]({})\n", location.display()));
    fs::write(&path, summary).context("writing SUMMARY.md")
}

fn section(id: &str, en: &str, zh: &str, in_chapter: bool) -> String {
    let level = if in_chapter { "##" } else { "#" };
    let function = module_name(id);
    let template = include_str!("new.md");
    template
        .replace("@LEVEL@", level)
        .replace("@ID@", id)
        .replace("@FUNCTION@", &function)
        .replace("@EN_TOML@", &toml_text(en))
        .replace("@ZH_TOML@", &toml_text(zh))
        .replace("@EN@", en)
        .replace("@ZH@", zh)
        .replace("@UNWRITTEN_EN@", UNWRITTEN[0])
        .replace("@UNWRITTEN_ZH@", UNWRITTEN[1])
}

fn toml_text(text: &str) -> String {
    toml::Value::from(text).to_string()
}
