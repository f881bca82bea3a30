//! The file a traced process leaves behind.
//!
//! Records from the first byte on, in the form [`crate::event::decode_log`]
//! reads; the last [`TRAILER`] bytes say how much was written and whether
//! anything had to be left out. The file is sparse: only what was written
//! takes room.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

/// Names the file a traced process writes its log to.
pub const LOG_VARIABLE: &str = "RDMA_TRACE_LOG";
/// Names the size in bytes that a log may reach.
pub const LIMIT_VARIABLE: &str = "RDMA_TRACE_LIMIT";
/// What a log may reach when nothing else is said.
pub const DEFAULT_LIMIT: u64 = 64 << 20;
/// Bytes at the end of the file: `used`, `dropped` and [`MAGIC`], each a
/// little-endian `u64`, and room to grow.
pub const TRAILER: u64 = 64;
/// Marks a complete trailer.
pub const MAGIC: u64 = u64::from_le_bytes(*b"verbslog");

/// What was found in a log file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// For [`crate::event::decode_log`].
    pub bytes: Vec<u8>,
    /// Events were left out because the log was full.
    pub truncated: bool,
}

/// Reads a log without its empty part. A file that is not there is an empty
/// log: the process made no verbs call. So is one whose writer was killed
/// before it had laid the file out.
pub fn read(path: &Path) -> io::Result<Recorded> {
    match File::open(path) {
        Ok(mut file) => read_file(&mut file),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Recorded::default()),
        Err(e) => Err(e),
    }
}

fn read_file(file: &mut File) -> io::Result<Recorded> {
    let length = file.metadata()?.len();
    let Some(room) = length.checked_sub(TRAILER) else {
        return Ok(Recorded::default());
    };
    let mut words = [[0; 8]; 3];
    file.seek(SeekFrom::Start(room))?;
    for word in &mut words {
        file.read_exact(word)?;
    }
    let [used, dropped, magic] = words.map(u64::from_le_bytes);
    if magic != MAGIC {
        return Ok(Recorded::default());
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(used.min(room)).read_to_end(&mut bytes)?;
    Ok(Recorded {
        bytes,
        truncated: dropped > 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_an_empty_log() {
        let path = Path::new("no/such/folder/log");
        assert_eq!(read(path).unwrap(), Recorded::default());
    }
}
