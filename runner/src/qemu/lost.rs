//! Why a node is gone.

use std::fmt;
use std::fs;
use std::path::Path;

/// How the kernel names a panic.
const PANIC: &str = "Kernel panic - not syncing";
/// Lines told before a panic whose cause has no line of its own, and from the
/// panic on: its trace names the calls that led to it.
const BEFORE: usize = 5;
const AFTER: usize = 12;

/// The reasons for which a guest no longer serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// QEMU was killed from outside.
    Killed { signal: i32 },
    /// QEMU itself failed.
    Failed { code: i32, stderr: String },
    /// The guest's kernel panicked; the end of its log.
    Panic { lines: Vec<String> },
    /// The guest switched itself off or reset.
    PoweredOff { lines: Vec<String> },
}

/// Lines of a console that go into a reason.
const LINES: usize = 30;

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let lines = match self {
            Lost::Killed { signal } => {
                return write!(f, "QEMU was killed by signal {signal}");
            }
            Lost::Failed { code, stderr } => {
                return write!(f, "QEMU ended with status {code}: {stderr}");
            }
            Lost::Panic { lines } => {
                write!(f, "the guest's kernel panicked")?;
                lines
            }
            Lost::PoweredOff { lines } => {
                write!(f, "the guest switched itself off")?;
                lines
            }
        };
        if !lines.is_empty() {
            write!(f, "; its console ends:")?;
        }
        for line in lines {
            write!(f, "\n    {line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Lost {}

/// The lines around a panic: what led to it, the line that names it, and the
/// beginning of its trace; `None` without one.
pub fn panic_in(console: &str) -> Option<Vec<String>> {
    let lines: Vec<&str> = console.lines().map(str::trim_end).collect();
    let named = lines.iter().position(|line| line.contains(PANIC))?;
    // With `oops=panic` the cause stands before the panic, trace and all.
    let cause = lines[..named]
        .iter()
        .position(|line| ["BUG: ", "Oops"].iter().any(|mark| line.contains(mark)));
    let from = cause.unwrap_or(named.saturating_sub(BEFORE));
    let mut told: Vec<&str> = lines[from..named].iter().take(LINES).copied().collect();
    told.extend(lines[named..].iter().take(AFTER));
    Some(told.iter().map(|line| line.to_string()).collect())
}

/// The last lines of a console.
pub fn tail(console: &str) -> Vec<String> {
    let lines: Vec<&str> = console.lines().map(str::trim_end).collect();
    let from = lines.len().saturating_sub(LINES);
    lines[from..].iter().map(|line| line.to_string()).collect()
}

/// A log that may hold any bytes; empty when it is not there yet.
pub fn read_log(file: &Path) -> String {
    let bytes = fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_with_what_led_to_it() {
        let console = "a\r\nBUG: NULL pointer\r\nKernel panic - not syncing: Fatal\r\n";
        let lines = panic_in(console).unwrap();
        assert_eq!(lines[0], "BUG: NULL pointer");
        let text = Lost::Panic { lines }.to_string();
        assert!(text.ends_with("not syncing: Fatal"), "{text}");
    }

    #[test]
    fn a_long_trace_does_not_hide_what_panicked() {
        let trace = "? call+0x1\n".repeat(50);
        let console = format!("a\nKernel panic - not syncing: why\nCPU: 0\n{trace}end\n");
        let lines = panic_in(&console).unwrap();
        assert_eq!(lines[..2], ["a", "Kernel panic - not syncing: why"]);
        let console = format!("a\nBUG: first\n{trace}Kernel panic - not syncing: why\nend\n");
        let lines = panic_in(&console).unwrap();
        assert_eq!(lines[0], "BUG: first");
        assert!(lines.contains(&"Kernel panic - not syncing: why".to_string()));
    }

    #[test]
    fn a_quiet_console_is_no_panic() {
        assert_eq!(panic_in("rxe0: added eth0\n"), None);
    }
}
