//! Rust programs: binaries of one package, built by one cargo call.

use anyhow::Result;
use serde_json::Value;

use super::cargo::{self, Build};
use super::{Outcome, Program, Work, fails, in_parallel, place, tools};
use crate::exit::Stop;
use crate::problem::Problem;
use crate::snippet::{Language, Snippet};

pub fn compile(work: &Work, snippets: &[&Snippet]) -> Result<Vec<Program>> {
    if snippets.is_empty() {
        return Ok(Vec::new());
    }
    let version = version()?;
    let fails = |snippet: &&&Snippet| snippet.compile_error.contains_key(&Language::Rust);
    let programs: Vec<&Snippet> = snippets.iter().filter(|s| !fails(s)).copied().collect();
    let refused: Vec<&Snippet> = snippets.iter().filter(fails).copied().collect();
    let ids: Vec<&str> = programs.iter().map(|s| s.id.as_str()).collect();
    let build = cargo::build(&work.book.root, &ids)?;
    if !build.success && build.messages.is_empty() && build.executables.is_empty() {
        return Err(nothing_built(&build));
    }
    let mut done = Vec::new();
    for snippet in programs {
        let outcome = outcome(work, &build, snippet);
        done.push(work.program(snippet, Language::Rust, &version, outcome));
    }
    let results = in_parallel(&refused, |snippet| {
        let expected = &snippet.compile_error[&Language::Rust];
        let outcome = fails::rust(work, &build, &version, snippet, expected)?;
        anyhow::Ok(work.program(snippet, Language::Rust, &version, outcome))
    });
    for result in results {
        done.push(result?);
    }
    Ok(done)
}

/// `rustc 1.90.0 (…)`
fn version() -> Result<String> {
    let said = tools::ask(&rustc(), &["--version"], "rustc")?;
    Ok(said.trim().to_string())
}

/// The compiler that cargo uses.
pub fn rustc() -> String {
    std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into())
}

fn nothing_built(build: &Build) -> anyhow::Error {
    let tail: Vec<&str> = build.log.lines().rev().take(20).collect();
    let tail: Vec<&str> = tail.into_iter().rev().collect();
    Stop::environment(format!(
        "cargo could not build the Rust programs:\n{}\n  \
         help: `cargo xtask setup` installs what they need (libibverbs-dev, librdmacm-dev, libclang-dev)\n  \
         下一步：`cargo xtask setup` 会安装所需的软件包",
        tail.join("\n")
    ))
}

/// Warnings are errors, as in C.
fn outcome(work: &Work, build: &Build, snippet: &Snippet) -> Outcome {
    let messages = build
        .messages
        .get(&snippet.id)
        .map_or(&[][..], Vec::as_slice);
    let placed = worth_telling(messages)
        .filter_map(|m| place::rust_problem(work.book, work.tangle, snippet, m));
    let problems: Vec<Problem> = placed.collect();
    let rendered = messages.iter().filter_map(|m| m["rendered"].as_str());
    let log = work.tangle.remap_text(&rendered.collect::<String>());
    match build.executables.get(&snippet.id) {
        Some((path, fresh)) if problems.is_empty() => Outcome::Built {
            path: path.clone(),
            fresh: *fresh,
        },
        _ if problems.is_empty() => Outcome::Failed {
            problems: vec![place::unplaced(snippet, Language::Rust, &build.log)],
            log: build.log.clone(),
        },
        _ => Outcome::Failed { problems, log },
    }
}

/// Beside an error, warnings are mostly its consequence.
fn worth_telling(messages: &[Value]) -> impl Iterator<Item = &Value> {
    let is_error = |message: &Value| message["level"] == "error";
    let refused = messages.iter().any(is_error);
    messages.iter().filter(move |m| !refused || is_error(m))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn warnings_are_told_only_when_there_is_no_error() {
        let [warning, error] = ["warning", "error"].map(|level| json!({ "level": level }));
        let told = |messages: &[Value]| worth_telling(messages).count();
        assert_eq!(told(&[warning.clone(), warning.clone()]), 2);
        assert_eq!(told(&[warning.clone(), error.clone(), error]), 2);
    }
}
