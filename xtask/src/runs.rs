//! Decides which programs must run, and runs them in one session.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use indicatif::ProgressBar;
use protocol::report::Provenance;
use serde::Serialize;

use crate::book::Book;
use crate::compile::{Outcome, Program};
use crate::hash::run_hash;
use crate::job::{job, name};
use crate::progress;
use crate::run_cache::{Inputs, Kept, RunCache, hash_of_file, is_lasting};
use crate::session::Session;
use crate::snippet::{Language, Snippet};
use crate::testbeds::Choice;
use crate::varies::reference_unit;

/// A program that can be run.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    pub snippet: &'a Snippet,
    pub language: Language,
    pub file: &'a Path,
    pub toolchain: &'a str,
}

impl<'a> Item<'a> {
    /// None when it is not there to be run.
    pub fn of(book: &'a Book, program: &'a Program) -> Option<Item<'a>> {
        match &program.outcome {
            Outcome::Built { path, .. } => Some(Item {
                snippet: book.snippet(&program.id)?,
                language: program.language,
                file: path,
                toolchain: &program.toolchain,
            }),
            _ => None,
        }
    }

    fn name(&self) -> String {
        name(self.snippet, self.language)
    }
}

/// What is to be run, and where.
pub struct Plan<'a> {
    pub book: &'a Book,
    /// In the order of the book.
    pub items: Vec<Item<'a>>,
    /// C programs of the reference loop, in the order of the book.
    pub references: Vec<Item<'a>>,
    pub choice: &'a Choice,
    pub tracer: &'a Path,
    /// Run also what has not changed.
    pub force: bool,
}

/// What the programs showed.
#[derive(Default)]
pub struct Runs {
    pub by_program: BTreeMap<(String, Language), Run>,
    pub yardstick: Option<Yardstick>,
    /// Of the session; of a kept run when there was none.
    pub provenance: Provenance,
}

pub struct Run {
    pub kept: Kept,
    /// From an earlier session.
    pub cached: bool,
}

/// What the times of this session's runs are ratios to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Yardstick {
    pub id: String,
    pub lang: &'static str,
    /// Time of one RDMA WRITE, one way.
    pub ns: u64,
    /// Run for this alone: nothing of it had changed.
    pub extra: bool,
}

/// The keys that programs are kept by on one testbed.
struct Keys<'a> {
    book: &'a Book,
    tracer: String,
    testbed: String,
}

impl Keys<'_> {
    fn of(&self, item: &Item) -> String {
        let inputs = Inputs {
            program: &run_hash(self.book, item.snippet, item.language),
            toolchain: item.toolchain,
            tracer: &self.tracer,
            testbed: &self.testbed,
        };
        inputs.key()
    }
}

/// Runs what has changed, keeps each run as soon as it has ended.
pub fn run(plan: &Plan, bar: &ProgressBar) -> Result<Runs> {
    if plan.items.is_empty() {
        return Ok(Runs::default());
    }
    let cache = RunCache::new(&plan.book.root, plan.choice.kind.name());
    let keys = Keys {
        book: plan.book,
        tracer: hash_of_file(plan.tracer)?,
        testbed: plan.choice.key()?,
    };
    let mut runs = Runs::default();
    let mut waiting = Vec::new();
    for item in &plan.items {
        let id = &item.snippet.id;
        match cache.find(id, item.language, &keys.of(item)) {
            Some(kept) if !plan.force => {
                runs.provenance = kept.provenance.clone();
                let run = Run { kept, cached: true };
                runs.by_program.insert((id.clone(), item.language), run);
            }
            _ => waiting.push(*item),
        }
    }
    if waiting.is_empty() {
        return Ok(runs);
    }
    // The book's order, but the yardstick before what is held against it.
    waiting.sort_by_key(|item| !item.snippet.reference);
    bar.set_length(waiting.len() as u64);
    let mut work = Work {
        plan,
        keys,
        cache,
        session: Session::new(plan.choice.open()?, Some(plan.tracer)),
        unit: None,
        bar,
    };
    runs.provenance = work.session.testbed().provenance().clone();
    work.all(&waiting, &mut runs)?;
    Ok(runs)
}

