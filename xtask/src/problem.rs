//! What is wrong with the book: one value a problem, so that all of them can
//! be collected and told at once.

use crate::snippet::{Bilingual, Span};

/// Something an author must mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable name, for searching: `unknown-call`.
    pub code: &'static str,
    pub title: Bilingual,
    /// The first one is where the problem is; others explain it.
    pub labels: Vec<Label>,
    /// What to do next.
    pub help: Option<Bilingual>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub at: Span,
    /// May be empty.
    pub text: String,
}

impl Problem {
    pub fn new(code: &'static str, en: impl Into<String>, zh: impl Into<String>) -> Problem {
        Problem {
            code,
            title: Bilingual::new(en, zh),
            labels: Vec::new(),
            help: None,
        }
    }

    /// Adds a place and what is to be seen there.
    pub fn at(mut self, at: &Span, text: impl Into<String>) -> Problem {
        self.labels.push(Label {
            at: at.clone(),
            text: text.into(),
        });
        self
    }

    pub fn help(mut self, en: impl Into<String>, zh: impl Into<String>) -> Problem {
        self.help = Some(Bilingual::new(en, zh));
        self
    }

    /// Whether it is about text that people read only: snippets can be
    /// compiled and run all the same.
    pub fn is_prose(&self) -> bool {
        const PROSE: [&str; 7] = [
            "comment-language",
            "heading-language",
            "no-chinese",
            "no-english",
            "quote-language",
            "stray-comment",
            "unwritten",
        ];
        PROSE.contains(&self.code)
    }

    /// Whether snippets may stand in the book that were not read because of it.
    pub fn hides_snippets(&self) -> bool {
        const HIDING: [&str; 9] = [
            "bad-id",
            "bad-summary",
            "bad-toml",
            "invalid-utf8",
            "missing-attribute",
            "missing-chapter",
            "not-in-summary",
            "undeclared",
            "unreadable",
        ];
        HIDING.contains(&self.code)
    }

    /// Names the nearest of `known`, or all of them when none is near and
    /// they are few.
    pub fn suggest<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Problem {
        let known: Vec<&str> = known.into_iter().collect();
        match nearest(word, known.iter().copied()) {
            Some(near) => self.help(
                format!("did you mean `{near}`?"),
                format!("是否想写 `{near}`？"),
            ),
            None if known.is_empty() || known.len() > 20 => self,
            None => {
                let all = known.join("`, `");
                self.help(format!("known: `{all}`"), format!("已知：`{all}`"))
            }
        }
    }

    /// `book/src/devices.md:12:5: message / 说明`
    pub fn one_line(&self) -> String {
        let message = format!("{} / {}", self.title.en, self.title.zh);
        match self.labels.first() {
            Some(label) => format!("{}: {message}", label.at),
            None => message,
        }
    }
}

/// The known name a misspelt one most likely stands for.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let far = (word.chars().count() / 3).max(2);
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .filter(|&(distance, _)| distance <= far)
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_given_only_when_it_is_near() {
        let known = ["ibv_post_send", "ibv_post_recv", "ibv_poll_cq"];
        assert_eq!(nearest("ibv_pots_send", known), Some("ibv_post_send"));
        assert_eq!(nearest("rdma_connect", known), None);
    }
}
