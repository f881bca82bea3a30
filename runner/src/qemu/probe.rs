//! Whether guests run under KVM here. That `/dev/kvm` can be opened proves
//! nothing: there are hosts on which it hangs every guest. So one boot under
//! KVM is tried, with a deadline, and the answer is kept until the host boots
//! anew.

use std::fs;
use std::time::Duration;

use anyhow::Result;
use sha2::{Digest, Sha256};

use super::accel::Accel;
use super::image::Image;
use super::machine;
use super::pair::Pair;
use super::progress::{Progress, Watch};

/// A boot under working KVM takes about a second.
const DEADLINE: Duration = Duration::from_secs(6);
const DEVICE: &str = "/dev/kvm";

/// The accelerator for this host, and the reason, told to `watch`.
pub fn accelerator(image: &Image, watch: Watch) -> Result<Accel> {
    let (accel, why) = decide(image, watch);
    watch(Progress::Accelerator { accel, why });
    Ok(accel)
}

fn decide(image: &Image, watch: Watch) -> (Accel, String) {
    if let Err(error) = fs::OpenOptions::new().read(true).write(true).open(DEVICE) {
        return (
            Accel::Tcg,
            format!("{DEVICE} cannot be opened ({error}), so guests are emulated"),
        );
    }
    let answer = image.cache.root().join(answer_name());
    let known = fs::read_to_string(&answer).unwrap_or_default();
    let works = match known.trim() {
        "works" => Ok(()),
        "" => {
            watch(Progress::ProbingKvm { deadline: DEADLINE });
            let tried = try_boot(image).map_err(|error| one_line(&error));
            // Kept only to save time: without it the next session asks again.
            let text = tried.as_ref().err().map_or("works", String::as_str);
            let _ = fs::write(&answer, text);
            tried
        }
        reason => Err(reason.to_string()),
    };
    match works {
        Ok(()) => (Accel::Kvm, "a guest booted under KVM".into()),
        Err(reason) => (
            Accel::Tcg,
            format!("no guest boots under KVM here ({reason}), so guests are emulated"),
        ),
    }
}

fn try_boot(image: &Image) -> Result<()> {
    Pair::boot(image, Accel::Kvm, None)?.greet(DEADLINE)?;
    Ok(())
}

/// Changes with each boot of the host and with QEMU.
fn answer_name() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let version = super::short(&Sha256::digest(machine::version()));
    format!("kvm-{}-{version}", boot.trim())
}

fn one_line(error: &anyhow::Error) -> String {
    format!("{error:#}")
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .to_string()
}
