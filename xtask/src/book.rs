//! The whole book: chapters and their snippets, checked against each other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::chapter::Chapter;
use crate::declare::Declaration;
use crate::diagnose::Sources;
use crate::gather::{self, Gathered, Piece};
use crate::passage;
use crate::problem::Problem;
use crate::snippet::{Language, Snippet, Span};
use crate::summary;

/// What `book/src` holds.
#[derive(Debug)]
pub struct Book {
    /// Of the repository.
    pub root: PathBuf,
    /// In the order of `SUMMARY.md`.
    pub chapters: Vec<Chapter>,
    /// In the order in which they are declared.
    pub snippets: Vec<Snippet>,
    /// Everything an author must mend.
    pub problems: Vec<Problem>,
    pub sources: Sources,
}

impl Book {
    /// Reads every chapter and finds every problem. What a problem makes
    /// unreadable is left out of `snippets`.
    pub fn read(root: &Path) -> Book {
        let mut sources = Sources::default();
        let (chapters, mut problems) = summary::read_all(root, &mut sources);
        let mut declarations = Vec::new();
        for chapter in &chapters {
            let (_, unpaired) = passage::passages(chapter);
            problems.extend(unpaired);
            let mut gathered = gather::gather(chapter);
            problems.append(&mut gathered.problems);
            problems.extend(orphans(&gathered));
            declarations.extend(with_code(gathered, &mut problems));
        }
        problems.extend(duplicates(&declarations));
        let hidden = problems.iter().any(Problem::hides_snippets);
        problems.extend(wrong_uses(&declarations, hidden));
        problems.extend(cycles(&declarations));
        Book {
            root: root.to_path_buf(),
            chapters,
            snippets: declarations.into_iter().map(|d| d.snippet).collect(),
            problems,
            sources,
        }
    }

    pub fn snippet(&self, id: &str) -> Option<&Snippet> {
        self.snippets.iter().find(|snippet| snippet.id == id)
    }

    pub fn chapter(&self, path: &Path) -> Option<&Chapter> {
        self.chapters.iter().find(|chapter| chapter.path == path)
    }

    /// The snippets whose library parts a snippet needs, itself not among
    /// them: each after those it uses itself.
    pub fn closure<'a>(&'a self, snippet: &'a Snippet) -> Vec<&'a Snippet> {
        let mut found = Vec::new();
        self.collect(snippet, &mut vec![&snippet.id], &mut found);
        found
    }

    fn collect<'a>(
        &'a self,
        snippet: &'a Snippet,
        path: &mut Vec<&'a String>,
        found: &mut Vec<&'a Snippet>,
    ) {
        for used in snippet.uses.iter().filter_map(|id| self.snippet(id)) {
            let known = found.iter().any(|f| f.id == used.id);
            if known || path.contains(&&used.id) {
                continue;
            }
            path.push(&used.id);
            self.collect(used, path, found);
            path.pop();
            found.push(used);
        }
    }
}

/// Code whose id the chapter does not declare.
fn orphans(gathered: &Gathered) -> Vec<Problem> {
    let declared: Vec<&str> = gathered
        .declarations
        .iter()
        .map(|d| d.snippet.id.as_str())
        .collect();
    let mut told: Vec<&str> = Vec::new();
    let mut problems = Vec::new();
    for Piece { id, id_at, .. } in &gathered.pieces {
        if declared.contains(&id.as_str()) || told.contains(&id.as_str()) {
            continue;
        }
        told.push(id);
        let problem = Problem::new(
            "undeclared",
            format!("the chapter has no declaration of snippet `{id}`"),
            format!("本章没有示例 `{id}` 的声明"),
        );
        problems.push(problem.at(id_at, "").help(
            format!("add a `toml snippet` block with `id = \"{id}\"` after its code, in the same chapter"),
            format!("请在同一章、代码之后加一个含 `id = \"{id}\"` 的 `toml snippet` 块"),
        ));
    }
    problems
}

/// The declarations with their code, checked for completeness.
fn with_code(gathered: Gathered, problems: &mut Vec<Problem>) -> Vec<Declaration> {
    let mut declarations = gathered.declarations.clone();
    for declaration in &mut declarations {
        let id = declaration.snippet.id.clone();
        declaration.snippet.code = gathered.code_of(&id);
        problems.extend(incomplete(declaration));
        let twice = gathered.declarations.iter().filter(|d| d.snippet.id == id);
        if twice.count() > 1 {
            // Told as a duplicate, at both places.
            continue;
        }
        let after = gathered.pieces.iter().find(|piece| {
            piece.id == id && piece.id_at.bytes.start > declaration.id_at.bytes.start
        });
        problems.extend(after.map(|piece| code_after(&id, piece, &declaration.id_at)));
    }
    declarations
}

fn code_after(id: &str, piece: &Piece, declared: &Span) -> Problem {
    Problem::new(
        "code-after-declaration",
        format!("code of `{id}` stands after its declaration"),
        format!("`{id}` 的代码写在了声明之后"),
    )
    .at(&piece.id_at, "")
    .at(declared, "declared here / 声明在此")
    .help(
        "move the declaration after all code of the snippet",
        "请把声明移到该示例的全部代码之后",
    )
}

