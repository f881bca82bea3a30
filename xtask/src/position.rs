//! Byte offsets of a chapter as lines and columns.

use std::ops::Range;
use std::path::Path;

use crate::snippet::Span;

/// Where each line of a text begins.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub fn of(text: &str) -> Lines {
        let after_newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines {
            starts: std::iter::once(0).chain(after_newlines).collect(),
        }
    }

    /// Line number from 1 of a byte offset.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// Byte offset at which a line (from 1) begins.
    pub fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line.checked_sub(1)?).copied()
    }

    /// Line and column, both from 1, the column in characters.
    pub fn line_column(&self, text: &str, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        let start = self.starts[line - 1];
        let end = floor_char_boundary(text, offset);
        (line, text[start..end].chars().count() + 1)
    }

    pub fn span(&self, file: &Path, text: &str, bytes: Range<usize>) -> Span {
        let (line, column) = self.line_column(text, bytes.start);
        Span {
            file: file.to_path_buf(),
            line,
            column,
            bytes,
        }
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_counts_characters_and_a_line_ends_at_the_line_feed() {
        let text = "一二 x\r\n\ty";
        let lines = Lines::of(text);
        assert_eq!(lines.line_column(text, text.find('x').unwrap()), (1, 4));
        assert_eq!(lines.line_column(text, text.find('y').unwrap()), (2, 2));
        assert_eq!(lines.line_column(text, text.len()), (2, 3));
    }
}
