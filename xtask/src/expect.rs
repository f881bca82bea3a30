//! Expectation lines: what the chapter says a run must show.
//!
//! `[role: ]SUBJECT[ (on DRIVER[ >= X.Y| < X.Y])| (except on DRIVER[ …])]`

use std::ops::Range;

use protocol::job::Role;
use protocol::names;

use crate::problem::nearest;
use crate::snippet::{Bilingual, Bound, CallResult, Condition, Expected};

/// A parsed line, before it is tied to its place in a chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub role: Option<Role>,
    pub condition: Option<Condition>,
    pub expected: Expected,
}

/// What is wrong with a line: the bytes of the line it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub code: &'static str,
    pub at: Range<usize>,
    pub title: Bilingual,
    /// The nearest known name, or the form to write.
    pub help: Bilingual,
}

const FORMS: [&str; 12] = [
    "exit N",
    "killed by SIGNAL",
    "prints \"text\"",
    "call NAME succeeds",
    "call NAME fails",
    "call NAME fails with ERRNO",
    "call NAME returns N",
    "completion STATUS",
    "no completion",
    "qp reaches STATE",
    "async EVENT",
    "connection EVENT",
];

/// Names of the calls a trace can hold, from the headers of libibverbs and
/// librdmacm.
pub fn known_calls() -> impl Iterator<Item = &'static str> {
    include_str!("calls.txt").lines()
}

/// Kernel drivers of RDMA devices: a condition that misspells one would never
/// hold, in silence.
const DRIVERS: [&str; 22] = [
    "rdma_rxe",
    "siw",
    "mlx4_ib",
    "mlx5_ib",
    "bnxt_re",
    "irdma",
    "i40iw",
    "ib_mthca",
    "ib_qib",
    "hfi1",
    "iw_cxgb4",
    "efa",
    "erdma",
    "hns_roce_hw_v2",
    "ionic_rdma",
    "mana_ib",
    "ocrdma",
    "qedr",
    "usnic_verbs",
    "vmw_pvrdma",
    "opa_vnic",
    "bng_re",
];

#[rustfmt::skip]
const SIGNALS: [(&str, i32); 12] = [
    ("SIGHUP", libc::SIGHUP), ("SIGINT", libc::SIGINT), ("SIGQUIT", libc::SIGQUIT),
    ("SIGILL", libc::SIGILL), ("SIGABRT", libc::SIGABRT), ("SIGBUS", libc::SIGBUS),
    ("SIGFPE", libc::SIGFPE), ("SIGKILL", libc::SIGKILL), ("SIGSEGV", libc::SIGSEGV),
    ("SIGPIPE", libc::SIGPIPE), ("SIGALRM", libc::SIGALRM), ("SIGTERM", libc::SIGTERM),
];

/// Reads one line.
pub fn parse(line: &str) -> Result<Line, Box<Mistake>> {
    let (role, after_role) = split_role(line)?;
    let (subject, condition) = split_condition(line, after_role)?;
    let expected = Words::of(line, subject).expected()?;
    Ok(Line {
        role,
        condition,
        expected,
    })
}

/// The role, and where the rest begins.
fn split_role(line: &str) -> Result<(Option<Role>, usize), Box<Mistake>> {
    let Some(colon) = line.find(": ") else {
        return Ok((None, 0));
    };
    let word = &line[..colon];
    if word.contains(|c: char| !c.is_ascii_alphanumeric()) {
        return Ok((None, 0));
    }
    let roles = [Role::Server, Role::Client, Role::Single];
    match roles.into_iter().find(|role| role.name() == word) {
        Some(role) => Ok((Some(role), colon + 2)),
        None => {
            let names = roles.map(Role::name);
            Err(unknown(
                "unknown-role",
                ("role", "角色"),
                word,
                0..colon,
                names,
            ))
        }
    }
}

/// The range of the subject, and the condition after it.
fn split_condition(
    line: &str,
    from: usize,
) -> Result<(Range<usize>, Option<Condition>), Box<Mistake>> {
    let openings = [" (on ", " (except on "];
    let last_quote = line.rfind('"').unwrap_or(from);
    let found = openings.into_iter().find_map(|opening| {
        let at = line[last_quote..].find(opening)? + last_quote;
        Some((at, at + opening.len(), opening.contains("except")))
    });
    let Some((at, inner, except)) = found else {
        return Ok((from..line.len(), None));
    };
    let Some(text) = line[inner..].strip_suffix(')') else {
        return Err(malformed(line, at + 1..line.len()));
    };
    let condition = condition(line, text, inner, except)?;
    Ok((from..at, Some(condition)))
}

