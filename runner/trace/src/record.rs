//! The protocol's event types with borrowed names, so that recording a call
//! does not allocate for each of them. Their serialised form is that of
//! [`protocol::event`], which reads them back.

use std::borrow::Cow;

use serde::Serialize;

#[derive(Serialize)]
pub struct Event {
    pub at_ns: u64,
    pub thread: u32,
    pub what: What,
}

#[derive(Serialize)]
pub enum What {
    Call {
        call: &'static str,
        args: Vec<Arg>,
        returned: Returned,
        errno: i32,
        took_ns: u64,
    },
    Completion {
        cq: u32,
        qp: u32,
        wr_id: u64,
        status: u32,
        opcode: u32,
        byte_len: u32,
        vendor_err: u32,
        flags: u32,
        empty_polls: u64,
    },
    Async {
        event: u32,
        object: Option<Handle>,
    },
    Connection {
        event: u32,
        status: i32,
    },
}

#[derive(Serialize)]
pub struct Arg {
    pub name: &'static str,
    pub value: Value,
}

#[derive(Serialize)]
pub enum Value {
    Int(i64),
    Varying(u64),
    Handle(Handle),
    Enum(&'static str, i64),
    Flags(&'static str, u64),
    Text(Cow<'static, str>),
    Group(Vec<Arg>),
}

#[derive(Clone, Copy, Serialize)]
pub struct Handle {
    pub kind: &'static str,
    pub number: u32,
}

#[derive(Serialize)]
pub enum Returned {
    Int(i64),
    Handle(Handle),
    Text(Cow<'static, str>),
    Void,
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::event;

    fn read_back(what: What) -> event::What {
        let event = Event {
            at_ns: 3,
            thread: 4,
            what,
        };
        let bytes = postcard::to_allocvec(&event).unwrap();
        postcard::from_bytes::<event::Event>(&bytes).unwrap().what
    }

    #[test]
    fn every_kind_of_value_reads_back_as_the_protocols() {
        let handle = Handle {
            kind: "qp",
            number: 2,
        };
        let read = read_back(What::Call {
            call: "ibv_x",
            args: vec![
                arg("a", Value::Int(-1)),
                arg("b", Value::Varying(7)),
                arg("c", Value::Handle(handle)),
                arg("d", Value::Enum("ibv_mtu", 3)),
                arg("e", Value::Flags("ibv_access_flags", 5)),
                arg("f", Value::Text("t".into())),
                arg("g", Value::Group(vec![])),
            ],
            returned: Returned::Void,
            errno: 22,
            took_ns: 9,
        });
        let event::What::Call {
            args,
            returned,
            errno: 22,
            took_ns: 9,
            ..
        } = read
        else {
            panic!("{read:?}")
        };
        let values: Vec<event::Value> = args.into_iter().map(|a| a.value).collect();
        assert_eq!(
            values,
            [
                event::Value::Int(-1),
                event::Value::Varying(7),
                event::Value::Handle(event::Handle {
                    kind: "qp".into(),
                    number: 2
                }),
                event::Value::Enum("ibv_mtu".into(), 3),
                event::Value::Flags("ibv_access_flags".into(), 5),
                event::Value::Text("t".into()),
                event::Value::Group(vec![]),
            ]
        );
        assert_eq!(returned, event::Returned::Void);
    }

    #[test]
    fn completions_and_events_read_back_as_the_protocols() {
        let read = read_back(What::Completion {
            cq: 1,
            qp: 2,
            wr_id: 3,
            status: 4,
            opcode: 5,
            byte_len: 6,
            vendor_err: 7,
            flags: 8,
            empty_polls: 9,
        });
        let expected = event::What::Completion {
            cq: 1,
            qp: 2,
            wr_id: 3,
            status: 4,
            opcode: 5,
            byte_len: 6,
            vendor_err: 7,
            flags: 8,
            empty_polls: 9,
        };
        assert_eq!(read, expected);
        let read = read_back(What::Async {
            event: 1,
            object: None,
        });
        assert_eq!(
            read,
            event::What::Async {
                event: 1,
                object: None
            }
        );
        let read = read_back(What::Connection {
            event: 9,
            status: -1,
        });
        assert_eq!(
            read,
            event::What::Connection {
                event: 9,
                status: -1
            }
        );
    }

    fn arg(name: &'static str, value: Value) -> Arg {
        Arg { name, value }
    }
}
