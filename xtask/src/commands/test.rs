//! `cargo xtask test`

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;

use crate::exit::{Exit, Stop};

/// A cargo command under a name.
struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    rustdocflags: &'static str,
}

/// In the order that finds the cheapest fault first.
const STEPS: &[Step] = &[
    step("format", &["fmt", "--all", "--check"]),
    step(
        "lints",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    ),
    Step {
        rustdocflags: "-D warnings",
        // The generated programs have no documentation of their own.
        ..step(
            "documentation",
            &["doc", "--workspace", "--exclude", "snippets", "--no-deps"],
        )
    },
    step(
        "book",
        &["run", "--quiet", "--package", "xtask", "--", "check"],
    ),
    step("tests", &["test", "--workspace"]),
];

const fn step(name: &'static str, arguments: &'static [&'static str]) -> Step {
    Step {
        name,
        arguments,
        rustdocflags: "",
    }
}

/// Run every check that must hold before a change lands / 运行全部检查
///
/// Format, lints, documentation, the book's own check and all tests; the first
/// that fails ends it and says how to run it alone.
#[derive(Debug, Args)]
pub struct Test {
    /// Only these steps: format, lints, documentation, book, tests
    steps: Vec<String>,
}

impl Test {
    pub fn run(self, root: &Path) -> Result<Exit> {
        let known = |name: &String| STEPS.iter().any(|step| step.name == name);
        if let Some(unknown) = self.steps.iter().find(|name| !known(name)) {
            let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
            return Err(Stop::bad_input(format!(
                "no step is called {unknown}; the steps are {}",
                names.join(", ")
            )));
        }
        let wanted =
            |step: &&Step| self.steps.is_empty() || self.steps.iter().any(|s| s == step.name);
        for step in STEPS.iter().filter(wanted) {
            if !step.passes(root)? {
                return Ok(Exit::Failed);
            }
        }
        Ok(Exit::Ok)
    }
}

impl Step {
    fn passes(&self, root: &Path) -> Result<bool> {
        let name = self.name;
        eprintln!("== {name}: cargo {}", self.arguments.join(" "));
        let start = Instant::now();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(root).args(self.arguments);
        if !self.rustdocflags.is_empty() {
            command.env("RUSTDOCFLAGS", self.rustdocflags);
        }
        let status = command.status().context("cargo could not be started")?;
        let seconds = start.elapsed().as_secs_f64();
        if status.success() {
            eprintln!("== {name}: passed in {seconds:.1} s");
        } else {
            eprintln!("== {name}: failed; run it alone / 单独运行：cargo xtask test {name}");
        }
        Ok(status.success())
    }
}
