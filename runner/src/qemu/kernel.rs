//! The guests' kernel: a distribution's package, downloaded and unpacked
//! without installing it, or files that the user names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::cache::Cache;
use super::modules;
use super::progress::{Progress, Watch};
use super::vmlinux;

/// A kernel in the cache.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name of the cache entry.
    pub key: String,
    /// What QEMU is given: an ELF kernel with a PVH entry, or the image as it
    /// was when the kernel lacks one.
    pub boot: PathBuf,
    /// Modules, decompressed, and `order`, a line a module.
    pub modules: PathBuf,
}

/// Where the kernel comes from.
#[derive(Clone, Debug, Default)]
pub enum Source {
    /// The last one in the cache; the distribution's when there is none.
    #[default]
    Cached,
    /// The distribution's current one.
    Newest,
    /// `--kernel IMAGE --modules DIR`, where DIR is `lib/modules/RELEASE`.
    Files { image: PathBuf, modules: PathBuf },
}

const PACKAGED: &str = "kernel-pkg-";

impl Kernel {
    pub fn get(cache: &Cache, source: &Source, watch: Watch) -> Result<Kernel> {
        let key = match source {
            Source::Files { image, modules } => {
                return Kernel::from_files(cache, image, modules, watch);
            }
            Source::Cached => cache.entries(PACKAGED).into_iter().next(),
            Source::Newest => None,
        };
        if let Some(path) = key.as_ref().and_then(|key| cache.find(key)) {
            return Ok(Kernel::at(&path));
        }
        let release = newest_release().or_else(|error| {
            renew_package_list(error, watch)?;
            newest_release()
        })?;
        let path = cache.entry(&format!("{PACKAGED}{release}"), |entry| {
            download(cache, &release, entry, watch)
        })?;
        Ok(Kernel::at(&path))
    }

    fn from_files(cache: &Cache, image: &Path, folder: &Path, watch: Watch) -> Result<Kernel> {
        let data = fs::read(image)
            .with_context(|| format!("cannot read the kernel image {}", image.display()))?;
        let list = modules::for_guest(folder)?;
        let mut hash = Sha256::new();
        hash.update(&data);
        for module in &list {
            hash.update(&module.data);
        }
        let key = format!("kernel-file-{}", super::short(&hash.finalize()));
        let path = cache.entry(&key, |entry| store(image, folder, entry, watch))?;
        Ok(Kernel::at(&path))
    }

    fn at(path: &Path) -> Kernel {
        let name = path.file_name().unwrap_or_default();
        Kernel {
            key: name.to_string_lossy().into_owned(),
            boot: path.join("boot"),
            modules: path.join("modules"),
        }
    }
}

/// Unpacks the packages of `release` into a scratch folder and keeps of them
/// what guests need.
fn download(cache: &Cache, release: &str, entry: &Path, watch: Watch) -> Result<()> {
    let packages = packages_of(release)?;
    watch(Progress::Downloading {
        packages: packages.clone(),
    });
    let scratch = cache.scratch()?;
    apt_download(&packages, scratch.path())
        .or_else(|error| {
            renew_package_list(error, watch)?;
            apt_download(&packages, scratch.path())
        })
        .with_context(|| cannot_download(&packages))?;
    let root = scratch.path().join("root");
    for file in fs::read_dir(scratch.path())?.collect::<Result<Vec<_>, _>>()? {
        watch(Progress::Unpacking {
            package: file.file_name().to_string_lossy().into_owned(),
        });
        output(
            Command::new("dpkg-deb")
                .arg("-x")
                .arg(file.path())
                .arg(&root),
        )?;
        fs::remove_file(file.path())?;
    }
    let image = root.join(format!("boot/vmlinuz-{release}"));
    let lib = ["usr/lib/modules", "lib/modules"].map(|lib| root.join(lib).join(release));
    let folder = lib.iter().find(|folder| folder.is_dir());
    let folder = folder.with_context(|| format!("{packages:?} hold no modules of {release}"))?;
    store(&image, folder, entry, watch)
}

fn apt_download(packages: &[String], folder: &Path) -> Result<String> {
    let mut apt = Command::new("apt-get");
    apt.arg("--quiet=2").arg("download").args(packages);
    // Root's apt drops to a user that may not write here, and says so.
    apt.args(["-o", "APT::Sandbox::User=root"]);
    output(apt.current_dir(folder))
}

/// The list of packages may be missing or older than the archive. Root may
/// renew it; for anybody else `error` stands.
fn renew_package_list(error: anyhow::Error, watch: Watch) -> Result<()> {
    // SAFETY: takes nothing and cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        return Err(error);
    }
    watch(Progress::RenewingPackageList);
    // A source out of reach need not be the one that has the package.
    let _ = output(Command::new("apt-get").args(["--quiet=2", "update"]));
    Ok(())
}

fn cannot_download(packages: &[String]) -> String {
    let packages = packages.join(" ");
    format!(
        "cannot download {packages}: check the network, run `sudo apt-get update`, and try \
         again; or name a kernel of your own with --kernel IMAGE --modules DIR\n\
         无法下载 {packages}：请检查网络，运行 `sudo apt-get update` 后重试；\
         或用 --kernel IMAGE --modules DIR 指定自己的内核\n  "
    )
}

