//! A job becomes a report.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use protocol::event::decode_log;
use protocol::job::{Job, Role, RoleJob};
use protocol::report::{End, Fault, Report, RoleReport};

use crate::agent::message::{Event, Exec, Exit, Program, Request, Stream};
use crate::testbed::Testbed;
use crate::wire::{Gone, Incoming};

/// Beyond its own limits, how long a node may stay silent about a process.
const SLACK: Duration = Duration::from_secs(5);
/// What the other role may still take once one has ended badly.
const AFTER_FAILURE: Duration = Duration::from_secs(10);
/// The agent answers this at once.
const KERNEL_LOG: Duration = Duration::from_secs(5);

/// Runs `job` on `testbed`, with `tracer` preloaded where the job asks for a
/// trace. Whatever goes wrong is in the report.
pub fn execute(testbed: &mut dyn Testbed, job: &Job, tracer: Option<&Path>) -> Report {
    let begin = Instant::now();
    let mut run = Run {
        testbed,
        roles: BTreeMap::new(),
        kernel_log: Vec::new(),
    };
    let fault = run.go(job, tracer).err().map(|error| {
        // Best effort: after a fault the testbed is restored anyway.
        let _ = run.stop_all();
        run.fault(&error)
    });
    let roles: Vec<RoleReport> = run.roles.into_values().map(Running::report).collect();
    let programs = roles.iter().map(|role| role.wall).max().unwrap_or_default();
    Report {
        kernel_log: run.kernel_log,
        harness: begin.elapsed().saturating_sub(programs),
        fault,
        roles,
    }
}

struct Run<'a> {
    testbed: &'a mut dyn Testbed,
    roles: BTreeMap<Role, Running>,
    kernel_log: Vec<String>,
}

/// What is known of one process so far.
struct Running {
    role: Role,
    node: usize,
    id: u32,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    exit: Option<Exit>,
}

