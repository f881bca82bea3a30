//! What one role of a run showed, decoded into names: the ground both for
//! judging a run and for the facts that a record keeps.

use std::collections::BTreeMap;

use protocol::convention;
use protocol::event::{Arg, Event, Handle, Returned, Value, What};
use protocol::job::Role;
use protocol::names;
use protocol::report::{End, RoleReport};

/// Stands for a value that differs from run to run.
pub const VARYING: &str = "…";

pub struct Seen {
    pub role: Role,
    pub end: End,
    /// One thread after the other, each in its own order.
    pub calls: Vec<SeenCall>,
    /// One queue's direction after the other, each in its own order.
    pub completions: Vec<SeenCompletion>,
    /// States of each QP, by its number in order of creation.
    pub states: BTreeMap<u32, Vec<u32>>,
    /// `ibv_event_type`
    pub async_events: Vec<u32>,
    /// `rdma_cm_event_type`
    pub connection_events: Vec<u32>,
    pub stdout: Vec<String>,
    /// The trace was cut because the log was full.
    pub truncated: bool,
}

pub struct SeenCall {
    pub call: String,
    /// Name and decoded value.
    pub args: Vec<(String, String)>,
    /// Decoded value; empty for a call that returns nothing.
    pub returned: String,
    /// The number a call of the `int` kind returned.
    pub number: Option<i64>,
    /// errno with which the call failed.
    pub failed: Option<i32>,
    pub took_ns: u64,
}

pub struct SeenCompletion {
    pub qp: u32,
    pub wr_id: u64,
    /// `ibv_wc_status`
    pub status: u32,
    /// `ibv_wc_opcode`
    pub opcode: u32,
    pub byte_len: u32,
    pub vendor_err: u32,
}

impl Seen {
    pub fn of(report: &RoleReport) -> Seen {
        let calls = by_thread(&report.events);
        let stdout = String::from_utf8_lossy(&report.stdout);
        Seen {
            role: report.role,
            end: report.end.clone(),
            states: state_paths(&calls),
            calls: calls.into_iter().filter_map(seen_call).collect(),
            completions: completions(&report.events),
            async_events: report
                .events
                .iter()
                .filter_map(|e| match e.what {
                    What::Async { event, .. } => Some(event),
                    _ => None,
                })
                .collect(),
            connection_events: report
                .events
                .iter()
                .filter_map(|e| match e.what {
                    What::Connection { event, .. } => Some(event),
                    _ => None,
                })
                .collect(),
            stdout: stdout.lines().map(str::to_string).collect(),
            truncated: report.trace_truncated,
        }
    }
}

/// Calls of all threads; threads in the order of their first event, because
/// how they interleave is a matter of timing.
fn by_thread(events: &[Event]) -> Vec<&Event> {
    let mut threads: Vec<u32> = Vec::new();
    for event in events {
        if !threads.contains(&event.thread) {
            threads.push(event.thread);
        }
    }
    let mut calls: Vec<&Event> = events
        .iter()
        .filter(|e| matches!(e.what, What::Call { .. }))
        .collect();
    calls.sort_by_key(|e| threads.iter().position(|t| *t == e.thread));
    calls
}

fn seen_call(event: &Event) -> Option<SeenCall> {
    let What::Call {
        call,
        args,
        returned,
        errno,
        took_ns,
    } = &event.what
    else {
        return None;
    };
    Some(SeenCall {
        call: call.clone(),
        args: args
            .iter()
            .map(|a| (a.name.clone(), value_text(&a.value)))
            .collect(),
        returned: returned_text(returned),
        number: match returned {
            Returned::Int(value) => Some(*value),
            _ => None,
        },
        failed: convention::failure(call, returned, *errno),
        took_ns: *took_ns,
    })
}

/// Completions of one QP's direction come in order; how those of several
/// interleave is a matter of timing.
fn completions(events: &[Event]) -> Vec<SeenCompletion> {
    const RECEIVED: u32 = 128;
    let mut seen: Vec<(u32, SeenCompletion)> = events
        .iter()
        .filter_map(|e| match e.what {
            What::Completion {
                cq,
                qp,
                wr_id,
                status,
                opcode,
                byte_len,
                vendor_err,
                ..
            } => Some((
                cq,
                SeenCompletion {
                    qp,
                    wr_id,
                    status,
                    opcode,
                    byte_len,
                    vendor_err,
                },
            )),
            _ => None,
        })
        .collect();
    seen.sort_by_key(|(cq, c)| (*cq, c.qp, c.opcode & RECEIVED));
    seen.into_iter().map(|(_, c)| c).collect()
}

