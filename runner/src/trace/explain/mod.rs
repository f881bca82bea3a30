//! Why a call or a completion failed: read from the trace itself.

mod alive;
mod call;
mod page;
mod post;
mod queue_pair;
mod status;
mod transition;

use protocol::convention;
use protocol::event::{Arg, Event, Value, What};

use alive::Alive;

/// The cause of one failure, in both languages, and where to read on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Index of the event that failed.
    pub event: usize,
    pub en: String,
    pub zh: String,
    /// File name of the manual's page.
    pub page: &'static str,
}

/// A cause that is not yet tied to an event.
pub(crate) struct Cause {
    en: String,
    zh: String,
    page: &'static str,
}

impl Cause {
    fn new(page: &'static str, en: impl Into<String>, zh: impl Into<String>) -> Cause {
        Cause {
            en: en.into(),
            zh: zh.into(),
            page,
        }
    }
}

/// A failed call, as the rules look at it.
pub(crate) struct Failed<'a> {
    call: &'a str,
    args: &'a [Arg],
    errno: i32,
    alive: &'a Alive,
}

/// Explains what failed in one process's trace, in the order of its events.
pub fn explain(events: &[Event]) -> Vec<Explanation> {
    let mut alive = Alive::default();
    let mut flushed = false;
    let mut explanations = Vec::new();
    for (event, Event { what, .. }) in events.iter().enumerate() {
        let cause = match what {
            What::Call {
                call,
                args,
                returned,
                errno,
                ..
            } => match convention::failure(call, returned, *errno) {
                Some(errno) => call::cause(&Failed {
                    call,
                    args,
                    errno,
                    alive: &alive,
                }),
                None => {
                    alive.see(call, args, returned);
                    call::warning(call, args)
                }
            },
            // A broken QP flushes all that is queued: one word is enough.
            What::Completion { status, .. } if *status == status::FLUSHED => {
                let first = !std::mem::replace(&mut flushed, true);
                first.then(|| status::cause(*status)).flatten()
            }
            What::Completion { status, .. } => status::cause(*status),
            What::Async { .. } | What::Connection { .. } => None,
        };
        explanations.extend(cause.map(|Cause { en, zh, page }| Explanation {
            event,
            en,
            zh,
            page,
        }));
    }
    explanations
}

/// The argument or field of this name, outermost first.
fn find<'a>(args: &'a [Arg], name: &str) -> Option<&'a Value> {
    args.iter()
        .find(|arg| arg.name == name)
        .map(|arg| &arg.value)
        .or_else(|| {
            args.iter().find_map(|arg| match &arg.value {
                Value::Group(inner) => find(inner, name),
                _ => None,
            })
        })
}

/// The number of an argument, whatever its kind.
fn number(args: &[Arg], name: &str) -> Option<i64> {
    match find(args, name)? {
        Value::Int(value) | Value::Enum(_, value) => Some(*value),
        Value::Varying(value) | Value::Flags(_, value) => Some(*value as i64),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
