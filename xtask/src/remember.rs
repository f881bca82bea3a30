//! Puts what was measured into records: this machine's own always, the
//! committed ones when asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::book::Book;
use crate::differ::first_difference;
use crate::exit::Stop;
use crate::hash::snippet_hash;
use crate::record::{COMPILE, Record, Run};
use crate::records::{self, LOCAL_FOLDER, RecordError, Records};
use crate::verdict::Verdict;

/// What became of the records.
#[derive(Default)]
pub struct Remembered {
    /// For the pages: each program as this machine measured it last, where
    /// that is still what the chapter says.
    pub pages: Vec<Record>,
    /// Committed records that were rewritten.
    pub updated: Vec<PathBuf>,
    /// Where a committed record shows something else; not a failure.
    pub notes: Vec<String>,
}

/// `committed` follows what is written to it.
pub fn remember(
    book: &Book,
    verdicts: &[Verdict],
    committed: &mut Records,
    update: bool,
) -> Result<Remembered> {
    let mut remembered = Remembered::default();
    let mut local = local_records(&book.root);
    for ((id, testbed), verdicts) in by_record(verdicts) {
        let stored = local.get(id, testbed).cloned();
        let mut record = stored.unwrap_or_else(|| Record::new(id, testbed));
        for verdict in &verdicts {
            let run = verdict.run.clone().expect("only measured ones are grouped");
            let language = verdict.language.name().to_string();
            record.programs.insert(language, run);
        }
        records::write_in(&book.root, LOCAL_FOLDER, &record).map_err(unwritable)?;
        local.insert(record);
        if update {
            let path = rewrite(&book.root, id, testbed, &verdicts, committed)?;
            remembered.updated.extend(path);
        } else {
            let stored = committed.get(id, testbed);
            let notes = verdicts.iter().filter_map(|v| difference(v, stored?));
            remembered.notes.extend(notes);
        }
    }
    remembered.pages = for_pages(book, &local, committed);
    Ok(remembered)
}

fn unwritable(error: RecordError) -> anyhow::Error {
    Stop::environment(error.to_string())
}

/// The measured programs of each snippet, by testbed.
fn by_record<'a>(
    verdicts: &'a [Verdict<'a>],
) -> BTreeMap<(&'a str, &'a str), Vec<&'a Verdict<'a>>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Verdict>> = BTreeMap::new();
    for verdict in verdicts.iter().filter(|v| v.run.is_some()) {
        let key = (verdict.snippet.id.as_str(), verdict.testbed.as_str());
        groups.entry(key).or_default().push(verdict);
    }
    groups
}

/// Those that cannot be read are no loss: the next run writes them anew.
fn local_records(root: &Path) -> Records {
    records::load_from(root, LOCAL_FOLDER).unwrap_or_default()
}

/// The path of the committed record when it changed.
fn rewrite(
    root: &Path,
    id: &str,
    testbed: &str,
    verdicts: &[&Verdict],
    committed: &mut Records,
) -> Result<Option<PathBuf>> {
    let stored = committed.get(id, testbed).cloned();
    let mut record = stored.unwrap_or_else(|| Record::new(id, testbed));
    let mut changed = false;
    for verdict in verdicts {
        let run = verdict.run.clone().expect("only measured ones are grouped");
        changed |= record.update(verdict.language, run);
    }
    if !changed {
        return Ok(None);
    }
    let path = records::write(root, &record).map_err(unwritable)?;
    committed.insert(record);
    Ok(Some(path))
}

/// What the committed record shows otherwise, if it is of the same program.
fn difference(verdict: &Verdict, stored: &Record) -> Option<String> {
    let run = verdict.run.as_ref()?;
    let recorded = stored.run(verdict.language)?;
    if recorded.hash != run.hash {
        return None;
    }
    let what = parting(recorded, run)?;
    let path = records::path_of(&stored.testbed, &stored.snippet);
    let (name, path) = (verdict.name(), path.display());
    Some(format!(
        "note: {name} differs from the committed record {path}: {what}; \
         `cargo xtask verify --update` rewrites it\n\
         提示：{name} 与已提交的记录 {path} 不同；`cargo xtask verify --update` 会改写记录"
    ))
}

fn parting(recorded: &Run, run: &Run) -> Option<String> {
    if recorded.outcome != run.outcome {
        let (was, is) = (recorded.outcome.name(), run.outcome.name());
        return Some(format!("recorded {was}, now {is}"));
    }
    if recorded.compile_error != run.compile_error {
        return Some("the compiler says something else".to_string());
    }
    let difference = first_difference(&recorded.roles, &run.roles)?;
    Some(format!(
        "{} {}: recorded {}, now {}",
        difference.role, difference.place, difference.left, difference.right
    ))
}

/// Committed records with this machine's own runs in their place, as far as
/// those are of the programs that the chapters have now.
fn for_pages(book: &Book, local: &Records, committed: &Records) -> Vec<Record> {
    let mut pages = Vec::new();
    for snippet in &book.snippets {
        for own in local.of(&snippet.id) {
            let stored = committed.get(&snippet.id, &own.testbed).cloned();
            let mut record = stored.unwrap_or_else(|| Record::new(&snippet.id, &own.testbed));
            for language in snippet.code.keys() {
                let hash = snippet_hash(book, snippet, *language);
                if let Some(run) = own.run(*language).filter(|run| run.hash == hash) {
                    let name = language.name().to_string();
                    record.programs.insert(name, run.clone());
                }
            }
            if !record.programs.is_empty() {
                pages.push(record);
            }
        }
    }
    pages
}

/// The testbed whose record a program has, measured now or not.
pub fn record_testbed<'a>(verdict: &Verdict, testbed: &'a str) -> &'a str {
    match verdict
        .snippet
        .compile_error
        .contains_key(&verdict.language)
    {
        true => COMPILE,
        false => testbed,
    }
}
