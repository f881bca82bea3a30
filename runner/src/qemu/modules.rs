//! Kernel modules a guest needs, in the order they are loaded.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection};

use super::vmlinux::decompress;

/// Loaded in this order, each after what it depends on. `true` marks those a
/// testbed cannot do without; the rest depend on how the kernel was built.
const WANTED: &[(&str, bool)] = &[
    // rxe asks the crypto layer for "crc32" by name, which no dependency tells.
    ("crc32_generic", false),
    ("virtio_mmio", false),
    ("virtio_pci", false),
    ("virtio_console", true),
    ("virtio_net", true),
    ("ib_uverbs", true),
    ("rdma_ucm", true),
    ("rdma_rxe", true),
    ("sch_netem", false),
];

/// A module, decompressed.
pub struct Module {
    pub name: String,
    pub data: Vec<u8>,
}

/// What is below one `lib/modules/RELEASE` folder.
struct Tree {
    files: HashMap<String, PathBuf>,
    builtin: HashSet<String>,
}

/// The modules a guest loads, dependencies first.
pub fn for_guest(folder: &Path) -> Result<Vec<Module>> {
    let tree = Tree::read(folder)?;
    let mut ordered = Vec::new();
    for &(name, required) in WANTED {
        let known = tree.files.contains_key(name) || tree.builtin.contains(name);
        if known {
            tree.add(name, &mut ordered)?;
        } else if required {
            bail!(
                "kernel module {name} is not below {}: this kernel was built without it or its \
                 modules are split over several packages; name a folder that holds it \
                 with --modules DIR",
                folder.display()
            );
        }
    }
    Ok(ordered)
}

impl Tree {
    fn read(folder: &Path) -> Result<Tree> {
        let mut tree = Tree {
            files: HashMap::new(),
            builtin: HashSet::new(),
        };
        let list = fs::read_to_string(folder.join("modules.builtin")).unwrap_or_default();
        tree.builtin.extend(list.lines().filter_map(module_name));
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder)
                .with_context(|| format!("cannot read the modules in {}", folder.display()))?;
            for entry in entries {
                let entry = entry?;
                // Links (`build`, `source`) lead out of the tree.
                if entry.file_type()?.is_dir() {
                    folders.push(entry.path());
                } else if let Some(name) = entry.path().to_str().and_then(module_name) {
                    tree.files.insert(name, entry.path());
                }
            }
        }
        Ok(tree)
    }

    fn add(&self, name: &str, ordered: &mut Vec<Module>) -> Result<()> {
        if ordered.iter().any(|module| module.name == name) {
            return Ok(());
        }
        let Some(path) = self.files.get(name) else {
            if self.builtin.contains(name) {
                return Ok(());
            }
            bail!("kernel module {name} is needed by another but is not there");
        };
        let read = || -> Result<(Vec<u8>, Vec<String>)> {
            let data = decompress(&fs::read(path)?)?;
            let needed = dependencies(&data)?;
            Ok((data, needed))
        };
        let (data, needed) =
            read().with_context(|| format!("cannot read module {}", path.display()))?;
        for other in needed {
            self.add(&other, ordered)?;
        }
        ordered.push(Module {
            name: name.to_string(),
            data,
        });
        Ok(())
    }
}

/// `kernel/drivers/net/foo-bar.ko.xz` is module `foo_bar`.
fn module_name(path: &str) -> Option<String> {
    let file = path.rsplit('/').next()?;
    let (name, suffix) = file.split_once(".ko")?;
    matches!(suffix, "" | ".xz" | ".zst" | ".gz").then(|| name.replace('-', "_"))
}

/// The `depends=` entry of a module's own description.
fn dependencies(module: &[u8]) -> Result<Vec<String>> {
    let file = object::File::parse(module).context("not an ELF file")?;
    let info = file
        .section_by_name(".modinfo")
        .context("no .modinfo section")?
        .data()
        .context(".modinfo section is cut")?;
    let names = info
        .split(|&b| b == 0)
        .find_map(|entry| entry.strip_prefix(b"depends="))
        .unwrap_or_default();
    Ok(String::from_utf8_lossy(names)
        .split(',')
        .filter(|name| !name.is_empty())
        .map(|name| name.replace('-', "_"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_as_the_kernel_names_it() {
        assert_eq!(module_name("kernel/a/crc32-x.ko.xz").unwrap(), "crc32_x");
        assert_eq!(module_name("ib_core.ko").unwrap(), "ib_core");
        assert_eq!(module_name("modules.order"), None);
        assert_eq!(module_name("a.ko.sig"), None);
    }

    #[test]
    fn a_required_module_that_is_absent_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let text = for_guest(dir.path()).err().unwrap().to_string();
        assert!(text.contains("virtio_console"), "{text}");
        assert!(text.contains("--modules"), "{text}");
    }

    #[test]
    fn a_kernel_with_all_built_in_needs_no_module() {
        let dir = tempfile::tempdir().unwrap();
        let list: String = WANTED
            .iter()
            .map(|(name, _)| format!("kernel/{name}.ko\n"))
            .collect();
        fs::write(dir.path().join("modules.builtin"), list).unwrap();
        assert!(for_guest(dir.path()).unwrap().is_empty());
    }
}
