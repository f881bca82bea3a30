//! Where the tracer's shared library is.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

const NAME: &str = "libverbs_trace.so";

/// The library named, or the one beside this executable.
pub fn find(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named {
        // Where the dynamic linker cannot load a preloaded library it only
        // warns, and the program runs untraced.
        match named.canonicalize() {
            Ok(path) => return Ok(path),
            Err(e) => bail!("cannot use {} as the tracer: {e}", named.display()),
        }
    }
    let program = std::env::current_exe()?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let beside = folder.join(NAME);
    if !beside.is_file() {
        bail!(
            "the tracer {} is not there; build it with `cargo build -p verbs-trace`, or name it \
             with --library",
            beside.display()
        );
    }
    Ok(beside)
}
