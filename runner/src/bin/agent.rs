//! The agent: the first program of a guest, or a child that serves over its
//! standard streams.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::process::id() == 1 {
        runner::guest::run(|port| {
            let out = port.try_clone()?;
            runner::agent::serve(port, out)
        });
    }
    match runner::agent::serve(std::io::stdin().lock(), std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("agent: {error:#}");
            ExitCode::FAILURE
        }
    }
}
