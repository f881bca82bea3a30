//! C programs: one compiler call each, skipped when nothing it reads changed.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::tools::Tools;
use super::{Outcome, Program, Work, fails, in_parallel, key, place};
use crate::assemble::{c_path, header_path, without_places};
use crate::flags;
use crate::snippet::{Language, Snippet};

pub fn compile(work: &Work, snippets: &[&Snippet]) -> Result<Vec<Program>> {
    if snippets.is_empty() {
        return Ok(Vec::new());
    }
    let tools = Tools::find()?;
    let folder = work.programs.join("c");
    fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
    let results = in_parallel(snippets, |snippet| {
        let outcome = match snippet.compile_error.get(&Language::C) {
            Some(expected) => fails::c(work, &tools, snippet, expected)?,
            None => build(work, &tools, snippet, &folder)?,
        };
        Ok(work.program(snippet, Language::C, &tools.version, outcome))
    });
    results.into_iter().collect()
}

/// Everything that decides what the compiler makes of a snippet.
pub fn inputs(work: &Work, tools: &Tools, snippet: &Snippet) -> String {
    let closure = work.book.closure(snippet);
    let headers = closure.iter().map(|used| header_path(&used.id));
    let own = [header_path(&snippet.id), c_path(&snippet.id)];
    let texts: Vec<String> = headers
        .chain(own)
        .map(|path| code(work.text(&path)))
        .collect();
    let texts = texts.iter().map(String::as_str);
    let parts = [tools.cc.as_str(), &tools.version, &tools.libraries].into_iter();
    let flags = flags::C.iter().copied().chain(words(&tools.compile_flags));
    key(parts
        .chain(flags)
        .chain(words(&tools.link_flags))
        .chain(texts))
}

/// What the compiler makes something of: code that has only moved in its
/// chapter is the same, unless it tells its own place.
fn code(text: &str) -> String {
    let tells_its_place = ["__LINE__", "__FILE__", "assert"];
    if tells_its_place.iter().any(|word| text.contains(word)) {
        text.to_string()
    } else {
        without_places(text)
    }
}

fn words(flags: &[String]) -> impl Iterator<Item = &str> {
    flags.iter().map(String::as_str)
}

/// A compiler call in the repository, where `#line` names its chapters.
pub fn command(work: &Work, tools: &Tools, snippet: &Snippet) -> Command {
    let mut command = Command::new(&tools.cc);
    command
        .current_dir(&work.book.root)
        .env("LC_ALL", "C")
        .args(flags::C)
        .args(tools.message_flags())
        .args(&tools.compile_flags)
        .arg(c_path(&snippet.id));
    command
}

fn build(work: &Work, tools: &Tools, snippet: &Snippet, folder: &Path) -> Result<Outcome> {
    let path = folder.join(&snippet.id);
    let key_path = folder.join(format!("{}.key", snippet.id));
    let key = inputs(work, tools, snippet);
    if path.is_file() && fs::read_to_string(&key_path).is_ok_and(|k| k == key) {
        return Ok(Outcome::Built { path, fresh: true });
    }
    // A key without its program is harmless, a program with a wrong key is
    // not: the key goes first and comes last.
    let _ = fs::remove_file(&key_path);
    let unfinished = folder.join(format!("{}.{}.new", snippet.id, std::process::id()));
    let output = command(work, tools, snippet)
        .arg("-o")
        .arg(&unfinished)
        .args(&tools.link_flags)
        .output()
        .with_context(|| format!("running {}", tools.cc))?;
    if !output.status.success() {
        let _ = fs::remove_file(&unfinished);
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        return Ok(Outcome::Failed {
            problems: place::c_problems(work, snippet, &log),
            log,
        });
    }
    fs::rename(&unfinished, &path).with_context(|| format!("writing {}", path.display()))?;
    fs::write(&key_path, key).with_context(|| format!("writing {}", key_path.display()))?;
    Ok(Outcome::Built { path, fresh: false })
}
