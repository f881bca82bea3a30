//! The committed records: `book/measured/<testbed>/<snippet>.json`.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::interrupt;
use crate::record::{FORMAT, Record, RecordState, TESTBEDS};
use crate::snippet::Language;

/// The folder of records, relative to the repository.
pub const FOLDER: &str = "book/measured";

/// The folder of what this machine measured last, committed or not.
pub const LOCAL_FOLDER: &str = "target/measured";

/// All records, by snippet, then by testbed.
#[derive(Debug, Default)]
pub struct Records {
    by_snippet: BTreeMap<String, BTreeMap<String, Record>>,
}

/// A record that cannot be used, with the file and, inside it, the line.
#[derive(Debug)]
pub enum RecordError {
    Unreadable {
        path: PathBuf,
        error: io::Error,
    },
    Unwritable {
        path: PathBuf,
        error: io::Error,
    },
    /// Cut off or not JSON, or not the shape of a record.
    NotARecord {
        path: PathBuf,
        line: usize,
        column: usize,
        reason: String,
    },
    Newer {
        path: PathBuf,
        format: u64,
    },
    UnknownTestbed {
        path: PathBuf,
    },
    /// The names inside do not say what the path says.
    Misplaced {
        path: PathBuf,
        says: String,
    },
}

impl std::error::Error for RecordError {}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Unreadable { path, error } => write!(
                f,
                "{p}: the record cannot be read: {error}; check the file's permissions\n\
                 {p}：无法读取这份记录：{error}；请检查文件权限",
                p = path.display()
            ),
            RecordError::Unwritable { path, error } => write!(
                f,
                "{p}: the record cannot be written: {error}; what was there before is kept; make \
                 room or give permission, then run the command again\n\
                 {p}：无法写入这份记录：{error}；原来的内容仍在；请腾出空间或授予权限后重新运行",
                p = path.display()
            ),
            RecordError::NotARecord {
                path,
                line,
                column,
                reason,
            } => write!(
                f,
                "{p}:{line}:{column}: this is not a complete record: {reason}; restore it with \
                 `git checkout -- {p}`, or delete it and measure again with `cargo xtask verify \
                 --update`\n\
                 {p}:{line}:{column}：这不是完整的记录：{reason}；请用 `git checkout -- {p}` \
                 恢复，或删除后用 `cargo xtask verify --update` 重新测量",
                p = path.display()
            ),
            RecordError::Newer { path, format } => write!(
                f,
                "{p}: the record has format {format}, this program reads up to {FORMAT}; update \
                 this checkout with `git pull`\n\
                 {p}：记录的格式版本是 {format}，本程序最高支持 {FORMAT}；请用 `git pull` 更新",
                p = path.display()
            ),
            RecordError::UnknownTestbed { path } => {
                let known = TESTBEDS.join(", ");
                write!(
                    f,
                    "{p}: no testbed has the name of this folder; known are {known}; move or \
                     delete the folder\n\
                     {p}：没有哪个测试床叫这个名字；已知的有 {known}；请移动或删除这个文件夹",
                    p = path.display()
                )
            }
            RecordError::Misplaced { path, says } => write!(
                f,
                "{p}: the record says it is {says}; move it there, or delete it\n\
                 {p}：记录自称是 {says}；请移到那里，或删除它",
                p = path.display()
            ),
        }
    }
}

/// Every record under `root`; the first that cannot be used is the error.
pub fn load_all(root: &Path) -> Result<Records, RecordError> {
    load_from(root, FOLDER)
}

/// As [`load_all`], of the records below another folder.
pub fn load_from(root: &Path, records_folder: &str) -> Result<Records, RecordError> {
    let mut records = Records::default();
    for folder in entries(root, Path::new(records_folder))? {
        if !root.join(&folder).is_dir() {
            continue;
        }
        let testbed = file_name(&folder);
        if !TESTBEDS.contains(&testbed.as_str()) {
            return Err(RecordError::UnknownTestbed { path: folder });
        }
        for path in entries(root, &folder)? {
            if path.extension().is_some_and(|e| e == "json") {
                let record = read(root, records_folder, &path)?;
                records.insert(record);
            }
        }
    }
    Ok(records)
}

