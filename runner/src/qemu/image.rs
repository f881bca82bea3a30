//! What a guest boots: a kernel and an initial root file system that holds
//! the agent and this host's RDMA libraries, those that programs are linked
//! with.

use std::collections::BTreeMap;
use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::cache::Cache;
use super::cpio;
use super::elf::{self, Closure};
use super::kernel::{Kernel, Source};
use super::progress::{Progress, Watch};

/// A bootable image in the cache, named by its content: a changed agent,
/// library or kernel gives another.
#[derive(Clone, Debug)]
pub struct Image {
    /// Name of the cache entry.
    pub key: String,
    pub kernel: PathBuf,
    pub initramfs: PathBuf,
    pub cache: Cache,
}

/// Commands a guest has beside busybox, with the package that brings each.
const COMMANDS: &[(&str, &str)] = &[("ip", "iproute2"), ("rdma", "iproute2"), ("tc", "iproute2")];

/// Libraries that programs may be linked with or load.
const LIBRARIES: &[(&str, &str)] = &[
    ("libibverbs.so.1", "libibverbs1"),
    ("librdmacm.so.1", "librdmacm1"),
    ("libgcc_s.so.1", "libgcc-s1"),
    ("libm.so.6", "libc6"),
];

const PROVIDER_PACKAGE: &str = "ibverbs-providers";

/// Folders that a current distribution has as links into `/usr`.
const LINKS: &[(&str, &str)] = &[
    ("bin", "usr/bin"),
    ("sbin", "usr/sbin"),
    ("lib", "usr/lib"),
    ("lib64", "usr/lib64"),
];

const TEXTS: &[(&str, &str)] = &[
    (
        "etc/passwd",
        "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n",
    ),
    ("etc/group", "root:x:0:\nnogroup:x:65534:\n"),
    (
        "etc/hosts",
        "127.0.0.1 localhost\n10.10.0.1 node0\n10.10.0.2 node1\n",
    ),
    (
        "etc/nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files\n",
    ),
];

/// Images kept in the cache: one for each of a few branches at work.
const KEEP: usize = 3;

impl Image {
    /// The image with this `agent` as its first program, built when the cache
    /// does not hold it.
    pub fn get(cache: &Cache, source: &Source, agent: &Path, watch: Watch) -> Result<Image> {
        let kernel = Kernel::get(cache, source, watch)?;
        let files = host_files(agent)?;
        let applets = busybox_applets(&files)?;
        let key = key(&kernel, &files, &applets)?;
        let path = cache.entry(&key, |entry| {
            watch(Progress::BuildingImage);
            build(&entry.join("initramfs"), &kernel, &files, &applets)
        })?;
        cache.prune("image-", KEEP);
        Ok(Image {
            key,
            kernel: kernel.boot,
            initramfs: path.join("initramfs"),
            cache: cache.clone(),
        })
    }
}

/// The files of this host that go into the image, by their path there.
fn host_files(agent: &Path) -> Result<BTreeMap<PathBuf, PathBuf>> {
    let mut closure = Closure::default();
    closure.add_needs_of(agent).with_context(|| {
        format!(
            "the agent {} cannot be taken into the guest",
            agent.display()
        )
    })?;
    for (name, package) in LIBRARIES {
        let path = elf::find_library(name).with_context(|| missing(name, package))?;
        closure.add_library(&path)?;
    }
    let provider = rxe_provider().with_context(|| missing("librxe", PROVIDER_PACKAGE))?;
    closure.add_library(&provider)?;
    let mut files = BTreeMap::from([
        (PathBuf::from("/init"), agent.to_path_buf()),
        (PathBuf::from(RXE_DRIVER), PathBuf::from(RXE_DRIVER)),
    ]);
    let busybox =
        elf::find_command("busybox").with_context(|| missing("busybox", "busybox-static"))?;
    closure.add_needs_of(&busybox)?;
    files.insert(BUSYBOX.into(), busybox);
    for (name, package) in COMMANDS {
        let path = elf::find_command(name).with_context(|| missing(name, package))?;
        closure.add_needs_of(&path)?;
        files.insert(Path::new("/usr/sbin").join(name), path);
    }
    files.extend(closure.files);
    Ok(files)
}

const RXE_DRIVER: &str = "/etc/libibverbs.d/rxe.driver";
const BUSYBOX: &str = "/usr/bin/busybox";

fn missing(what: &str, package: &str) -> String {
    format!(
        "{what} is not on this machine, and the guests need it: \
         run `sudo apt-get install {package}`"
    )
}