impl Run<'_> {
    fn go(&mut self, job: &Job, tracer: Option<&Path>) -> Result<()> {
        let tracer = tracer.filter(|_| job.trace);
        for role in &job.roles {
            self.start(role, job, tracer)?;
        }
        self.wait(job)?;
        self.read_kernel_log()
    }

    fn start(&mut self, role: &RoleJob, job: &Job, tracer: Option<&Path>) -> Result<()> {
        let node = role.role.node().min(self.testbed.wire().nodes() - 1);
        let mut args = role.role.args(&self.testbed.address());
        args.extend(role.args.iter().cloned());
        let wire = self.testbed.wire();
        let tracer = tracer.map(|file| wire.put(node, file)).transpose()?;
        let program = Program::Kept(wire.put(node, &role.program)?);
        let id = wire.next_id();
        let exec = Exec {
            program,
            name: role
                .program
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            args,
            env: role.env.clone(),
            unprivileged: role.unprivileged,
            memlock: role.memlock,
            tracer,
            limits: job.limits.clone(),
            terminal: None,
        };
        wire.send(node, &Request::Exec { id, exec })?;
        let running = Running {
            role: role.role,
            node,
            id,
            stdout: Vec::new(),
            stderr: Vec::new(),
            exit: None,
        };
        self.roles.insert(role.role, running);
        Ok(())
    }

    /// Until every process has ended, by itself or by a limit.
    fn wait(&mut self, job: &Job) -> Result<()> {
        let mut deadline = Instant::now() + job.limits.wall + SLACK;
        let mut stopping = false;
        while self.roles.values().any(|role| role.exit.is_none()) {
            match self
                .testbed
                .wire()
                .receive(deadline.saturating_duration_since(Instant::now()))
            {
                Some((node, Incoming::Event(event))) => {
                    if self.take(node, event)? && !stopping && self.failed() {
                        deadline = deadline.min(Instant::now() + AFTER_FAILURE);
                    }
                }
                Some((node, Incoming::Closed { reason })) => {
                    return Err(Gone { node, reason }.into());
                }
                None if !stopping => {
                    stopping = true;
                    deadline = Instant::now() + SLACK;
                    self.stop_all()?;
                }
                None => {
                    let role = self.roles.values().find(|role| role.exit.is_none());
                    let node = role.map_or(0, |role| role.node);
                    let reason = "silent: its agent does not tell how a process ended, though the limits are over".into();
                    return Err(Gone { node, reason }.into());
                }
            }
        }
        Ok(())
    }

    /// One role ended other than it should, so the other may wait for ever.
    fn failed(&self) -> bool {
        let ends = self.roles.values().filter_map(|role| role.exit.as_ref());
        ends.map(|exit| &exit.end)
            .any(|end| *end != End::Exited { code: 0 })
    }

    fn stop_all(&mut self) -> Result<()> {
        for role in self.roles.values().filter(|role| role.exit.is_none()) {
            self.testbed
                .wire()
                .send(role.node, &Request::Kill { id: role.id })?;
        }
        Ok(())
    }

    /// Notes what a node said; true when a process ended.
    fn take(&mut self, node: usize, event: Event) -> Result<bool> {
        match event {
            Event::Output { id, stream, bytes } => {
                if let Some(role) = self.role(node, id) {
                    match stream {
                        Stream::Stdout => role.stdout.extend(bytes),
                        Stream::Stderr => role.stderr.extend(bytes),
                    }
                }
            }
            Event::Exited { id, exit } => {
                if let Some(role) = self.role(node, id) {
                    role.exit = Some(exit);
                    return Ok(true);
                }
            }
            Event::Failed { reason, .. } => anyhow::bail!("node {node}: {reason}"),
            Event::KernelLog { lines } => {
                self.kernel_log
                    .extend(lines.lines().map(|line| format!("node {node}: {line}")));
            }
            Event::Hello(_) | Event::Kept { .. } => {}
        }
        Ok(false)
    }

    /// Events of an earlier run's processes find no role.
    fn role(&mut self, node: usize, id: u32) -> Option<&mut Running> {
        self.roles
            .values_mut()
            .find(|role| role.node == node && role.id == id)
    }

    fn read_kernel_log(&mut self) -> Result<()> {
        let nodes: Vec<usize> = (0..self.testbed.wire().nodes()).collect();
        for node in &nodes {
            self.testbed.wire().send(*node, &Request::KernelLog)?;
        }
        let deadline = Instant::now() + KERNEL_LOG;
        let mut left = nodes.len();
        while left > 0 {
            match self
                .testbed
                .wire()
                .receive(deadline.saturating_duration_since(Instant::now()))
            {
                Some((node, Incoming::Event(event))) => {
                    left -= usize::from(matches!(event, Event::KernelLog { .. }));
                    self.take(node, event)?;
                }
                Some((node, Incoming::Closed { reason })) => {
                    return Err(Gone { node, reason }.into());
                }
                None => {
                    let reason = "the agent does not answer any more".into();
                    return Err(Gone { node: 0, reason }.into());
                }
            }
        }
        Ok(())
    }

    /// A lost node explains an error better than what was noticed of it.
    fn fault(&mut self, error: &anyhow::Error) -> Fault {
        if let Some(loss) = self.testbed.lost() {
            return Fault::NodeLost {
                node: loss.node,
                reason: loss.reason,
                killed: loss.killed,
            };
        }
        match error.downcast_ref::<Gone>() {
            Some(gone) => Fault::NodeLost {
                node: gone.node,
                reason: gone.reason.clone(),
                killed: false,
            },
            None => Fault::Harness {
                reason: format!("{error:#}"),
            },
        }
    }
}

impl Running {
    fn report(self) -> RoleReport {
        let exit = self.exit.unwrap_or(Exit {
            end: End::Stopped,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            trace: Vec::new(),
            trace_truncated: false,
        });
        // A log whose middle cannot be read is shown as far as it can.
        let events = decode_log(&exit.trace);
        RoleReport {
            role: self.role,
            end: exit.end,
            stdout: self.stdout,
            stderr: self.stderr,
            wall: exit.wall,
            cpu: exit.cpu,
            trace_truncated: exit.trace_truncated || events.is_err(),
            events: events.unwrap_or_default(),
        }
    }
}
