//! `cargo xtask list`

use std::path::Path;

use anyhow::Result;
use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use serde::Serialize;

use super::sound_book;
use crate::book::Book;
use crate::exit::{Exit, Stop};
use crate::hash::snippet_hash;
use crate::record::RecordState;
use crate::records::{self, Records};
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
    /// The worse of its languages: `none`, `stale` or `fresh`.
    record: RecordState,
}

#[derive(Debug, Serialize)]
struct Title<'a> {
    en: &'a str,
    zh: &'a str,
}

impl<'a> Row<'a> {
    fn of(book: &Book, records: &Records, snippet: &'a Snippet) -> Row<'a> {
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
            record: record_state(book, records, snippet),
        }
    }
}

impl List {
    pub fn run(self, root: &Path) -> Result<Exit> {
        let book = sound_book(root)?;
        let records = records::load_all(root).map_err(|e| Stop::bad_input(e.to_string()))?;
        let row = |snippet| Row::of(&book, &records, snippet);
        let rows: Vec<Row> = book.snippets.iter().map(row).collect();
        match self.format {
            Format::Json => println!("{}", serde_json::to_string_pretty(&rows)?),
            Format::Human => println!("{}", table(&book, &rows)),
        }
        Ok(Exit::Ok)
    }
}

fn record_state(book: &Book, records: &Records, snippet: &Snippet) -> RecordState {
    let states = snippet.code.keys().map(|&language| {
        let hash = snippet_hash(book, snippet, language);
        records.state(&snippet.id, language, &hash)
    });
    let states: Vec<RecordState> = states.collect();
    [RecordState::None, RecordState::Stale]
        .into_iter()
        .find(|state| states.contains(state))
        .unwrap_or(RecordState::Fresh)
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
        "record",
        "chapter",
    ]);
    for row in rows {
        table.add_row([
            row.id.to_string(),
            format!("{} / {}", row.title.en, row.title.zh),
            row.nodes.to_string(),
            row.languages.join(" "),
            row.uses.join(" "),
            row.record.name().to_string(),
            format!("{}:{}", row.chapter, row.line),
        ]);
    }
    let count = book.snippets.len();
    format!("{table}\n{count} snippets / {count} 个示例")
}
