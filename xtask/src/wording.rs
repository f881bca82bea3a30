//! Everything a verdict says.

use protocol::job::Role;
use protocol::names::errno_name;

use crate::differ::Difference;
use crate::facts::end_text;
use crate::finding::{Finding, both};
use crate::judge::calls_named;
use crate::seen::{Seen, SeenCall, SeenCompletion, enum_text};
use crate::snippet::{Bilingual, Expectation, Expected, Span};

/// Lines of standard output quoted in a finding.
const QUOTED_LINES: usize = 3;

pub fn unshown(seen: &Seen, expectation: &Expectation) -> Finding {
    let (happened, next) = match &expectation.expected {
        Expected::Exit(_) | Expected::KilledBy(_) => (end_sentence(seen), fix_line_or_code("exit")),
        Expected::Prints(_) => (printed(seen), fix_line_or_code("output")),
        Expected::Call { name, nth, .. } => {
            (calls_sentence(seen, name, *nth), fix_line_or_code("call"))
        }
        Expected::Completion { .. } | Expected::NoCompletion => {
            (completions_sentence(seen), fix_line_or_code("completion"))
        }
        Expected::QpReaches(_) => (states_sentence(seen), fix_line_or_code("state")),
        Expected::Async(_) => (
            events_sentence("ibv_event_type", &seen.async_events),
            fix_line_or_code("event"),
        ),
        Expected::Connection(_) => (
            events_sentence("rdma_cm_event_type", &seen.connection_events),
            fix_line_or_code("event"),
        ),
    };
    Finding {
        at: expectation.at.clone(),
        role: seen.role.name().to_string(),
        happened: with_cut_note(happened, seen),
        expected: both(
            format!("the chapter says `{}`", expectation.text),
            format!("章节写的是 `{}`", expectation.text),
        ),
        next,
    }
}

pub fn no_such_role(expectation: &Expectation, role: Role) -> Finding {
    Finding {
        at: expectation.at.clone(),
        role: role.name().to_string(),
        happened: both(
            format!("the run has no role {}", role.name()),
            format!("这次运行没有 {} 角色", role.name()),
        ),
        expected: both(
            format!("the chapter says `{}`", expectation.text),
            format!("章节写的是 `{}`", expectation.text),
        ),
        next: both(
            "set `nodes = 2` for a server and a client, or correct the role of this line",
            "需要 server 与 client 时写 `nodes = 2`，否则改正这一行的角色",
        ),
    }
}

pub fn bad_end(declared: &Span, seen: &Seen) -> Finding {
    Finding {
        at: declared.clone(),
        role: seen.role.name().to_string(),
        happened: end_sentence(seen),
        expected: both(
            "exit 0, because no line predicts another end",
            "exit 0，因为没有任何一行预期别的结束方式",
        ),
        next: both(
            "read the program's standard error; when this end is what the chapter shows, add \
             an `exit` or `killed by` line",
            "请看程序的标准错误输出；如果章节要展示的正是这种结束方式，请加一行 `exit` 或 \
             `killed by`",
        ),
    }
}

pub fn unpredicted_call(declared: &Span, seen: &Seen, call: &SeenCall, nth: usize) -> Finding {
    let errno = errno_name(call.failed.unwrap_or_default());
    let name = &call.call;
    Finding {
        at: declared.clone(),
        role: seen.role.name().to_string(),
        happened: both(
            format!("{name} (number {nth} of that name) failed with {errno}"),
            format!("{name}（同名调用中的第 {nth} 次）失败，errno 为 {errno}"),
        ),
        expected: both(
            "success, because no line predicts this failure",
            "成功，因为没有任何一行预期这个失败",
        ),
        next: both(
            format!(
                "mend the code, or add `call {name} fails with {errno}` when the chapter \
                 shows this"
            ),
            format!("修改代码；如果章节要展示这个失败，请加 `call {name} fails with {errno}`"),
        ),
    }
}

