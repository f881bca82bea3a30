//! Comments that are not lines of their own: at the end of a line of code, or
//! between `/*` and `*/`. No export could keep one language of them.

/// Byte offsets in the code at which such comments begin.
///
/// Knows strings, characters and raw strings well enough not to take what
/// stands in them for a comment; C and Rust are alike in the rest.
pub fn stray_comments(code: &str) -> Vec<usize> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &code[at..];
        at += if rest.starts_with("//") {
            if !stands_alone(code, at) {
                found.push(at);
            }
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            found.push(at);
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_string(code, at) {
            length
        } else if rest.starts_with('"') {
            quoted(rest, '"')
        } else if rest.starts_with('\'') {
            character(rest)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
    }
    found
}

fn stands_alone(code: &str, at: usize) -> bool {
    let line = code[..at].rfind('\n').map_or(0, |newline| newline + 1);
    code[line..at].trim().is_empty()
}

/// Length of a quoted text from its opening mark.
fn quoted(rest: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == mark => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// Length of a character from its mark; 1 for the mark of a lifetime.
fn character(rest: &str) -> usize {
    let mut inner = rest.chars().skip(1);
    match (inner.next(), inner.next()) {
        (Some('\\'), _) => quoted(rest, '\''),
        (Some(c), Some('\'')) => 2 + c.len_utf8(),
        _ => 1,
    }
}

/// Length of `r"…"` or `r#"…"#` at this place.
fn raw_string(code: &str, at: usize) -> Option<usize> {
    let in_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let in_word = in_word && !code[..at].ends_with('b');
    let rest = code[at..].strip_prefix('r').filter(|_| !in_word)?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let text = rest[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = text.find(&end).map_or(text.len(), |at| at + end.len());
    Some(1 + hashes + 1 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Vec<&str> {
        let places = stray_comments(code).into_iter();
        places
            .map(|at| code[at..].lines().next().unwrap())
            .collect()
    }

    #[test]
    fn a_comment_beside_code_and_a_block_comment_are_stray() {
        assert_eq!(found("int x; // size\n"), ["// size"]);
        assert_eq!(found("/* size */\nint x;\n"), ["/* size */"]);
        assert_eq!(found("    // alone\n    int x;\n"), [""; 0]);
    }

    #[test]
    fn what_stands_in_a_text_is_no_comment() {
        assert_eq!(found("puts(\"http://a \\\" // b\");\n"), [""; 0]);
        assert_eq!(found("let s = r#\"a \" // b\"#; // c\n"), ["// c"]);
        assert_eq!(found("char c = '\"'; // d\n"), ["// d"]);
        assert_eq!(found("fn f<'a>(x: &'a str) {} // e '\n"), ["// e '"]);
        assert_eq!(found("let q = '\\''; let z = \"//\";\n"), [""; 0]);
    }
}
