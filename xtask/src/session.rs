//! One testbed, used for one run after the other. Each begins on a clean node.

use std::path::Path;

use anyhow::{Context, Result};
use protocol::job::Job;
use protocol::report::{End, Fault, Report};
use runner::run::execute;
use runner::testbed::Testbed;

use crate::interrupt;
use crate::outcome::Outcome;
use crate::varies::Try;

pub struct Session<'a> {
    testbed: Box<dyn Testbed + 'a>,
    tracer: Option<&'a Path>,
    /// The nodes are as they were when the testbed was opened.
    clean: bool,
}

/// The run that counts, and those before it that say nothing.
pub struct Ran {
    pub report: Report,
    pub tries: Vec<Try>,
}

impl<'a> Session<'a> {
    /// `testbed` has just been opened; without a tracer nothing is traced.
    pub fn new(testbed: Box<dyn Testbed + 'a>, tracer: Option<&'a Path>) -> Session<'a> {
        Session {
            testbed,
            tracer,
            clean: true,
        }
    }

    pub fn testbed(&self) -> &dyn Testbed {
        &*self.testbed
    }

    /// Runs a job; once more when its node went away by itself. The error is
    /// about a testbed that cannot be brought back.
    pub fn run(&mut self, job: &Job) -> Result<Ran> {
        let first = self.once(job)?;
        let Some(reason) = went_away(&first) else {
            return Ok(Ran {
                report: first,
                tries: Vec::new(),
            });
        };
        eprintln!(
            "{}: {reason}\n{}: trying once more / 再试一次",
            job.name, job.name
        );
        let lost = Try {
            outcome: Outcome::NodeLost,
            reason,
        };
        Ok(Ran {
            report: self.once(job)?,
            tries: vec![lost],
        })
    }

    fn once(&mut self, job: &Job) -> Result<Report> {
        if !self.clean {
            self.restore()?;
        }
        let report = execute(&mut *self.testbed, job, self.tracer);
        interrupt::checkpoint();
        self.clean = ended_well(&report);
        Ok(report)
    }

    fn restore(&mut self) -> Result<()> {
        let restored = match self.testbed.restore() {
            Ok(()) => Ok(()),
            Err(_) => self.testbed.restore(),
        };
        interrupt::checkpoint();
        restored.context(
            "the testbed cannot be restored; finished runs are kept, run the same command again\n\
             测试床无法恢复；已完成的运行保留，请重新运行同一命令",
        )
    }
}

/// Nothing is left behind by a program that ended by itself and found all in
/// order.
fn ended_well(report: &Report) -> bool {
    let well = |end: &End| *end == End::Exited { code: 0 };
    report.fault.is_none() && report.roles.iter().all(|role| well(&role.end))
}

/// Why the node is gone, when the run should be tried again. A node that was
/// ended from outside is not: somebody meant it.
fn went_away(report: &Report) -> Option<String> {
    match &report.fault {
        Some(Fault::NodeLost {
            node,
            reason,
            killed: false,
        }) => Some(format!("node {node}: {reason}")),
        _ => None,
    }
}
