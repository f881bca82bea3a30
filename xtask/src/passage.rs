//! Passages: English text directly followed by its Chinese annotated
//! rendering.

use std::ops::Range;

use crate::chapter::{BlockKind, Chapter, TopBlock};
use crate::problem::Problem;

/// Byte ranges in the raw chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// From the first English block to the last.
    pub english: Range<usize>,
    /// The blockquote.
    pub chinese: Range<usize>,
}

/// First words of a passage that `cargo xtask new` leaves for the author.
pub const UNWRITTEN: [&str; 2] = ["*To be written.*", "*待写。*"];

/// The passages of a chapter, and what has no partner.
pub fn passages(chapter: &Chapter) -> (Vec<Passage>, Vec<Problem>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut english: Option<Range<usize>> = None;
    for block in &chapter.blocks {
        match block.kind {
            BlockKind::Neutral => continue,
            BlockKind::Prose => {
                let start = english.take().map_or(block.bytes.start, |run| run.start);
                english = Some(start..block.bytes.end);
                continue;
            }
            BlockKind::Quote => {
                if !has_han(chapter.slice(&block.bytes)) {
                    problems.push(quote_without_chinese(chapter, block));
                }
                match english.take() {
                    Some(english) => found.push(Passage {
                        english,
                        chinese: block.bytes.clone(),
                    }),
                    None => problems.push(chinese_alone(chapter, block)),
                }
            }
            BlockKind::Heading => {
                problems.extend(english.take().map(|run| english_alone(chapter, run)));
                problems.extend(heading_problem(chapter, block));
            }
            BlockKind::Code => {
                problems.extend(english.take().map(|run| english_alone(chapter, run)));
            }
        }
    }
    problems.extend(english.take().map(|run| english_alone(chapter, run)));
    problems.extend(found.iter().filter_map(|p| unwritten(chapter, p)));
    (found, problems)
}

/// Whether a text holds a Chinese character.
pub fn has_han(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
    })
}

/// The two languages of a heading: `Open a device / 打开设备`.
pub fn split_heading(text: &str) -> Option<(&str, &str)> {
    text.rmatch_indices(" / ").find_map(|(at, separator)| {
        let (en, zh) = (text[..at].trim(), text[at + separator.len()..].trim());
        (!en.is_empty() && !has_han(en) && has_han(zh)).then_some((en, zh))
    })
}

/// A name is the same in both languages: `` ## `ibv_modify_qp` ``.
fn is_one_name(heading: &str) -> bool {
    let inner = heading.strip_prefix('`').and_then(|h| h.strip_suffix('`'));
    inner.is_some_and(|name| !name.is_empty() && !name.contains('`'))
}

fn heading_problem(chapter: &Chapter, block: &TopBlock) -> Option<Problem> {
    let raw = chapter.slice(&block.bytes);
    let text = raw.lines().next().unwrap_or("").trim();
    let text = text.trim_start_matches('#').trim();
    if split_heading(text).is_some() || is_one_name(text) {
        return None;
    }
    let problem = Problem::new(
        "heading-language",
        "the heading does not carry both languages",
        "标题没有同时给出两种语言",
    );
    Some(
        problem
            .at(&chapter.span(trim_end(chapter, &block.bytes)), "")
            .help(
                "write `## English / 中文`, or a single name in backticks",
                "请写成 `## English / 中文`，或只写一个反引号内的名称",
            ),
    )
}

fn english_alone(chapter: &Chapter, run: Range<usize>) -> Problem {
    Problem::new(
        "no-chinese",
        "the passage has no Chinese rendering",
        "这段英文没有对应的中文",
    )
    .at(
        &chapter.span(trim_end(chapter, &run)),
        "the passage begins here / 段落从这里开始",
    )
    .help(
        "put the Chinese text in a blockquote (`>`) directly after it",
        "请在其后紧接一个引用块（`>`），写入中文",
    )
}

fn chinese_alone(chapter: &Chapter, block: &TopBlock) -> Problem {
    Problem::new(
        "no-english",
        "the blockquote does not follow an English passage",
        "引用块之前没有英文段落",
    )
    .at(&chapter.span(trim_end(chapter, &block.bytes)), "")
    .help(
        "write the English text directly before it; blockquotes hold the Chinese text of a passage and nothing else",
        "请在其前面写英文；引用块只用于段落的中文",
    )
}

fn quote_without_chinese(chapter: &Chapter, block: &TopBlock) -> Problem {
    Problem::new(
        "quote-language",
        "the blockquote holds no Chinese text",
        "引用块里没有中文",
    )
    .at(&chapter.span(trim_end(chapter, &block.bytes)), "")
    .help(
        "blockquotes hold the Chinese text of a passage and nothing else",
        "引用块只用于段落的中文",
    )
}

fn unwritten(chapter: &Chapter, passage: &Passage) -> Option<Problem> {
    let parts = [&passage.english, &passage.chinese];
    let mark = parts.into_iter().find_map(|bytes| {
        let marks = UNWRITTEN.into_iter();
        marks.filter_map(|m| find_in(chapter, bytes, m)).next()
    })?;
    let problem = Problem::new("unwritten", "the passage is not written", "这段文字尚未写");
    Some(
        problem
            .at(&chapter.span(mark), "")
            .help("write it in both languages", "请用两种语言写好这一段"),
    )
}

fn find_in(chapter: &Chapter, bytes: &Range<usize>, mark: &str) -> Option<Range<usize>> {
    let at = bytes.start + chapter.slice(bytes).find(mark)?;
    Some(at..at + mark.len())
}

fn trim_end(chapter: &Chapter, bytes: &Range<usize>) -> Range<usize> {
    bytes.start..bytes.start + chapter.slice(bytes).trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_split_before_its_chinese_half() {
        assert_eq!(
            split_heading("Send / receive / 发送与接收"),
            Some(("Send / receive", "发送与接收"))
        );
        assert_eq!(split_heading("Open a device"), None);
        assert_eq!(split_heading("打开设备 / Open"), None);
    }
}
