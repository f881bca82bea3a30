//! Takes the kernel proper (an ELF file) out of a bootable image, so that
//! guests need not decompress it at every boot.

use std::io::Read;

use anyhow::{Context, Result, bail, ensure};

/// The ELF kernel inside `image`: `image` itself when it is ELF, else the
/// payload of an x86 bzImage (Documentation/arch/x86/boot.rst, fields
/// `payload_offset` and `payload_length`).
pub fn extract(image: &[u8]) -> Result<Vec<u8>> {
    if image.starts_with(b"\x7fELF") {
        return Ok(image.to_vec());
    }
    ensure!(
        image.get(0x202..0x206) == Some(b"HdrS"),
        "neither an ELF kernel nor an x86 bzImage"
    );
    let version = u16::from_le_bytes([image[0x206], image[0x207]]);
    ensure!(
        version >= 0x0208,
        "boot protocol {version:#06x} is older than 2.08 and does not tell where the kernel is"
    );
    let word = |at: usize| -> Result<usize> {
        let bytes = image
            .get(at..at + 4)
            .context("image ends within its header")?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize)
    };
    // A zero means four, for images older than the field.
    let setup_sectors = match image[0x1f1] {
        0 => 4,
        n => n as usize,
    };
    let start = (setup_sectors + 1) * 512 + word(0x248)?;
    let length = word(0x24c)?;
    let payload = start
        .checked_add(length)
        .and_then(|end| image.get(start..end))
        .context("image is cut: its payload ends after the file does")?;
    let kernel = decompress(payload)?;
    ensure!(
        kernel.starts_with(b"\x7fELF"),
        "the payload is not an ELF kernel"
    );
    Ok(kernel)
}

/// Decompresses by the magic number. The kernel build appends the size to
/// some forms, so bytes after the stream's end are ignored.
pub fn decompress(data: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match data {
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            // One stream only: the appended size is not a second one.
            lzma_rust2::XzReader::new(data, false)
                .read_to_end(&mut out)
                .context("xz stream is damaged")?;
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            ruzstd::decoding::StreamingDecoder::new(data)
                .context("zstd stream is damaged")?
                .read_to_end(&mut out)
                .context("zstd stream is damaged")?;
        }
        [0x1f, 0x8b, ..] => {
            flate2::read::GzDecoder::new(data)
                .read_to_end(&mut out)
                .context("gzip stream is damaged")?;
        }
        [0x7f, b'E', b'L', b'F', ..] => out.extend_from_slice(data),
        _ => bail!(
            "compressed in a form other than xz, zstd and gzip (first bytes {:02x?})",
            &data[..data.len().min(4)]
        ),
    }
    Ok(out)
}

/// True when the kernel can be entered directly, by the note of the PVH boot
/// protocol (type 18, owner `Xen`).
pub fn has_pvh_entry(kernel: &[u8]) -> bool {
    // namesz 4, descsz 4 or 8, type 18, name "Xen\0"
    kernel.windows(16).any(|note| {
        note[..4] == [4, 0, 0, 0]
            && (note[4] == 4 || note[4] == 8)
            && note[5..8] == [0; 3]
            && note[8..12] == [18, 0, 0, 0]
            && note[12..] == *b"Xen\0"
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    const KERNEL: &[u8] = b"\x7fELF and the rest of a kernel";

    /// A bzImage with one setup sector and this payload after 8 bytes of code.
    fn bzimage(payload: &[u8]) -> Vec<u8> {
        let mut image = vec![0; 1024 + 8];
        image[0x1f1] = 1;
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x206..0x208].copy_from_slice(&0x020fu16.to_le_bytes());
        image[0x248..0x24c].copy_from_slice(&8u32.to_le_bytes());
        image[0x24c..0x250].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        image.extend_from_slice(payload);
        image
    }

    fn compressed_by(command: &str, args: &[&str]) -> Vec<u8> {
        let mut child = Command::new(command)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("{command} is needed: {e}"));
        child.stdin.take().unwrap().write_all(KERNEL).unwrap();
        child.wait_with_output().unwrap().stdout
    }

    #[test]
    fn xz_with_the_branch_filter_and_an_appended_size() {
        let mut payload =
            compressed_by("xz", &["--check=crc32", "--x86", "--lzma2=dict=1MiB", "-c"]);
        payload.extend_from_slice(&(KERNEL.len() as u32).to_le_bytes());
        assert_eq!(extract(&bzimage(&payload)).unwrap(), KERNEL);
    }

    #[test]
    fn zstd_with_an_appended_size() {
        let mut payload = compressed_by("zstd", &["-c"]);
        payload.extend_from_slice(&(KERNEL.len() as u32).to_le_bytes());
        assert_eq!(extract(&bzimage(&payload)).unwrap(), KERNEL);
    }

    #[test]
    fn gzip() {
        let payload = compressed_by("gzip", &["-c"]);
        assert_eq!(extract(&bzimage(&payload)).unwrap(), KERNEL);
    }

    #[test]
    fn an_elf_kernel_is_taken_as_it_is() {
        assert_eq!(extract(KERNEL).unwrap(), KERNEL);
    }

    #[test]
    fn a_cut_image_is_an_error() {
        let mut image = bzimage(&compressed_by("gzip", &["-c"]));
        image.truncate(image.len() - 1);
        assert!(extract(&image).unwrap_err().to_string().contains("cut"));
    }

    #[test]
    fn an_unknown_form_is_named_by_its_first_bytes() {
        let text = extract(&bzimage(b"\x02\x21LZ")).unwrap_err().to_string();
        assert!(text.contains("[02, 21, 4c, 5a]"), "{text}");
    }

    #[test]
    fn the_entry_note_is_found_at_any_place() {
        let mut kernel = KERNEL.to_vec();
        assert!(!has_pvh_entry(&kernel));
        kernel.extend_from_slice(b"\x04\0\0\0\x08\0\0\0\x12\0\0\0Xen\0");
        assert!(has_pvh_entry(&kernel));
    }
}
