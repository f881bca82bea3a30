//! Small reports and snippets, built in code.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use protocol::event::{Arg, Event, Handle, Returned, Value, What};
use protocol::job::Role;
use protocol::report::{End, Provenance, Report, RoleReport};
use xtask::judge::judge;
use xtask::record::{Measured, Run, RunProvenance};
use xtask::snippet::{Bilingual, CallResult, Expectation, Expected, Language, Snippet, Span};

pub const SUCCESS: u32 = 0;
pub const REM_ACCESS_ERR: u32 = 10;
pub const RDMA_WRITE: u32 = 1;
pub const RECV: u32 = 128;

pub fn handle(kind: &str, number: u32) -> Handle {
    Handle {
        kind: kind.into(),
        number,
    }
}

pub fn arg(name: &str, value: Value) -> Arg {
    Arg {
        name: name.into(),
        value,
    }
}

pub fn object(name: &str, kind: &str, number: u32) -> Arg {
    arg(name, Value::Handle(handle(kind, number)))
}

/// Builds the events of one role, a microsecond apart.
#[derive(Default)]
pub struct Events(pub Vec<Event>);

impl Events {
    pub fn push(mut self, what: What) -> Events {
        let at_ns = 1000 * self.0.len() as u64;
        self.0.push(Event {
            at_ns,
            thread: 1,
            what,
        });
        self
    }

    pub fn thread(mut self, thread: u32) -> Events {
        self.0.last_mut().expect("an event").thread = thread;
        self
    }

    pub fn call(self, call: &str, args: Vec<Arg>, returned: Returned, errno: i32) -> Events {
        self.push(What::Call {
            call: call.into(),
            args,
            returned,
            errno,
            took_ns: 200,
        })
    }

    pub fn makes(self, call: &str, args: Vec<Arg>, kind: &str, number: u32) -> Events {
        self.call(call, args, Returned::Handle(handle(kind, number)), 0)
    }

    pub fn returns(self, call: &str, args: Vec<Arg>, value: i64) -> Events {
        self.call(call, args, Returned::Int(value), 0)
    }

    pub fn modifies(self, state: i64) -> Events {
        let attr = Value::Group(vec![arg(
            "qp_state",
            Value::Enum("ibv_qp_state".into(), state),
        )]);
        let args = vec![
            object("qp", "qp", 1),
            arg("attr", attr),
            arg("attr_mask", Value::Flags("ibv_qp_attr_mask".into(), 1)),
        ];
        self.returns("ibv_modify_qp", args, 0)
    }

    pub fn posts(self, wr_id: i64) -> Events {
        let wr = Value::Group(vec![
            arg("wr_id", Value::Int(wr_id)),
            arg("opcode", Value::Enum("ibv_wr_opcode".into(), 0)),
            arg("send_flags", Value::Flags("ibv_send_flags".into(), 2)),
            arg("remote_addr", Value::Varying(0x7f00_1234)),
        ]);
        let args = vec![object("qp", "qp", 1), arg("wr", wr)];
        self.returns("ibv_post_send", args, 0)
    }

    pub fn completes(self, wr_id: u64, status: u32, opcode: u32) -> Events {
        self.push(What::Completion {
            cq: 1,
            qp: 1,
            wr_id,
            status,
            opcode,
            byte_len: 64,
            vendor_err: 0,
            flags: 0,
            empty_polls: 45_000,
        })
    }
}

pub fn role(role: Role, end: End, stdout: &str, events: Events) -> RoleReport {
    RoleReport {
        role,
        end,
        stdout: stdout.into(),
        stderr: vec![],
        wall: Duration::from_micros(600),
        cpu: Duration::from_micros(100),
        events: events.0,
        trace_truncated: false,
    }
}

pub fn exit(code: i32) -> End {
    End::Exited { code }
}

