//! `cargo xtask list`

use std::path::Path;

use anyhow::Result;
use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use serde::Serialize;

use super::sound_book;
use crate::book::Book;
use crate::exit::Exit;
use crate::snippet::Snippet;

/// List the snippets of the book / 列出全部示例
#[derive(Debug, Args)]
pub struct List {
    /// `json` for programs: one array, one object a snippet
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

/// One snippet as `--format json` shows it.
#[derive(Debug, Serialize)]
struct Row<'a> {
    id: &'a str,
    title: Title<'a>,
    /// Relative to the repository.
    chapter: String,
    /// Of the declaration, from 1.
    line: usize,
    languages: Vec<&'static str>,
    nodes: u8,
    uses: &'a [String],
}

#[derive(Debug, Serialize)]
struct Title<'a> {
    en: &'a str,
    zh: &'a str,
}

impl<'a> Row<'a> {
    fn of(snippet: &'a Snippet) -> Row<'a> {
        Row {
            id: &snippet.id,
            title: Title {
                en: &snippet.title.en,
                zh: &snippet.title.zh,
            },
            chapter: snippet.declared.file.display().to_string(),
            line: snippet.declared.line,
            languages: snippet.code.keys().map(|l| l.name()).collect(),
            nodes: snippet.nodes,
            uses: &snippet.uses,
        }
    }
}

impl List {
    pub fn run(self, root: &Path) -> Result<Exit> {
        let book = sound_book(root)?;
        let rows: Vec<Row> = book.snippets.iter().map(Row::of).collect();
        match self.format {
            Format::Json => println!("{}", serde_json::to_string_pretty(&rows)?),
            Format::Human => println!("{}", table(&book, &rows)),
        }
        Ok(Exit::Ok)
    }
}

fn table(book: &Book, rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "id",
        "title / 标题",
        "nodes",
        "languages",
        "uses",
        "chapter",
    ]);
    for row in rows {
        table.add_row([
            row.id.to_string(),
            format!("{} / {}", row.title.en, row.title.zh),
            row.nodes.to_string(),
            row.languages.join(" "),
            row.uses.join(" "),
            format!("{}:{}", row.chapter, row.line),
        ]);
    }
    let count = book.snippets.len();
    format!("{table}\n{count} snippets / {count} 个示例")
}
