//! The testbeds that `verify` can choose from.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use runner::local::Local;
use runner::qemu::cache::Cache;
use runner::qemu::kernel::Source;
use runner::qemu::progress::Progress;
use runner::qemu::{Options, Qemu};
use runner::testbed::Testbed;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Two emulated machines with a soft RoCE device each
    Qemu,
    /// The RDMA device of this machine
    Local,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Qemu => "qemu",
            Kind::Local => "local",
        }
    }
}

/// The guests' kernel, as commands take it.
#[derive(Clone, Debug, Args)]
pub struct KernelArgs {
    /// Kernel image for the guests (default: this distribution's, downloaded)
    #[arg(long, value_name = "IMAGE", requires = "modules")]
    pub kernel: Option<PathBuf>,
    /// The kernel's `lib/modules/RELEASE`
    #[arg(long, value_name = "DIR", requires = "kernel")]
    pub modules: Option<PathBuf>,
}

impl KernelArgs {
    pub fn source(&self) -> Source {
        match (&self.kernel, &self.modules) {
            (Some(image), Some(modules)) => Source::Files {
                image: image.clone(),
                modules: modules.clone(),
            },
            _ => Source::Cached,
        }
    }
}

/// A testbed that can be opened.
pub struct Choice {
    pub kind: Kind,
    /// The agent of this build.
    pub agent: PathBuf,
    pub source: Source,
}

impl Choice {
    pub fn options(&self) -> Result<Options> {
        Ok(Options {
            cache: Cache::user()?,
            source: self.source.clone(),
            agent: self.agent.clone(),
        })
    }

    /// What runs on it are kept by; opens nothing that takes long.
    pub fn key(&self) -> Result<String> {
        match self.kind {
            Kind::Qemu => Qemu::key_without_boot(&self.options()?, &mut tell),
            Kind::Local => Ok(Local::open(&self.agent)?.key()),
        }
    }

    pub fn open(&self) -> Result<Box<dyn Testbed>> {
        let opened: Result<Box<dyn Testbed>> = match self.kind {
            Kind::Qemu => Qemu::open(&self.options()?, &mut tell_but_the_known)
                .map(|qemu| Box::new(qemu) as Box<dyn Testbed>),
            Kind::Local => {
                Local::open(&self.agent).map(|local| Box::new(local) as Box<dyn Testbed>)
            }
        };
        opened.with_context(|| {
            let name = self.kind.name();
            format!("the testbed `{name}` cannot be opened / 测试床 `{name}` 无法打开")
        })
    }
}

/// Tells each step on standard error as it begins.
pub fn tell(step: Progress) {
    eprintln!("testbed: {step}");
}

/// The accelerator was told when the key was asked for.
fn tell_but_the_known(step: Progress) {
    if !matches!(step, Progress::Accelerator { .. }) {
        tell(step);
    }
}
