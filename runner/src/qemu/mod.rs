//! The `qemu` testbed: two guests with a stock kernel and its `rdma_rxe`
//! driver, joined by an unprivileged wire.
//!
//! A pair is booted once for an image and saved; a session restores it, which
//! takes a fraction of a second.

pub mod accel;
pub mod cache;
mod cpio;
mod elf;
pub mod image;
mod keeper;
pub mod kernel;
mod lost;
mod machine;
mod modules;
mod pair;
mod probe;
pub mod progress;
mod qmp;
mod vmlinux;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use protocol::report::Provenance;

use crate::testbed::{Loss, Testbed};
use crate::wire::Wire;
use accel::Accel;
use cache::Cache;
use image::Image;
use kernel::Source;
use pair::Pair;
use progress::{Progress, Watch};

/// How long two guests may take to boot: emulated, on a busy machine.
const BOOT: Duration = Duration::from_secs(120);
/// How long a restored pair may take to answer.
const RESTORE: Duration = Duration::from_secs(20);
/// Saved pairs kept in the cache, about 250 MB each.
const KEEP: usize = 3;

/// What the testbed is made from.
#[derive(Clone, Debug)]
pub struct Options {
    pub cache: Cache,
    pub source: Source,
    /// The `agent` binary of this build.
    pub agent: PathBuf,
}

/// Two running guests.
pub struct Qemu {
    image: Image,
    accel: Accel,
    pair: Pair,
    provenance: Provenance,
}

/// From exec of QEMU to the first answer of both agents.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub boot: Duration,
    pub restore: Duration,
}

impl Qemu {
    /// A clean pair: restored, after it was booted and saved if it never was.
    pub fn open(options: &Options, watch: Watch) -> Result<Qemu> {
        let (image, accel) = prepare(options, watch)?;
        ensure_saved(&image, accel, watch)?;
        let begin = Instant::now();
        watch(Progress::Restoring);
        let (pair, provenance) = restore(&image, accel)?;
        watch(Progress::Ready {
            took: begin.elapsed(),
        });
        Ok(Qemu {
            image,
            accel,
            pair,
            provenance,
        })
    }

    /// What [`Testbed::key`] will be, without starting anything.
    pub fn key_without_boot(options: &Options, watch: Watch) -> Result<String> {
        let (image, accel) = prepare(options, watch)?;
        Ok(saved_name(&image, accel))
    }

    /// Boots a pair that is not kept, then restores the saved one, and tells
    /// how long each took.
    pub fn time(options: &Options, watch: Watch) -> Result<Times> {
        let (image, accel) = prepare(options, watch)?;
        ensure_saved(&image, accel, watch)?;
        watch(Progress::Booting);
        let begin = Instant::now();
        let mut pair = Pair::boot(&image, accel, None)?;
        pair.greet(BOOT)?;
        let boot = begin.elapsed();
        drop(pair);
        watch(Progress::Restoring);
        let begin = Instant::now();
        restore(&image, accel)?;
        Ok(Times {
            boot,
            restore: begin.elapsed(),
        })
    }

    /// Process ids of the two QEMUs.
    pub fn pids(&self) -> [u32; 2] {
        self.pair.pids()
    }
}

impl Testbed for Qemu {
    fn name(&self) -> &'static str {
        "qemu"
    }

    fn key(&self) -> String {
        saved_name(&self.image, self.accel)
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn address(&self) -> String {
        std::net::Ipv4Addr::from(crate::guest::address(0)).to_string()
    }

    fn wire(&mut self) -> &mut Wire {
        self.pair.wire()
    }

    fn restore(&mut self) -> Result<()> {
        self.pair.end();
        // Another checkout may have had the entry removed meanwhile.
        ensure_saved(&self.image, self.accel, &mut |_| {})?;
        (self.pair, _) = restore(&self.image, self.accel)?;
        Ok(())
    }

    fn lost(&mut self) -> Option<Loss> {
        self.pair.lost()
    }
}

fn prepare(options: &Options, watch: Watch) -> Result<(Image, Accel)> {
    let image = Image::get(&options.cache, &options.source, &options.agent, watch)?;
    let accel = probe::accelerator(&image, watch)?;
    Ok((image, accel))
}

/// Names everything a saved state depends on.
fn saved_name(image: &Image, accel: Accel) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    for part in [&image.key, &machine::shape(accel)] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    format!("saved-{}", short(&hash.finalize()))
}

fn ensure_saved(image: &Image, accel: Accel, watch: Watch) -> Result<()> {
    let name = saved_name(image, accel);
    let mut saving = None;
    image.cache.entry(&name, |folder| {
        watch(Progress::Booting);
        let begin = Instant::now();
        let mut pair = Pair::boot(image, accel, Some(folder))?;
        pair.greet(BOOT).context("the guests did not boot")?;
        watch(Progress::Ready {
            took: begin.elapsed(),
        });
        watch(Progress::Saving);
        saving = Some(());
        pair.save(folder)
    })?;
    if saving.is_some() {
        image.cache.prune("saved-", KEEP);
    }
    Ok(())
}

fn restore(image: &Image, accel: Accel) -> Result<(Pair, Provenance)> {
    let name = saved_name(image, accel);
    let folder = image.cache.find(&name).with_context(|| {
        format!("the saved pair {name} is gone from the cache; run the same command again")
    })?;
    let mut pair = Pair::restore(image, accel, &folder)?;
    let hello = pair.greet(RESTORE)?.remove(0);
    let mut provenance = hello.provenance;
    provenance.testbed = "qemu".into();
    provenance.accelerator = accel.to_string();
    Ok((pair, provenance))
}

/// The beginning of a digest: enough to tell cache entries apart.
fn short(digest: &[u8]) -> String {
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