/// libibverbs loads `librxe-rdmavNN.so`, where NN is its private interface.
fn rxe_provider() -> Option<PathBuf> {
    let folders = elf::system_folders().into_iter();
    let mut found: Vec<PathBuf> = folders
        .filter_map(|folder| fs::read_dir(folder.join("libibverbs")).ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("librxe-rdmav") && name.ends_with(".so")
        })
        .collect();
    found.sort();
    found.pop()
}

/// Names under which busybox serves, those of real commands left out.
fn busybox_applets(files: &BTreeMap<PathBuf, PathBuf>) -> Result<Vec<String>> {
    let busybox = &files[Path::new(BUSYBOX)];
    let out = Command::new(busybox)
        .arg("--list")
        .output()
        .with_context(|| format!("cannot run {}", busybox.display()))?;
    Ok(String::from_utf8_lossy(&out.stdout)
        .lines()
        .filter(|name| *name != "busybox" && !COMMANDS.iter().any(|(real, _)| real == name))
        .map(str::to_string)
        .collect())
}

fn key(kernel: &Kernel, files: &BTreeMap<PathBuf, PathBuf>, applets: &[String]) -> Result<String> {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(kernel.key.as_bytes());
    for (guest, host) in files {
        part(guest.as_os_str().as_encoded_bytes());
        part(&fs::read(host).with_context(|| format!("cannot read {}", host.display()))?);
    }
    for text in applets
        .iter()
        .map(String::as_str)
        .chain(TEXTS.iter().map(|t| t.1))
    {
        part(text.as_bytes());
    }
    Ok(format!("image-{}", super::short(&hash.finalize())))
}

fn build(
    target: &Path,
    kernel: &Kernel,
    files: &BTreeMap<PathBuf, PathBuf>,
    applets: &[String],
) -> Result<()> {
    let out = fs::File::create(target).context("cannot write the guests' file system")?;
    let mut archive = cpio::Writer::new(BufWriter::new(out));
    for folder in [
        "dev",
        "proc",
        "sys",
        "tmp",
        "run",
        "root",
        "usr/bin",
        "usr/lib64",
    ] {
        archive.folder(folder)?;
    }
    for (link, target) in LINKS {
        archive.symlink(link, target)?;
    }
    archive.char_device("dev/console", 0o600, 5, 1)?;
    archive.char_device("dev/null", 0o666, 1, 3)?;
    for (guest, host) in files {
        let data = if guest == Path::new("/init") {
            stripped(host)?
        } else {
            fs::read(host)?
        };
        // A library keeps its full name, which tells its version.
        match full_name(guest, host) {
            Some(name) => {
                let place = guest.with_file_name(&name);
                archive.file(in_archive(&place), 0o755, &data)?;
                archive.symlink(in_archive(guest), &name)?;
            }
            None => archive.file(in_archive(guest), 0o755, &data)?,
        }
    }
    for name in applets {
        archive.symlink(&format!("usr/bin/{name}"), "busybox")?;
    }
    for (path, text) in TEXTS {
        archive.file(path, 0o644, text.as_bytes())?;
    }
    for file in fs::read_dir(&kernel.modules)? {
        let file = file?;
        let name = file.file_name();
        let path = format!("modules/{}", name.to_string_lossy());
        archive.file(&path, 0o644, &fs::read(file.path())?)?;
    }
    archive
        .finish()
        .context("cannot write the guests' file system")?;
    Ok(())
}

/// What the link `host` leads to, when that is another name in its folder.
fn full_name(guest: &Path, host: &Path) -> Option<String> {
    let target = fs::read_link(host).ok()?;
    let name = target.to_str()?;
    let library = guest.extension().is_some() && !name.contains('/');
    (library && Some(name) != guest.file_name()?.to_str()).then(|| name.to_string())
}

fn in_archive(guest: &Path) -> &str {
    let path = guest.to_str().unwrap_or_default();
    path.trim_start_matches('/')
}

/// The agent without debug information, which every boot would unpack; as it
/// is where `strip` is not installed.
fn stripped(agent: &Path) -> Result<Vec<u8>> {
    let target = tempfile::NamedTempFile::new()?;
    let done = Command::new("strip")
        .arg("-o")
        .arg(target.path())
        .arg(agent)
        .status();
    match done {
        Ok(status) if status.success() => Ok(fs::read(target.path())?),
        _ => Ok(fs::read(agent)?),
    }
}
