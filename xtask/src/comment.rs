//! Bilingual comments in code: English lines directly followed by their
//! Chinese ones.

use std::ops::Range;

use crate::passage::has_han;

/// Which comments an export keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Comments {
    En,
    Zh,
    Both,
}

/// A comment in both languages: ranges of line numbers from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub english: Range<usize>,
    pub chinese: Range<usize>,
}

/// Comment lines that lack the other language: the line from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unpaired {
    NoChinese(usize),
    NoEnglish(usize),
}

/// The comment pairs of a piece of code, and the comments without a partner.
pub fn pairs(code: &str) -> (Vec<Pair>, Vec<Unpaired>) {
    let mut found = Vec::new();
    let mut unpaired = Vec::new();
    let mut english: Option<Range<usize>> = None;
    let mut chinese: Option<Range<usize>> = None;
    let lines = code.lines().map(language).chain([None]);
    for (number, line) in lines.enumerate() {
        if line == Some(Line::Chinese) {
            let start = chinese.take().map_or(number, |run| run.start);
            chinese = Some(start..number + 1);
            continue;
        }
        if let Some(chinese) = chinese.take() {
            match english.take() {
                Some(english) => found.push(Pair { english, chinese }),
                None => unpaired.push(Unpaired::NoEnglish(chinese.start)),
            }
        }
        match line {
            Some(_) => {
                let start = english.take().map_or(number, |run| run.start);
                english = Some(start..number + 1);
            }
            None => unpaired.extend(english.take().map(|run| Unpaired::NoChinese(run.start))),
        }
    }
    (found, unpaired)
}

/// The code with the comments of one language only.
pub fn keep(code: &str, comments: Comments) -> String {
    let (pairs, _) = pairs(code);
    let dropped = |number: usize| {
        pairs.iter().any(|pair| match comments {
            Comments::En => pair.chinese.contains(&number),
            Comments::Zh => pair.english.contains(&number),
            Comments::Both => false,
        })
    };
    let lines = code.split_inclusive('\n').enumerate();
    let kept = lines.filter(|(number, _)| !dropped(*number));
    kept.map(|(_, line)| line).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    English,
    Chinese,
}

/// The language of a line that is a comment; none for code and blank lines.
/// A comment without a letter (a rule, a number) belongs to neither.
fn language(line: &str) -> Option<Line> {
    let comment = line.trim_start().strip_prefix("//")?;
    if has_han(comment) {
        Some(Line::Chinese)
    } else if comment.chars().any(char::is_alphabetic) {
        Some(Line::English)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "// Ask\n// twice.\n// 询问两次。\nask();\n\n// Next.\n// 下一步。\n";

    #[test]
    fn english_lines_pair_with_the_chinese_lines_that_follow() {
        let (pairs, unpaired) = pairs(CODE);
        assert_eq!(pairs.len(), 2);
        assert_eq!(
            (pairs[0].english.clone(), pairs[0].chinese.clone()),
            (0..2, 2..3)
        );
        assert_eq!(unpaired, []);
    }

    #[test]
    fn a_comment_in_one_language_is_unpaired() {
        assert_eq!(pairs("// Ask.\nask();\n").1, [Unpaired::NoChinese(0)]);
        assert_eq!(pairs("ask();\n// 询问。\n").1, [Unpaired::NoEnglish(1)]);
        assert_eq!(
            pairs("// Ask.\n// 询问。\n// Again.\n").1,
            [Unpaired::NoChinese(2)]
        );
    }

    #[test]
    fn either_language_can_be_dropped() {
        assert_eq!(
            keep(CODE, Comments::Zh),
            "// 询问两次。\nask();\n\n// 下一步。\n"
        );
        assert_eq!(
            keep(CODE, Comments::En),
            "// Ask\n// twice.\nask();\n\n// Next.\n"
        );
        assert_eq!(keep(CODE, Comments::Both), CODE);
    }
}
