//! The agent: the part of the runner that lives on a node. It takes programs
//! over a line of frames, runs each with limits, and tells how it ended.
//!
//! The same binary serves in a QEMU guest (where it is also the first
//! program), over the pipes of a local testbed, and over ssh or srun.

pub mod frame;
pub mod message;

mod cgroup;
mod node;
mod process;
mod serve;
mod supervise;
mod terminal;

pub use serve::serve;
