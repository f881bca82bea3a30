//! `runner run`: one program of yours on a testbed, without a chapter.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use protocol::job::{Job, Limits, Role, RoleJob};
use protocol::report::{End, Report};

use crate::local::Local;
use crate::qemu::cache::Cache;
use crate::qemu::kernel::Source;
use crate::qemu::{Options, Qemu};
use crate::testbed::Testbed;

/// Run a program on a testbed.
///
/// On one node it is called without arguments; on two, as `PROGRAM server` on
/// node 0 and as `PROGRAM client ADDRESS` on node 1.
#[derive(Args, Debug)]
pub struct Run {
    program: PathBuf,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    nodes: u8,
    #[arg(long, value_enum, default_value_t = Kind::Qemu)]
    testbed: Kind,
    /// The agent, when it is not beside this executable.
    #[arg(long, value_name = "FILE")]
    agent: Option<PathBuf>,
    /// Preload this tracer and print what it saw.
    #[arg(long, value_name = "FILE")]
    tracer: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    Qemu,
    Local,
}

impl Run {
    /// 0 when every role exited with 0.
    pub fn run(&self) -> Result<u8> {
        let agent = match &self.agent {
            Some(agent) => agent.clone(),
            None => std::env::current_exe()?.with_file_name("agent"),
        };
        let mut testbed: Box<dyn Testbed> = match self.testbed {
            Kind::Local => Box::new(Local::open(&agent)?),
            Kind::Qemu => {
                let options = Options {
                    cache: Cache::user()?,
                    source: Source::Cached,
                    agent,
                };
                Box::new(Qemu::open(&options, &mut |step| eprintln!("{step}"))?)
            }
        };
        let report = crate::run::execute(&mut *testbed, &self.job()?, self.tracer.as_deref());
        print(&report);
        let good = |end: &End| *end == End::Exited { code: 0 };
        let all = report.fault.is_none() && report.roles.iter().all(|role| good(&role.end));
        Ok(if all { 0 } else { 1 })
    }

    fn job(&self) -> Result<Job> {
        let program = self.program.canonicalize();
        let program =
            program.with_context(|| format!("there is no program {}", self.program.display()))?;
        let roles = match self.nodes {
            1 => vec![Role::Single],
            _ => vec![Role::Server, Role::Client],
        };
        let role = |role| RoleJob {
            role,
            program: program.clone(),
            args: vec![],
            env: vec![],
            unprivileged: false,
            memlock: None,
        };
        Ok(Job {
            name: self.program.display().to_string(),
            roles: roles.into_iter().map(role).collect(),
            trace: self.tracer.is_some(),
            limits: Limits::default(),
        })
    }
}

fn print(report: &Report) {
    for role in &report.roles {
        println!(
            "== {}: {:?} after {:.3} s",
            role.role.name(),
            role.end,
            role.wall.as_secs_f64()
        );
        print!("{}", String::from_utf8_lossy(&role.stdout));
        eprint!("{}", String::from_utf8_lossy(&role.stderr));
        for event in &role.events {
            println!("{event:?}");
        }
    }
    for line in &report.kernel_log {
        println!("kernel: {line}");
    }
    if let Some(fault) = &report.fault {
        println!("fault: {fault:?}");
    }
    println!("harness: {:.1} ms", report.harness.as_secs_f64() * 1000.0);
}
