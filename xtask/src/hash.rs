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
    let mut parts = Parts::default();
    parts.code(snippet, closure, language);
    parts.add("run", &run_options(snippet));
    if let Some(message) = snippet.compile_error.get(&language) {
        parts.add("compile error", message);
    }
    for expectation in &snippet.expect {
        parts.add("expect", &expectation.text);
    }
    parts.finish()
}

/// Hash of what a run of the program depends on: [`program_hash`] without
/// what only the verdict depends on.
pub fn run_hash(book: &Book, snippet: &Snippet, language: Language) -> String {
    let mut parts = Parts::default();
    parts.code(snippet, &book.closure(snippet), language);
    let Snippet {
        nodes,
        unprivileged,
        memlock,
        timeout,
        ..
    } = snippet;
    parts.add(
        "run",
        &format!("{nodes} {unprivileged} {memlock:?} {timeout:?}"),
    );
    parts.finish()
}

/// Texts with their names, so that none can pass for another.
#[derive(Default)]
struct Parts(blake3::Hasher);

impl Parts {
    fn add(&mut self, label: &str, text: &str) {
        self.0
            .update(format!("{label} {}\n", text.len()).as_bytes());
        self.0.update(text.as_bytes());
    }

    fn code(&mut self, snippet: &Snippet, closure: &[&Snippet], language: Language) {
        self.add("protocol", &protocol::PROTOCOL.to_string());
        self.add("language", language.name());
        for flag in flags::of(language) {
            self.add("flag", flag);
        }
        for used in closure {
            self.add("use", &used.id);
            for block in used.code.get(&language).into_iter().flatten() {
                if !block.main {
                    self.add("library", &block.code);
                }
            }
        }
        for block in snippet.code.get(&language).into_iter().flatten() {
            self.add(if block.main { "main" } else { "library" }, &block.code);
        }
    }

    fn finish(self) -> String {
        self.0.finalize().to_hex()[..16].to_string()
    }
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
