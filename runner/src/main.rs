//! `runner`: what is useful by itself, without a chapter.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Testbeds, runs and traces.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Trace(runner::trace::Trace),
    Run(runner::command::Run),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Trace(trace) => trace.run(),
        Command::Run(run) => run.run(),
    };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("runner: {error:#}");
            ExitCode::from(2)
        }
    }
}
