//! What a person sees while waiting. All of it goes to standard error, which a
//! program that reads standard output need not look at.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar with a count, on a terminal; nothing elsewhere.
pub fn bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg}");
    let bar = ProgressBar::new(length).with_style(style.expect("a template"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// For a step whose length nobody knows.
pub fn spinner(message: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {elapsed:>3} {wide_msg}");
    let bar = ProgressBar::new_spinner().with_style(style.expect("a template"));
    bar.set_message(message.to_string());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A line that stays, above a bar that moves.
pub fn say(bar: &ProgressBar, line: &str) {
    bar.suspend(|| eprintln!("{line}"));
}

/// Whether standard error is a terminal, and may be coloured.
pub fn colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
