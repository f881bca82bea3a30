use std::process::ExitCode;

use clap::Parser;
use xtask::cli::Cli;
use xtask::{exit, interrupt};

fn main() -> ExitCode {
    let result = Cli::parse().run();
    interrupt::checkpoint();
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("error: {error:#}");
            exit::status_of(&error).into()
        }
    }
}
