//! Holds what a run showed against what its chapter expects.
//!
//! Every expectation that applies must be shown, and everything that fails
//! must be expected: a predicted failure that happens is a pass, an
//! unpredicted one, or a predicted one that does not happen, is not.

use protocol::report::{End, Fault, Provenance, Report, TimeLimit};

use crate::applies::applies;
use crate::facts::not_yet;
use crate::finding::Finding;
use crate::outcome::Outcome;
use crate::seen::{Seen, SeenCall, SeenCompletion};
use crate::snippet::{CallResult, Expectation, Expected, Snippet, Span};
use crate::wording;

/// A verdict with its reasons; no finding when the run passed.
pub struct Judged {
    pub outcome: Outcome,
    pub findings: Vec<Finding>,
}

/// Judges one run of one program of `snippet`.
pub fn judge(snippet: &Snippet, report: &Report, provenance: &Provenance) -> Judged {
    if let Some(fault) = &report.fault {
        return lost(fault, &snippet.declared);
    }
    let roles: Vec<Seen> = report.roles.iter().map(Seen::of).collect();
    let expect: Vec<&Expectation> = snippet
        .expect
        .iter()
        .filter(|e| applies(e.condition.as_ref(), provenance))
        .collect();
    let mut findings = Vec::new();
    for seen in &roles {
        let own: Vec<&Expectation> = expect
            .iter()
            .filter(|e| e.role.is_none_or(|role| role == seen.role))
            .copied()
            .collect();
        ended(seen, &own, &snippet.declared, &mut findings);
        for expectation in &own {
            if let Some(finding) = unshown(seen, expectation) {
                findings.push(finding);
            }
        }
        unpredicted(seen, &own, &snippet.declared, &mut findings);
    }
    for expectation in &expect {
        if let Some(role) = expectation.role
            && !roles.iter().any(|seen| seen.role == role)
        {
            findings.push(wording::no_such_role(expectation, role));
        }
    }
    if findings.is_empty() {
        return Judged {
            outcome: Outcome::Passed,
            findings,
        };
    }
    if snippet.optional && roles.iter().any(refused) {
        return Judged {
            outcome: Outcome::Unsupported,
            findings: vec![wording::unsupported(&snippet.declared)],
        };
    }
    Judged {
        outcome: worst_end(&roles, &expect),
        findings,
    }
}

fn lost(fault: &Fault, declared: &Span) -> Judged {
    let (outcome, finding) = match fault {
        Fault::NodeLost { node, reason, .. } => (
            Outcome::NodeLost,
            wording::node_lost(declared, *node, reason),
        ),
        Fault::Harness { reason } => (
            Outcome::HarnessFault,
            wording::harness_fault(declared, reason),
        ),
    };
    Judged {
        outcome,
        findings: vec![finding],
    }
}

/// A call that the device or its driver does not offer.
fn refused(seen: &Seen) -> bool {
    seen.calls
        .iter()
        .any(|c| matches!(c.failed, Some(libc::EOPNOTSUPP | libc::ENOSYS)))
}

fn is_end(expected: &Expected) -> bool {
    matches!(expected, Expected::Exit(_) | Expected::KilledBy(_))
}

fn end_shown(end: &End, expected: &Expected) -> bool {
    match expected {
        Expected::Exit(code) => *end == End::Exited { code: *code },
        Expected::KilledBy(signal) => *end == End::Signal { signal: *signal },
        _ => false,
    }
}

/// A role ends as one of its end lines says, or with 0 when it has none.
fn ended(seen: &Seen, own: &[&Expectation], declared: &Span, findings: &mut Vec<Finding>) {
    let mut lines = own.iter().filter(|e| is_end(&e.expected)).peekable();
    if lines.peek().is_none() && seen.end != (End::Exited { code: 0 }) {
        findings.push(wording::bad_end(declared, seen));
    }
}

