//! Sessions on a testbed of two real agents on this host, behind pipes.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use protocol::job::{Job, Limits, Role, RoleJob};
use protocol::report::{End, Fault, Provenance, Report};
use runner::testbed::{Loss, Testbed};
use runner::wire::Wire;
use tempfile::TempDir;
use xtask::artifacts;
use xtask::outcome::Outcome;
use xtask::session::Session;

/// Two agents, each a child of this process.
struct Pipes {
    agents: Vec<Child>,
    wire: Wire,
    provenance: Provenance,
    /// Says of a node that went: it was ended from outside.
    killed: bool,
    restored: &'static Mutex<u32>,
}

fn agent() -> &'static Path {
    static AGENT: OnceLock<PathBuf> = OnceLock::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    AGENT.get_or_init(|| artifacts::agent(root).unwrap())
}

impl Pipes {
    fn open(killed: bool) -> (Box<Pipes>, &'static Mutex<u32>) {
        let restored: &Mutex<u32> = Box::leak(Box::default());
        let mut pipes = Box::new(Pipes {
            agents: Vec::new(),
            wire: Wire::default(),
            provenance: Provenance::default(),
            killed,
            restored,
        });
        pipes.start();
        (pipes, restored)
    }

    fn start(&mut self) {
        for _ in 0..2 {
            let mut agent = Command::new(agent())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let (from, to) = (agent.stdout.take().unwrap(), agent.stdin.take().unwrap());
            self.wire.add(from, to);
            self.agents.push(agent);
        }
        self.wire.greet(Duration::from_secs(20)).unwrap();
    }

    fn end(&mut self) {
        self.wire = Wire::default();
        for mut agent in self.agents.drain(..) {
            agent.wait().unwrap();
        }
    }
}

impl Testbed for Pipes {
    fn name(&self) -> &'static str {
        "pipes"
    }

    fn key(&self) -> String {
        "pipes".into()
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn address(&self) -> String {
        "127.0.0.1".into()
    }

    fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    fn restore(&mut self) -> anyhow::Result<()> {
        self.end();
        self.start();
        *self.restored.lock().unwrap() += 1;
        Ok(())
    }

    fn lost(&mut self) -> Option<Loss> {
        // A line closes a moment before its process can be collected.
        let begin = std::time::Instant::now();
        let (node, status) = loop {
            let mut agents = self.agents.iter_mut().enumerate();
            let ended = agents.find_map(|(node, agent)| Some((node, agent.try_wait().ok()??)));
            if ended.is_some() || begin.elapsed().as_secs() >= 2 {
                break ended?;
            }
            std::thread::yield_now();
        };
        Some(Loss {
            node,
            reason: format!("the agent ended with {status}"),
            killed: self.killed,
        })
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.end();
    }
}

/// A shell script as the one program of a job.
fn job(folder: &TempDir, script: &str) -> Job {
    let program = folder.path().join("program");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    Job {
        name: "script/c".into(),
        roles: vec![RoleJob {
            role: Role::Single,
            program,
            args: Vec::new(),
            env: Vec::new(),
            unprivileged: false,
            memlock: None,
        }],
        trace: false,
        limits: Limits::default(),
    }
}

/// Ends the agent that runs it, which is the parent of the shell.
const END_THE_NODE: &str = "kill -KILL $PPID; sleep 30";

fn lost(report: &Report) -> bool {
    matches!(report.fault, Some(Fault::NodeLost { node: 0, .. }))
}

fn end(report: &Report) -> &End {
    assert_eq!(report.fault, None);
    &report.roles[0].end
}

#[test]
fn a_node_that_goes_by_itself_gets_a_second_try_and_both_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (pipes, restored) = Pipes::open(false);
    let mut session = Session::new(pipes, None);
    let mark = folder.path().join("mark");
    let once = format!(
        "[ -e {mark} ] && exit 0; touch {mark}; {END_THE_NODE}",
        mark = mark.display()
    );
    let ran = session.run(&job(&folder, &once)).unwrap();
    assert_eq!(*end(&ran.report), End::Exited { code: 0 });
    assert_eq!(ran.tries.len(), 1);
    assert_eq!(ran.tries[0].outcome, Outcome::NodeLost);
    assert!(ran.tries[0].reason.starts_with("node 0: "));
    assert_eq!(*restored.lock().unwrap(), 1);
}

#[test]
fn a_second_loss_is_the_answer_and_the_next_run_finds_a_clean_node() {
    let folder = tempfile::tempdir().unwrap();
    let (pipes, restored) = Pipes::open(false);
    let mut session = Session::new(pipes, None);
    let ran = session.run(&job(&folder, END_THE_NODE)).unwrap();
    assert!(lost(&ran.report), "{:?}", ran.report.fault);
    assert_eq!(ran.tries.len(), 1);
    let next = session.run(&job(&folder, "exit 0")).unwrap();
    assert_eq!(*end(&next.report), End::Exited { code: 0 });
    assert_eq!(*restored.lock().unwrap(), 2);
}

#[test]
fn a_node_that_somebody_ended_is_lost_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (pipes, _) = Pipes::open(true);
    let mut session = Session::new(pipes, None);
    let ran = session.run(&job(&folder, END_THE_NODE)).unwrap();
    assert!(lost(&ran.report), "{:?}", ran.report.fault);
    assert!(ran.tries.is_empty());
}

#[test]
fn only_a_run_that_ended_badly_is_followed_by_a_restore() {
    let folder = tempfile::tempdir().unwrap();
    let (pipes, restored) = Pipes::open(false);
    let mut session = Session::new(pipes, None);
    for (script, code, restores) in [("exit 0", 0, 0), ("exit 7", 7, 0), ("exit 0", 0, 1)] {
        let ran = session.run(&job(&folder, script)).unwrap();
        assert_eq!(*end(&ran.report), End::Exited { code });
        assert_eq!(*restored.lock().unwrap(), restores, "{script}");
    }
}
