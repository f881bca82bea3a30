//! Problems as text for a terminal: message, place, excerpt, next step, in
//! both languages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::problem::{Label, Problem};

/// Texts that excerpts are taken from, by the path their spans carry.
#[derive(Clone, Debug, Default)]
pub struct Sources(BTreeMap<PathBuf, String>);

impl Sources {
    pub fn insert(&mut self, path: PathBuf, text: String) {
        self.0.insert(path, text);
    }

    pub fn get(&self, path: &Path) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// All problems, each once, in the order of the book's files and lines.
    pub fn render(&self, problems: &[Problem], colour: bool) -> String {
        let mut sorted: Vec<&Problem> = problems.iter().collect();
        sorted.sort_by_key(|p| p.labels.first().map(|l| (&l.at.file, l.at.bytes.start)));
        let mut seen: Vec<&Problem> = Vec::new();
        let mut out = String::new();
        for problem in sorted {
            if !seen.contains(&problem) {
                seen.push(problem);
                out.push_str(&self.render_one(problem, colour));
                out.push_str("\n\n");
            }
        }
        out
    }

    fn render_one(&self, problem: &Problem, colour: bool) -> String {
        let title = Level::ERROR
            .primary_title(problem.title.en.as_str())
            .id(problem.code);
        let mut group = Group::with_title(title);
        for (nth, label) in problem.labels.iter().enumerate() {
            group = self.excerpt(group, label, nth == 0);
        }
        if let Some(help) = &problem.help {
            group = group.element(Level::HELP.message(help.en.as_str()));
        }
        group = group.element(
            Level::NOTE
                .with_name(Some("错误"))
                .message(problem.title.zh.as_str()),
        );
        if let Some(help) = &problem.help {
            group = group.element(
                Level::NOTE
                    .with_name(Some("下一步"))
                    .message(help.zh.as_str()),
            );
        }
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.decor_style(DecorStyle::Ascii).render(&[group])
    }

    fn excerpt<'a>(&'a self, group: Group<'a>, label: &'a Label, first: bool) -> Group<'a> {
        let path = label.at.file.to_string_lossy();
        let Some(text) = self.get(&label.at.file) else {
            let origin = annotate_snippets::Origin::path(path)
                .line(label.at.line)
                .char_column(label.at.column);
            return group.element(origin);
        };
        let kind = if first {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let mut annotation = kind.span(clamp(&label.at.bytes, text));
        if !label.text.is_empty() {
            annotation = annotation.label(label.text.as_str());
        }
        group.element(Snippet::source(text).path(path).annotation(annotation))
    }
}

/// A span of the first line of `bytes` only: an excerpt of a whole block
/// would bury its message.
fn clamp(bytes: &std::ops::Range<usize>, text: &str) -> std::ops::Range<usize> {
    let start = bytes.start.min(text.len());
    let end = bytes.end.min(text.len()).max(start);
    let first_line = text[start..end].lines().next().unwrap_or("").len();
    start..start + first_line
}
