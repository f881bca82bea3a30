//! `cargo xtask compile`

use std::path::Path;

use anyhow::Result;
use clap::Args;

use super::{find, sound_book, tell};
use crate::compile::{Outcome, Program, compile};
use crate::exit::Exit;
use crate::interrupt;
use crate::progress::bar;
use crate::snippet::Snippet;
use crate::tangle::Tangle;

/// Compile the programs of all snippets, or of some / 编译示例
///
/// Brings `snippets/` up to date first; what has not changed is not compiled
/// again. Compiler errors name the chapter's line.
#[derive(Debug, Args)]
pub struct Compile {
    /// Snippets (default: all)
    ids: Vec<String>,
}

impl Compile {
    pub fn run(self, root: &Path) -> Result<Exit> {
        interrupt::install()?;
        let book = sound_book(root)?;
        let chosen: Vec<&Snippet> = if self.ids.is_empty() {
            book.snippets.iter().collect()
        } else {
            let found = self.ids.iter().map(|id| find(&book, id));
            found.collect::<Result<_>>()?
        };
        let progress = bar(2 * chosen.len() as u64);
        let programs = compile(&book, &Tangle::of(&book), &chosen, &progress)?;
        progress.finish_and_clear();
        for program in &programs {
            println!("{}", line(program));
        }
        let failed: Vec<_> = programs
            .iter()
            .filter_map(problems)
            .flatten()
            .cloned()
            .collect();
        tell(&book, &failed);
        Ok(if failed.is_empty() {
            Exit::Ok
        } else {
            Exit::Failed
        })
    }
}

fn problems(program: &Program) -> Option<&Vec<crate::problem::Problem>> {
    match &program.outcome {
        Outcome::Failed { problems, .. } => Some(problems),
        _ => None,
    }
}

fn line(program: &Program) -> String {
    let name = format!("{}/{}", program.id, program.language.name());
    match &program.outcome {
        Outcome::Built { path, fresh } => {
            let how = if *fresh { "unchanged" } else { "built" };
            format!("{name}: {how}: {}", path.display())
        }
        Outcome::FailedAsExpected { message, .. } => {
            format!("{name}: refused as expected: {}", message.trim())
        }
        Outcome::Failed { .. } => format!("{name}: FAILED"),
    }
}
