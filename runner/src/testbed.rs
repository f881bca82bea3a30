//! What every testbed offers: nodes with an agent each, and a way back to a
//! clean state.

use protocol::report::Provenance;

use crate::wire::Wire;

/// One or two nodes that programs run on.
pub trait Testbed {
    /// `qemu`, `local`, `ssh`, `slurm`.
    fn name(&self) -> &'static str;

    /// Changes when a run could show something else: another image, kernel,
    /// device or accelerator.
    fn key(&self) -> String;

    fn provenance(&self) -> &Provenance;

    /// IPv4 address of node 0, as a client on another node reaches it.
    fn address(&self) -> String;

    fn wire(&mut self) -> &mut Wire;

    /// Brings every node to a clean state, also when a node was lost.
    fn restore(&mut self) -> anyhow::Result<()>;

    /// The first node that is gone, and why.
    fn lost(&mut self) -> Option<Loss>;
}

/// A node that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub node: usize,
    pub reason: String,
    /// Ended from outside; what ran on it is not to blame.
    pub killed: bool,
}
