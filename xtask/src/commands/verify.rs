//! `cargo xtask verify`

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::{find, sound_book, tell};
use crate::artifacts;
use crate::book::Book;
use crate::compile::{Program, compile, compile_c};
use crate::exit::{Exit, Stop};
use crate::install::make_ready;
use crate::interrupt;
use crate::junit::junit;
use crate::lock::Lock;
use crate::progress;
use crate::records;
use crate::remember::{Remembered, remember};
use crate::runs::{self, Item, Plan, Runs};
use crate::site;
use crate::snippet::{Language, Snippet};
use crate::tangle::{DriftKind, Mode, Tangle};
use crate::testbeds::{Choice, KernelArgs, Kind};
use crate::verdict::{Verdict, verdicts};
use crate::verify_report::Document;
use crate::verify_table::table;

/// Compile and run every snippet, judge it, and render the book / 编译、运行并验证全部示例
///
/// Sets up what this machine lacks, brings `snippets/` up to date, compiles
/// what has changed, runs it between the two nodes of a testbed under a
/// tracer, holds what happened against the chapters, and renders the pages
/// with the results. What has not changed is neither compiled nor run again.
#[derive(Debug, Args)]
pub struct Verify {
    /// Snippets (default: all)
    ids: Vec<String>,
    /// Run also what has not changed
    #[arg(long)]
    force: bool,
    /// Rewrite the committed records in book/measured/
    #[arg(long)]
    update: bool,
    /// Install missing packages without asking
    #[arg(long)]
    yes: bool,
    /// Where programs run
    #[arg(long, value_enum, default_value_t = Kind::Qemu)]
    testbed: Kind,
    /// Only the programs in one language
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// What stands on standard output
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Say what each run cost beyond the program's own time
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    kernel: KernelArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lang {
    C,
    Rust,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Human,
    /// One object; see docs/verify-json.md
    Json,
    /// For continuous integration
    Junit,
}

impl Verify {
    pub fn run(self, root: &Path) -> Result<Exit> {
        interrupt::install()?;
        let _lock = Lock::acquire(&root.join("target/verify.lock"), |holder| {
            eprintln!(
                "waiting for another verify, process {holder}, to end / \
                 正在等待另一个 verify（进程 {holder}）结束"
            );
        })?;
        let book = sound_book(root)?;
        let chosen = self.chosen(&book)?;
        let mut committed = records::load_all(root).map_err(|e| Stop::bad_input(e.to_string()))?;
        make_ready(self.yes, self.testbed == Kind::Qemu)?;
        let tangle = tangled(&book)?;
        let programs = self.compile(&book, &tangle, &chosen)?;
        let runs = self.run_programs(&book, &chosen, &programs)?;
        let wanted: Vec<Program> = programs
            .into_iter()
            .filter(|program| self.wants(&chosen, program))
            .collect();
        let verdicts = verdicts(&book, &tangle, &wanted, &runs);
        for verdict in &verdicts {
            tell(&book, &verdict.problems);
        }
        let remembered = remember(&book, &verdicts, &mut committed, self.update)?;
        tell_records(&remembered);
        site::log_warnings();
        let html = site::build_with(root, remembered.pages)?.join("index.html");
        if self.verbose {
            tell_harness(&verdicts);
        }
        let name = self.testbed.name();
        let document = Document::new(name, &verdicts, &runs, &committed, &html);
        self.print(&document)?;
        Ok(match document.all_good() {
            true => Exit::Ok,
            false => Exit::Failed,
        })
    }

