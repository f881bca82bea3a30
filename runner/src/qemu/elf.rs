//! The shared libraries an executable needs, found as the dynamic loader of
//! this host finds them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use object::Endianness;
use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, FileHeader64, PT_INTERP};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};

/// Files by their path in the guest; the path on this host is the value.
/// Both differ where a link's name counts (`libc.so.6`).
#[derive(Default)]
pub struct Closure {
    pub files: BTreeMap<PathBuf, PathBuf>,
}

/// What the dynamic section of one file asks for.
#[derive(Default)]
struct Needs {
    interpreter: Option<PathBuf>,
    libraries: Vec<String>,
    search: Vec<PathBuf>,
}

impl Closure {
    /// Adds the libraries of `file`, and of those in turn; not `file` itself.
    pub fn add_needs_of(&mut self, file: &Path) -> Result<()> {
        let needs = needs(file).with_context(|| format!("cannot read {}", file.display()))?;
        if let Some(interpreter) = needs.interpreter {
            self.add_library(&interpreter)?;
        }
        for library in &needs.libraries {
            let found = needs
                .search
                .iter()
                .cloned()
                .chain(system_folders())
                .map(|folder| folder.join(library))
                .find(|path| path.is_file());
            let Some(path) = found else {
                bail!("{} needs {library}, which is not installed", file.display());
            };
            self.add_library(&path)?;
        }
        Ok(())
    }

    /// Adds a library and what it needs.
    pub fn add_library(&mut self, path: &Path) -> Result<()> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            bail!("{} is no library", path.display());
        };
        // The folder without links, the name as asked for.
        let guest = fs::canonicalize(folder)?.join(name);
        if self.files.insert(guest, path.to_path_buf()).is_none() {
            self.add_needs_of(path)?;
        }
        Ok(())
    }
}

/// Where the loader looks when a file names no folder of its own.
pub fn system_folders() -> Vec<PathBuf> {
    let arch = std::env::consts::ARCH;
    let mut folders: Vec<PathBuf> = [
        format!("/usr/lib/{arch}-linux-gnu"),
        format!("/lib/{arch}-linux-gnu"),
        "/usr/lib64".into(),
        "/lib64".into(),
        "/usr/lib".into(),
        "/lib".into(),
        "/usr/local/lib".into(),
    ]
    .into_iter()
    .map(PathBuf::from)
    .collect();
    folders.retain(|folder| folder.is_dir());
    folders
}

/// The library of this name in a folder of the system.
pub fn find_library(name: &str) -> Option<PathBuf> {
    system_folders()
        .into_iter()
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The command of this name on `PATH` or in a folder for administrators,
/// which an ordinary user's `PATH` lacks.
pub fn find_command(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

fn needs(file: &Path) -> Result<Needs> {
    let data = fs::read(file)?;
    let header = FileHeader64::<Endianness>::parse(&*data)?;
    let endian = header.endian()?;
    let segments = header.program_headers(endian, &*data)?;
    let mut needs = Needs::default();
    for segment in segments {
        if segment.p_type(endian) == PT_INTERP {
            let text = segment
                .data(endian, &*data)
                .map_err(|()| anyhow::anyhow!("interpreter name lies outside the file"))?;
            let text = text.split(|&b| b == 0).next().unwrap_or_default();
            needs.interpreter = Some(std::str::from_utf8(text)?.into());
        }
    }
    let sections = header.sections(endian, &*data)?;
    let Some((entries, link)) = sections.dynamic(endian, &*data)? else {
        return Ok(needs);
    };
    let strings = sections.strings(endian, &*data, link)?;
    for entry in entries {
        let text = || -> Result<&str> { Ok(std::str::from_utf8(entry.string(endian, strings)?)?) };
        match entry.tag(endian) {
            DT_NEEDED => needs.libraries.push(text()?.to_string()),
            DT_RPATH | DT_RUNPATH => {
                let origin = file.parent().unwrap_or(Path::new("/")).to_string_lossy();
                needs.search.extend(
                    text()?
                        .split(':')
                        .map(|folder| folder.replace("$ORIGIN", &origin).into()),
                );
            }
            _ => {}
        }
    }
    Ok(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_program_needs_libc_and_the_loader() {
        let mut closure = Closure::default();
        closure
            .add_needs_of(&std::env::current_exe().unwrap())
            .unwrap();
        let names: Vec<_> = closure
            .files
            .keys()
            .map(|path| path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert!(names.contains(&"libc.so.6"), "{names:?}");
        assert!(names.iter().any(|n| n.starts_with("ld-linux")), "{names:?}");
    }

    #[test]
    fn a_text_file_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("script");
        fs::write(&path, "#!/bin/sh\n").unwrap();
        let text = Closure::default().add_needs_of(&path).unwrap_err();
        assert!(text.to_string().contains("script"), "{text}");
    }
}
