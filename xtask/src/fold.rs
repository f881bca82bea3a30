//! Folds results into a chapter: each `toml snippet` block becomes its panel,
//! code gets a caption and an anchor, Chinese passages get their language.

use std::ops::Range;

use anyhow::{Context, Result, bail};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The extensions that mdBook has on, as far as they make blocks.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// How a passage about hardware begins.
const DIFFERS: &str = "Differs on hardware.";

/// A piece of the chapter and what takes its place.
struct Edit {
    bytes: Range<usize>,
    text: String,
}

/// The chapter as it is rendered. `name` is its path, for messages; `panel`
/// gives the HTML for a snippet's id.
pub fn fold_chapter(
    name: &str,
    text: &str,
    panel: &dyn Fn(&str) -> Result<String>,
) -> Result<String> {
    let mut edits = Vec::new();
    let mut boxed = HardwareBox::default();
    let mut depth = 0;
    // In the Chinese text.
    let mut quoted = false;
    let events: Vec<(Event, Range<usize>)> =
        Parser::new_ext(text, OPTIONS).into_offset_iter().collect();
    for (index, (event, bytes)) in events.iter().enumerate() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    let first = first_words(&events[index + 1..]);
                    boxed.open_or_close(tag, first, bytes, &mut edits);
                    let edit = block_edit(tag, text, bytes, panel).with_context(|| {
                        let line = 1 + text[..bytes.start].matches('\n').count();
                        format!("{name}:{line}")
                    })?;
                    edits.extend(edit);
                    quoted = matches!(tag, Tag::BlockQuote(_));
                }
                depth += 1;
            }
            Event::End(end) => {
                depth -= 1;
                if depth == 0 {
                    quoted = false;
                    boxed.close_after(*end, bytes, &mut edits);
                }
            }
            Event::SoftBreak if quoted => {
                let next = events.get(index + 1).map_or(bytes.end, |e| e.1.start);
                edits.extend(joined(text, bytes.start..next));
            }
            _ => {}
        }
    }
    boxed.close_at(text.len(), &mut edits);
    Ok(apply(text, edits))
}

fn block_edit(
    tag: &Tag,
    text: &str,
    bytes: &Range<usize>,
    panel: &dyn Fn(&str) -> Result<String>,
) -> Result<Vec<Edit>> {
    let raw = &text[bytes.clone()];
    let edit = |text: String| {
        vec![Edit {
            bytes: bytes.clone(),
            text,
        }]
    };
    Ok(match tag {
        Tag::BlockQuote(_) => vec![
            insert(bytes.start, "<div lang=\"zh-Hans\" class=\"zh\">\n\n"),
            insert(bytes.start + raw.trim_end().len(), "\n\n</div>\n\n"),
        ],
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
            let words: Vec<&str> = info.split_whitespace().collect();
            match words.as_slice() {
                ["toml", "snippet", ..] => {
                    let html = panel(&declared_id(raw)?)?;
                    edit(format!("\n{html}\n"))
                }
                [language @ ("c" | "rust"), rest @ ..] => id_of(rest)
                    .map(|id| captioned(raw, language, id, rest.contains(&"main")))
                    .map(edit)
                    .unwrap_or_default(),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    })
}

/// Chinese has no space between words, so a line's end inside it must not
/// become one: next to full-width punctuation, or between two characters.
fn joined(text: &str, gap: Range<usize>) -> Option<Edit> {
    let before = text[..gap.start]
        .trim_end_matches(['*', '_'])
        .chars()
        .last()?;
    let after = text[gap.end..]
        .trim_start_matches(['*', '_'])
        .chars()
        .next()?;
    let together = is_wide_mark(before) || is_wide_mark(after) || (is_han(before) && is_han(after));
    together.then(|| Edit {
        bytes: gap,
        text: String::new(),
    })
}

fn is_han(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Full-width punctuation.
fn is_wide_mark(c: char) -> bool {
    matches!(u32::from(c), 0x3001..=0x303f | 0xff01..=0xff0f | 0xff1a..=0xff20 | 0xff3b..=0xff65)
}

fn id_of<'a>(words: &[&'a str]) -> Option<&'a str> {
    words.iter().find_map(|word| word.strip_prefix("id="))
}

/// The id in a declaration block, fences included.
fn declared_id(raw: &str) -> Result<String> {
    let code: Vec<&str> = raw.lines().skip(1).collect();
    let body = code[..code.len().saturating_sub(1)].join("\n");
    let table: toml::Table =
        toml::from_str(&body).context("the snippet's declaration is not TOML / 声明不是 TOML")?;
    match table.get("id").and_then(|id| id.as_str()) {
        Some(id) => Ok(id.to_string()),
        None => bail!("the snippet's declaration has no `id` / 声明缺少 `id`"),
    }
}

/// A fence that mdBook understands, below a line that names it.
fn captioned(raw: &str, language: &str, id: &str, main: bool) -> String {
    let (opening, rest) = raw.split_once('\n').unwrap_or((raw, ""));
    let fence: String = opening
        .chars()
        .take_while(|c| matches!(c, '`' | '~'))
        .collect();
    let (name, part) = match language {
        "c" => ("C", ".c"),
        _ => ("Rust", ".rs"),
    };
    let anchor = match main {
        true => format!("{id}-{language}-main"),
        false => format!("{id}-{language}"),
    };
    let what = match main {
        true => "program <span lang=\"zh-Hans\">程序</span>",
        false => "library part <span lang=\"zh-Hans\">库部分</span>",
    };
    let id = handlebars::html_escape(id);
    let anchor = handlebars::html_escape(&anchor);
    format!(
        "<div class=\"caption\" id=\"{anchor}\"><b>{name}</b> \
         <a href=\"#{anchor}\"><code>{id}{part}</code></a> <span>{what}</span></div>\n\n\
         {fence}{language}\n{}\n\n",
        rest.trim_end()
    )
}

