//! One line of text an event, with the names of the headers.

use std::time::Duration;

use protocol::convention;
use protocol::event::{Arg, Event, Handle, Returned, Value, What};
use protocol::names::{self, errno_name};

/// `ibv_alloc_pd(context=context 1) = pd 1 <2.1ms>`
pub fn render(event: &Event) -> String {
    match &event.what {
        What::Call {
            call,
            args,
            returned,
            errno,
            took_ns,
        } => {
            let result = result(call, returned, *errno);
            let took = Duration::from_nanos(*took_ns);
            format!("{call}({}){result} <{took:.1?}>", list(args))
        }
        What::Completion {
            cq,
            qp,
            wr_id,
            status,
            opcode,
            byte_len,
            vendor_err,
            flags,
            empty_polls,
        } => {
            let mut text = format!(
                "  completion on {}: {} {}, wr_id {}",
                handle("cq", *cq),
                handle("qp", *qp),
                name("ibv_wc_status", i64::from(*status)),
                number(*wr_id)
            );
            if *status == 0 {
                let opcode = name("ibv_wc_opcode", i64::from(*opcode));
                text += &format!(", {opcode}, {byte_len} bytes");
                if *flags != 0 {
                    text += &format!(", {}", bits("ibv_wc_flags", u64::from(*flags)));
                }
            } else {
                text += &format!(", vendor_err {vendor_err:#x}");
            }
            if *empty_polls != 0 {
                text += &format!(" (after {empty_polls} empty polls)");
            }
            text
        }
        What::Async { event, object } => {
            let object = object.as_ref().map(object_name).unwrap_or_default();
            let event = name("ibv_event_type", i64::from(*event));
            format!("  asynchronous event {event} {object}")
        }
        What::Connection { event, status } => {
            let event = name("rdma_cm_event_type", i64::from(*event));
            format!("  connection event {event}, status {status}")
        }
    }
}

fn result(call: &str, returned: &Returned, errno: i32) -> String {
    let value = match returned {
        Returned::Int(value) => format!(" = {value}"),
        Returned::Handle(handle) => format!(" = {}", object_name(handle)),
        Returned::Text(text) => format!(" = {text:?}"),
        Returned::Void => String::new(),
    };
    match convention::failure(call, returned, errno) {
        Some(errno) => format!("{value} {}", errno_name(errno)),
        None => value,
    }
}

fn list(args: &[Arg]) -> String {
    let args: Vec<String> = args
        .iter()
        .map(|arg| {
            // Members of an array have a number for a name.
            if arg.name.starts_with(|c: char| c.is_ascii_digit()) {
                value(&arg.name, &arg.value)
            } else {
                format!("{}={}", arg.name, value(&arg.name, &arg.value))
            }
        })
        .collect();
    args.join(", ")
}

fn value(field: &str, value: &Value) -> String {
    match value {
        Value::Int(number) => match meaning(field, *number) {
            Some(meaning) => format!("{number} ({meaning})"),
            None => number.to_string(),
        },
        Value::Varying(value) => number(*value),
        Value::Handle(handle) => object_name(handle),
        Value::Enum(tag, value) => name(tag, *value),
        Value::Flags(tag, value) => bits(tag, *value),
        Value::Text(text) => format!("{text:?}"),
        Value::Group(inner) => format!("{{{}}}", list(inner)),
    }
}

/// What a coded number says; the codes are those of the specification's
/// PortInfo attribute.
fn meaning(field: &str, value: i64) -> Option<&'static str> {
    let codes: &[(i64, &str)] = match field {
        "active_width" => &[(1, "1x"), (2, "4x"), (4, "8x"), (8, "12x"), (16, "2x")],
        "active_speed" => &[
            (1, "2.5 Gbit/s a lane"),
            (2, "5 Gbit/s a lane"),
            (4, "10 Gbit/s a lane, QDR"),
            (8, "10 Gbit/s a lane, FDR10"),
            (16, "14 Gbit/s a lane"),
            (32, "25 Gbit/s a lane"),
            (64, "50 Gbit/s a lane"),
            (128, "100 Gbit/s a lane"),
        ],
        "phys_state" => &[(2, "polling"), (3, "disabled"), (5, "link up")],
        "link_layer" => &[(1, "InfiniBand"), (2, "Ethernet")],
        _ => return None,
    };
    codes.iter().find(|c| c.0 == value).map(|c| c.1)
}

/// Small numbers read best in decimal, addresses and keys in hexadecimal.
fn number(value: u64) -> String {
    if value < 0x1_0000 {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}

pub fn name(tag: &str, value: i64) -> String {
    names::enumeration(tag)
        .and_then(|e| e.name(value))
        .map_or_else(|| value.to_string(), str::to_string)
}

/// The names of the bits that are set.
pub fn bits(tag: &str, value: u64) -> String {
    match names::enumeration(tag) {
        _ if value == 0 => "0".to_string(),
        Some(e) => e.flags(value).join(" | "),
        None => format!("{value:#x}"),
    }
}

pub fn object_name(object: &Handle) -> String {
    handle(&object.kind, object.number)
}

fn handle(kind: &str, number: u32) -> String {
    match number {
        0 => "NULL".to_string(),
        u32::MAX => format!("{kind} ?"),
        _ => format!("{kind} {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(what: What) -> String {
        render(&Event {
            at_ns: 0,
            thread: 1,
            what,
        })
    }

    fn arg(name: &str, value: Value) -> Arg {
        Arg {
            name: name.into(),
            value,
        }
    }

    #[test]
    fn a_failed_call_shows_decoded_arguments_and_the_name_of_its_errno() {
        let text = shown(What::Call {
            call: "ibv_modify_qp".into(),
            args: vec![
                arg("attr_mask", Value::Flags("ibv_qp_attr_mask".into(), 0x101)),
                arg(
                    "attr",
                    Value::Group(vec![arg("path_mtu", Value::Enum("ibv_mtu".into(), 3))]),
                ),
            ],
            returned: Returned::Int(22),
            errno: 0,
            took_ns: 1500,
        });
        assert_eq!(
            text,
            "ibv_modify_qp(attr_mask=IBV_QP_STATE | IBV_QP_PATH_MTU, \
             attr={path_mtu=IBV_MTU_1024}) = 22 EINVAL <1.5µs>"
        );
    }

    #[test]
    fn a_call_that_worked_shows_no_errno_left_behind_by_it() {
        let text = shown(What::Call {
            call: "ibv_open_device".into(),
            args: vec![],
            returned: Returned::Handle(Handle {
                kind: "context".into(),
                number: 1,
            }),
            errno: 28,
            took_ns: 0,
        });
        assert_eq!(text, "ibv_open_device() = context 1 <0.0ns>");
    }

    #[test]
    fn a_failed_completion_hides_the_fields_that_are_undefined() {
        let text = shown(What::Completion {
            cq: 1,
            qp: 2,
            wr_id: 0x10_0000,
            status: 12,
            opcode: 77,
            byte_len: 9,
            vendor_err: 0x81,
            flags: 0,
            empty_polls: 3,
        });
        assert_eq!(
            text,
            "  completion on cq 1: qp 2 IBV_WC_RETRY_EXC_ERR, wr_id 0x100000, vendor_err 0x81 \
             (after 3 empty polls)"
        );
    }
}