/// Writes the cache entry from an image and its modules.
fn store(image: &Path, folder: &Path, entry: &Path, watch: Watch) -> Result<()> {
    watch(Progress::ExtractingKernel {
        image: image.to_path_buf(),
    });
    let data =
        fs::read(image).with_context(|| format!("cannot read the kernel {}", image.display()))?;
    let kernel = vmlinux::extract(&data)
        .with_context(|| format!("cannot take the kernel out of {}", image.display()))?;
    let boot = if vmlinux::has_pvh_entry(&kernel) {
        kernel
    } else {
        data
    };
    fs::write(entry.join("boot"), boot).context("cannot write the kernel")?;
    let target = entry.join("modules");
    fs::create_dir(&target)?;
    let mut order = String::new();
    for module in modules::for_guest(folder)? {
        fs::write(target.join(format!("{}.ko", module.name)), module.data)
            .context("cannot write a module")?;
        order.push_str(&module.name);
        order.push('\n');
    }
    fs::write(target.join("order"), order).context("cannot write the modules' order")
}

/// The release that the distribution's meta package stands for.
fn newest_release() -> Result<String> {
    // Debian's name, then Ubuntu's; each is unknown to the other.
    for meta in ["linux-image-amd64", "linux-image-generic"] {
        let mut apt = Command::new("apt-cache");
        apt.args(["depends", "--no-recommends", "--no-suggests", meta]);
        let list = match output(&mut apt) {
            Ok(list) => list,
            Err(e) if super::elf::find_command("apt-cache").is_none() => {
                return Err(e.context(
                    "no apt on this machine to get a kernel for the guests from: name one \
                     with --kernel IMAGE --modules DIR\n\
                     本机没有 apt，无法获取虚拟机内核：请用 --kernel IMAGE --modules DIR 指定\n  ",
                ));
            }
            Err(_) => continue,
        };
        if let Some(release) = release_in(&list) {
            return Ok(release);
        }
    }
    bail!(
        "apt knows no kernel package (linux-image-amd64 or linux-image-generic): run \
         `sudo apt-get update` and try again; or name a kernel with --kernel IMAGE --modules DIR\n\
         apt 中没有内核软件包：请运行 `sudo apt-get update` 后重试；\
         或用 --kernel IMAGE --modules DIR 指定内核"
    )
}

/// `Depends: linux-image-6.1.0-57-amd64` names release `6.1.0-57-amd64`.
fn release_in(depends: &str) -> Option<String> {
    depends
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: linux-image-"))
        .find(|release| release.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_string)
}

/// Debian has all in one package, Ubuntu splits the modules off.
fn packages_of(release: &str) -> Result<Vec<String>> {
    let mut packages = vec![format!("linux-image-{release}")];
    let known = output(Command::new("apt-cache").args(["pkgnames", "linux-modules-"]))?;
    let known: Vec<&str> = known.lines().collect();
    for part in ["linux-modules-", "linux-modules-extra-"] {
        let name = format!("{part}{release}");
        if known.contains(&name.as_str()) {
            packages.push(name);
        }
    }
    Ok(packages)
}

/// Standard output of a command that must end well; its error text otherwise.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out = command
        .env("LC_ALL", "C")
        .output()
        .with_context(|| format!("cannot run {name}"))?;
    if !out.status.success() {
        let text = String::from_utf8_lossy(&out.stderr);
        bail!("{name} failed ({}): {}", out.status, beginning(&text));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// On a full disk dpkg-deb says a line a file, thousands of them.
fn beginning(text: &str) -> String {
    const LINES: usize = 5;
    let lines: Vec<&str> = text.trim().lines().collect();
    match lines.len().checked_sub(LINES) {
        None | Some(0) => lines.join("\n"),
        Some(more) => format!("{}\n({more} more lines)", lines[..LINES].join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_complaint_the_beginning_is_told() {
        assert_eq!(beginning("one\ntwo\n"), "one\ntwo");
        let told = beginning(&"No space left\n".repeat(1000));
        assert_eq!(told.lines().count(), 6);
        assert!(told.ends_with("(995 more lines)"), "{told}");
    }

    #[test]
    fn the_release_is_read_from_the_meta_package() {
        let debian = "linux-image-amd64\n  Depends: linux-image-6.1.0-57-amd64\n";
        assert_eq!(release_in(debian).unwrap(), "6.1.0-57-amd64");
        let ubuntu = "linux-image-generic\n  Depends: linux-image-5.15.0-91-generic\n  \
                      Depends: linux-modules-extra-5.15.0-91-generic\n  Depends: linux-firmware\n";
        assert_eq!(release_in(ubuntu).unwrap(), "5.15.0-91-generic");
        assert_eq!(release_in("linux-image-amd64\n"), None);
    }

    #[test]
    fn an_image_that_is_not_there_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(&dir.path().join("cache")).unwrap();
        let source = Source::Files {
            image: "/no/such/vmlinuz".into(),
            modules: dir.path().into(),
        };
        let error = Kernel::get(&cache, &source, &mut |_| {}).unwrap_err();
        assert!(format!("{error:#}").contains("/no/such/vmlinuz"));
    }
}
