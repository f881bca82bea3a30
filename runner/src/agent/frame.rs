//! Frames on the line between host and agent: a magic word, a length, and a
//! `postcard` body. The line may be a virtio-serial port, a pipe or an ssh
//! session; it carries bytes in order and nothing else.

use std::io::{self, ErrorKind, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Not likely in text or in a torn frame: a control byte on either side.
const MAGIC: [u8; 8] = *b"\x01rdmaf1\x02";

/// No frame is larger: a full trace is 64 MiB, a program a few.
pub const LARGEST: usize = 80 << 20;

/// Writes one frame and flushes.
pub fn write(out: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let body = postcard::to_allocvec(message).map_err(io::Error::other)?;
    let mut frame = Vec::with_capacity(12 + body.len());
    frame.extend_from_slice(&MAGIC);
    frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
    frame.extend_from_slice(&body);
    out.write_all(&frame)?;
    out.flush()
}

/// Reads one frame; `None` when the line was closed between two frames.
/// Bytes before a magic word are skipped: after a restore the line may begin
/// in the middle of something.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    if !skip_to_magic(from)? {
        return Ok(None);
    }
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LARGEST {
        let message = format!("a frame of {length} bytes, the limit is {LARGEST}");
        return Err(io::Error::new(ErrorKind::InvalidData, message));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    postcard::from_bytes(&body)
        .map(Some)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn skip_to_magic(from: &mut impl Read) -> io::Result<bool> {
    let mut window = [0; 8];
    match from.read_exact(&mut window) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
        other => other?,
    }
    while window != MAGIC {
        window.rotate_left(1);
        match from.read_exact(&mut window[7..]) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_before_a_frame_are_skipped_and_the_end_is_no_error() {
        let mut line = b"noise \x01rdmaf\x01".to_vec();
        write(&mut line, &"hello").unwrap();
        let mut from = line.as_slice();
        assert_eq!(read::<String>(&mut from).unwrap().unwrap(), "hello");
        assert_eq!(read::<String>(&mut from).unwrap(), None);
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_before_it_is_allocated() {
        let mut line = MAGIC.to_vec();
        line.extend_from_slice(&u32::MAX.to_le_bytes());
        let error = read::<String>(&mut line.as_slice()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
    }

    #[test]
    fn a_torn_frame_is_an_error() {
        let mut line = Vec::new();
        write(&mut line, &"hello").unwrap();
        line.pop();
        assert!(read::<String>(&mut line.as_slice()).is_err());
    }
}
