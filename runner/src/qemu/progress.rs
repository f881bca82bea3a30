//! What a testbed is doing while its user waits.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::accel::Accel;

/// A step that begins, or an answer that was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    Downloading {
        packages: Vec<String>,
    },
    RenewingPackageList,
    Unpacking {
        package: String,
    },
    ExtractingKernel {
        image: PathBuf,
    },
    BuildingImage,
    ProbingKvm {
        deadline: Duration,
    },
    /// The accelerator chosen and why.
    Accelerator {
        accel: Accel,
        why: String,
    },
    Booting,
    Saving,
    Restoring,
    Ready {
        took: Duration,
    },
}

/// Takes the steps as they begin.
pub type Watch<'a> = &'a mut dyn FnMut(Progress);

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Progress::Downloading { packages } => {
                write!(
                    f,
                    "downloading {} (not installed, only unpacked)",
                    packages.join(", ")
                )
            }
            Progress::RenewingPackageList => write!(f, "renewing apt's list of packages"),
            Progress::Unpacking { package } => write!(f, "unpacking {package}"),
            Progress::ExtractingKernel { image } => {
                write!(f, "taking the kernel out of {}", image.display())
            }
            Progress::BuildingImage => write!(f, "building the guests' file system"),
            Progress::ProbingKvm { deadline } => write!(
                f,
                "trying a boot under KVM (at most {} s, once a boot of this machine)",
                deadline.as_secs()
            ),
            Progress::Accelerator { accel, why } => write!(f, "accelerator {accel}: {why}"),
            Progress::Booting => write!(f, "booting two guests"),
            Progress::Saving => write!(f, "saving the booted pair"),
            Progress::Restoring => write!(f, "restoring the pair"),
            Progress::Ready { took } => {
                write!(f, "both nodes answer after {:.2} s", took.as_secs_f64())
            }
        }
    }
}
