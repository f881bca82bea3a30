//! A snippet's declaration: the `toml snippet` block after its code.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::chapter::Chapter;
use crate::expect;
use crate::fence::Fence;
use crate::id;
use crate::problem::Problem;
use crate::snippet::{Bilingual, Expectation, Language, Snippet, Span};

/// What may stand in a declaration.
pub const KEYS: [&str; 11] = [
    "id",
    "title",
    "title_zh",
    "nodes",
    "uses",
    "expect",
    "reference",
    "optional",
    "unprivileged",
    "memlock",
    "timeout",
];

const COMPILE_ERROR: &str = "compile_error";

/// A snippet without its code, and where its parts stand.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub snippet: Snippet,
    pub id_at: Span,
    /// One for each of `snippet.uses`.
    pub uses_at: Vec<Span>,
}

/// Reads one declaration; none when it has no usable id.
pub fn parse(chapter: &Chapter, fence: &Fence) -> (Option<Declaration>, Vec<Problem>) {
    let (table, errors) = DeTable::parse_recoverable(&fence.code.text);
    let mut reader = Reader {
        chapter,
        fence,
        problems: Vec::new(),
    };
    for error in &errors {
        let at = reader.span(error.span().unwrap_or(0..0));
        let problem = Problem::new(
            "bad-toml",
            format!("the declaration is not TOML: {}", error.message()),
            format!("声明不是合法的 TOML：{}", error.message()),
        );
        let help = ("write `key = value` lines", "请写成 `key = value` 的形式");
        reader
            .problems
            .push(problem.at(&at, "").help(help.0, help.1));
    }
    let declaration = reader.declaration(table.get_ref());
    let problems = if errors.is_empty() {
        reader.problems
    } else {
        // What follows from broken TOML would only repeat it.
        reader.problems.truncate(errors.len());
        reader.problems
    };
    (declaration, problems)
}

struct Reader<'a> {
    chapter: &'a Chapter,
    fence: &'a Fence,
    problems: Vec<Problem>,
}

type Value<'i> = Spanned<DeValue<'i>>;