fn state_paths(calls: &[&Event]) -> BTreeMap<u32, Vec<u32>> {
    let mut paths: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for event in calls {
        let What::Call {
            call,
            args,
            returned,
            errno,
            ..
        } = &event.what
        else {
            continue;
        };
        if convention::failure(call, returned, *errno).is_some() {
            continue;
        }
        if let Returned::Handle(Handle { kind, number }) = returned
            && kind == "qp"
        {
            paths.entry(*number).or_insert_with(|| vec![RESET]);
        } else if matches!(call.as_str(), "ibv_modify_qp" | "ibv_query_qp")
            && let (Some(qp), Some(state)) = (first_qp(args), qp_state(args))
            && (call == "ibv_query_qp" || sets_state(args))
        {
            let path = paths.entry(qp).or_insert_with(|| vec![RESET]);
            if path.last() != Some(&state) {
                path.push(state);
            }
        }
    }
    paths
}

/// `IBV_QPS_RESET`, the state of a new QP.
const RESET: u32 = 0;

fn first_qp(args: &[Arg]) -> Option<u32> {
    args.iter().find_map(|a| match &a.value {
        Value::Handle(h) if h.kind == "qp" => Some(h.number),
        _ => None,
    })
}

fn qp_state(args: &[Arg]) -> Option<u32> {
    args.iter().find_map(|a| match &a.value {
        Value::Enum(_, value) if a.name == "qp_state" => Some(*value as u32),
        Value::Group(inner) => qp_state(inner),
        _ => None,
    })
}

/// Whether the attribute mask holds `IBV_QP_STATE`; a trace without the mask
/// shows a state only where it was set.
fn sets_state(args: &[Arg]) -> bool {
    args.iter()
        .find_map(|a| match &a.value {
            Value::Flags(tag, bits) if tag == "ibv_qp_attr_mask" => Some(bits & 1 == 1),
            _ => None,
        })
        .unwrap_or(true)
}

/// A decoded value as stable text.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Varying(_) => VARYING.to_string(),
        Value::Handle(handle) => handle_text(handle),
        Value::Enum(tag, number) => enum_text(tag, *number),
        Value::Flags(tag, bits) => flags_text(tag, *bits),
        Value::Text(text) => format!("{text:?}"),
        Value::Group(args) => group_text(args),
    }
}

fn handle_text(handle: &Handle) -> String {
    match handle.number {
        0 => "NULL".to_string(),
        u32::MAX => format!("{} ?", handle.kind),
        number => format!("{} {number}", handle.kind),
    }
}

/// A member's name, or the tag with the number that has none.
pub fn enum_text(tag: &str, number: i64) -> String {
    names::enumeration(tag)
        .and_then(|e| e.name(number))
        .map_or_else(|| format!("{tag} {number}"), str::to_string)
}

fn flags_text(tag: &str, bits: u64) -> String {
    match names::enumeration(tag) {
        _ if bits == 0 => "0".to_string(),
        Some(e) => e.flags(bits).join(" | "),
        None => format!("{bits:#x}"),
    }
}

fn group_text(args: &[Arg]) -> String {
    let indexed = args
        .iter()
        .all(|a| a.name.is_empty() || a.name.starts_with(|c: char| c == '[' || c.is_ascii_digit()));
    let parts: Vec<String> = args
        .iter()
        .map(|a| match indexed {
            true => value_text(&a.value),
            false => format!("{}={}", a.name, value_text(&a.value)),
        })
        .collect();
    match indexed {
        true => format!("[{}]", parts.join(", ")),
        false => format!("{{{}}}", parts.join(", ")),
    }
}

fn returned_text(returned: &Returned) -> String {
    match returned {
        Returned::Int(value) => value.to_string(),
        Returned::Handle(handle) => handle_text(handle),
        Returned::Text(text) => text.clone(),
        Returned::Void => String::new(),
    }
}
