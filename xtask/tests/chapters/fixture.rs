//! A small book in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use xtask::book::Book;
use xtask::snippet::Snippet;

pub struct Fixture {
    folder: TempDir,
}

impl Fixture {
    /// A book of one chapter, `a.md`, with this text.
    pub fn of(text: &str) -> Fixture {
        Fixture::with(&[("a.md", text)])
    }

    /// A book that lists these chapters.
    pub fn with(chapters: &[(&str, &str)]) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let fixture = Fixture { folder };
        let items = chapters
            .iter()
            .map(|(name, _)| format!("- [A / 甲]({name})\n"));
        let summary = format!("# Summary\n\n{}", items.collect::<String>());
        fixture.write("book/src/SUMMARY.md", summary);
        for (name, text) in chapters {
            fixture.write(&format!("book/src/{name}"), text);
        }
        fixture
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub fn book(&self) -> Book {
        Book::read(self.root())
    }

    /// Every problem as a terminal shows it.
    pub fn told(&self) -> String {
        let book = self.book();
        book.sources.render(&book.problems, false)
    }

    /// The book, which must be without a problem.
    pub fn sound(&self) -> Book {
        let book = self.book();
        assert!(book.problems.is_empty(), "{}", self.told());
        book
    }
}

/// A snippet in both languages; `more` are further lines of its declaration.
pub fn snippet(id: &str, more: &str) -> String {
    format!(
        "```c id={id} main\nint main(void)\n{{\n    return 0;\n}}\n```\n\n\
         ```rust id={id} main\nfn main() {{}}\n```\n\n{}",
        declaration(id, more)
    )
}

pub fn declaration(id: &str, more: &str) -> String {
    format!("```toml snippet\nid = \"{id}\"\ntitle = \"T\"\ntitle_zh = \"题\"\n{more}\n```\n")
}

/// The bytes that a piece of a snippet's code must have come from.
pub fn chapter_line<'a>(book: &'a Book, snippet: &Snippet, line: usize) -> &'a str {
    let chapter = book.chapter(&snippet.declared.file).unwrap();
    chapter.text.lines().nth(line - 1).unwrap()
}
