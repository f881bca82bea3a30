//! What identifies the program of a snippet and the way it is run and judged.
//! A record whose hash differs is stale.

use crate::book::Book;
use crate::flags;
use crate::snippet::{Language, Snippet};

/// Hash of one language's program: its own code and the library parts of the
/// snippets it builds on (`closure`), compiler flags, how it is run, what is
/// expected, and the runner's protocol. Prose, titles, the place in a chapter
/// and the compiler's version are not in it: a page must be able to tell
/// stale from fresh on a machine without a compiler.
pub fn program_hash(snippet: &Snippet, closure: &[&Snippet], language: Language) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut part = |label: &str, text: &str| {
        hasher.update(format!("{label} {}\n", text.len()).as_bytes());
        hasher.update(text.as_bytes());
    };
    part("protocol", &protocol::PROTOCOL.to_string());
    part("language", language.name());
    for flag in flags::of(language) {
        part("flag", flag);
    }
    for used in closure {
        part("use", &used.id);
        for block in used.code.get(&language).into_iter().flatten() {
            if !block.main {
                part("library", &block.code);
            }
        }
    }
    for block in snippet.code.get(&language).into_iter().flatten() {
        part(if block.main { "main" } else { "library" }, &block.code);
    }
    part("run", &run_options(snippet));
    if let Some(message) = snippet.compile_error.get(&language) {
        part("compile error", message);
    }
    for expectation in &snippet.expect {
        part("expect", &expectation.text);
    }
    hasher.finalize().to_hex()[..16].to_string()
}

/// [`program_hash`] with the library parts that the book says.
pub fn snippet_hash(book: &Book, snippet: &Snippet, language: Language) -> String {
    program_hash(snippet, &book.closure(snippet), language)
}

fn run_options(snippet: &Snippet) -> String {
    format!(
        "{} {} {} {} {:?} {:?}",
        snippet.nodes,
        snippet.reference,
        snippet.optional,
        snippet.unprivileged,
        snippet.memlock,
        snippet.timeout
    )
}
