//! One program's run, arranged for the panel's templates.

use serde::Serialize;

use crate::facts::{CallFact, CompletionFact, RoleFacts};
use crate::fold_sequence::Step;
use crate::page_state::PageState;
use crate::panel::display_name;
use crate::record::{Reason, Run};
use crate::snippet::Language;
use crate::varies::{RoleVaries, Try};

/// One text in both languages of the page.
#[derive(Clone, Debug, Serialize)]
pub struct Label {
    pub en: String,
    pub zh: String,
}

impl Label {
    pub fn new(en: &str, zh: &str) -> Label {
        Label {
            en: en.to_string(),
            zh: zh.to_string(),
        }
    }

    pub fn of((en, zh): (&str, &str)) -> Label {
        Label::new(en, zh)
    }
}

#[derive(Serialize)]
pub struct Program {
    /// Absent where the line above says it all.
    label: Option<Label>,
    state: PageState,
    symbol: &'static str,
    verdict: Label,
    reasons: Vec<Reason>,
    compile_error: Option<String>,
    roles: Vec<RoleView>,
    tries: Vec<Try>,
    provenance: Vec<Named>,
}

/// A name and its value.
#[derive(Serialize)]
struct Named {
    name: Label,
    value: String,
}

#[derive(Serialize)]
struct RoleView {
    role: String,
    end: String,
    timed: bool,
    calls: Vec<CallRow>,
    completions: Vec<CompletionRow>,
    lists: Vec<List>,
}

/// A row of the call table. The first row of a step carries its number.
#[derive(Serialize)]
struct CallRow {
    number: Option<String>,
    rows: usize,
    call: String,
    args: Vec<Argument>,
    returned: String,
    errno: Option<String>,
    time: String,
}

#[derive(Serialize)]
struct Argument {
    name: String,
    value: String,
}

#[derive(Serialize)]
struct CompletionRow {
    number: Option<String>,
    rows: usize,
    bad: bool,
    #[serde(flatten)]
    fact: CompletionCells,
}

#[derive(Serialize)]
struct CompletionCells {
    status: String,
    opcode: Option<String>,
    byte_len: String,
    wr_id: String,
    qp: String,
    vendor_err: Option<u32>,
}

#[derive(Serialize)]
struct List {
    name: Label,
    separator: &'static str,
    items: Vec<String>,
}

impl Program {
    pub fn one(language: Language, run: &Run, state: PageState) -> Program {
        let name = display_name(language);
        Program::view(
            Some(Label::new(name, "")),
            run,
            state,
            &run.provenance.toolchain,
        )
    }

    /// Both languages did the same; times are those of C.
    pub fn both(c: &Run, rust: &Run, state: PageState) -> Program {
        let toolchain = format!("{}; {}", c.provenance.toolchain, rust.provenance.toolchain);
        Program::view(None, c, state, &toolchain)
    }

    fn view(label: Option<Label>, run: &Run, state: PageState, toolchain: &str) -> Program {
        let varies = |role: &str| run.varies.roles.iter().find(|v| v.role == role);
        Program {
            label,
            state,
            symbol: state.symbol(),
            verdict: Label::of(state.verdict()),
            reasons: run.reasons.clone(),
            compile_error: run.compile_error.clone(),
            roles: run
                .roles
                .iter()
                .map(|facts| role_view(facts, varies(&facts.role)))
                .collect(),
            tries: run.varies.tries.clone(),
            provenance: provenance(run, toolchain),
        }
    }
}

fn role_view(facts: &RoleFacts, varies: Option<&RoleVaries>) -> RoleView {
    let times = varies.map_or(&[][..], |v| &v.calls);
    RoleView {
        role: facts.role.clone(),
        end: facts.end.clone(),
        timed: !times.is_empty(),
        calls: call_rows(&facts.calls, times),
        completions: completion_rows(&facts.completions),
        lists: lists(facts, varies),
    }
}

fn call_rows(steps: &[Step<CallFact>], times: &[f64]) -> Vec<CallRow> {
    let mut times = times.iter();
    rows(steps, |call, number, rows| CallRow {
        number,
        rows,
        call: call.call.clone(),
        args: call.args.iter().map(|text| argument(text)).collect(),
        returned: call.returned.clone(),
        errno: call.errno.clone(),
        time: times.next().map(|t| ratio_text(*t)).unwrap_or_default(),
    })
}

fn argument(text: &str) -> Argument {
    let (name, value) = text.split_once('=').unwrap_or(("", text));
    // `qp=qp 1` says the same word twice.
    let object = value
        .strip_prefix(name)
        .is_some_and(|rest| rest.starts_with(' '));
    Argument {
        name: if object { "" } else { name }.to_string(),
        value: value.to_string(),
    }
}

