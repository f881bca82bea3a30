//! Panels: what the records say about a snippet, as HTML in its page.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::Result;
use handlebars::Handlebars;
use serde::Serialize;

use crate::differ::{Difference, first_difference};
use crate::page_state::PageState;
use crate::program_view::{Label, Program};
use crate::record::{COMPILE, Record};
use crate::records::Records;
use crate::snippet::{Language, Snippet};
use crate::visible;

static TEMPLATES: LazyLock<Handlebars<'static>> = LazyLock::new(|| {
    let mut templates = Handlebars::new();
    templates.set_strict_mode(true);
    templates.register_escape_fn(visible::html);
    for (name, text) in [
        ("panel", include_str!("../templates/panel.hbs")),
        ("line", include_str!("../templates/line.hbs")),
        ("program", include_str!("../templates/program.hbs")),
        ("role", include_str!("../templates/role.hbs")),
    ] {
        templates
            .register_template_string(name, text)
            .expect("the templates of this crate parse");
    }
    templates
});

#[derive(Serialize)]
struct Panel {
    id: String,
    title: Label,
    expectations: Vec<String>,
    /// Nothing is measured yet: the expectations are all there is.
    predicted: bool,
    lines: Vec<Line>,
}

/// One testbed, or the statement that there is none.
#[derive(Serialize)]
struct Line {
    state: PageState,
    symbol: &'static str,
    verdict: Label,
    /// Testbed, driver and kernel.
    place: String,
    note: Option<Label>,
    difference: Option<Shown>,
    programs: Vec<Program>,
}

#[derive(Serialize)]
struct Shown {
    role: String,
    place: String,
    left: String,
    right: String,
}

impl From<Difference> for Shown {
    fn from(difference: Difference) -> Shown {
        let Difference {
            role,
            place,
            left,
            right,
        } = difference;
        Shown {
            role,
            place,
            left,
            right,
        }
    }
}

/// The panel of one snippet: what it expects and a line for each testbed.
/// `hashes` are those of the chapter as it is now. The HTML has no empty
/// line, so that Markdown takes it as one block.
pub fn panel(
    snippet: &Snippet,
    records: &Records,
    hashes: &BTreeMap<Language, String>,
) -> Result<String> {
    let mut lines: Vec<Line> = records
        .of(&snippet.id)
        .filter_map(|record| line(snippet, record, hashes))
        .collect();
    let unmeasured: Vec<Language> = Language::ALL
        .into_iter()
        .filter(|l| hashes.contains_key(l))
        .filter(|l| records.of(&snippet.id).all(|r| r.run(*l).is_none()))
        .collect();
    if !unmeasured.is_empty() {
        lines.push(nothing(&unmeasured, lines.is_empty()));
    }
    let panel = Panel {
        id: snippet.id.clone(),
        title: Label::new(&snippet.title.en, &snippet.title.zh),
        expectations: expectations(snippet),
        predicted: lines.iter().all(|line| line.programs.is_empty()),
        lines,
    };
    let html = TEMPLATES.render("panel", &panel)?;
    Ok(html
        .lines()
        .filter(|l| !l.trim().is_empty())
        .flat_map(|l| [l, "\n"])
        .collect())
}

fn expectations(snippet: &Snippet) -> Vec<String> {
    let compiled = snippet
        .compile_error
        .iter()
        .map(|(language, text)| format!("{} compiler says {text:?}", display_name(*language)));
    let run = snippet.expect.iter().map(|e| e.text.clone());
    compiled.chain(run).collect()
}

/// The languages that a testbed's record should hold.
fn expected_in<'a>(
    snippet: &'a Snippet,
    testbed: &'a str,
    hashes: &'a BTreeMap<Language, String>,
) -> impl Iterator<Item = (Language, &'a str)> {
    hashes
        .iter()
        .filter(move |(l, _)| snippet.compile_error.contains_key(l) == (testbed == COMPILE))
        .map(|(language, hash)| (*language, hash.as_str()))
}

fn line(snippet: &Snippet, record: &Record, hashes: &BTreeMap<Language, String>) -> Option<Line> {
    let runs: Vec<_> = expected_in(snippet, &record.testbed, hashes)
        .filter_map(|(language, hash)| Some((language, record.run(language)?, hash)))
        .map(|(language, run, hash)| (language, run, PageState::of(Some(run), hash)))
        .collect();
    let state = runs.iter().map(|(_, _, state)| *state).min()?;
    let (_, first, _) = runs.first()?;
    let mut difference = None;
    let mut note = None;
    let programs = match runs.as_slice() {
        [(_, c, c_state), (_, rust, rust_state)] => {
            difference = first_difference(&c.roles, &rust.roles);
            let alike = c_state == rust_state
                && c.provenance.testbed == rust.provenance.testbed
                && c.reasons == rust.reasons
                && c.compile_error == rust.compile_error;
            if alike && difference.is_none() {
                note = Some(Label::new("C and Rust agree", "C 与 Rust 一致"));
                vec![Program::both(c, rust, state)]
            } else {
                runs.iter()
                    .map(|(language, run, state)| Program::one(*language, run, *state))
                    .collect()
            }
        }
        runs => runs
            .iter()
            .map(|(language, run, state)| Program::one(*language, run, *state))
            .collect(),
    };
    Some(Line {
        state,
        symbol: state.symbol(),
        verdict: Label::of(state.verdict()),
        place: place(record, &first.provenance.testbed),
        note,
        // Of a stale or failed program a difference says nothing new.
        difference: difference
            .filter(|_| state == PageState::Measured)
            .map(Shown::from),
        programs,
    })
}

fn place(record: &Record, provenance: &protocol::report::Provenance) -> String {
    if record.testbed == COMPILE {
        return String::new();
    }
    let mut parts = vec![record.testbed.clone()];
    parts.extend((!provenance.driver.is_empty()).then(|| provenance.driver.clone()));
    parts.extend((!provenance.kernel.is_empty()).then(|| format!("Linux {}", provenance.kernel)));
    parts.join(" · ")
}

/// Says which programs no testbed has measured.
fn nothing(languages: &[Language], all: bool) -> Line {
    let names: Vec<&str> = languages.iter().map(|l| display_name(*l)).collect();
    let note = match all {
        true => Label::new(
            "what must happen is predicted above, no record shows it yet",
            "以上是预期的行为，尚无记录证实",
        ),
        false => Label::new(&names.join(", "), ""),
    };
    Line {
        state: PageState::Unmeasured,
        symbol: PageState::Unmeasured.symbol(),
        verdict: Label::of(PageState::Unmeasured.verdict()),
        place: String::new(),
        note: Some(note),
        difference: None,
        programs: Vec::new(),
    }
}

/// As a reader knows the language.
pub fn display_name(language: Language) -> &'static str {
    match language {
        Language::C => "C",
        Language::Rust => "Rust",
    }
}