    fn chosen<'a>(&self, book: &'a Book) -> Result<Vec<&'a Snippet>> {
        if self.ids.is_empty() {
            return Ok(book.snippets.iter().collect());
        }
        for id in &self.ids {
            find(book, id)?;
        }
        let is_chosen = |snippet: &&Snippet| self.ids.contains(&snippet.id);
        Ok(book.snippets.iter().filter(is_chosen).collect())
    }

    fn wants(&self, chosen: &[&Snippet], program: &Program) -> bool {
        let language = match self.lang {
            None => true,
            Some(Lang::C) => program.language == Language::C,
            Some(Lang::Rust) => program.language == Language::Rust,
        };
        language && chosen.iter().any(|snippet| snippet.id == program.id)
    }

    /// The chosen snippets, and the reference loop, which any of them may be
    /// held against.
    fn compile(&self, book: &Book, tangle: &Tangle, chosen: &[&Snippet]) -> Result<Vec<Program>> {
        let is_chosen = |snippet: &Snippet| chosen.iter().any(|c| c.id == snippet.id);
        let references: Vec<&Snippet> = book
            .snippets
            .iter()
            .filter(|snippet| snippet.reference && !is_chosen(snippet))
            .collect();
        eprintln!(
            "compiling {} snippets in C and Rust / 编译 {} 个示例",
            chosen.len(),
            chosen.len()
        );
        let bar = progress::bar(2 * chosen.len() as u64);
        let mut programs = match self.lang {
            Some(Lang::C) => compile_c(book, tangle, chosen, &bar)?,
            _ => compile(book, tangle, chosen, &bar)?,
        };
        programs.extend(compile_c(book, tangle, &references, &bar)?);
        bar.finish_and_clear();
        interrupt::checkpoint();
        Ok(programs)
    }

    fn run_programs(&self, book: &Book, chosen: &[&Snippet], programs: &[Program]) -> Result<Runs> {
        let items: Vec<Item> = programs
            .iter()
            .filter(|program| self.wants(chosen, program))
            .filter_map(|program| Item::of(book, program))
            .collect();
        if items.is_empty() {
            return Ok(Runs::default());
        }
        let spinner = progress::spinner("building agent and tracer / 编译代理与跟踪库");
        let tools = artifacts::agent_and_tracer(&book.root);
        spinner.finish_and_clear();
        interrupt::checkpoint();
        let (agent, tracer) = tools?;
        let references = programs
            .iter()
            .filter(|program| program.language == Language::C)
            .filter_map(|program| Item::of(book, program))
            .filter(|item| item.snippet.reference);
        let plan = Plan {
            book,
            references: references.collect(),
            items,
            choice: &Choice {
                kind: self.testbed,
                agent,
                source: self.kernel.source(),
            },
            tracer: &tracer,
            force: self.force,
        };
        let bar = progress::bar(0);
        let runs = runs::run(&plan, &bar);
        bar.finish_and_clear();
        runs
    }

    fn print(&self, document: &Document) -> Result<()> {
        match self.format {
            Format::Human => println!("{}\n{}", table(document), document.html.display()),
            Format::Json => println!("{}", serde_json::to_string_pretty(document)?),
            Format::Junit => println!("{}", junit(document)),
        }
        Ok(())
    }
}

/// Writes what the chapters say to `snippets/` and names what changed there.
fn tangled(book: &Book) -> Result<Tangle> {
    let tangle = Tangle::of(book);
    for drift in tangle.sync(&book.root, Mode::WriteAndRemove)? {
        let path = drift.path.display();
        match drift.kind {
            DriftKind::Foreign => tell(book, &[drift.problem()]),
            DriftKind::Stale => eprintln!("removed / 已删除 {path}"),
            DriftKind::Missing | DriftKind::Differs(_) => eprintln!("wrote / 已写入 {path}"),
        }
    }
    Ok(tangle)
}

fn tell_records(remembered: &Remembered) {
    for note in &remembered.notes {
        eprintln!("{note}");
    }
    for path in &remembered.updated {
        eprintln!("updated / 已更新 {}", path.display());
    }
}

/// Each run's cost, and the median of those of this session; of all when
/// nothing ran.
fn tell_harness(verdicts: &[Verdict]) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    for verdict in verdicts {
        if let Some(harness) = verdict.harness {
            eprintln!(
                "{}: {:.1} ms, harness {:.1} ms{}",
                verdict.name(),
                milliseconds(verdict.took),
                milliseconds(harness),
                if verdict.cached { " (earlier run)" } else { "" }
            );
        }
    }
    let of = |cached: bool| {
        let runs = verdicts.iter().filter(move |v| cached || !v.cached);
        let mut costs: Vec<Duration> = runs.filter_map(|v| v.harness).collect();
        costs.sort();
        costs
    };
    let costs = if of(false).is_empty() {
        of(true)
    } else {
        of(false)
    };
    if let Some(median) = costs.get(costs.len() / 2) {
        eprintln!(
            "harness cost: median {:.1} ms over {} runs / 每次运行的测试框架开销：中位数 {:.1} 毫秒",
            milliseconds(*median),
            costs.len(),
            milliseconds(*median)
        );
    }
}