pub fn report(roles: Vec<RoleReport>) -> Report {
    Report {
        roles,
        kernel_log: vec![],
        harness: Duration::from_millis(20),
        fault: None,
    }
}

/// One node, one role, ends with 0.
pub fn single(events: Events) -> Report {
    report(vec![role(Role::Single, exit(0), "", events)])
}

/// A client that sets its QP up, writes, and sees the completion.
pub fn writing_client() -> Events {
    Events::default()
        .makes(
            "ibv_open_device",
            vec![arg("device", Value::Text("rxe0".into()))],
            "context",
            1,
        )
        .makes(
            "ibv_alloc_pd",
            vec![object("context", "context", 1)],
            "pd",
            1,
        )
        .makes(
            "ibv_reg_mr",
            vec![
                object("pd", "pd", 1),
                arg("addr", Value::Varying(0x5555)),
                arg("length", Value::Int(64)),
                arg("access", Value::Flags("ibv_access_flags".into(), 3)),
            ],
            "mr",
            1,
        )
        .makes("ibv_create_qp", vec![object("pd", "pd", 1)], "qp", 1)
        .modifies(1)
        .modifies(2)
        .modifies(3)
        .posts(7)
        .completes(7, SUCCESS, RDMA_WRITE)
        .returns("ibv_destroy_qp", vec![object("qp", "qp", 1)], 0)
}

pub fn writing() -> Report {
    let server = Events::default().makes("ibv_alloc_pd", vec![], "pd", 1);
    report(vec![
        role(
            Role::Server,
            exit(0),
            "buffer: hello\ntook 123 us\n",
            server,
        ),
        role(Role::Client, exit(0), "", writing_client()),
    ])
}

pub fn provenance() -> Provenance {
    Provenance {
        testbed: "qemu".into(),
        kernel: "6.1.0-44-amd64".into(),
        driver: "rdma_rxe".into(),
        device: "rxe0".into(),
        firmware: String::new(),
        rdma_core: "44.0".into(),
        link: "Ethernet".into(),
        netdev_mtu: 1500,
        active_mtu: 1024,
        gid_type: "RoCE v2".into(),
        accelerator: "tcg".into(),
        cpus: 2,
    }
}

pub fn expect(role: Option<Role>, text: &str, expected: Expected) -> Expectation {
    Expectation {
        at: span(9),
        text: text.into(),
        role,
        condition: None,
        expected,
    }
}

pub fn expect_call(name: &str, nth: Option<usize>, result: CallResult) -> Expectation {
    let expected = Expected::Call {
        name: name.into(),
        nth,
        result,
    };
    expect(None, "call …", expected)
}

pub fn span(line: usize) -> Span {
    Span {
        file: PathBuf::from("book/src/sample.md"),
        line,
        column: 1,
        bytes: 0..1,
    }
}

pub fn snippet(expect: Vec<Expectation>) -> Snippet {
    Snippet {
        id: "sample".into(),
        title: Bilingual {
            en: "A sample".into(),
            zh: "示例".into(),
        },
        declared: span(5),
        nodes: 1,
        uses: vec![],
        reference: false,
        optional: false,
        unprivileged: false,
        memlock: None,
        timeout: None,
        compile_error: BTreeMap::new(),
        expect,
        code: BTreeMap::new(),
    }
}

/// A judged run, as `verify` would store it.
pub fn run(snippet: &Snippet, hash: &str, report: &Report) -> Run {
    let provenance = provenance();
    Run::measured(Measured {
        snippet,
        hash: hash.into(),
        report,
        judged: &judge(snippet, report, &provenance),
        provenance: RunProvenance {
            testbed: provenance,
            toolchain: "cc 12.2.0".into(),
        },
        unit: Some(Duration::from_micros(400)),
        tries: vec![],
    })
}

pub fn hashes(hash: &str) -> BTreeMap<Language, String> {
    Language::ALL
        .into_iter()
        .map(|language| (language, hash.to_string()))
        .collect()
}
