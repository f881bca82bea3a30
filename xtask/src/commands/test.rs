//! `cargo xtask test`: everything that must hold before a change lands.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

/// Format, lints, documentation, tests and the book's own check, in the order
/// that finds the cheapest fault first.
const STEPS: &[(&str, &[&str], &[(&str, &str)])] = &[
    ("format", &["fmt", "--all", "--check"], &[]),
    (
        "lints",
        &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        &[],
    ),
    (
        "documentation",
        // The generated programs have no documentation of their own.
        &["doc", "--workspace", "--exclude", "snippets", "--no-deps"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    ),
    ("book", &["run", "--quiet", "--package", "xtask", "--", "check"], &[]),
    ("tests", &["test", "--workspace"], &[]),
];

/// Runs every step; the first that fails ends it and says how to run it alone.
#[derive(clap::Args)]
pub struct Args {
    /// Run only these steps: format, lints, documentation, book, tests
    steps: Vec<String>,
}

pub fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(unknown) = args.steps.iter().find(|s| STEPS.iter().all(|(name, ..)| name != s)) {
        let names: Vec<_> = STEPS.iter().map(|step| step.0).collect();
        bail!("no step is called {unknown}; the steps are {}", names.join(", "));
    }
    for (name, arguments, environment) in STEPS {
        if !args.steps.is_empty() && !args.steps.iter().any(|step| step == name) {
            continue;
        }
        eprintln!("== {name}: cargo {}", arguments.join(" "));
        let start = Instant::now();
        let status = Command::new("cargo")
            .args(*arguments)
            .envs(environment.iter().copied())
            .status()
            .context("cargo could not be started")?;
        if !status.success() {
            bail!("{name} failed ({status}); run it alone with `cargo xtask test {name}`");
        }
        eprintln!("== {name}: passed in {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
