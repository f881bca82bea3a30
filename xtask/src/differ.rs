//! The first difference between the facts of two programs that should have
//! done the same.

use crate::facts::{CallFact, CompletionFact, RoleFacts};
use crate::fold_sequence::Step;

/// Where two programs part, and what each showed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub role: String,
    /// `call 3, ibv_modify_qp: attr_mask`, `completion 1: status`, `end`, …
    pub place: String,
    pub left: String,
    pub right: String,
}

/// What stands where one side has nothing.
pub const ABSENT: &str = "(nothing)";

/// The first difference, role by role; nothing when both showed the same.
pub fn first_difference(left: &[RoleFacts], right: &[RoleFacts]) -> Option<Difference> {
    let longest = left.len().max(right.len());
    (0..longest).find_map(|i| match (left.get(i), right.get(i)) {
        (Some(l), Some(r)) => role_difference(l, r),
        (l, r) => Some(Difference {
            role: l.or(r).map(|x| x.role.clone()).unwrap_or_default(),
            place: "role".to_string(),
            left: l.map_or(ABSENT.to_string(), |x| x.role.clone()),
            right: r.map_or(ABSENT.to_string(), |x| x.role.clone()),
        }),
    })
}

fn role_difference(left: &RoleFacts, right: &RoleFacts) -> Option<Difference> {
    let found = steps_difference("call", &left.calls, &right.calls, call_fields)
        .or_else(|| {
            steps_difference(
                "completion",
                &left.completions,
                &right.completions,
                completion_fields,
            )
        })
        .or_else(|| text_difference("QP states", &left.states, &right.states))
        .or_else(|| {
            text_difference(
                "asynchronous events",
                &left.async_events,
                &right.async_events,
            )
        })
        .or_else(|| {
            text_difference(
                "connection events",
                &left.connection_events,
                &right.connection_events,
            )
        })
        .or_else(|| text_difference("expected output", &left.prints, &right.prints))
        .or_else(|| text_difference("end", &left.end, &right.end))?;
    Some(Difference {
        role: left.role.clone(),
        ..found
    })
}

fn text_difference<T: PartialEq + std::fmt::Debug>(
    place: &str,
    left: &T,
    right: &T,
) -> Option<Difference> {
    (left != right).then(|| Difference {
        role: String::new(),
        place: place.to_string(),
        left: format!("{left:?}"),
        right: format!("{right:?}"),
    })
}

/// Name of a field and its text.
type Field = (String, String);

fn steps_difference<T: PartialEq>(
    kind: &str,
    left: &[Step<T>],
    right: &[Step<T>],
    fields: fn(&T) -> (String, Vec<Field>),
) -> Option<Difference> {
    let at = (0..left.len().max(right.len())).find(|i| left.get(*i) != right.get(*i))?;
    let number = 1 + left[..at]
        .iter()
        .map(|step| step.times() * step.items().len())
        .sum::<usize>();
    let difference = |place: String, left: String, right: String| Difference {
        role: String::new(),
        place,
        left,
        right,
    };
    let whole = |step: Option<&Step<T>>| match step {
        None => ABSENT.to_string(),
        Some(step) => step
            .items()
            .iter()
            .map(|item| sentence(&fields(item)))
            .collect::<Vec<_>>()
            .join("; "),
    };
    let (Some(l), Some(r)) = (left.get(at), right.get(at)) else {
        let place = format!("{kind} {number}");
        return Some(difference(place, whole(left.get(at)), whole(right.get(at))));
    };
    for (offset, (a, b)) in l.items().iter().zip(r.items()).enumerate() {
        if a == b {
            continue;
        }
        let ((name, a), (other, b)) = (fields(a), fields(b));
        let number = number + offset;
        if name != other {
            return Some(difference(format!("{kind} {number}"), name, other));
        }
        let (field, a, b) = first_field(&a, &b);
        let named = if name.is_empty() {
            name
        } else {
            format!(", {name}")
        };
        return Some(difference(format!("{kind} {number}{named}: {field}"), a, b));
    }
    let times = |step: &Step<T>| format!("{} × {}", step.times(), whole(Some(step)));
    Some(difference(
        format!("{kind} {number}: number of times"),
        times(l),
        times(r),
    ))
}

fn first_field(left: &[Field], right: &[Field]) -> (String, String, String) {
    let at = (0..left.len().max(right.len()))
        .find(|i| left.get(*i) != right.get(*i))
        .unwrap_or(0);
    let text = |field: Option<&Field>| field.map_or(ABSENT.to_string(), |f| f.1.clone());
    let name = left.get(at).or(right.get(at)).map(|f| f.0.clone());
    (
        name.unwrap_or_default(),
        text(left.get(at)),
        text(right.get(at)),
    )
}

fn sentence((name, fields): &(String, Vec<Field>)) -> String {
    let fields: Vec<String> = fields.iter().map(|(n, v)| format!("{n}={v}")).collect();
    format!("{name}({})", fields.join(", "))
}

fn call_fields(call: &CallFact) -> (String, Vec<Field>) {
    let mut fields: Vec<Field> = call
        .args
        .iter()
        .map(|arg| match arg.split_once('=') {
            Some((name, value)) => (name.to_string(), value.to_string()),
            None => (String::new(), arg.clone()),
        })
        .collect();
    fields.push(("returned".to_string(), call.returned.clone()));
    fields.push(("errno".to_string(), call.errno.clone().unwrap_or_default()));
    (call.call.clone(), fields)
}

fn completion_fields(completion: &CompletionFact) -> (String, Vec<Field>) {
    let text = |value: Option<u32>| value.map(|v| v.to_string()).unwrap_or_default();
    let fields = vec![
        ("status".to_string(), completion.status.clone()),
        (
            "opcode".to_string(),
            completion.opcode.clone().unwrap_or_default(),
        ),
        ("byte_len".to_string(), text(completion.byte_len)),
        ("wr_id".to_string(), completion.wr_id.clone()),
        ("qp".to_string(), completion.qp.clone()),
        ("vendor_err".to_string(), text(completion.vendor_err)),
    ];
    (String::new(), fields)
}
