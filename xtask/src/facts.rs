//! The facts of a run: what every run of the same program shows again. Values
//! that differ from run to run appear as `…`; times and counts that depend on
//! timing are kept apart, in [`crate::varies`].

use std::collections::BTreeMap;

use protocol::report::{End, TimeLimit};
use serde::{Deserialize, Serialize};

use crate::fold_sequence::{Step, fold};
use crate::seen::{Seen, SeenCall, SeenCompletion, VARYING, enum_text};

/// What one role showed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoleFacts {
    /// `single`, `server` or `client`.
    pub role: String,
    /// `exit 0`, `killed by SIGKILL`, `timed out (wall)`, …
    pub end: String,
    pub calls: Vec<Step<CallFact>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub completions: Vec<Step<CompletionFact>>,
    /// `qp 1` and the states it went through.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub async_events: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connection_events: Vec<String>,
    /// Texts that the chapter expects and the role printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prints: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallFact {
    pub call: String,
    /// `name=value`, decoded.
    pub args: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub returned: String,
    /// Name of the errno, only when the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errno: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompletionFact {
    pub status: String,
    /// Undefined, and left out, when the status is not success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opcode: Option<String>,
    /// Only where it is defined: receives, reads and atomics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_len: Option<u32>,
    pub wr_id: String,
    pub qp: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor_err: Option<u32>,
}

/// The facts of one role. `expected_prints` are the texts that the chapter
/// expects of it.
pub fn role_facts(seen: &Seen, expected_prints: &[&str]) -> RoleFacts {
    let mut prints: Vec<String> = expected_prints
        .iter()
        .filter(|text| seen.stdout.iter().any(|line| line.contains(**text)))
        .map(|text| text.to_string())
        .collect();
    prints.dedup();
    RoleFacts {
        role: seen.role.name().to_string(),
        end: end_text(&seen.end),
        calls: fold_masked(
            seen.calls.iter().filter(|c| is_fact(c)).map(call_fact),
            mask_call,
        ),
        completions: fold_masked(
            seen.completions.iter().map(completion_fact),
            mask_completion,
        ),
        states: seen
            .states
            .iter()
            .map(|(qp, path)| {
                let names = path.iter().map(|s| name("ibv_qp_state", *s)).collect();
                (format!("qp {qp}"), names)
            })
            .collect(),
        async_events: names("ibv_event_type", &seen.async_events),
        connection_events: names("rdma_cm_event_type", &seen.connection_events),
        prints,
    }
}

/// How a process ended, as an expectation line would say it.
pub fn end_text(end: &End) -> String {
    match end {
        End::Exited { code } => format!("exit {code}"),
        End::Signal { signal } => format!("killed by {}", signal_name(*signal)),
        End::TimedOut {
            limit: TimeLimit::Wall,
        } => "timed out (wall clock)".to_string(),
        End::TimedOut {
            limit: TimeLimit::Silence,
        } => "timed out (no output)".to_string(),
        End::OutputExceeded => "wrote too much output".to_string(),
        End::OutOfMemory => "out of memory".to_string(),
        End::Stopped => "stopped with the other role".to_string(),
    }
}

/// The name of a signal on Linux, or `signal N`.
pub fn signal_name(signal: i32) -> String {
    const SIGNALS: &[(i32, &str)] = &[
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGQUIT, "SIGQUIT"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGTRAP, "SIGTRAP"),
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGKILL, "SIGKILL"),
        (libc::SIGUSR1, "SIGUSR1"),
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGUSR2, "SIGUSR2"),
        (libc::SIGPIPE, "SIGPIPE"),
        (libc::SIGALRM, "SIGALRM"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGXCPU, "SIGXCPU"),
        (libc::SIGSYS, "SIGSYS"),
    ];
    match SIGNALS.iter().find(|s| s.0 == signal) {
        Some((_, name)) => (*name).to_string(),
        None => format!("signal {signal}"),
    }
}

/// Whether a call is a fact. How often a program polls, and how many
/// completions one poll brings, is timing; so is an event that is not there
/// yet. What the polls brought stands in the completions.
pub fn is_fact(call: &SeenCall) -> bool {
    match call.call.as_str() {
        "ibv_poll_cq" | "ibv_start_poll" | "ibv_next_poll" | "ibv_end_poll" => {
            call.failed.is_some()
        }
        "ibv_get_cq_event" | "ibv_get_async_event" | "rdma_get_cm_event" => !not_yet(call),
        _ => true,
    }
}

/// A getter on a non-blocking descriptor that found nothing, or was
/// interrupted: the program asks again.
pub fn not_yet(call: &SeenCall) -> bool {
    matches!(
        call.call.as_str(),
        "ibv_get_cq_event" | "ibv_get_async_event" | "rdma_get_cm_event"
    ) && matches!(call.failed, Some(libc::EAGAIN | libc::EINTR))
}

pub fn call_fact(call: &SeenCall) -> CallFact {
    CallFact {
        call: call.call.clone(),
        args: call
            .args
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
        returned: call.returned.clone(),
        errno: call.failed.map(protocol::names::errno_name),
    }
}

pub fn completion_fact(completion: &SeenCompletion) -> CompletionFact {
    let success = completion.status == 0;
    CompletionFact {
        status: name("ibv_wc_status", completion.status),
        opcode: success.then(|| name("ibv_wc_opcode", completion.opcode)),
        byte_len: (success && counts_bytes(completion.opcode)).then_some(completion.byte_len),
        wr_id: wr_id_text(completion.wr_id),
        qp: format!("qp {}", completion.qp),
        vendor_err: (!success && completion.vendor_err != 0).then_some(completion.vendor_err),
    }
}

/// Providers fill `byte_len` in for receives, reads and atomics; for other
/// sends it is undefined.
fn counts_bytes(opcode: u32) -> bool {
    const READ_AND_ATOMICS: [u32; 3] = [2, 3, 4];
    opcode >= 128 || READ_AND_ATOMICS.contains(&opcode)
}

/// Many programs put a pointer into `wr_id`, which differs from run to run.
fn wr_id_text(wr_id: u64) -> String {
    match wr_id <= u64::from(u32::MAX) {
        true => wr_id.to_string(),
        false => VARYING.to_string(),
    }
}

fn name(tag: &str, value: u32) -> String {
    enum_text(tag, i64::from(value))
}

fn names(tag: &str, values: &[u32]) -> Vec<String> {
    values.iter().map(|v| name(tag, *v)).collect()
}

/// Steps that masking must save to be worth the numbers it hides.
const WORTH: usize = 8;

/// Folds; where a loop does not show because its numbers count up, they are
/// masked.
fn fold_masked<T: PartialEq + Clone>(
    items: impl Iterator<Item = T>,
    mask: fn(&mut T),
) -> Vec<Step<T>> {
    let mut items: Vec<T> = items.collect();
    let plain = fold(&items);
    items.iter_mut().for_each(mask);
    let masked = fold(&items);
    match masked.len() + WORTH <= plain.len() {
        true => masked,
        false => plain,
    }
}

fn mask_call(call: &mut CallFact) {
    for arg in &mut call.args {
        *arg = mask_wr_id(arg);
    }
}

fn mask_completion(completion: &mut CompletionFact) {
    completion.wr_id = VARYING.to_string();
}

/// Replaces the digits after each `wr_id=`.
fn mask_wr_id(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("wr_id=") {
        let (before, after) = rest.split_at(at + "wr_id=".len());
        masked.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() < after.len() {
            masked.push_str(VARYING);
        }
    }
    masked + rest
}
