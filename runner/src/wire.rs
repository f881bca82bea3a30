//! The host's ends of the lines to the agents of a testbed.

use std::collections::{HashMap, HashSet};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};

use crate::agent::frame;
use crate::agent::message::{Event, Hello, Request, VERSION};

/// The lines to all nodes of a testbed; what the agents say arrives in one
/// place, in order.
pub struct Wire {
    links: Vec<Link>,
    incoming: Receiver<(usize, Incoming)>,
    sender: Sender<(usize, Incoming)>,
    next_id: u32,
    /// Content hashes of files by what tells a changed file.
    hashes: HashMap<(PathBuf, u64, SystemTime), String>,
}

/// What arrives from a node.
pub enum Incoming {
    Event(Event),
    /// Nothing more will come.
    Closed {
        reason: String,
    },
}

struct Link {
    line: Line,
    /// Hashes of the executables the node has.
    kept: HashSet<String>,
}

/// The sending end of one line; clones write to the same one.
#[derive(Clone)]
pub struct Line {
    node: usize,
    out: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl Line {
    pub fn send(&self, request: &Request) -> Result<(), Gone> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        frame::write(&mut *out, request).map_err(|error| Gone {
            node: self.node,
            reason: match error.kind() {
                ErrorKind::WouldBlock => "silent: its agent takes nothing any more".into(),
                _ => format!("nothing can be sent to the agent: {error}"),
            },
        })
    }
}

/// A node did not answer, or its line was closed.
#[derive(Debug)]
pub struct Gone {
    pub node: usize,
    pub reason: String,
}

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "node {}: {}", self.node, self.reason)
    }
}

impl std::error::Error for Gone {}

impl Default for Wire {
    fn default() -> Self {
        let (sender, incoming) = channel();
        Wire {
            links: Vec::new(),
            incoming,
            sender,
            next_id: 1,
            hashes: HashMap::new(),
        }
    }
}

impl Wire {
    /// Adds the line to the next node.
    pub fn add(&mut self, mut from: impl Read + Send + 'static, to: impl Write + Send + 'static) {
        let node = self.links.len();
        let out: Box<dyn Write + Send> = Box::new(to);
        let line = Line {
            node,
            out: Arc::new(Mutex::new(out)),
        };
        self.links.push(Link {
            line,
            kept: HashSet::new(),
        });
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            let reason = loop {
                match frame::read::<Event>(&mut from) {
                    Ok(Some(event)) => {
                        if sender.send((node, Incoming::Event(event))).is_err() {
                            return;
                        }
                    }
                    Ok(None) => break "the agent closed the line".to_string(),
                    Err(error) => break format!("the line to the agent broke: {error}"),
                }
            };
            let _ = sender.send((node, Incoming::Closed { reason }));
        });
    }

    pub fn nodes(&self) -> usize {
        self.links.len()
    }

    /// A number for a process that no other one has.
    pub fn next_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    pub fn send(&mut self, node: usize, request: &Request) -> Result<(), Gone> {
        self.links[node].line.send(request)
    }

    /// The sending end of a node's line, for use beside this.
    pub fn line(&self, node: usize) -> Line {
        self.links[node].line.clone()
    }

    /// The next thing that arrives from any node; `None` when the time is over.
    pub fn receive(&mut self, within: Duration) -> Option<(usize, Incoming)> {
        match self.incoming.recv_timeout(within) {
            Ok(incoming) => Some(incoming),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => unreachable!("the wire holds a sender"),
        }
    }

    /// Greets every node and sets its clock. Drops what older runs left.
    pub fn greet(&mut self, within: Duration) -> Result<Vec<Hello>> {
        let deadline = Instant::now() + within;
        for node in 0..self.nodes() {
            self.send(node, &Request::SetClock { unix_ns: unix_ns() })?;
            self.send(node, &Request::Hello)?;
        }
        let mut hellos: Vec<Option<Hello>> = vec![None; self.nodes()];
        while let Some(silent) = hellos.iter().position(Option::is_none) {
            match self.receive(deadline.saturating_duration_since(Instant::now())) {
                Some((node, Incoming::Event(Event::Hello(hello)))) => {
                    if hello.version != VERSION {
                        bail!(
                            "node {node}: its agent speaks version {}, this runner {VERSION}; \
                             build both from the same checkout",
                            hello.version
                        );
                    }
                    hellos[node] = Some(*hello);
                }
                Some((_, Incoming::Event(_))) => {}
                Some((node, Incoming::Closed { reason })) => {
                    return Err(Gone { node, reason }.into());
                }
                None => {
                    let reason =
                        format!("the agent did not answer for {:.1} s", within.as_secs_f64());
                    return Err(Gone {
                        node: silent,
                        reason,
                    }
                    .into());
                }
            }
        }
        Ok(hellos.into_iter().flatten().collect())
    }

    /// Sends an executable unless the node has it; gives its content's hash.
    pub fn put(&mut self, node: usize, file: &Path) -> Result<String> {
        let context = || format!("cannot read {}", file.display());
        let data = std::fs::metadata(file).with_context(context)?;
        let stamp = (file.to_path_buf(), data.len(), data.modified()?);
        if let Some(hash) = self.hashes.get(&stamp)
            && self.links[node].kept.contains(hash)
        {
            return Ok(hash.clone());
        }
        let bytes = std::fs::read(file).with_context(context)?;
        let hash = hash(&bytes);
        self.hashes.insert(stamp, hash.clone());
        if self.links[node].kept.insert(hash.clone()) {
            self.send(
                node,
                &Request::Put {
                    hash: hash.clone(),
                    bytes,
                },
            )?;
        }
        Ok(hash)
    }
}

fn unix_ns() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos() as u64)
}

fn hash(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
