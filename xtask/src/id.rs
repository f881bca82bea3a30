//! What can name a snippet: its program, its module and its files too.

use crate::problem::Problem;

/// Names that a program or a module of it cannot bear.
const RESERVED: [&str; 12] = [
    "lib",
    "main",
    "libc",
    "rdma-sys",
    "std",
    "core",
    "alloc",
    "build",
    "deps",
    "examples",
    "incremental",
    "test",
];

#[rustfmt::skip]
const KEYWORDS: [&str; 50] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum",
    "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match",
    "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "type", "unsafe", "use", "where", "while", "abstract", "become", "box",
    "do", "final", "gen", "macro", "override", "priv", "try", "typeof", "virtual", "yield",
];

/// Why an id cannot name a snippet, if it cannot.
pub fn bad_id(id: &str) -> Option<Problem> {
    let mut words = id.split('-');
    let word = |w: &str| {
        !w.is_empty()
            && w.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    let letter_first = id.starts_with(|c: char| c.is_ascii_lowercase());
    if RESERVED.contains(&id) || KEYWORDS.contains(&id) {
        let problem = Problem::new(
            "bad-id",
            format!("`{id}` is reserved and cannot name a snippet"),
            format!("`{id}` 是保留名称，不能作为示例的 id"),
        );
        return Some(problem.help("choose another id", "请换一个 id"));
    }
    if letter_first && words.all(word) {
        return None;
    }
    let problem = Problem::new(
        "bad-id",
        format!("`{id}` cannot name a snippet"),
        format!("`{id}` 不能作为示例的 id"),
    );
    Some(problem.help(
        "use lower-case words joined by hyphens, a letter first: `rdma-write`",
        "请用小写单词，以连字符相连，首字符为字母，例如 `rdma-write`",
    ))
}
