//! A snippet: one teachable piece of verbs code with an id, in C and in Rust.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use protocol::job::Role;

/// Where something stands in a chapter, for messages and for folding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Relative to the repository: `book/src/devices.md`.
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Byte range in the raw chapter.
    pub bytes: Range<usize>,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Span {
            file, line, column, ..
        } = self;
        write!(f, "{}:{line}:{column}", file.display())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    C,
    Rust,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::C, Language::Rust];

    /// As in a fence's info string, in commands and in records.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Rust => "rust",
        }
    }
}

/// One text in the book's two languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bilingual {
    pub en: String,
    pub zh: String,
}

impl Bilingual {
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Bilingual {
        Bilingual {
            en: en.into(),
            zh: zh.into(),
        }
    }
}

/// A `toml snippet` block and the code fences that carry its id.
#[derive(Clone, Debug)]
pub struct Snippet {
    pub id: String,
    pub title: Bilingual,
    /// The declaration block; a panel takes its place in the page.
    pub declared: Span,
    /// 1, or 2: a server on node 0 and a client on node 1.
    pub nodes: u8,
    /// Ids of the snippets whose library parts this one builds on.
    pub uses: Vec<String>,
    /// Takes the time of the reference loop in a session.
    pub reference: bool,
    /// A device may lack what this shows: a call refused with EOPNOTSUPP or
    /// ENOSYS makes the run `unsupported` instead of failed.
    pub optional: bool,
    pub unprivileged: bool,
    pub memlock: Option<u64>,
    pub timeout: Option<Duration>,
    /// Message each language's compiler must give; the program is not run.
    pub compile_error: BTreeMap<Language, String>,
    pub expect: Vec<Expectation>,
    pub code: BTreeMap<Language, Vec<Block>>,
}

impl Snippet {
    /// Name of the Rust module that holds the library part.
    pub fn module(&self) -> String {
        module_name(&self.id)
    }

    /// The fences of one part of one variant, in the order of the chapter.
    pub fn blocks(&self, language: Language, main: bool) -> impl Iterator<Item = &Block> {
        let blocks = self.code.get(&language).map_or(&[][..], Vec::as_slice);
        blocks.iter().filter(move |block| block.main == main)
    }
}

/// `rdma-write` as a Rust module: `rdma_write`.
pub fn module_name(id: &str) -> String {
    id.replace('-', "_")
}

/// One code fence.
#[derive(Clone, Debug)]
pub struct Block {
    /// The entry point: part of this snippet's program, left out where another
    /// snippet uses this one.
    pub main: bool,
    /// Of the code itself, without the fence lines.
    pub at: Span,
    /// Hidden-line marks already stripped; same number of lines as the fence.
    pub code: String,
    /// Byte offset in the raw chapter at which each line of `code` begins.
    pub starts: Vec<usize>,
}

/// One line of `expect`.
#[derive(Clone, Debug)]
pub struct Expectation {
    pub at: Span,
    /// As written.
    pub text: String,
    /// Absent: every role.
    pub role: Option<Role>,
    pub condition: Option<Condition>,
    pub expected: Expected,
}

/// `(on rdma_rxe >= 6.12)`, `(except on mlx5_ib)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub except: bool,
    pub driver: String,
    /// Kernel version bound: at least (`>=`) or below (`<`).
    pub kernel: Option<(Bound, (u32, u32))>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    AtLeast,
    Below,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    Exit(i32),
    KilledBy(i32),
    /// A line of standard output contains this text.
    Prints(String),
    /// `nth` from 1; absent: some call of that name.
    Call {
        name: String,
        nth: Option<usize>,
        result: CallResult,
    },
    /// At least one completion, or exactly `times`, with this status.
    Completion {
        status: u32,
        opcode: Option<u32>,
        times: Option<usize>,
    },
    NoCompletion,
    /// Some QP was seen in this state (`ibv_qp_state`).
    QpReaches(u32),
    /// `ibv_event_type`
    Async(u32),
    /// `rdma_cm_event_type`
    Connection(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallResult {
    Succeeds,
    /// By any of the three conventions: positive errno returned, -1 or a null
    /// pointer with errno set.
    FailsWith(i32),
    /// Failed, whatever errno.
    Fails,
    Returns(i64),
}
