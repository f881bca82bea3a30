//! Text from a record, made safe and honest for a page.

use std::fmt::Write;

/// Characters of one value that a page shows.
const LONGEST: usize = 600;

/// Shows what is in `text`: characters that have no shape of their own, or
/// that change the order or shape of others, appear as escapes; what is too
/// long is cut with a note of how much; HTML is escaped.
pub fn html(text: &str) -> String {
    let shown = match text.char_indices().nth(LONGEST) {
        None => visible(text),
        Some((end, _)) => {
            let rest = text[end..].chars().count();
            format!(
                "{}… ({rest} more characters / 另有 {rest} 个字符)",
                visible(&text[..end])
            )
        }
    };
    handlebars::html_escape(&shown)
}

fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if c.is_control() || is_invisible(c) => {
                write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("a String grows");
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Marks of direction, joiners, fillers and tags: format characters that a
/// reader cannot see.
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f
        | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::html;

    #[test]
    fn markup_is_text() {
        assert_eq!(html("<script>&\"'"), "&lt;script&gt;&amp;&quot;&#x27;");
    }

    #[test]
    fn what_cannot_be_seen_is_shown_as_an_escape() {
        assert_eq!(
            html("a\u{202e}b\u{200b}c\n\u{1b}[0m"),
            "a\\u{202e}b\\u{200b}c\\n\\u{1b}[0m"
        );
    }

    #[test]
    fn what_is_too_long_is_cut_with_a_note() {
        let shown = html(&"字".repeat(700));
        assert!(
            shown.ends_with("字… (100 more characters / 另有 100 个字符)"),
            "{shown}"
        );
    }
}
