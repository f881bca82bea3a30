//! What the tracer saw: verbs calls, completions and events, in the order
//! they happened in one process.

use serde::{Deserialize, Serialize};

/// One entry of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// `CLOCK_MONOTONIC` of the node when the call began, nanoseconds.
    pub at_ns: u64,
    /// Kernel thread id.
    pub thread: u32,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// A verbs or connection-manager call that returned.
    Call {
        /// Name in the header, for example `ibv_modify_qp`.
        call: String,
        args: Vec<Arg>,
        returned: Returned,
        /// errno after the call; meaningful only when it failed.
        errno: i32,
        took_ns: u64,
    },
    /// A work completion handed to the program.
    Completion {
        cq: u32,
        qp: u32,
        wr_id: u64,
        /// `ibv_wc_status`
        status: u32,
        /// `ibv_wc_opcode`; undefined when status is not success.
        opcode: u32,
        byte_len: u32,
        vendor_err: u32,
        /// `ibv_wc_flags`
        flags: u32,
        /// Polls of this CQ that found nothing since the last completion.
        empty_polls: u64,
    },
    /// An asynchronous event handed to the program (`ibv_event_type`).
    Async { event: u32, object: Option<Handle> },
    /// A connection event handed to the program (`rdma_cm_event_type`).
    Connection { event: u32, status: i32 },
}

/// One decoded argument: parameter or field name as in the header, and value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arg {
    pub name: String,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// The same in every run of the same program: a size, a count, a port.
    Int(i64),
    /// Differs from run to run: an address, a key, a QP number, a PSN.
    Varying(u64),
    /// An object the library made; numbered from 1 within its kind, in the
    /// order the process made them.
    Handle(Handle),
    /// A member of the C enumeration with this tag.
    Enum(String, i64),
    /// A bit set over the C enumeration with this tag.
    Flags(String, u64),
    Text(String),
    /// A structure or an array, outermost first.
    Group(Vec<Arg>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Handle {
    /// `device`, `context`, `pd`, `mr`, `mw`, `cq`, `channel`, `qp`, `srq`,
    /// `ah`, `id`, …
    pub kind: String,
    /// 0 is a null pointer; `u32::MAX` one the tracer never saw made.
    pub number: u32,
}

/// What a call gave back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Returned {
    /// Calls of the `int` kind, whatever their convention.
    Int(i64),
    /// Calls that make an object; `number` 0 when they failed.
    Handle(Handle),
    /// A text, a pointer that is no object, or nothing.
    Text(String),
    Void,
}

/// Bytes of a trace log: each event is its length (`u32`, little endian) and
/// its `postcard` form; a length of 0 ends the log. The events come back in the
/// order in which they began.
pub fn decode_log(log: &[u8]) -> Result<Vec<Event>, postcard::Error> {
    let mut events: Vec<Event> = Vec::new();
    let mut rest = log;
    while let Some((length, after)) = rest.split_at_checked(4) {
        let length = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
        if length == 0 || length > after.len() {
            break;
        }
        events.push(postcard::from_bytes(&after[..length])?);
        rest = &after[length..];
    }
    // A call is logged when it returns; stable, so that what began together
    // stays in the order it was logged.
    events.sort_by_key(|event| event.at_ns);
    Ok(events)
}

/// Appends one event to `log` in the form [`decode_log`] reads.
pub fn encode(event: &Event, log: &mut Vec<u8>) {
    let start = log.len();
    log.extend_from_slice(&[0; 4]);
    let bytes = postcard::to_extend(event, std::mem::take(log)).expect("a Vec grows");
    *log = bytes;
    let length = (log.len() - start - 4) as u32;
    log[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_reads_back_what_was_written_and_stops_at_a_torn_end() {
        let event = Event {
            at_ns: 7,
            thread: 1,
            what: What::Call {
                call: "ibv_alloc_pd".into(),
                args: vec![],
                returned: Returned::Handle(Handle {
                    kind: "pd".into(),
                    number: 1,
                }),
                errno: 0,
                took_ns: 5,
            },
        };
        let mut log = Vec::new();
        encode(&event, &mut log);
        encode(&event, &mut log);
        log.truncate(log.len() - 3);
        assert_eq!(decode_log(&log).unwrap(), vec![event]);
    }
}