pub fn unpredicted_completion(
    declared: &Span,
    seen: &Seen,
    completion: &SeenCompletion,
    number: usize,
) -> Finding {
    let status = enum_text("ibv_wc_status", i64::from(completion.status));
    Finding {
        at: declared.clone(),
        role: seen.role.name().to_string(),
        happened: both(
            format!("completion {number} on qp {} has {status}", completion.qp),
            format!("qp {} 上的第 {number} 个完成是 {status}", completion.qp),
        ),
        expected: both(
            "IBV_WC_SUCCESS, because no line predicts another status",
            "IBV_WC_SUCCESS，因为没有任何一行预期别的状态",
        ),
        next: both(
            format!("mend the code, or add `completion {status}` when the chapter shows this"),
            format!("修改代码；如果章节要展示这个状态，请加 `completion {status}`"),
        ),
    }
}

pub fn unsupported(declared: &Span) -> Finding {
    Finding {
        at: declared.clone(),
        role: String::new(),
        happened: both(
            "the device refused a call with EOPNOTSUPP or ENOSYS",
            "设备以 EOPNOTSUPP 或 ENOSYS 拒绝了一个调用",
        ),
        expected: both(
            "what the chapter shows, where the device offers it",
            "设备提供该功能时，章节所展示的行为",
        ),
        next: both(
            "run it on a testbed whose device offers it",
            "换一个提供该功能的测试床再运行",
        ),
    }
}

pub fn node_lost(declared: &Span, node: usize, reason: &str) -> Finding {
    // The console's lines are told once, in the English text.
    let cause = reason.lines().next().unwrap_or(reason);
    Finding {
        at: declared.clone(),
        role: String::new(),
        happened: both(
            format!("node {node} was lost: {reason}"),
            format!("节点 {node} 失联：{cause}"),
        ),
        expected: both(
            "both nodes alive until the run ends",
            "运行结束前两个节点都在线",
        ),
        next: both(
            "run the same command again; when it happens each time, the kernel log of the \
             node says more",
            "请再运行一次同样的命令；如果每次都发生，请看该节点的内核日志",
        ),
    }
}

pub fn harness_fault(declared: &Span, reason: &str) -> Finding {
    Finding {
        at: declared.clone(),
        role: String::new(),
        happened: both(
            format!("the harness could not run the program: {reason}"),
            format!("测试框架没能运行这个程序：{reason}"),
        ),
        expected: both("a run that ends by itself", "一次自行结束的运行"),
        next: both(
            "this says nothing about the program; `cargo xtask doctor` looks at the testbed",
            "这与程序本身无关；`cargo xtask doctor` 检查测试床",
        ),
    }
}

/// The programs of the two languages must do the same.
pub fn languages_differ(declared: &Span, difference: &Difference) -> Finding {
    let Difference {
        role,
        place,
        left,
        right,
    } = difference;
    Finding {
        at: declared.clone(),
        role: role.clone(),
        happened: both(
            format!("C and Rust differ at {place}: C has {left}, Rust has {right}"),
            format!("C 与 Rust 在 {place} 处不同：C 是 {left}，Rust 是 {right}"),
        ),
        expected: both(
            "the same calls with the same results in both languages",
            "两种语言的调用与结果相同",
        ),
        next: both(
            "make the code of one language do what the other does",
            "让其中一种语言的代码与另一种一致",
        ),
    }
}

fn fix_line_or_code(what: &str) -> Bilingual {
    let zh = match what {
        "exit" => "结束方式",
        "output" => "输出",
        "call" => "调用",
        "completion" => "完成",
        "state" => "状态",
        _ => "事件",
    };
    both(
        format!("correct the line if the {what} shown is right, otherwise the code"),
        format!("如果实际的{zh}是对的，请改这一行；否则请改代码"),
    )
}

fn end_sentence(seen: &Seen) -> Bilingual {
    let end = end_text(&seen.end);
    both(
        format!("the program ended: {end}"),
        format!("程序的结束方式：{end}"),
    )
}

