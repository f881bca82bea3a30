//! A writer of cpio archives in the `newc` form, which the kernel unpacks as
//! its initial root file system (Documentation/driver-api/early-userspace/
//! buffer-format.rst).

use std::collections::BTreeSet;
use std::io::{self, Write};

/// Owner is root, times are 0 and inode numbers count up, so the same input
/// gives the same bytes.
pub struct Writer<W> {
    out: W,
    written: u64,
    inode: u32,
    folders: BTreeSet<String>,
}

impl<W: Write> Writer<W> {
    pub fn new(out: W) -> Self {
        Writer {
            out,
            written: 0,
            inode: 0,
            folders: BTreeSet::new(),
        }
    }

    /// A folder and the folders above it; `path` without a leading slash.
    pub fn folder(&mut self, path: &str) -> io::Result<()> {
        let ends = path.match_indices('/').map(|(at, _)| at);
        for end in ends.chain([path.len()]) {
            if end > 0 && self.folders.insert(path[..end].to_string()) {
                self.header(&path[..end], libc::S_IFDIR | 0o755, 0, (0, 0))?;
            }
        }
        Ok(())
    }

    pub fn file(&mut self, path: &str, mode: u32, data: &[u8]) -> io::Result<()> {
        self.parent(path)?;
        let size = u32::try_from(data.len())
            .map_err(|_| io::Error::other(format!("{path} is larger than 4 GiB")))?;
        self.header(path, libc::S_IFREG | mode, size, (0, 0))?;
        self.put(data)?;
        self.pad()
    }

    pub fn symlink(&mut self, path: &str, target: &str) -> io::Result<()> {
        self.parent(path)?;
        self.header(path, libc::S_IFLNK | 0o777, target.len() as u32, (0, 0))?;
        self.put(target.as_bytes())?;
        self.pad()
    }

    pub fn char_device(&mut self, path: &str, mode: u32, major: u32, minor: u32) -> io::Result<()> {
        self.parent(path)?;
        self.header(path, libc::S_IFCHR | mode, 0, (major, minor))
    }

    /// Ends the archive and gives back what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.inode = 0;
        self.header("TRAILER!!!", 0, 0, (0, 0))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn parent(&mut self, path: &str) -> io::Result<()> {
        match path.rsplit_once('/') {
            Some((parent, _)) => self.folder(parent),
            None => Ok(()),
        }
    }

    fn header(&mut self, path: &str, mode: u32, size: u32, device: (u32, u32)) -> io::Result<()> {
        self.inode += 1;
        let links = if mode & libc::S_IFMT == libc::S_IFDIR {
            2
        } else {
            1
        };
        let fields = [
            self.inode,
            mode,
            0, // uid
            0, // gid
            links,
            0, // time of modification
            size,
            0, // device that holds it
            0,
            device.0,
            device.1,
            path.len() as u32 + 1,
            0, // check sum, unused in this form
        ];
        let mut header = String::from("070701");
        for field in fields {
            header.push_str(&format!("{field:08x}"));
        }
        self.put(header.as_bytes())?;
        self.put(path.as_bytes())?;
        self.put(&[0])?;
        self.pad()
    }

    fn put(&mut self, data: &[u8]) -> io::Result<()> {
        self.written += data.len() as u64;
        self.out.write_all(data)
    }

    /// Headers and data each begin at a multiple of four.
    fn pad(&mut self) -> io::Result<()> {
        let rest = (4 - self.written % 4) % 4;
        self.put(&[0; 4][..rest as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    fn sample() -> Vec<u8> {
        let mut archive = Writer::new(Vec::new());
        archive.file("usr/bin/tool", 0o755, b"odd").unwrap();
        archive.file("usr/empty", 0o600, b"").unwrap();
        archive.symlink("bin", "usr/bin").unwrap();
        archive.finish().unwrap()
    }

    #[test]
    fn the_same_input_gives_the_same_bytes() {
        assert_eq!(sample(), sample());
    }

    #[test]
    fn a_folder_is_written_once() {
        let text = String::from_utf8(sample()).unwrap();
        assert_eq!(text.matches("usr\0").count(), 1);
        assert_eq!(text.len() % 4, 0);
    }

    /// busybox, which every guest carries, is the independent reader.
    #[test]
    fn another_cpio_unpacks_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = Command::new("busybox")
            .args(["cpio", "-i", "-d"])
            .current_dir(dir.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("busybox is needed: apt-get install busybox-static");
        child.stdin.take().unwrap().write_all(&sample()).unwrap();
        assert!(child.wait().unwrap().success());
        let tool = dir.path().join("bin/tool");
        assert_eq!(fs::read(&tool).unwrap(), b"odd");
        assert_eq!(
            fs::metadata(tool).unwrap().permissions().mode() & 0o777,
            0o755
        );
        assert_eq!(fs::metadata(dir.path().join("usr/empty")).unwrap().len(), 0);
    }
}
