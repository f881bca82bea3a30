//! Programs that must not compile: the compiler's refusal is what the chapter
//! teaches.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::cargo::Build;
use super::tools::Tools;
use super::{Outcome, Work, c, key, rust};
use crate::assemble::{module_path, rust_main_path};
use crate::exit::Stop;
use crate::flags;
use crate::problem::Problem;
use crate::snippet::{Language, Snippet};

pub fn c(work: &Work, tools: &Tools, snippet: &Snippet, expected: &str) -> Result<Outcome> {
    let mut command = c::command(work, tools, snippet);
    command.arg("-fsyntax-only");
    let key = key([c::inputs(work, tools, snippet).as_str(), expected]);
    try_it(work, snippet, Language::C, expected, key, command)
}

/// Calls rustc as cargo would, beside the package: a program that cannot be
/// built must not be one of its targets.
pub fn rust(
    work: &Work,
    build: &Build,
    version: &str,
    snippet: &Snippet,
    expected: &str,
) -> Result<Outcome> {
    let mut command = Command::new(rust::rustc());
    command
        .current_dir(&work.book.root)
        .args(flags::RUST)
        .args([
            "--crate-type",
            "bin",
            "--emit",
            "metadata",
            "--color",
            "never",
        ]);
    let mut parts = vec![version.to_string(), expected.to_string()];
    parts.extend(flags::RUST.iter().map(|flag| flag.to_string()));
    for name in ["libc", "rdma_sys"] {
        let Some(library) = build.libraries.get(name) else {
            return Err(Stop::environment(format!(
                "cargo named no library for `{name}`; run `cargo clean -p {name}` and try again\n\
                 cargo 没有给出 `{name}` 的库；请运行 `cargo clean -p {name}` 后重试"
            )));
        };
        let library = library.to_string_lossy();
        command.arg("--extern").arg(format!("{name}={library}"));
        parts.push(library.into_owned());
        if let Some(folder) = build.libraries[name].parent() {
            let folder = folder.display();
            command.arg("-L").arg(format!("dependency={folder}"));
        }
    }
    let main = rust_main_path(snippet);
    let unwanted = work.programs.join("fails").join(&snippet.id);
    command.arg("-o").arg(unwanted).arg(&main);
    let modules = work.book.closure(snippet).into_iter().chain([snippet]);
    let files = modules.map(|s| module_path(&s.id)).chain([main]);
    parts.extend(files.map(|path| work.text(&path).to_string()));
    let key = key(parts.iter().map(String::as_str));
    try_it(work, snippet, Language::Rust, expected, key, command)
}

/// A refusal seen before.
#[derive(Serialize, Deserialize)]
struct Refusal {
    key: String,
    message: String,
}

fn try_it(
    work: &Work,
    snippet: &Snippet,
    language: Language,
    expected: &str,
    key: String,
    mut command: Command,
) -> Result<Outcome> {
    let cache = cache(work, snippet, language);
    let known = fs::read_to_string(&cache).ok();
    let known = known.and_then(|text| serde_json::from_str::<Refusal>(&text).ok());
    if let Some(refusal) = known.filter(|refusal| refusal.key == key) {
        return Ok(Outcome::FailedAsExpected {
            message: refusal.message,
            fresh: true,
        });
    }
    let folder = cache.parent().expect("a file is in a folder");
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let output = command.output().context("running the compiler")?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let log = work.tangle.remap_text(&log);
    if output.status.success() {
        let problems = vec![compiled(snippet, language)];
        return Ok(Outcome::Failed { problems, log });
    }
    let Some(message) = log.lines().find(|line| line.contains(expected)) else {
        let problems = vec![other_words(snippet, language, expected, &log)];
        return Ok(Outcome::Failed { problems, log });
    };
    let message = message.to_string();
    let refusal = Refusal {
        key,
        message: message.clone(),
    };
    fs::write(&cache, serde_json::to_string(&refusal)?)
        .with_context(|| format!("writing {}", cache.display()))?;
    Ok(Outcome::FailedAsExpected {
        message,
        fresh: false,
    })
}

fn cache(work: &Work, snippet: &Snippet, language: Language) -> PathBuf {
    let file = format!("{}.{}.json", snippet.id, language.name());
    work.programs.join("fails").join(file)
}

fn compiled(snippet: &Snippet, language: Language) -> Problem {
    let name = language.name();
    Problem::new(
        "compiles",
        format!(
            "the {name} variant of `{}` compiles, and must not",
            snippet.id
        ),
        format!("`{}` 的 {name} 版本本不应通过编译，却通过了", snippet.id),
    )
    .at(&snippet.declared, "")
    .help(
        format!("mend the code, or take `{name}` out of `compile_error`"),
        format!("请修改代码，或从 `compile_error` 中去掉 `{name}`"),
    )
}

fn other_words(snippet: &Snippet, language: Language, expected: &str, log: &str) -> Problem {
    let name = language.name();
    let first = log
        .lines()
        .find(|line| line.contains("error"))
        .unwrap_or(log.trim());
    Problem::new(
        "other-compile-error",
        format!(
            "the {name} compiler refuses `{}`, but does not say `{expected}`",
            snippet.id
        ),
        format!(
            "{name} 编译器拒绝了 `{}`，但没有给出 `{expected}`",
            snippet.id
        ),
    )
    .at(&snippet.declared, format!("it says / 实际为：{first}"))
    .help(
        "mend the code, or write the compiler's words in `compile_error`",
        "请修改代码，或在 `compile_error` 中写入编译器的原文",
    )
}
