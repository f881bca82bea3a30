use std::process::ExitCode;

use clap::Parser;
use xtask::cli::Cli;
use xtask::exit;

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("error: {error:#}");
            exit::status_of(&error).into()
        }
    }
}