/// Paths in a folder, relative to `root`, sorted; nothing when it is missing.
fn entries(root: &Path, folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let unreadable = |error| RecordError::Unreadable {
        path: folder.to_path_buf(),
        error,
    };
    let listing = match fs::read_dir(root.join(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listing => listing.map_err(unreadable)?,
    };
    let mut paths = Vec::new();
    for entry in listing {
        paths.push(folder.join(entry.map_err(unreadable)?.file_name()));
    }
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// `book/measured/<testbed>/<snippet>.json`
pub fn path_of(testbed: &str, snippet: &str) -> PathBuf {
    path_in(FOLDER, testbed, snippet)
}

fn path_in(folder: &str, testbed: &str, snippet: &str) -> PathBuf {
    Path::new(folder)
        .join(testbed)
        .join(format!("{snippet}.json"))
}

fn read(root: &Path, folder: &str, path: &Path) -> Result<Record, RecordError> {
    let bytes = fs::read(root.join(path)).map_err(|error| RecordError::Unreadable {
        path: path.to_path_buf(),
        error,
    })?;
    let broken = |error: serde_json::Error| RecordError::NotARecord {
        path: path.to_path_buf(),
        line: error.line(),
        // The end of an empty file stands before its first column.
        column: error.column().max(1),
        reason: error.to_string(),
    };
    // The format first: the shape of a newer record is unknown.
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(broken)?;
    if let Some(format) = value.get("format").and_then(|f| f.as_u64())
        && format > u64::from(FORMAT)
    {
        return Err(RecordError::Newer {
            path: path.to_path_buf(),
            format,
        });
    }
    let record: Record = serde_json::from_slice(&bytes).map_err(broken)?;
    let says = path_in(folder, &record.testbed, &record.snippet);
    match says == path {
        true => Ok(record),
        false => Err(RecordError::Misplaced {
            path: path.to_path_buf(),
            says: says.display().to_string(),
        }),
    }
}

/// Writes a record so that a reader sees the old one or the new one, never a
/// part: a temporary file in the same folder, synced, then renamed.
pub fn write(root: &Path, record: &Record) -> Result<PathBuf, RecordError> {
    write_in(root, FOLDER, record)
}

/// As [`write()`], below another folder.
pub fn write_in(root: &Path, folder: &str, record: &Record) -> Result<PathBuf, RecordError> {
    let path = path_in(folder, &record.testbed, &record.snippet);
    interrupt::whole(|| write_whole(&root.join(&path), record)).map_err(|error| {
        RecordError::Unwritable {
            path: path.clone(),
            error,
        }
    })?;
    Ok(path)
}

fn write_whole(path: &Path, record: &Record) -> io::Result<()> {
    let folder = path.parent().expect("a record stands in a folder");
    fs::create_dir_all(folder)?;
    let mut text = serde_json::to_string_pretty(record)?;
    text.push('\n');
    let mut file = tempfile::Builder::new()
        .prefix(".record-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    fs::File::open(folder)?.sync_all()
}

impl Records {
    pub fn insert(&mut self, record: Record) {
        self.by_snippet
            .entry(record.snippet.clone())
            .or_default()
            .insert(record.testbed.clone(), record);
    }

    /// The records of one snippet, by testbed.
    pub fn of(&self, snippet: &str) -> impl Iterator<Item = &Record> {
        self.by_snippet
            .get(snippet)
            .into_iter()
            .flat_map(|m| m.values())
    }

    pub fn get(&self, snippet: &str, testbed: &str) -> Option<&Record> {
        self.by_snippet.get(snippet)?.get(testbed)
    }

    /// Fresh when some testbed's record matches the hash; stale when there
    /// are only others.
    pub fn state(&self, snippet: &str, language: Language, hash: &str) -> RecordState {
        let states: Vec<RecordState> = self
            .of(snippet)
            .map(|record| record.state(language, hash))
            .collect();
        [RecordState::Fresh, RecordState::Stale]
            .into_iter()
            .find(|state| states.contains(state))
            .unwrap_or(RecordState::None)
    }

    /// Records of snippets that the book no longer has.
    pub fn orphans<'a>(&'a self, known: &[&str]) -> Vec<&'a Record> {
        self.by_snippet
            .iter()
            .filter(|(snippet, _)| !known.contains(&snippet.as_str()))
            .flat_map(|(_, records)| records.values())
            .collect()
    }
}
