//! Fenced code as it stands in a raw chapter.

use std::ops::Range;

use crate::snippet::Span;

/// One fenced block.
#[derive(Clone, Debug)]
pub struct Fence {
    /// From the opening fence to the closing one.
    pub at: Span,
    /// The words of the info string, the language first; none when it has no
    /// info string.
    pub words: Vec<Word>,
    pub code: Code,
    /// Inside a blockquote, where the book keeps its Chinese text.
    pub quoted: bool,
    /// False when the text ends before a closing fence.
    pub closed: bool,
}

/// A word of an info string.
#[derive(Clone, Debug)]
pub struct Word {
    pub text: String,
    pub at: Span,
}

/// The text between the fences, without the indentation of an enclosing list
/// and without carriage returns.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub text: String,
    /// Byte offset in the chapter of the beginning of each line.
    pub starts: Vec<usize>,
}

impl Code {
    /// Adds a piece that stands at `at` in the chapter.
    pub fn push(&mut self, piece: &str, at: usize) {
        if piece.is_empty() {
            return;
        }
        if self.text.is_empty() || self.text.ends_with('\n') {
            self.starts.push(at);
        }
        let lines = piece.match_indices('\n').map(|(newline, _)| newline + 1);
        let inner = lines.filter(|&start| start < piece.len());
        self.starts.extend(inner.map(|start| at + start));
        self.text.push_str(piece);
    }

    /// The byte range in the chapter of a byte range of the code; it ends on
    /// the line on which it begins.
    pub fn in_chapter(&self, bytes: Range<usize>) -> Range<usize> {
        let line = self.text[..bytes.start].matches('\n').count();
        let Some(&start) = self.starts.get(line) else {
            let end = self.starts.last().copied().unwrap_or(0);
            return end..end;
        };
        let line_start = self.text[..bytes.start].rfind('\n').map_or(0, |n| n + 1);
        let from = start + (bytes.start - line_start);
        let length = self.text[bytes.clone()].lines().next().map_or(0, str::len);
        from..from + length
    }
}

/// The words of an info string with their byte ranges in `opening`, the
/// fence's first line.
pub fn info_words(opening: &str) -> Vec<(Range<usize>, &str)> {
    let indent = opening.len() - opening.trim_start().len();
    let Some(mark) = opening[indent..].chars().next() else {
        return Vec::new();
    };
    let info = &opening[indent..];
    let info = info.trim_start_matches(mark);
    let mut at = opening.len() - info.len();
    let mut words = Vec::new();
    for word in info.split_inclusive(char::is_whitespace) {
        let text = word.trim_end();
        if !text.is_empty() {
            words.push((at..at + text.len(), text));
        }
        at += word.len();
    }
    words
}

/// Whether the last line of a fence's raw text closes it.
pub fn is_closed(raw: &str) -> bool {
    let opening = raw.lines().next().unwrap_or("").trim_start();
    let Some(mark) = opening.chars().next() else {
        return false;
    };
    let length = opening.chars().take_while(|&c| c == mark).count();
    let last = raw.lines().skip(1).last().unwrap_or("");
    let last = last.trim_matches(|c: char| c.is_whitespace() || c == '>');
    last.len() >= length && last.chars().all(|c| c == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_may_end_in_a_character_of_several_bytes() {
        // So it comes when the chapter's lines end in carriage returns.
        let mut code = Code::default();
        code.push("// 打开。", 10);
        code.push("\n", 25);
        code.push("a\nb\n", 26);
        assert_eq!(code.starts, [10, 26, 28]);
    }
}