fn printed(seen: &Seen) -> Bilingual {
    if seen.stdout.is_empty() {
        return both("the program printed nothing", "程序没有输出");
    }
    let last = seen.stdout.len().saturating_sub(QUOTED_LINES);
    let quoted: Vec<String> = seen.stdout[last..]
        .iter()
        .map(|line| format!("{line:?}"))
        .collect();
    let quoted = quoted.join(", ");
    both(
        format!("no line holds the text; the last ones are {quoted}"),
        format!("没有哪一行含有这段文字；最后几行是 {quoted}"),
    )
}

fn result_text(call: &SeenCall) -> Bilingual {
    match call.failed.map(errno_name) {
        Some(errno) => both(
            format!("failed with {errno}"),
            format!("失败，errno 为 {errno}"),
        ),
        None if call.returned.is_empty() => both("returned", "已返回"),
        None => both(
            format!("returned {}", call.returned),
            format!("返回 {}", call.returned),
        ),
    }
}

fn calls_sentence(seen: &Seen, name: &str, nth: Option<usize>) -> Bilingual {
    let results: Vec<Bilingual> = calls_named(seen, name).map(result_text).collect();
    let number = results.len();
    match nth {
        _ if number == 0 => both(format!("{name} was not called"), format!("没有调用 {name}")),
        Some(nth) => match results.get(nth.saturating_sub(1)) {
            Some(result) => both(
                format!("{name} #{nth} {}", result.en),
                format!("{name} 第 {nth} 次调用{}", result.zh),
            ),
            None => both(
                format!("{name} has no call #{nth}; calls made: {number}"),
                format!("{name} 没有第 {nth} 次调用；一共调用了 {number} 次"),
            ),
        },
        None => both(
            format!("{name} {}", summary(results.iter().map(|r| &r.en))),
            format!("{name} {}", summary(results.iter().map(|r| &r.zh))),
        ),
    }
}

fn completions_sentence(seen: &Seen) -> Bilingual {
    if seen.completions.is_empty() {
        return both("there was no completion", "没有任何完成");
    }
    let list = summary(seen.completions.iter().map(|c| {
        let status = enum_text("ibv_wc_status", i64::from(c.status));
        let opcode = enum_text("ibv_wc_opcode", i64::from(c.opcode));
        match c.status {
            0 => format!("{status} opcode {opcode}"),
            _ => status,
        }
    }));
    both(format!("completions: {list}"), format!("完成：{list}"))
}

fn states_sentence(seen: &Seen) -> Bilingual {
    if seen.states.is_empty() {
        return both("no QP was made", "没有创建 QP");
    }
    let paths: Vec<String> = seen
        .states
        .iter()
        .map(|(qp, path)| {
            let names: Vec<String> = path
                .iter()
                .map(|s| enum_text("ibv_qp_state", i64::from(*s)))
                .collect();
            format!("qp {qp} {}", names.join(" → "))
        })
        .collect();
    let paths = paths.join("; ");
    both(
        format!("states seen: {paths}"),
        format!("看到的状态：{paths}"),
    )
}

fn events_sentence(tag: &str, events: &[u32]) -> Bilingual {
    if events.is_empty() {
        return both("there was no such event", "没有这类事件");
    }
    let list = summary(events.iter().map(|e| enum_text(tag, i64::from(*e))));
    both(format!("events: {list}"), format!("事件：{list}"))
}

/// The different texts with how often each came, in order of appearance.
fn summary<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let mut counted: Vec<(T, usize)> = Vec::new();
    for text in texts {
        match counted
            .iter_mut()
            .find(|(t, _)| t.as_ref() == text.as_ref())
        {
            Some((_, count)) => *count += 1,
            None => counted.push((text, 1)),
        }
    }
    let parts: Vec<String> = counted
        .into_iter()
        .map(|(text, count)| match count {
            1 => text.as_ref().to_string(),
            _ => format!("{} × {count}", text.as_ref()),
        })
        .collect();
    parts.join(", ")
}

/// A cut trace may lack what is looked for.
fn with_cut_note(text: Bilingual, seen: &Seen) -> Bilingual {
    match seen.truncated {
        false => text,
        true => both(
            format!("{} (the trace was cut: its log was full)", text.en),
            format!("{}（跟踪日志已满，记录不完整）", text.zh),
        ),
    }
}
