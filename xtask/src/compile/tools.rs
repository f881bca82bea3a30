//! The C compiler and the libraries of this machine.

use std::io::ErrorKind;
use std::process::Command;

use anyhow::{Context, Result};

use super::LIBRARIES;
use crate::exit::Stop;

/// What compiles C here, asked once a command.
#[derive(Debug)]
pub struct Tools {
    /// `cc`, or what the environment variable `CC` names.
    pub cc: String,
    /// First line of `cc --version`.
    pub version: String,
    /// Flags of the libraries, from `pkg-config`.
    pub compile_flags: Vec<String>,
    pub link_flags: Vec<String>,
    /// Versions of the libraries: their headers belong to every program.
    pub libraries: String,
}

impl Tools {
    pub fn find() -> Result<Tools> {
        let cc = std::env::var("CC").unwrap_or_else(|_| "cc".into());
        let version = ask(&cc, &["--version"], "a C compiler / C 编译器")?;
        let pkg_config = |option: &[&str]| -> Result<String> {
            let arguments: Vec<&str> = option.iter().chain(&LIBRARIES).copied().collect();
            ask("pkg-config", &arguments, "libibverbs-dev, librdmacm-dev")
        };
        let words = |text: String| text.split_whitespace().map(String::from).collect();
        Ok(Tools {
            version: version.lines().next().unwrap_or("").trim().to_string(),
            compile_flags: words(pkg_config(&["--cflags"])?),
            link_flags: words(pkg_config(&["--libs"])?),
            libraries: pkg_config(&["--modversion"])?,
            cc,
        })
    }

    /// Columns in bytes, and no excerpt of the compiler's own: the caller
    /// shows the chapter's.
    pub fn message_flags(&self) -> &'static [&'static str] {
        if self.version.contains("clang") {
            &["-fno-color-diagnostics", "-fno-caret-diagnostics"]
        } else {
            &[
                "-fdiagnostics-color=never",
                "-fno-diagnostics-show-caret",
                "-fdiagnostics-column-unit=byte",
            ]
        }
    }
}

/// The standard output of a command that must succeed on a machine that has
/// what programs are compiled with.
pub fn ask(program: &str, arguments: &[&str], needs: &str) -> Result<String> {
    let output = match Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .output()
    {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Stop::environment(missing(&format!("`{program}`"), needs)));
        }
        other => other.with_context(|| format!("running {program}"))?,
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let failed = format!("`{program} {}` failed", arguments.join(" "));
        let message = format!("{}\n{}", missing(&failed, needs), said.trim());
        return Err(Stop::environment(message));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn missing(what: &str, needs: &str) -> String {
    format!(
        "{what}: this machine cannot compile the programs (needed: {needs})\n  \
         help: run `cargo xtask setup`\n  下一步：运行 `cargo xtask setup`"
    )
}