fn completion_rows(steps: &[Step<CompletionFact>]) -> Vec<CompletionRow> {
    rows(steps, |fact, number, rows| CompletionRow {
        number,
        rows,
        bad: fact.status != "IBV_WC_SUCCESS",
        fact: CompletionCells {
            status: fact.status.clone(),
            opcode: fact.opcode.clone(),
            byte_len: fact.byte_len.map(|n| n.to_string()).unwrap_or_default(),
            wr_id: fact.wr_id.clone(),
            qp: fact.qp.clone(),
            vendor_err: fact.vendor_err,
        },
    })
}

/// A row for each item. The first of a step has the step's number, which
/// spans its rows: `3`, or `3–1002 (× 1000)` for a block that repeats.
fn rows<T, R>(steps: &[Step<T>], mut row: impl FnMut(&T, Option<String>, usize) -> R) -> Vec<R> {
    let mut out = Vec::new();
    let mut next = 1;
    for step in steps {
        let (items, times) = (step.items(), step.times());
        let last = next + items.len() * times - 1;
        let number = match times {
            1 => next.to_string(),
            _ => format!("{next}–{last} (×\u{a0}{times})"),
        };
        for (index, item) in items.iter().enumerate() {
            let number = (index == 0).then(|| number.clone());
            out.push(row(item, number, items.len()));
        }
        next = last + 1;
    }
    out
}

/// `0.015 ×`, in the reader's digits whatever the size.
fn ratio_text(ratio: f64) -> String {
    match ratio {
        0.0 => "0".to_string(),
        r if r < 0.001 => "< 0.001 ×".to_string(),
        r if r < 10.0 => format!("{} ×", (r * 1000.0).round() / 1000.0),
        r => format!("{r:.0} ×"),
    }
}

fn lists(facts: &RoleFacts, varies: Option<&RoleVaries>) -> Vec<List> {
    let mut lists = Vec::new();
    for (qp, path) in &facts.states {
        lists.push(List {
            name: Label::new(&format!("States of {qp}"), &format!("{qp} 的状态")),
            separator: "→",
            items: path.clone(),
        });
    }
    let mut list = |en: &str, zh: &str, items: Vec<String>| {
        if !items.is_empty() {
            lists.push(List {
                name: Label::new(en, zh),
                separator: "·",
                items,
            });
        }
    };
    list(
        "Asynchronous events",
        "异步事件",
        facts.async_events.clone(),
    );
    list(
        "Connection events",
        "连接事件",
        facts.connection_events.clone(),
    );
    list("Printed", "输出含有", facts.prints.clone());
    if let Some(varies) = varies {
        let time = |t: f64| vec![ratio_text(t)];
        list(
            "Whole run",
            "整次运行",
            varies.wall.map(time).unwrap_or_default(),
        );
        if varies.trace_cut {
            list(
                "The trace is incomplete",
                "跟踪不完整",
                vec!["log full".to_string()],
            );
        }
    }
    lists
}

fn provenance(run: &Run, toolchain: &str) -> Vec<Named> {
    let p = &run.provenance.testbed;
    let mtu = match p.netdev_mtu {
        0 => String::new(),
        netdev => format!("{} (netdev {netdev})", p.active_mtu),
    };
    let cpus = match p.cpus {
        0 => String::new(),
        cpus => cpus.to_string(),
    };
    let reference = match run.varies.roles.iter().any(|r| !r.calls.is_empty()) {
        true => "1 × = one 8-byte RDMA WRITE of the reference loop".to_string(),
        false => String::new(),
    };
    let all: [(&str, &str, &str); 13] = [
        ("Driver", "驱动", &p.driver),
        ("Kernel", "内核", &p.kernel),
        ("Device", "设备", &p.device),
        ("Firmware", "固件", &p.firmware),
        ("rdma-core", "", &p.rdma_core),
        ("Link", "链路", &p.link),
        ("MTU", "", &mtu),
        ("GID type", "GID 类型", &p.gid_type),
        ("Accelerator", "加速方式", &p.accelerator),
        ("CPUs", "CPU 数", &cpus),
        ("Toolchain", "工具链", toolchain),
        ("Date", "日期", &run.varies.date),
        ("Times", "耗时", &reference),
    ];
    all.into_iter()
        .filter(|(_, _, value)| !value.is_empty())
        .map(|(en, zh, value)| Named {
            name: Label::new(en, zh),
            value: value.to_string(),
        })
        .collect()
}
