//! `cargo xtask trace`

use std::path::Path;

use anyhow::Result;
use clap::Args;

use crate::artifacts;
use crate::exit::Exit;
use crate::install::make_ready;

/// Run any program and explain the verbs calls that failed / 跟踪任意程序的 verbs 调用并解释失败
///
/// For example `cargo xtask trace -- ./my-program --its-own options`.
#[derive(Debug, Args)]
pub struct Trace {
    #[command(flatten)]
    trace: runner::trace::Trace,
}

impl Trace {
    /// Ends with the program's own status.
    pub fn run(mut self, root: &Path) -> Result<Exit> {
        if self.trace.library.is_none() {
            make_ready(false, false)?;
            self.trace.library = Some(artifacts::tracer(root)?);
        }
        std::process::exit(self.trace.run()?.into())
    }
}