fn condition(line: &str, text: &str, at: usize, except: bool) -> Result<Condition, Box<Mistake>> {
    let mut words = text.split(' ');
    let driver = words.next().unwrap_or("");
    if !DRIVERS.contains(&driver) {
        let here = at..at + driver.len();
        let what = ("driver", "驱动");
        return Err(unknown("unknown-driver", what, driver, here, DRIVERS));
    }
    let rest: Vec<&str> = words.collect();
    let bad = || malformed(line, at..at + text.len());
    let kernel = match rest[..] {
        [] => None,
        [">=", version] => Some((Bound::AtLeast, kernel_version(version).ok_or_else(bad)?)),
        ["<", version] => Some((Bound::Below, kernel_version(version).ok_or_else(bad)?)),
        _ => return Err(bad()),
    };
    Ok(Condition {
        except,
        driver: driver.to_string(),
        kernel,
    })
}

fn kernel_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The words of a subject with their ranges in the line.
struct Words<'a> {
    line: &'a str,
    whole: Range<usize>,
    words: Vec<(&'a str, Range<usize>)>,
}

impl<'a> Words<'a> {
    fn of(line: &'a str, whole: Range<usize>) -> Words<'a> {
        let mut at = whole.start;
        let mut words = Vec::new();
        for word in line[whole.clone()].split(' ') {
            if !word.is_empty() {
                words.push((word, at..at + word.len()));
            }
            at += word.len() + 1;
        }
        Words { line, whole, words }
    }

    fn expected(&self) -> Result<Expected, Box<Mistake>> {
        let words: Vec<&str> = self.words.iter().map(|w| w.0).collect();
        match words[..] {
            ["exit", code] => Ok(Expected::Exit(self.number(code, 1)?)),
            ["killed", "by", signal] => Ok(Expected::KilledBy(self.signal(signal)?)),
            ["prints", ..] => self.prints(),
            ["call", call, ref result @ ..] => self.call(call, result),
            ["completion", status, ref rest @ ..] => self.completion(status, rest),
            ["no", "completion"] => Ok(Expected::NoCompletion),
            ["qp", "reaches", _] => Ok(Expected::QpReaches(self.member(
                "unknown-state",
                "ibv_qp_state",
                2,
            )?)),
            ["async", _] => Ok(Expected::Async(self.member(
                "unknown-event",
                "ibv_event_type",
                1,
            )?)),
            ["connection", _] => Ok(Expected::Connection(self.member(
                "unknown-event",
                "rdma_cm_event_type",
                1,
            )?)),
            _ => Err(malformed(self.line, self.whole.clone())),
        }
    }

    fn number<T: std::str::FromStr>(&self, word: &str, nth: usize) -> Result<T, Box<Mistake>> {
        let at = self.words[nth].1.clone();
        word.parse().map_err(|_| malformed(self.line, at))
    }

    fn signal(&self, word: &str) -> Result<i32, Box<Mistake>> {
        let found = SIGNALS.iter().find(|s| s.0 == word);
        let names = SIGNALS.map(|s| s.0);
        found.map(|s| s.1).ok_or_else(|| {
            let at = self.words[2].1.clone();
            unknown("unknown-signal", ("signal", "信号"), word, at, names)
        })
    }

    fn prints(&self) -> Result<Expected, Box<Mistake>> {
        let at = self.words[0].1.end;
        let rest = self.line[at..self.whole.end].trim();
        let inner = rest.strip_prefix('"').and_then(|r| r.strip_suffix('"'));
        match inner {
            Some(text) if !text.is_empty() => Ok(Expected::Prints(text.to_string())),
            _ => Err(malformed(self.line, self.whole.clone())),
        }
    }

    fn call(&self, call: &str, result: &[&str]) -> Result<Expected, Box<Mistake>> {
        let (name, nth) = match call.split_once('#') {
            Some((name, nth)) => (name, Some(self.nth(nth)?)),
            None => (call, None),
        };
        let at = self.words[1].1.start;
        if !known_calls().any(|known| known == name) {
            let what = ("call", "调用");
            let here = at..at + name.len();
            return Err(unknown("unknown-call", what, name, here, known_calls()));
        }
        let result = match result {
            ["succeeds"] => CallResult::Succeeds,
            ["fails"] => CallResult::Fails,
            ["fails", "with", errno] => CallResult::FailsWith(self.errno(errno)?),
            ["returns", value] => CallResult::Returns(self.number(value, 3)?),
            _ => return Err(malformed(self.line, self.whole.clone())),
        };
        Ok(Expected::Call {
            name: name.to_string(),
            nth,
            result,
        })
    }

    fn nth(&self, text: &str) -> Result<usize, Box<Mistake>> {
        let nth = self.number(text, 1)?;
        if nth == 0 {
            return Err(malformed(self.line, self.words[1].1.clone()));
        }
        Ok(nth)
    }

    fn errno(&self, word: &str) -> Result<i32, Box<Mistake>> {
        names::errno_value(word).ok_or_else(|| {
            let known = names::ERRNOS.iter().map(|e| e.0);
            let at = self.words[4].1.clone();
            unknown("unknown-errno", ("errno", "错误码"), word, at, known)
        })
    }

    fn completion(&self, _status: &str, rest: &[&str]) -> Result<Expected, Box<Mistake>> {
        let status = self.member("unknown-status", "ibv_wc_status", 1)?;
        let mut opcode = None;
        let mut times = None;
        let mut at = 2;
        let mut rest = rest;
        if let ["opcode", _, after @ ..] = rest {
            opcode = Some(self.member("unknown-opcode", "ibv_wc_opcode", at + 1)?);
            rest = after;
            at += 2;
        }
        if let ["x", count, after @ ..] = rest {
            times = Some(self.number(count, at + 1)?);
            rest = after;
        }
        if !rest.is_empty() {
            return Err(malformed(self.line, self.whole.clone()));
        }
        Ok(Expected::Completion {
            status,
            opcode,
            times,
        })
    }

    fn member(&self, code: &'static str, tag: &str, nth: usize) -> Result<u32, Box<Mistake>> {
        let (word, at) = &self.words[nth];
        let enumeration = names::enumeration(tag).expect("a known enumeration");
        match enumeration.value(word) {
            Some(value) => Ok(value as u32),
            None => {
                let known = enumeration.members.iter().map(|m| m.0);
                Err(unknown(
                    code,
                    (tag, &format!(" {tag} ")),
                    word,
                    at.clone(),
                    known,
                ))
            }
        }
    }
}

fn unknown<'a>(
    code: &'static str,
    what: (&str, &str),
    word: &str,
    at: Range<usize>,
    known: impl IntoIterator<Item = &'a str>,
) -> Box<Mistake> {
    let known: Vec<&str> = known.into_iter().collect();
    let help = match nearest(word, known.iter().copied()) {
        Some(near) => Bilingual::new(
            format!("did you mean `{near}`?"),
            format!("是否想写 `{near}`？"),
        ),
        None => {
            let some = known[..known.len().min(8)].join("`, `");
            let more = if known.len() > 8 { ", …" } else { "" };
            Bilingual::new(
                format!("known: `{some}`{more}"),
                format!("已知：`{some}`{more}"),
            )
        }
    };
    Box::new(Mistake {
        code,
        at,
        title: Bilingual::new(
            format!("the expectation names an unknown {}: `{word}`", what.0),
            format!("期望中的{}未知：`{word}`", what.1),
        ),
        help,
    })
}

fn malformed(line: &str, at: Range<usize>) -> Box<Mistake> {
    let forms = FORMS.join("`, `");
    Box::new(Mistake {
        code: "bad-expectation",
        title: Bilingual::new(
            format!("the expectation cannot be read: `{line}`"),
            format!("无法理解这条期望：`{line}`"),
        ),
        at,
        help: Bilingual::new(
            format!("write one of `{forms}`; then, if need be, `(on DRIVER)`"),
            format!("请写成 `{forms}` 之一；需要时再加 `(on DRIVER)`"),
        ),
    })
}