fn incomplete(declaration: &Declaration) -> Vec<Problem> {
    let snippet = &declaration.snippet;
    let id = &snippet.id;
    if snippet.code.is_empty() {
        let problem = Problem::new(
            "no-code",
            format!("snippet `{id}` is declared but has no code"),
            format!("示例 `{id}` 有声明但没有代码"),
        );
        return vec![problem.at(&declaration.id_at, "").help(
            format!("write ```c id={id} main and ```rust id={id} main fences before it"),
            format!("请在声明前写 ```c id={id} main 与 ```rust id={id} main 代码块"),
        )];
    }
    let mut problems = Vec::new();
    for language in Language::ALL {
        let name = language.name();
        let problem = match snippet.code.get(&language) {
            None => Problem::new(
                "missing-language",
                format!("snippet `{id}` has no {name} variant"),
                format!("示例 `{id}` 缺少 {name} 版本"),
            ),
            Some(blocks) if blocks.iter().all(|block| !block.main) => Problem::new(
                "no-main",
                format!("the {name} variant of `{id}` has no entry point"),
                format!("`{id}` 的 {name} 版本没有入口"),
            ),
            Some(_) => continue,
        };
        problems.push(problem.at(&declaration.id_at, "").help(
            format!("add a fence ```{name} id={id} main before the declaration"),
            format!("请在声明前加代码块 ```{name} id={id} main"),
        ));
    }
    problems
}

fn duplicates(declarations: &[Declaration]) -> Vec<Problem> {
    let mut first: BTreeMap<&str, &Span> = BTreeMap::new();
    let mut problems = Vec::new();
    for declaration in declarations {
        let id = declaration.snippet.id.as_str();
        match first.get(id) {
            None => {
                first.insert(id, &declaration.id_at);
            }
            Some(earlier) => problems.push(
                Problem::new(
                    "duplicate-id",
                    format!("snippet `{id}` is declared twice"),
                    format!("示例 `{id}` 被声明了两次"),
                )
                .at(&declaration.id_at, "again / 再次声明")
                .at(earlier, "first / 首次声明")
                .help("give one of them another id", "请给其中一个换一个 id"),
            ),
        }
    }
    problems
}

/// `hidden`: a snippet that is used may well be there and cannot be read, which
/// was told; to call it unknown as well would bury that.
fn wrong_uses(declarations: &[Declaration], hidden: bool) -> Vec<Problem> {
    let find = |id: &str| declarations.iter().find(|d| d.snippet.id == id);
    let ids = || declarations.iter().map(|d| d.snippet.id.as_str());
    let mut problems = Vec::new();
    for declaration in declarations {
        let places = declaration.snippet.uses.iter().zip(&declaration.uses_at);
        for (used, at) in places {
            match find(used) {
                None if hidden => {}
                None => problems.push(
                    Problem::new(
                        "unknown-use",
                        format!("`uses` names an unknown snippet `{used}`"),
                        format!("`uses` 引用了未知的示例 `{used}`"),
                    )
                    .at(at, "")
                    .suggest(used, ids()),
                ),
                Some(other) if !other.snippet.compile_error.is_empty() => problems.push(
                    Problem::new(
                        "uses-broken",
                        format!("`uses` names `{used}`, which does not compile on purpose"),
                        format!("`uses` 引用了有意不能编译的 `{used}`"),
                    )
                    .at(at, "")
                    .help("use another snippet", "请改用别的示例"),
                ),
                Some(_) => {}
            }
        }
    }
    problems
}

/// Each ring of `uses` once, told at its first member.
fn cycles(declarations: &[Declaration]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut known: Vec<Vec<&str>> = Vec::new();
    for declaration in declarations {
        let start = declaration.snippet.id.as_str();
        let Some(ring) = ring(declarations, start) else {
            continue;
        };
        let mut members = ring.clone();
        members.sort_unstable();
        if known.contains(&members) {
            continue;
        }
        known.push(members);
        let shown = ring.iter().chain([&start]).copied().collect::<Vec<_>>();
        let shown = shown.join(" → ");
        let next = ring.get(1).copied().unwrap_or(start);
        let uses = declaration.snippet.uses.iter();
        let place = uses.zip(&declaration.uses_at).find(|u| u.0 == next);
        let at = place.map_or(&declaration.id_at, |u| u.1);
        problems.push(
            Problem::new(
                "cycle",
                format!("`uses` goes in a circle: {shown}"),
                format!("`uses` 形成了环：{shown}"),
            )
            .at(at, "")
            .help(
                "take one of these names out of `uses`",
                "请从 `uses` 中去掉其中一个",
            ),
        );
    }
    problems
}

/// The shortest way from a snippet back to itself.
fn ring<'a>(declarations: &'a [Declaration], start: &'a str) -> Option<Vec<&'a str>> {
    let mut ways = std::collections::VecDeque::from([vec![start]]);
    let mut seen = Vec::new();
    while let Some(way) = ways.pop_front() {
        let last = way[way.len() - 1];
        let Some(declaration) = declarations.iter().find(|d| d.snippet.id == last) else {
            continue;
        };
        for used in &declaration.snippet.uses {
            if used == start {
                return Some(way);
            }
            if !seen.contains(&used.as_str()) {
                seen.push(used);
                ways.push_back(way.iter().copied().chain([used.as_str()]).collect());
            }
        }
    }
    None
}
