//! Keeps `snippets/` equal to what the chapters say, and leads from a line
//! there back to the chapter.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::{Captures, Regex};

use crate::assemble::{Assembled, MARK, Origin, SNIPPETS, assemble, without_places};
use crate::book::Book;
use crate::problem::Problem;
use crate::snippet::Span;

/// The assembled files of a book, by path relative to the repository.
#[derive(Clone, Debug)]
pub struct Tangle {
    pub files: BTreeMap<PathBuf, Assembled>,
}

/// What to do about a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only tell.
    Check,
    /// Write what differs.
    Write,
    /// Write what differs and remove what no snippet has any more: right only
    /// when the whole book could be read.
    WriteAndRemove,
}

/// A file under `snippets/` that is not what the chapters say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    pub path: PathBuf,
    pub kind: DriftKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriftKind {
    Missing,
    /// The first line that differs, from 1.
    Differs(usize),
    /// Generated once; its snippet is gone.
    Stale,
    /// Written by hand in a folder of generated files.
    Foreign,
}

/// Folders that hold nothing but assembled files.
const FOLDERS: [&str; 4] = ["c", "src", "src/bin", "fails"];

/// The package's own page: the one file there that people write.
const BY_HAND: &str = "snippets/src/lib.rs";

impl Tangle {
    pub fn of(book: &Book) -> Tangle {
        let files = assemble(book).into_iter();
        Tangle {
            files: files.map(|file| (file.path.clone(), file)).collect(),
        }
    }

    /// Compares `snippets/` with the chapters, mends it as far as `mode`
    /// says, and returns what differed.
    pub fn sync(&self, root: &Path, mode: Mode) -> Result<Vec<Drift>> {
        let mut drifts = Vec::new();
        for (path, file) in &self.files {
            let Some(kind) = difference(&root.join(path), &file.text)? else {
                continue;
            };
            if mode != Mode::Check {
                write(&root.join(path), &file.text)?;
            }
            drifts.push(Drift {
                path: path.clone(),
                kind,
            });
        }
        for drift in self.extra(root)? {
            if mode == Mode::WriteAndRemove && drift.kind == DriftKind::Stale {
                let path = root.join(&drift.path);
                fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
            }
            drifts.push(drift);
        }
        Ok(drifts)
    }

    /// Files under `snippets/` that the chapters do not ask for.
    fn extra(&self, root: &Path) -> Result<Vec<Drift>> {
        let mut drifts = Vec::new();
        for folder in FOLDERS {
            let folder = Path::new(SNIPPETS).join(folder);
            let Ok(entries) = fs::read_dir(root.join(&folder)) else {
                continue;
            };
            for entry in entries {
                let entry = entry?;
                let path = folder.join(entry.file_name());
                let expected = self.files.contains_key(&path) || path == Path::new(BY_HAND);
                if expected || !entry.file_type()?.is_file() {
                    continue;
                }
                let ours = fs::read(entry.path())?.starts_with(MARK.as_bytes());
                let kind = if ours {
                    DriftKind::Stale
                } else {
                    DriftKind::Foreign
                };
                drifts.push(Drift { path, kind });
            }
        }
        drifts.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(drifts)
    }

    /// The chapter line behind a line (from 1) of an assembled file; the path
    /// may go through `..`, as the compiler writes it.
    pub fn origin(&self, path: &Path, line: usize) -> Option<&Origin> {
        let file = self.files.get(&normal(path))?;
        file.origins.get(line.checked_sub(1)?)?.as_ref()
    }

    /// The same text with every place in assembled Rust code
    /// (`snippets/src/bin/x.rs:12:5`) given as its place in the chapter.
    pub fn remap_text(&self, text: &str) -> String {
        static PLACE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(snippets/[A-Za-z0-9_./-]+\.rs):(\d+)(?::(\d+))?").expect("a regex")
        });
        let replaced = PLACE.replace_all(text, |place: &Captures| {
            let number = |group| place.get(group).and_then(|m| m.as_str().parse().ok());
            let line: usize = number(2).unwrap_or(0);
            let Some(origin) = self.origin(Path::new(&place[1]), line) else {
                return place[0].to_string();
            };
            let file = origin.file.display();
            match number(3) {
                Some(column) => {
                    let column: usize = origin.column + column - 1;
                    format!("{file}:{}:{column}", origin.line)
                }
                None => format!("{file}:{}", origin.line),
            }
        });
        replaced.into_owned()
    }
}

/// `a/b/../c` as `a/c`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

fn difference(path: &Path, text: &str) -> Result<Option<DriftKind>> {
    let found = match fs::read(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Some(DriftKind::Missing));
        }
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    };
    if found == text.as_bytes() {
        return Ok(None);
    }
    let found = String::from_utf8_lossy(&found);
    let same = found.lines().zip(text.lines()).take_while(|(a, b)| a == b);
    Ok(Some(DriftKind::Differs(same.count() + 1)))
}

/// Written beside and renamed: a reader never sees half a file.
fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().expect("a file is in a folder");
    let moved = time_if_only_moved(path, text);
    let written = (|| {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new()
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .tempfile_in(folder)?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        if let Some(time) = moved {
            file.as_file().set_modified(time)?;
        }
        file.persist(path)?;
        std::io::Result::Ok(())
    })();
    written.with_context(|| format!("writing {}", path.display()))
}

/// The time of a file whose code stays as it is while its place in the
/// chapter moves: kept, so that cargo does not build it again.
fn time_if_only_moved(path: &Path, text: &str) -> Option<std::time::SystemTime> {
    let found = fs::read_to_string(path).ok()?;
    let same = without_places(&found) == without_places(text);
    same.then(|| fs::metadata(path).ok()?.modified().ok())?
}

impl Drift {
    /// For `check`: what differs and the command that mends it.
    pub fn problem(&self) -> Problem {
        let path = self.path.display();
        let mend = (
            "run `cargo xtask check --fix`",
            "请运行 `cargo xtask check --fix`",
        );
        let (line, problem, help) = match self.kind {
            DriftKind::Missing => (
                1,
                Problem::new(
                    "drift",
                    format!("`{path}` is missing"),
                    format!("缺少 `{path}`"),
                ),
                mend,
            ),
            DriftKind::Differs(line) => (
                line,
                Problem::new(
                    "drift",
                    format!("`{path}` is not what the chapter says"),
                    format!("`{path}` 与章节不一致"),
                ),
                mend,
            ),
            DriftKind::Stale => (
                1,
                Problem::new(
                    "drift",
                    format!("`{path}` belongs to no snippet any more"),
                    format!("`{path}` 已不属于任何示例"),
                ),
                mend,
            ),
            DriftKind::Foreign => (
                1,
                Problem::new(
                    "not-generated",
                    format!("`{path}` was not generated from a chapter"),
                    format!("`{path}` 不是由章节生成的"),
                ),
                (
                    "move it out of the folder: code belongs in a chapter",
                    "请移出该目录：代码应写在章节里",
                ),
            ),
        };
        let at = Span {
            file: self.path.clone(),
            line,
            column: 1,
            bytes: 0..0,
        };
        problem.at(&at, "").help(help.0, help.1)
    }
}