/// The text with which a block begins, through emphasis.
fn first_words<'a>(events: &'a [(Event<'a>, Range<usize>)]) -> &'a str {
    events
        .iter()
        .take_while(|(event, _)| !matches!(event, Event::End(_)))
        .find_map(|(event, _)| match event {
            Event::Text(text) => Some(text.as_ref()),
            _ => None,
        })
        .unwrap_or("")
}

/// The frame around a passage about hardware: from its first paragraph to the
/// end of its Chinese rendering.
#[derive(Default)]
struct HardwareBox {
    open: bool,
}

impl HardwareBox {
    fn open_or_close(
        &mut self,
        tag: &Tag,
        first: &str,
        bytes: &Range<usize>,
        edits: &mut Vec<Edit>,
    ) {
        if matches!(tag, Tag::Heading { .. }) {
            self.close_at(bytes.start, edits);
        }
        if *tag == Tag::Paragraph && first.starts_with(DIFFERS) && !self.open {
            self.open = true;
            edits.push(insert(bytes.start, "<div class=\"hardware-differs\">\n\n"));
        }
    }

    fn close_after(&mut self, end: TagEnd, bytes: &Range<usize>, edits: &mut Vec<Edit>) {
        if matches!(end, TagEnd::BlockQuote(_)) {
            self.close_at(bytes.end, edits);
        }
    }

    fn close_at(&mut self, at: usize, edits: &mut Vec<Edit>) {
        if std::mem::take(&mut self.open) {
            edits.push(insert(at, "\n\n</div>\n\n"));
        }
    }
}

fn insert(at: usize, text: &str) -> Edit {
    Edit {
        bytes: at..at,
        text: text.to_string(),
    }
}

fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.bytes.start, edit.bytes.end));
    let mut folded = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        folded.push_str(&text[at..edit.bytes.start]);
        folded.push_str(&edit.text);
        at = edit.bytes.end;
    }
    folded.push_str(&text[at..]);
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        fold_chapter("a.md", text, &|id| {
            Ok(format!("<div>panel of {id}</div>\n"))
        })
        .unwrap()
    }

    #[test]
    fn a_panel_takes_the_place_of_a_declaration() {
        let text = "Before.\n\n```toml snippet\nid = \"open\"\n```\nAfter.\n";
        assert_eq!(
            folded(text),
            "Before.\n\n\n<div>panel of open</div>\n\n\nAfter.\n"
        );
    }

    #[test]
    fn code_gets_a_caption_and_keeps_its_lines() {
        let text = "```c id=open main\n~#include <a.h>\nint main(void) {}\n```\n";
        let html = folded(text);
        assert!(html.contains("id=\"open-c-main\""), "{html}");
        assert!(
            html.contains("\n\n```c\n~#include <a.h>\nint main(void) {}\n```\n"),
            "{html}"
        );
    }

    #[test]
    fn a_fence_without_id_is_left_alone() {
        let text = "```console\n$ ibv_devices\n```\n\n```c\nint x;\n```\n";
        assert_eq!(folded(text), text);
    }

    #[test]
    fn a_chinese_passage_carries_its_language() {
        assert_eq!(
            folded("One.\n\n> 一。\n>\n> - **硬件**：网卡。\n\nTwo.\n"),
            "One.\n\n<div lang=\"zh-Hans\" class=\"zh\">\n\n> 一。\n>\n> - **硬件**：网卡。\n\n\
             </div>\n\n\n\nTwo.\n"
        );
    }

    #[test]
    fn lines_of_chinese_join_without_a_space() {
        let html = folded(
            "One.\n\n> 程序先\n> 分配 PD，\n> `pd` 归还 PD\n> 之后\n>   **结束**。\n> RDMA\n",
        );
        assert!(
            html.contains("> 程序先分配 PD，`pd` 归还 PD\n> 之后**结束**。RDMA\n"),
            "{html}"
        );
    }

    #[test]
    fn a_box_holds_both_languages_of_a_hardware_passage() {
        let html =
            folded("**Differs on hardware.** Not measured.\n\n> **硬件上不同。** 未测。\n\nOn.\n");
        let open = html.find("<div class=\"hardware-differs\">").unwrap();
        let quote = html.find("> **硬件上不同。**").unwrap();
        let close = html.rfind("</div>").unwrap();
        assert!(open < quote && quote < close, "{html}");
        assert_eq!(html.matches("<div").count(), html.matches("</div>").count());
        assert!(html.trim_end().ends_with("On."), "{html}");
    }

    #[test]
    fn a_declaration_that_is_no_toml_names_its_line() {
        let text = "A.\n\n```toml snippet\nid = \n```\n";
        let error = fold_chapter("a.md", text, &|_| Ok(String::new())).unwrap_err();
        assert!(format!("{error:#}").starts_with("a.md:3: "), "{error:#}");
    }
}
