//! Collects the code of one chapter: its snippet fences, joined by id and
//! language.

use std::collections::BTreeMap;

use crate::chapter::Chapter;
use crate::comment::{self, Unpaired};
use crate::declare::{self, Declaration};
use crate::fence::{Fence, Word};
use crate::problem::Problem;
use crate::snippet::{Block, Language, Span};
use crate::stray::stray_comments;

/// What one chapter holds of snippets.
#[derive(Debug, Default)]
pub struct Gathered {
    pub declarations: Vec<Declaration>,
    pub pieces: Vec<Piece>,
    pub problems: Vec<Problem>,
}

/// One code fence with an id.
#[derive(Clone, Debug)]
pub struct Piece {
    pub id: String,
    pub id_at: Span,
    pub language: Language,
    pub block: Block,
}

const ATTRIBUTES: [&str; 2] = ["id=", "main"];

pub fn gather(chapter: &Chapter) -> Gathered {
    let mut gathered = Gathered::default();
    for fence in &chapter.fences {
        gathered.fence(chapter, fence);
    }
    gathered
}

impl Gathered {
    fn fence(&mut self, chapter: &Chapter, fence: &Fence) {
        let Some((language, attributes)) = fence.words.split_first() else {
            return;
        };
        if attributes.is_empty() {
            return;
        }
        let before = self.problems.len();
        if language.text == "toml" {
            self.declaration(chapter, fence, attributes);
        } else {
            self.code(chapter, fence, language, attributes);
        }
        if !fence.closed && self.problems.len() == before {
            let problem = Problem::new(
                "open-fence",
                "the fence is never closed",
                "代码块没有结束标记",
            );
            let help = (
                "end it with a line of three backticks",
                "请以一行三个反引号结束",
            );
            let at = opening(chapter, fence);
            self.problems.push(problem.at(&at, "").help(help.0, help.1));
        }
    }

    fn declaration(&mut self, chapter: &Chapter, fence: &Fence, attributes: &[Word]) {
        for word in attributes {
            if word.text != "snippet" {
                self.problems.push(unknown_attribute(word, ["snippet"]));
            }
        }
        if attributes.iter().all(|word| word.text != "snippet") {
            return;
        }
        let (declaration, problems) = declare::parse(chapter, fence);
        self.declarations.extend(declaration);
        self.problems.extend(problems);
    }

    fn code(&mut self, chapter: &Chapter, fence: &Fence, language: &Word, attributes: &[Word]) {
        let mut id = None;
        let mut main = false;
        for word in attributes {
            match word.text.as_str() {
                "main" => main = true,
                text => match text.strip_prefix("id=") {
                    Some(name) if !name.is_empty() => id = Some((name.to_string(), word)),
                    _ => self.problems.push(unknown_attribute(word, ATTRIBUTES)),
                },
            }
        }
        let Some((id, word)) = id else {
            if main {
                self.problems.push(no_id(language));
            }
            return;
        };
        let known = Language::ALL
            .into_iter()
            .find(|l| l.name() == language.text);
        let Some(known) = known else {
            self.problems.push(unknown_language(language));
            return;
        };
        if fence.quoted {
            self.problems.push(quoted_code(&word.at));
            return;
        }
        let block = block(chapter, fence, known, main);
        if block.code.trim().is_empty() {
            self.problems.push(empty_block(&opening(chapter, fence)));
        }
        self.problems.extend(unpaired(chapter, &block));
        self.problems.extend(stray(chapter, &block));
        self.pieces.push(Piece {
            id,
            id_at: word.at.clone(),
            language: known,
            block,
        });
    }

    /// The pieces of one id, by language.
    pub fn code_of(&self, id: &str) -> BTreeMap<Language, Vec<Block>> {
        let mut code: BTreeMap<Language, Vec<Block>> = BTreeMap::new();
        for piece in self.pieces.iter().filter(|piece| piece.id == id) {
            code.entry(piece.language)
                .or_default()
                .push(piece.block.clone());
        }
        code
    }
}

/// The code without its hidden-line marks, each line with its place.
fn block(chapter: &Chapter, fence: &Fence, language: Language, main: bool) -> Block {
    let mut code = String::new();
    let mut starts = Vec::new();
    for (line, &start) in fence
        .code
        .text
        .split_inclusive('\n')
        .zip(&fence.code.starts)
    {
        let stripped = visible(line, language);
        starts.push(start + (line.len() - stripped.len()));
        code.push_str(stripped);
    }
    let first = fence.code.starts.first().copied();
    let at = match first {
        Some(start) => chapter.span(start..start + fence.code.text.len()),
        None => opening(chapter, fence),
    };
    Block {
        main,
        at,
        code,
        starts,
    }
}