struct Work<'a> {
    plan: &'a Plan<'a>,
    keys: Keys<'a>,
    cache: RunCache,
    session: Session<'a>,
    unit: Option<Duration>,
    bar: &'a ProgressBar,
}

impl Work<'_> {
    fn all(&mut self, waiting: &[Item], runs: &mut Runs) -> Result<()> {
        let needs_unit = waiting
            .iter()
            .any(|item| posts_work(self.plan.book, item.snippet, item.language));
        let (references, others): (Vec<Item>, Vec<Item>) =
            waiting.iter().partition(|item| item.snippet.reference);
        for item in &references {
            self.one(item, runs)?;
        }
        if needs_unit && self.unit.is_none() {
            self.extra_yardstick(runs)?;
        }
        for item in &others {
            self.one(item, runs)?;
        }
        Ok(())
    }

    fn one(&mut self, item: &Item, runs: &mut Runs) -> Result<()> {
        self.bar.set_message(item.name());
        let kept = self.execute(item)?;
        if item.snippet.reference && item.language == Language::C && self.unit.is_none() {
            self.take_unit(item, &kept, false, runs);
        }
        let kept = Kept {
            unit: self.unit,
            ..kept
        };
        let id = &item.snippet.id;
        if is_lasting(&kept.report) {
            let key = self.keys.of(item);
            self.cache.keep(id, item.language, &key, &kept)?;
        }
        self.bar.inc(1);
        let run = Run {
            kept,
            cached: false,
        };
        runs.by_program.insert((id.clone(), item.language), run);
        Ok(())
    }

    fn execute(&mut self, item: &Item) -> Result<Kept> {
        let job = job(item.snippet, item.language, item.file);
        let ran = self.session.run(&job)?;
        Ok(Kept {
            report: ran.report,
            provenance: self.session.testbed().provenance().clone(),
            tries: ran.tries,
            unit: None,
        })
    }

    /// Of the reference programs only some have a number to give; what they
    /// showed before tells which to ask first.
    fn extra_yardstick(&mut self, runs: &mut Runs) -> Result<()> {
        let mut references = self.plan.references.clone();
        references.sort_by_key(|item| {
            let key = self.keys.of(item);
            let kept = self.cache.find(&item.snippet.id, item.language, &key);
            kept.is_none_or(|kept| reference_unit(&kept.report).is_none())
        });
        for item in &references {
            self.bar
                .set_message(format!("{} (yardstick / 基准)", item.name()));
            let kept = self.execute(item)?;
            self.take_unit(item, &kept, true, runs);
            if self.unit.is_some() {
                return Ok(());
            }
        }
        progress::say(
            self.bar,
            "no reference program gave a yardstick: this session's times are left out\n\
             没有参考程序给出基准：本次会话不记录耗时",
        );
        Ok(())
    }

    fn take_unit(&mut self, item: &Item, kept: &Kept, extra: bool, runs: &mut Runs) {
        let Some(unit) = reference_unit(&kept.report) else {
            return;
        };
        self.unit = Some(unit);
        let ns = unit.as_nanos() as u64;
        progress::say(
            self.bar,
            &format!(
                "yardstick / 基准：{}, one RDMA WRITE / 一次 RDMA 写：{} µs",
                item.name(),
                ns / 1000
            ),
        );
        runs.yardstick = Some(Yardstick {
            id: item.snippet.id.clone(),
            lang: item.language.name(),
            ns,
            extra,
        });
    }
}

/// Whether the program moves data between two nodes: its code, or a library
/// part it builds on, posts work requests.
fn posts_work(book: &Book, snippet: &Snippet, language: Language) -> bool {
    const POSTING: [&str; 3] = ["ibv_post_", "ibv_wr_", "rdma_post_"];
    let texts = book.closure(snippet).into_iter().chain([snippet]);
    snippet.nodes == 2
        && texts
            .filter_map(|s| s.code.get(&language))
            .flatten()
            .any(|block| POSTING.iter().any(|name| block.code.contains(name)))
}
