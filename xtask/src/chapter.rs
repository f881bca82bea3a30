//! Chapters as their authors wrote them, before any preprocessor.

use std::ops::Range;
use std::path::PathBuf;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::fence::{self, Code, Fence, Word};
use crate::position::Lines;
use crate::snippet::Span;

/// A Markdown file that `SUMMARY.md` lists.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// Relative to the repository: `book/src/devices.md`.
    pub path: PathBuf,
    pub text: String,
    pub lines: Lines,
    /// Blocks of the outermost level, in order.
    pub blocks: Vec<TopBlock>,
    /// Fences at any depth, in order.
    pub fences: Vec<Fence>,
}

/// A block of the outermost level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopBlock {
    pub kind: BlockKind,
    pub bytes: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Heading,
    /// A paragraph, a list, a table or a footnote.
    Prose,
    Quote,
    Code,
    /// A paragraph of pictures only, HTML, or a rule: belongs to no language.
    Neutral,
}

impl Chapter {
    pub fn parse(path: PathBuf, text: String) -> Chapter {
        let mut chapter = Chapter {
            lines: Lines::of(&text),
            path,
            text,
            blocks: Vec::new(),
            fences: Vec::new(),
        };
        let text = std::mem::take(&mut chapter.text);
        Reader::new(&mut chapter, &text).read();
        chapter.text = text;
        chapter
    }

    pub fn span(&self, bytes: Range<usize>) -> Span {
        self.lines.span(&self.path, &self.text, bytes)
    }

    pub fn slice(&self, bytes: &Range<usize>) -> &str {
        &self.text[bytes.clone()]
    }
}

/// The extensions that mdBook has on, as far as they make blocks.
pub fn markdown_options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
}

struct Reader<'a> {
    chapter: &'a mut Chapter,
    text: &'a str,
    depth: usize,
    quotes: usize,
    /// Content of the open paragraph that is not a picture.
    words: bool,
    in_image: usize,
    open: Option<Fence>,
}

impl<'a> Reader<'a> {
    fn new(chapter: &'a mut Chapter, text: &'a str) -> Reader<'a> {
        Reader {
            chapter,
            text,
            depth: 0,
            quotes: 0,
            words: false,
            in_image: 0,
            open: None,
        }
    }

    fn read(mut self) {
        let parser = Parser::new_ext(self.text, markdown_options());
        for (event, bytes) in parser.into_offset_iter() {
            match event {
                Event::Start(tag) => self.start(&tag, bytes),
                Event::End(tag) => self.end(tag, bytes),
                Event::Text(piece) => self.piece(&piece, bytes.start),
                Event::Rule | Event::Html(_) if self.depth == 0 => {
                    self.top(BlockKind::Neutral, bytes);
                }
                Event::SoftBreak | Event::HardBreak => {}
                _ => self.words |= self.in_image == 0,
            }
        }
    }

    fn start(&mut self, tag: &Tag, bytes: Range<usize>) {
        if self.depth == 0 {
            self.words = false;
        }
        match tag {
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::Image { .. } => self.in_image += 1,
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.open_fence(bytes),
            _ => {}
        }
        self.depth += 1;
    }

    fn end(&mut self, tag: TagEnd, bytes: Range<usize>) {
        self.depth -= 1;
        match tag {
            TagEnd::BlockQuote(_) => self.quotes -= 1,
            TagEnd::Image => self.in_image -= 1,
            TagEnd::CodeBlock => self.chapter.fences.extend(self.open.take()),
            _ => {}
        }
        if self.depth > 0 {
            return;
        }
        let kind = match tag {
            TagEnd::Heading(_) => BlockKind::Heading,
            TagEnd::BlockQuote(_) => BlockKind::Quote,
            TagEnd::CodeBlock => BlockKind::Code,
            TagEnd::HtmlBlock => BlockKind::Neutral,
            TagEnd::Paragraph if !self.words => BlockKind::Neutral,
            _ => BlockKind::Prose,
        };
        self.top(kind, bytes);
    }

    fn piece(&mut self, piece: &str, at: usize) {
        match &mut self.open {
            Some(fence) => fence.code.push(piece, at),
            None => self.words |= self.in_image == 0,
        }
    }

    fn open_fence(&mut self, bytes: Range<usize>) {
        let raw = &self.text[bytes.clone()];
        let opening = raw.lines().next().unwrap_or("");
        let word = |(range, text): (Range<usize>, &str)| Word {
            text: text.to_string(),
            at: self
                .chapter
                .lines
                .span(&self.chapter.path, self.text, shift(&range, bytes.start)),
        };
        self.open = Some(Fence {
            words: fence::info_words(opening).into_iter().map(word).collect(),
            code: Code::default(),
            quoted: self.quotes > 0,
            closed: fence::is_closed(raw),
            at: self
                .chapter
                .lines
                .span(&self.chapter.path, self.text, bytes),
        });
    }

    fn top(&mut self, kind: BlockKind, bytes: Range<usize>) {
        self.chapter.blocks.push(TopBlock { kind, bytes });
    }
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}