/// A line without the mark that hides it: `~` in C, `# ` (or `#` alone) in
/// Rust, where mdBook allows white space before the mark.
fn visible(line: &str, language: Language) -> &str {
    match language {
        Language::C => line.strip_prefix('~').unwrap_or(line),
        Language::Rust => {
            let text = line.trim_start_matches([' ', '\t']);
            match text.strip_prefix('#') {
                Some(rest) if rest.trim().is_empty() => rest,
                Some(rest) => rest.strip_prefix(' ').unwrap_or(line),
                None => line,
            }
        }
    }
}

fn opening(chapter: &Chapter, fence: &Fence) -> Span {
    let first_line = chapter.slice(&fence.at.bytes).lines().next().unwrap_or("");
    let start = fence.at.bytes.start;
    chapter.span(start..start + first_line.len())
}

fn unknown_attribute<'a>(word: &Word, known: impl IntoIterator<Item = &'a str>) -> Problem {
    let name = word.text.split_inclusive('=').next().unwrap_or("");
    Problem::new(
        "unknown-attribute",
        format!("unknown attribute `{}` of a fence", word.text),
        format!("代码块有未知属性 `{}`", word.text),
    )
    .at(&word.at, "")
    .suggest(name, known)
}

fn no_id(language: &Word) -> Problem {
    Problem::new(
        "no-id",
        "a `main` fence names no snippet",
        "`main` 代码块没有写明示例的 id",
    )
    .at(&language.at, "")
    .help(
        "write `id=NAME` before `main`",
        "请在 `main` 前写 `id=名称`",
    )
}

fn unknown_language(language: &Word) -> Problem {
    Problem::new(
        "unknown-language",
        format!("a snippet cannot be written in `{}`", language.text),
        format!("示例不能用 `{}` 编写", language.text),
    )
    .at(&language.at, "")
    .suggest(&language.text, Language::ALL.map(Language::name))
}

fn quoted_code(at: &Span) -> Problem {
    Problem::new(
        "quoted-code",
        "snippet code stands inside a blockquote",
        "示例代码写在了引用块里",
    )
    .at(at, "")
    .help(
        "move it out: blockquotes hold the Chinese text of a passage",
        "请移出：引用块只用于段落的中文",
    )
}

fn empty_block(at: &Span) -> Problem {
    Problem::new("empty-block", "the fence holds no code", "代码块是空的")
        .at(at, "")
        .help("write its code or remove it", "请写入代码，或删除它")
}

fn unpaired(chapter: &Chapter, block: &Block) -> Vec<Problem> {
    let (_, unpaired) = comment::pairs(&block.code);
    let place = |line: usize| {
        let text = block.code.lines().nth(line).unwrap_or("");
        let indent = text.len() - text.trim_start().len();
        let start = block.starts[line] + indent;
        chapter.span(start..start + text.trim().len())
    };
    let problem = |unpaired: Unpaired| match unpaired {
        Unpaired::NoChinese(line) => Problem::new(
            "comment-language",
            "the comment has no Chinese partner",
            "这条注释没有对应的中文",
        )
        .at(&place(line), "")
        .help(
            "put a Chinese `//` line directly after it",
            "请在其后紧接一行中文 `//` 注释",
        ),
        Unpaired::NoEnglish(line) => Problem::new(
            "comment-language",
            "the comment has no English partner",
            "这条注释没有对应的英文",
        )
        .at(&place(line), "")
        .help(
            "put an English `//` line directly before it",
            "请在其前紧接一行英文 `//` 注释",
        ),
    };
    unpaired.into_iter().map(problem).collect()
}

fn stray(chapter: &Chapter, block: &Block) -> Vec<Problem> {
    let problem = |at: usize| {
        let line = block.code[..at].matches('\n').count();
        let line_start = block.code[..at].rfind('\n').map_or(0, |n| n + 1);
        let start = block.starts[line] + (at - line_start);
        let length = block.code[at..].lines().next().map_or(0, str::len);
        Problem::new(
            "stray-comment",
            "the comment is not a line of its own",
            "注释没有独占一行",
        )
        .at(&chapter.span(start..start + length), "")
        .help(
            "write an English and a Chinese `//` line before the code",
            "请在代码之前写一行英文和一行中文 `//` 注释",
        )
    };
    stray_comments(&block.code)
        .into_iter()
        .map(problem)
        .collect()
}