impl Reader<'_> {
    fn declaration(&mut self, table: &DeTable) -> Option<Declaration> {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !KEYS.contains(&name) && name != COMPILE_ERROR {
                let at = self.span(key.span());
                self.problems.push(
                    Problem::new(
                        "unknown-attribute",
                        format!("unknown attribute `{name}` in a declaration"),
                        format!("声明中有未知属性 `{name}`"),
                    )
                    .at(&at, "")
                    .suggest(name, KEYS.into_iter().chain([COMPILE_ERROR])),
                );
            }
        }
        let (uses, uses_at) = self.uses(table);
        let title = Bilingual::new(
            self.required(table, "title"),
            self.required(table, "title_zh"),
        );
        let id = self.required(table, "id");
        let id_at = match table.get("id") {
            Some(value) => self.span(value.span()),
            None => self.fence.at.clone(),
        };
        if !id.is_empty() {
            self.problems
                .extend(id::bad_id(&id).map(|p| p.at(&id_at, "")));
        }
        let snippet = Snippet {
            title,
            declared: self.fence.at.clone(),
            nodes: self.nodes(table),
            uses,
            reference: self.flag(table, "reference"),
            optional: self.flag(table, "optional"),
            unprivileged: self.flag(table, "unprivileged"),
            memlock: self.memlock(table),
            timeout: self.timeout(table),
            compile_error: self.compile_error(table),
            expect: Vec::new(),
            code: BTreeMap::new(),
            id,
        };
        let expect = self.expect(table, snippet.nodes);
        (!snippet.id.is_empty()).then_some(Declaration {
            snippet: Snippet { expect, ..snippet },
            id_at,
            uses_at,
        })
    }

    fn required(&mut self, table: &DeTable, key: &str) -> String {
        let Some(value) = table.get(key) else {
            let problem = Problem::new(
                "missing-attribute",
                format!("the declaration lacks `{key}`"),
                format!("声明缺少 `{key}`"),
            );
            let at = self.fence.at.clone();
            self.problems.push(problem.at(&at, "").help(
                format!("add `{key} = \"…\"`"),
                format!("请加上 `{key} = \"…\"`"),
            ));
            return String::new();
        };
        match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => text.to_string(),
            _ => {
                self.bad(key, value, "a text that is not empty", "非空文本");
                String::new()
            }
        }
    }

    fn flag(&mut self, table: &DeTable, key: &str) -> bool {
        let Some(value) = table.get(key) else {
            return false;
        };
        value.get_ref().as_bool().unwrap_or_else(|| {
            self.bad(key, value, "`true` or `false`", "`true` 或 `false`");
            false
        })
    }

    fn nodes(&mut self, table: &DeTable) -> u8 {
        let Some(value) = table.get("nodes") else {
            return 1;
        };
        match integer(value) {
            Some(nodes @ 1..=2) => nodes as u8,
            _ => {
                self.bad("nodes", value, "1 or 2", "1 或 2");
                1
            }
        }
    }

    fn memlock(&mut self, table: &DeTable) -> Option<u64> {
        let value = table.get("memlock")?;
        if integer(value).is_none() {
            self.bad("memlock", value, "a number of bytes", "字节数");
        }
        integer(value)
    }

    fn timeout(&mut self, table: &DeTable) -> Option<Duration> {
        let value = table.get("timeout")?;
        let seconds = value.get_ref().as_str().and_then(|text| {
            let number: u64 = text.strip_suffix('s')?.parse().ok()?;
            (1..=600).contains(&number).then_some(number)
        });
        if seconds.is_none() {
            let (en, zh) = (
                "seconds from \"1s\" to \"600s\"",
                "\"1s\" 到 \"600s\" 的秒数",
            );
            self.bad("timeout", value, en, zh);
        }
        seconds.map(Duration::from_secs)
    }

    fn uses(&mut self, table: &DeTable) -> (Vec<String>, Vec<Span>) {
        let mut uses = Vec::new();
        let mut places = Vec::new();
        for (text, at) in self.texts(table, "uses") {
            let at = self.span(at);
            if uses.contains(&text) {
                let problem = Problem::new(
                    "repeated-use",
                    format!("`uses` names `{text}` twice"),
                    format!("`uses` 重复写了 `{text}`"),
                );
                let help = ("remove one of them", "请删去其中一个");
                self.problems.push(problem.at(&at, "").help(help.0, help.1));
                continue;
            }
            uses.push(text);
            places.push(at);
        }
        (uses, places)
    }

    fn expect(&mut self, table: &DeTable, nodes: u8) -> Vec<Expectation> {
        let mut found = Vec::new();
        for (text, token) in self.texts(table, "expect") {
            match expect::parse(&text) {
                Ok(line) => {
                    let at = self.span(token);
                    self.problems.extend(wrong_role(&line, nodes, &at));
                    found.push(Expectation {
                        at,
                        text,
                        role: line.role,
                        condition: line.condition,
                        expected: line.expected,
                    });
                }
                Err(mistake) => {
                    let at = self.within(&token, &text[mistake.at]);
                    let problem = Problem {
                        title: mistake.title,
                        ..Problem::new(mistake.code, "", "")
                    };
                    let help = mistake.help;
                    self.problems
                        .push(problem.at(&at, "").help(help.en, help.zh));
                }
            }
        }
        found
    }

    fn compile_error(&mut self, table: &DeTable) -> BTreeMap<Language, String> {
        let mut found = BTreeMap::new();
        let Some(value) = table.get(COMPILE_ERROR) else {
            return found;
        };
        let form = (
            "`{ c = \"text\", rust = \"text\" }`",
            "`{ c = \"文本\", rust = \"文本\" }`",
        );
        let Some(languages) = value.get_ref().as_table().filter(|t| !t.is_empty()) else {
            self.bad(COMPILE_ERROR, value, form.0, form.1);
            return found;
        };
        for (name, text) in languages {
            let known: &str = name.get_ref();
            let language = Language::ALL.into_iter().find(|l| l.name() == known);
            match (language, text.get_ref().as_str()) {
                (Some(language), Some(text)) if !text.is_empty() => {
                    found.insert(language, text.to_string());
                }
                _ => self.bad(COMPILE_ERROR, value, form.0, form.1),
            }
        }
        found
    }

    /// The strings of an array, each with its range in the code.
    fn texts(&mut self, table: &DeTable, key: &str) -> Vec<(String, Range<usize>)> {
        let Some(value) = table.get(key) else {
            return Vec::new();
        };
        let (en, zh) = ("a list of texts", "文本列表");
        let Some(items) = value.get_ref().as_array() else {
            self.bad(key, value, en, zh);
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_str() {
                Some(text) => found.push((text.to_string(), item.span())),
                None => self.bad(key, item, en, zh),
            }
        }
        found
    }

    fn bad(&mut self, key: &str, value: &Value, en: &str, zh: &str) {
        let problem = Problem::new(
            "bad-value",
            format!("`{key}` has a value that it cannot take"),
            format!("`{key}` 的值不合法"),
        );
        let at = self.span(value.span());
        self.problems.push(
            problem
                .at(&at, "")
                .help(format!("`{key}` takes {en}"), format!("`{key}` 应为：{zh}")),
        );
    }

    fn span(&self, in_code: Range<usize>) -> Span {
        self.chapter.span(self.fence.code.in_chapter(in_code))
    }

    /// The place of a word inside the token that spells it, or the token when
    /// escapes hide the word.
    fn within(&self, token: &Range<usize>, word: &str) -> Span {
        let raw = &self.fence.code.text[token.clone()];
        match raw.find(word) {
            Some(at) => {
                let start = token.start + at;
                self.span(start..start + word.len())
            }
            None => self.span(token.clone()),
        }
    }
}

fn integer(value: &Value) -> Option<u64> {
    let integer = value.get_ref().as_integer()?;
    let digits = integer.as_str().replace('_', "");
    u64::from_str_radix(&digits, integer.radix()).ok()
}

fn wrong_role(line: &expect::Line, nodes: u8, at: &Span) -> Option<Problem> {
    use protocol::job::Role;
    let role = line.role?;
    if (role == Role::Single) == (nodes == 1) {
        return None;
    }
    let problem = Problem::new(
        "wrong-role",
        format!("a snippet on {nodes} node(s) has no role `{}`", role.name()),
        format!("运行在 {nodes} 个节点上的示例没有角色 `{}`", role.name()),
    );
    Some(problem.at(at, "").help(
        "one node: `single`; two nodes (`nodes = 2`): `server` and `client`",
        "一个节点用 `single`；两个节点（`nodes = 2`）用 `server` 与 `client`",
    ))
}
