//! Two guests and the wire between them.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::accel::Accel;
use super::cache::Scratch;
use super::image::Image;
use super::lost::Lost;
use super::machine::{Machine, Memory, Size, Start};
use crate::agent::message::Hello;
use crate::testbed::Loss;
use crate::wire::Wire;

/// How long an agent may take to accept a frame: the largest is a program.
const SEND: Duration = Duration::from_secs(20);
/// How long the end of a QEMU whose line has closed may take.
const END: Duration = Duration::from_millis(500);

pub struct Pair {
    machines: Vec<Machine>,
    wire: Wire,
    /// Where the consoles' logs are.
    _folder: Scratch,
}

impl Pair {
    /// Boots both; with their memory in files below `saving` when they are to
    /// be saved there.
    pub fn boot(image: &Image, accel: Accel, saving: Option<&Path>) -> Result<Pair> {
        Pair::start(image, accel, |node| match saving {
            Some(folder) => StartMemory::Saving(memory_file(folder, node)),
            None => StartMemory::Anonymous,
        })
    }

    /// Both as they were when they were saved in `folder`.
    pub fn restore(image: &Image, accel: Accel, folder: &Path) -> Result<Pair> {
        let memory = |node| StartMemory::Restoring(memory_file(folder, node));
        let mut pair = Pair::start(image, accel, memory)?;
        on_each(&mut pair.machines, |node, machine| {
            machine.load(&state_file(folder, node))
        })?;
        // Together, so that neither sends to one that does not listen yet.
        for machine in &mut pair.machines {
            machine.go()?;
        }
        Ok(pair)
    }

    fn start(image: &Image, accel: Accel, memory: impl Fn(usize) -> StartMemory) -> Result<Pair> {
        let folder = image.cache.scratch()?;
        let (one, other) = UnixStream::pair()?;
        let mut pair = Pair {
            machines: Vec::new(),
            wire: Wire::default(),
            _folder: folder,
        };
        for (node, end) in [one, other].into_iter().enumerate() {
            let memory = memory(node);
            let machine = Machine::start(Start {
                node,
                image,
                accel,
                size: Size::default(),
                memory: memory.as_machine(),
                folder: pair._folder.path(),
                wire: OwnedFd::from(end),
            })?;
            let line = machine.agent();
            // A guest that hangs takes nothing any more.
            line.set_write_timeout(Some(SEND))?;
            pair.wire.add(line.try_clone()?, line.try_clone()?);
            pair.machines.push(machine);
        }
        Ok(pair)
    }

    /// Waits until both agents answer; a node that is lost is named.
    pub fn greet(&mut self, within: Duration) -> Result<Vec<Hello>> {
        self.wire.greet(within).map_err(|error| match self.lost() {
            Some(Loss { node, reason, .. }) => error.context(format!("node {node}: {reason}")),
            None => error,
        })
    }

    /// Stops both and writes their states to `folder`.
    pub fn save(&mut self, folder: &Path) -> Result<()> {
        for machine in &mut self.machines {
            machine.stop()?;
        }
        on_each(&mut self.machines, |node, machine| {
            machine.save(&state_file(folder, node))
        })
    }

    pub fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    pub fn lost(&mut self) -> Option<Loss> {
        let begin = Instant::now();
        // A line closes a moment before the process can be collected.
        while begin.elapsed() < END {
            let mut machines = self.machines.iter_mut().enumerate();
            let lost = machines.find_map(|(node, machine)| Some((node, machine.lost()?)));
            if let Some((node, lost)) = lost {
                return Some(Loss {
                    node,
                    reason: lost.to_string(),
                    killed: matches!(lost, Lost::Killed { .. }),
                });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

    pub fn pids(&self) -> [u32; 2] {
        [self.machines[0].pid(), self.machines[1].pid()]
    }

    /// Ends both guests.
    pub fn end(&mut self) {
        self.machines.clear();
    }
}

enum StartMemory {
    Anonymous,
    Saving(PathBuf),
    Restoring(PathBuf),
}

impl StartMemory {
    fn as_machine(&self) -> Memory<'_> {
        match self {
            StartMemory::Anonymous => Memory::Anonymous,
            StartMemory::Saving(file) => Memory::Saving(file),
            StartMemory::Restoring(file) => Memory::Restoring(file),
        }
    }
}

/// Both at once: a state is moved by QEMU in its own time.
fn on_each(
    machines: &mut [Machine],
    work: impl Fn(usize, &mut Machine) -> Result<()> + Sync,
) -> Result<()> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = machines
            .iter_mut()
            .enumerate()
            .map(|(node, machine)| {
                let work = &work;
                scope.spawn(move || work(node, machine).with_context(|| format!("node {node}")))
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("no panic in QMP calls"))
    })
}

fn memory_file(folder: &Path, node: usize) -> PathBuf {
    folder.join(format!("memory-{node}"))
}

fn state_file(folder: &Path, node: usize) -> PathBuf {
    folder.join(format!("state-{node}"))
}
