//! The command itself.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use protocol::event::{Event, decode_log};
use protocol::log::{self, LIMIT_VARIABLE, LOG_VARIABLE};

use super::explain::{Explanation, explain};
use super::{library, render};

/// Run a program, print the verbs calls it makes, and explain what failed.
///
/// The exit status is the program's own; 128 and the signal's number when a
/// signal ended it.
#[derive(Args, Debug)]
pub struct Trace {
    /// Language of the explanations.
    #[arg(long, value_enum, default_value_t = Language::Both)]
    pub lang: Language,
    /// Write the trace there and not to standard error.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The tracer, when it is not beside this executable.
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
    /// Bytes of trace to keep; what comes later is left out, and said so.
    #[arg(long, default_value_t = log::DEFAULT_LIMIT, value_name = "BYTES")]
    pub limit: u64,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub program: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    En,
    Zh,
    Both,
}

impl Trace {
    /// Runs the program to its end and prints its trace. Returns the exit
    /// status to end with.
    pub fn run(&self) -> Result<u8> {
        let library = library::find(self.library.as_deref())?;
        let folder = tempfile::tempdir().context("cannot make a folder for the trace")?;
        let path = folder.path().join("log");
        let status = self.execute(&library, &path)?;
        match &self.output {
            Some(file) => {
                let out = File::create(file)
                    .with_context(|| format!("cannot write the trace to {}", file.display()))?;
                self.print(folder.path(), BufWriter::new(out))?;
            }
            None => self.print(folder.path(), io::stderr().lock())?,
        }
        Ok(exit_status(status))
    }

    fn execute(&self, library: &Path, log: &Path) -> Result<ExitStatus> {
        let (program, args) = self.program.split_first().context("no program named")?;
        let mut preload = library.as_os_str().to_owned();
        if let Some(already) = std::env::var_os("LD_PRELOAD").filter(|v| !v.is_empty()) {
            preload.push(":");
            preload.push(already);
        }
        // Ctrl-C at a terminal reaches the program too; this process stays to
        // print what there is.
        // SAFETY: ignoring a signal has no precondition; the program gets the
        // default back before it is executed.
        let before = unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
        let mut command = Command::new(program);
        command
            .args(args)
            .env("LD_PRELOAD", preload)
            .env(LOG_VARIABLE, log)
            .env(LIMIT_VARIABLE, self.limit.to_string());
        // SAFETY: only restores a signal's handling, which is allowed between
        // fork and exec.
        unsafe {
            use std::os::unix::process::CommandExt;
            command.pre_exec(move || {
                libc::signal(libc::SIGINT, before);
                Ok(())
            });
        }
        command
            .status()
            .with_context(|| format!("cannot run {program}; is it there and executable?"))
    }

    /// One section for each process that made a call; the first to make one
    /// first.
    fn print(&self, folder: &Path, mut out: impl Write) -> Result<()> {
        let mut logs: Vec<PathBuf> = std::fs::read_dir(folder)?
            .map(|entry| entry.map(|e| e.path()))
            .collect::<io::Result<_>>()?;
        logs.sort();
        if logs.is_empty() {
            writeln!(out, "no verbs call was made / 没有任何 verbs 调用")?;
        }
        for log in logs {
            if let Some(process) = log.extension() {
                writeln!(out, "process {} / 进程：", process.display())?;
            }
            let recorded = log::read(&log)?;
            let events = decode_log(&recorded.bytes).context("the trace cannot be read")?;
            self.print_events(&events, &mut out)?;
            if recorded.truncated {
                writeln!(
                    out,
                    "the trace ends here: its limit of {} bytes is reached, raise it with --limit / \
                     跟踪到此为止：已达上限，可用 --limit 调大",
                    self.limit
                )?;
            }
        }
        out.flush()?;
        Ok(())
    }

    fn print_events(&self, events: &[Event], out: &mut impl Write) -> io::Result<()> {
        let explanations = explain(events);
        let threads = events.iter().any(|e| e.thread != events[0].thread);
        for (index, event) in events.iter().enumerate() {
            if threads {
                write!(out, "[{}] ", event.thread)?;
            }
            writeln!(out, "{}", render(event))?;
            for explanation in explanations.iter().filter(|e| e.event == index) {
                self.print_explanation(explanation, out)?;
            }
        }
        Ok(())
    }

    fn print_explanation(&self, explanation: &Explanation, out: &mut impl Write) -> io::Result<()> {
        let Explanation { en, zh, page, .. } = explanation;
        if self.lang != Language::Zh {
            writeln!(out, "    ^ {en}  [{page}]")?;
        }
        if self.lang != Language::En {
            writeln!(out, "    ^ {zh}  [{page}]")?;
        }
        Ok(())
    }
}

fn exit_status(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