/// A finding when the role does not show what the line says.
fn unshown(seen: &Seen, expectation: &Expectation) -> Option<Finding> {
    let shown = match &expectation.expected {
        expected @ (Expected::Exit(_) | Expected::KilledBy(_)) => end_shown(&seen.end, expected),
        Expected::Prints(text) => seen.stdout.iter().any(|line| line.contains(text)),
        Expected::Call { name, nth, result } => match nth {
            Some(nth) => calls_named(seen, name)
                .nth(nth.saturating_sub(1))
                .is_some_and(|call| call_shows(call, *result)),
            None => calls_named(seen, name).any(|call| call_shows(call, *result)),
        },
        Expected::Completion {
            status,
            opcode,
            times,
        } => {
            let count = seen
                .completions
                .iter()
                .filter(|c| completion_shows(c, *status, *opcode))
                .count();
            times.map_or(count > 0, |times| count == times)
        }
        Expected::NoCompletion => seen.completions.is_empty(),
        Expected::QpReaches(state) => seen.states.values().any(|path| path.contains(state)),
        Expected::Async(event) => seen.async_events.contains(event),
        Expected::Connection(event) => seen.connection_events.contains(event),
    };
    (!shown).then(|| wording::unshown(seen, expectation))
}

/// All calls of this name in one role, in order.
pub(crate) fn calls_named<'a>(
    seen: &'a Seen,
    name: &'a str,
) -> impl Iterator<Item = &'a SeenCall> + 'a {
    seen.calls.iter().filter(move |call| call.call == name)
}

fn call_shows(call: &SeenCall, result: CallResult) -> bool {
    match result {
        CallResult::Succeeds => call.failed.is_none(),
        CallResult::Fails => call.failed.is_some(),
        CallResult::FailsWith(errno) => call.failed == Some(errno),
        CallResult::Returns(value) => call.number == Some(value),
    }
}

fn completion_shows(seen: &SeenCompletion, status: u32, opcode: Option<u32>) -> bool {
    seen.status == status && opcode.is_none_or(|opcode| seen.opcode == opcode)
}

/// Failing calls and completions that no line predicts.
fn unpredicted(seen: &Seen, own: &[&Expectation], declared: &Span, findings: &mut Vec<Finding>) {
    let mut numbers = std::collections::HashMap::<&str, usize>::new();
    for call in &seen.calls {
        let number = numbers.entry(&call.call).or_default();
        *number += 1;
        if call.failed.is_some() && !not_yet(call) && !call_predicted(call, *number, own) {
            findings.push(wording::unpredicted_call(declared, seen, call, *number));
        }
    }
    for (index, completion) in seen.completions.iter().enumerate() {
        let predicted = own.iter().any(|e| match &e.expected {
            Expected::Completion { status, opcode, .. } => {
                completion_shows(completion, *status, *opcode)
            }
            _ => false,
        });
        if completion.status != 0 && !predicted {
            findings.push(wording::unpredicted_completion(
                declared,
                seen,
                completion,
                index + 1,
            ));
        }
    }
}

fn call_predicted(call: &SeenCall, number: usize, own: &[&Expectation]) -> bool {
    own.iter().any(|e| match &e.expected {
        Expected::Call { name, nth, result } => {
            *name == call.call
                && nth.is_none_or(|nth| nth == number)
                && *result != CallResult::Succeeds
                && call_shows(call, *result)
        }
        _ => false,
    })
}

/// The word for a run that did not pass: the hardest end that was not
/// expected names it.
fn worst_end(roles: &[Seen], expect: &[&Expectation]) -> Outcome {
    let mut outcome = Outcome::Failed;
    let rank = |o: Outcome| match o {
        Outcome::Oom => 3,
        Outcome::Signal => 2,
        Outcome::Timeout => 1,
        _ => 0,
    };
    for seen in roles {
        let predicted = expect
            .iter()
            .any(|e| e.role.is_none_or(|r| r == seen.role) && end_shown(&seen.end, &e.expected));
        let this = match &seen.end {
            _ if predicted => Outcome::Failed,
            End::OutOfMemory => Outcome::Oom,
            End::Signal { .. } => Outcome::Signal,
            End::TimedOut {
                limit: TimeLimit::Wall | TimeLimit::Silence,
            } => Outcome::Timeout,
            End::Exited { .. } | End::OutputExceeded | End::Stopped => Outcome::Failed,
        };
        if rank(this) > rank(outcome) {
            outcome = this;
        }
    }
    outcome
}
