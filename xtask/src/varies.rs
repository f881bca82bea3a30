//! What a run showed that another run of the same program need not show:
//! times, counts of empty polls, free output. Times are ratios to the
//! reference loop of the same session, never seconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use protocol::event::What;
use protocol::job::Role;
use protocol::report::{Report, RoleReport};
use serde::{Deserialize, Serialize};

use crate::facts::{RoleFacts, is_fact};
use crate::outcome::Outcome;
use crate::seen::Seen;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Varies {
    /// Day of the run, UTC: `2026-12-01`.
    pub date: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleVaries>,
    /// Runs before this one that said nothing about the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<Try>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoleVaries {
    pub role: String,
    /// From exec to exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<f64>,
    /// Mean time of each call, in the order of the facts' steps and of the
    /// items in each step; empty without a reference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<f64>,
    /// Polls that found nothing.
    pub empty_polls: u64,
    /// The trace was cut because its log was full.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trace_cut: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stdout: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// A run whose node was lost, kept beside the one that replaced it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Try {
    pub outcome: Outcome,
    pub reason: String,
}

/// The yardstick of a session: the latency of one RDMA WRITE, half the median
/// round of the reference loop's ping-pong. The client prints it, in a line
/// such as `write-latency rounds=256 bytes=8 ns=9000 median_ns=30`; a reference
/// program without rounds, such as the one for bandwidth, has no such number.
pub fn reference_unit(report: &Report) -> Option<Duration> {
    let client = report.roles.iter().find(|r| r.role != Role::Server)?;
    let stdout = String::from_utf8_lossy(&client.stdout);
    let line = stdout.lines().find(|line| line.contains(" rounds="))?;
    let median: u64 = line
        .split_whitespace()
        .find_map(|word| word.strip_prefix("median_ns="))?
        .parse()
        .ok()?;
    (median > 1).then(|| Duration::from_nanos(median / 2))
}

/// `facts` are those of the same report.
pub fn role_varies(
    report: &RoleReport,
    facts: &RoleFacts,
    unit: Option<Duration>,
    keep_output: bool,
) -> RoleVaries {
    let output = |bytes: &[u8]| match keep_output {
        true => shortened(bytes),
        false => String::new(),
    };
    RoleVaries {
        role: report.role.name().to_string(),
        wall: unit.map(|unit| ratio(report.wall.as_nanos() as f64, unit)),
        calls: unit.map_or_else(Vec::new, |unit| call_times(report, facts, unit)),
        empty_polls: report
            .events
            .iter()
            .map(|e| match e.what {
                What::Completion { empty_polls, .. } => empty_polls,
                _ => 0,
            })
            .sum(),
        trace_cut: report.trace_truncated,
        stdout: output(&report.stdout),
        stderr: output(&report.stderr),
    }
}

fn call_times(report: &RoleReport, facts: &RoleFacts, unit: Duration) -> Vec<f64> {
    let seen = Seen::of(report);
    let took: Vec<u64> = seen
        .calls
        .iter()
        .filter(|c| is_fact(c))
        .map(|c| c.took_ns)
        .collect();
    let mut times = Vec::new();
    let mut start = 0;
    for step in &facts.calls {
        let period = step.items().len();
        for item in 0..period {
            let total: u64 = (0..step.times())
                .filter_map(|k| took.get(start + k * period + item))
                .sum();
            times.push(ratio(total as f64 / step.times() as f64, unit));
        }
        start += period * step.times();
    }
    times
}

/// Two significant digits: more would only be noise in a diff.
fn ratio(ns: f64, unit: Duration) -> f64 {
    format!("{:.1e}", ns / unit.as_nanos() as f64)
        .parse()
        .expect("a number just written")
}

/// Bytes of each output stream that a record keeps.
const OUTPUT_KEPT: usize = 2048;

fn shortened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(OUTPUT_KEPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

/// Today, UTC, as `2026-12-01`.
pub fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    date_of(seconds / 86_400)
}

/// The civil date of a day counted from 1970-01-01.
fn date_of(day: u64) -> String {
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let (mut day, mut year) = (day, 1970);
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_civil_dates() {
        assert_eq!(date_of(0), "1970-01-01");
        assert_eq!(date_of(11_016), "2000-02-29");
        assert_eq!(date_of(20_788), "2026-12-01");
        assert_eq!(date_of(47_540), "2100-02-28");
        assert_eq!(date_of(47_541), "2100-03-01");
    }

    #[test]
    fn a_ratio_keeps_two_digits() {
        let unit = Duration::from_nanos(400_000);
        assert_eq!(ratio(6_000.0, unit), 0.015);
        assert_eq!(ratio(123_456_789.0, unit), 310.0);
    }
}
