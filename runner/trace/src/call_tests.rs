use protocol::event::{self, Arg, Value, decode_log};

use super::*;
use crate::handles::Kind;
use crate::record::Handle;

const QP: Handle = Handle {
    kind: "qp",
    number: 2,
};

fn arg(name: &str, value: Value) -> Arg {
    Arg {
        name: name.into(),
        value,
    }
}

#[test]
fn every_kind_of_value_reads_back_as_the_protocols() {
    let mut args = Args::default();
    args.int("a", -1);
    args.varying("b", u64::MAX);
    args.handle("c", QP);
    args.enumeration("d", "ibv_mtu", 3);
    args.flags("e", "ibv_access_flags", 0x12345u32);
    args.text("f", "text / 文字");
    args.group("g", |args| {
        args.member(0, |args| args.int("h", i64::MIN));
        args.member(1, |_| {});
    });
    args.object("i", Kind::Qp, std::ptr::null::<u8>());
    let inner = vec![
        arg("0", Value::Group(vec![arg("h", Value::Int(i64::MIN))])),
        arg("1", Value::Group(vec![])),
    ];
    let null = event::Handle {
        kind: "qp".into(),
        number: 0,
    };
    assert_eq!(
        args.read_back(),
        [
            arg("a", Value::Int(-1)),
            arg("b", Value::Varying(u64::MAX)),
            arg("c", Value::Handle(QP.into())),
            arg("d", Value::Enum("ibv_mtu".into(), 3)),
            arg("e", Value::Flags("ibv_access_flags".into(), 0x12345)),
            arg("f", Value::Text("text / 文字".into())),
            arg("g", Value::Group(inner)),
            arg("i", Value::Handle(null)),
        ]
    );
}

fn read_back(returned: &Returned) -> event::Returned {
    let mut record = Record::default();
    record.returned(returned);
    postcard::from_bytes(&record.finish()).unwrap()
}

#[test]
fn every_kind_of_result_reads_back_as_the_protocols() {
    assert_eq!(read_back(&Returned::Int(-22)), event::Returned::Int(-22));
    assert_eq!(
        read_back(&Returned::Handle(QP)),
        event::Returned::Handle(QP.into())
    );
    assert_eq!(
        read_back(&Returned::Text("rxe0".into())),
        event::Returned::Text("rxe0".into())
    );
    assert_eq!(read_back(&Returned::Void), event::Returned::Void);
}

#[test]
fn a_call_reads_back_as_an_event_of_the_log() {
    let mut args = Args::default();
    args.int("a", 7);
    let bytes = call_record(1 << 40, "ibv_x", &args, &Returned::Int(22), 12, 34);
    let mut log = bytes.to_vec();
    let length = log.len() as u32 - 4;
    log[..4].copy_from_slice(&length.to_le_bytes());
    let events = decode_log(&log).unwrap();
    let expected = What::Call {
        call: "ibv_x".into(),
        args: vec![arg("a", Value::Int(7))],
        returned: event::Returned::Int(22),
        errno: 12,
        took_ns: 34,
    };
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].at_ns, 1 << 40);
    assert_eq!(events[0].what, expected);
}

#[test]
fn a_call_made_inside_another_is_not_the_programs() {
    assert!(enter());
    assert!(!enter());
    leave();
    leave();
    assert!(enter());
    leave();
}
