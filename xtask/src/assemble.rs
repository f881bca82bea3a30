//! A snippet's code put together as files that compilers, and people on a
//! code host, can read.

use std::path::{Path, PathBuf};

use crate::book::Book;
use crate::snippet::{Block, Language, Snippet, module_name};

/// Folder of everything assembled, relative to the repository.
pub const SNIPPETS: &str = "snippets";

/// Begins every assembled file; a file that begins otherwise is not ours.
pub const MARK: &str = "// Generated from ";

/// One assembled file.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Relative to the repository.
    pub path: PathBuf,
    pub text: String,
    /// For each line, the chapter line it was taken from.
    pub origins: Vec<Option<Origin>>,
}

/// Where a line of assembled code begins in a chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub file: PathBuf,
    /// From 1; the column in characters.
    pub line: usize,
    pub column: usize,
    /// Byte offset in the chapter.
    pub start: usize,
}

/// An assembled text without the lines that tell where in a chapter it comes
/// from: equal for two texts when only the place of the code has moved.
pub fn without_places(text: &str) -> String {
    let comment = format!("// {}/", crate::summary::SOURCE);
    let is_place = |line: &str| line.starts_with("#line ") || line.starts_with(&comment);
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !is_place(line)).collect()
}

/// The files of every snippet of the book.
pub fn assemble(book: &Book) -> Vec<Assembled> {
    let snippets = book.snippets.iter();
    snippets.flat_map(|snippet| files(book, snippet)).collect()
}

fn files(book: &Book, snippet: &Snippet) -> Vec<Assembled> {
    let mut files = Vec::new();
    for &language in snippet.code.keys() {
        match language {
            Language::C => files.extend([c_library(book, snippet), c_main(book, snippet)]),
            Language::Rust => files.extend([rust_library(book, snippet), rust_main(book, snippet)]),
        }
    }
    files
}

/// `snippets/c/<id>.c`
pub fn c_path(id: &str) -> PathBuf {
    Path::new(SNIPPETS).join("c").join(format!("{id}.c"))
}

/// `snippets/c/<id>.h`
pub fn header_path(id: &str) -> PathBuf {
    c_path(id).with_extension("h")
}

/// `snippets/src/<id_with_underscores>.rs`
pub fn module_path(id: &str) -> PathBuf {
    let file = format!("{}.rs", module_name(id));
    Path::new(SNIPPETS).join("src").join(file)
}

/// `snippets/src/bin/<id>.rs`, or `snippets/fails/<id>.rs` for a program that
/// must not compile: there it is no target of the package.
pub fn rust_main_path(snippet: &Snippet) -> PathBuf {
    let fails = snippet.compile_error.contains_key(&Language::Rust);
    let folder = if fails { "fails" } else { "src/bin" };
    let file = format!("{}.rs", snippet.id);
    Path::new(SNIPPETS).join(folder).join(file)
}

fn c_library(book: &Book, snippet: &Snippet) -> Assembled {
    let mut writer = Writer::new(snippet);
    writer.line("#pragma once");
    for id in &snippet.uses {
        writer.line(&format!("#include \"{id}.h\""));
    }
    for block in snippet.blocks(Language::C, false) {
        writer.c_block(book, block);
    }
    writer.finish(header_path(&snippet.id))
}

fn c_main(book: &Book, snippet: &Snippet) -> Assembled {
    let mut writer = Writer::new(snippet);
    writer.line(&format!("#include \"{}.h\"", snippet.id));
    for block in snippet.blocks(Language::C, true) {
        writer.c_block(book, block);
    }
    writer.finish(c_path(&snippet.id))
}

fn rust_library(book: &Book, snippet: &Snippet) -> Assembled {
    let mut writer = Writer::new(snippet);
    for id in sorted(&snippet.uses) {
        writer.line("#[allow(unused_imports)]");
        writer.line(&format!("use crate::{}::*;", module_name(id)));
    }
    for block in snippet.blocks(Language::Rust, false) {
        writer.rust_block(book, block);
    }
    writer.finish(module_path(&snippet.id))
}

fn rust_main(book: &Book, snippet: &Snippet) -> Assembled {
    let path = rust_main_path(snippet);
    let modules = if path.starts_with("snippets/fails") {
        "../src"
    } else {
        ".."
    };
    let mut writer = Writer::new(snippet);
    let mut closure: Vec<String> = book.closure(snippet).iter().map(|s| s.id.clone()).collect();
    closure.push(snippet.id.clone());
    for id in sorted(&closure) {
        let module = module_name(id);
        writer.line(&format!("#[path = \"{modules}/{module}.rs\"]"));
        writer.line("#[allow(dead_code, unused_imports)]");
        writer.line(&format!("mod {module};"));
    }
    writer.line("");
    let mut in_scope = snippet.uses.clone();
    in_scope.push(snippet.id.clone());
    for id in sorted(&in_scope) {
        writer.line("#[allow(unused_imports)]");
        writer.line(&format!("use {}::*;", module_name(id)));
    }
    for block in snippet.blocks(Language::Rust, true) {
        writer.rust_block(book, block);
    }
    writer.finish(path)
}

/// In the order of their module names, which `cargo fmt` keeps.
fn sorted(ids: &[String]) -> Vec<&String> {
    let mut ids: Vec<&String> = ids.iter().collect();
    ids.sort_by_key(|id| module_name(id));
    ids
}

struct Writer {
    text: String,
    origins: Vec<Option<Origin>>,
}

impl Writer {
    fn new(snippet: &Snippet) -> Writer {
        let mut writer = Writer {
            text: String::new(),
            origins: Vec::new(),
        };
        let chapter = snippet.declared.file.display();
        writer.line(&format!(
            "{MARK}{chapter} by `cargo xtask check --fix`: edit the chapter, not this file."
        ));
        writer.line(&format!(
            "// 由 `cargo xtask check --fix` 根据 {chapter} 生成：请修改章节，不要修改本文件。"
        ));
        writer.line("");
        writer
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.origins.push(None);
    }

    /// One blank line, as `cargo fmt` keeps it.
    fn gap(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.line("");
        }
    }

    fn c_block(&mut self, book: &Book, block: &Block) {
        self.gap();
        let file = block.at.file.display();
        self.line(&format!("#line {} \"{file}\"", block.at.line));
        self.code(book, block);
    }

    fn rust_block(&mut self, book: &Book, block: &Block) {
        self.gap();
        let file = block.at.file.display();
        self.line(&format!("// {file}:{}", block.at.line));
        self.code(book, block);
    }

    fn code(&mut self, book: &Book, block: &Block) {
        let chapter = book.chapter(&block.at.file);
        for (line, &start) in block.code.lines().zip(&block.starts) {
            let place = chapter.map(|c| c.lines.line_column(&c.text, start));
            self.line(line);
            let last = self.origins.len() - 1;
            self.origins[last] = place.map(|(line, column)| Origin {
                file: block.at.file.clone(),
                line,
                column,
                start,
            });
        }
    }

    fn finish(mut self, path: PathBuf) -> Assembled {
        // A snippet without a library part: `cargo fmt` keeps no blank last line.
        if self.text.ends_with("\n\n") {
            self.text.pop();
            self.origins.pop();
        }
        Assembled {
            path,
            text: self.text,
            origins: self.origins,
        }
    }
}
