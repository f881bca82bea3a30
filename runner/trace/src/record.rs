//! One record being put together, straight in the bytes of the log.
//!
//! A posted request takes a device about a microsecond; building the
//! protocol's [`Event`] with a text for each name and then serialising it
//! would take longer. So calls are written by hand in `postcard`'s form of
//! [`protocol::event`], which reads them back.

use std::borrow::Cow;

use protocol::event::{self, Event};
use smallvec::SmallVec;

/// Room for nearly every record without an allocation.
pub type Bytes = SmallVec<[u8; 512]>;

/// Bytes in the form of `postcard`: integers in groups of seven bits, signed
/// ones folded; texts and sequences behind their length.
#[derive(Default)]
pub struct Record(Bytes);

impl Record {
    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub fn signed(&mut self, value: i64) {
        self.unsigned((value << 1 ^ value >> 63) as u64);
    }

    pub fn text(&mut self, text: &str) {
        self.unsigned(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    pub fn handle(&mut self, handle: Handle) {
        self.text(handle.kind);
        self.unsigned(handle.number.into());
    }

    /// Leaves room for the length of a sequence; [`Record::close`] fills it.
    pub fn open(&mut self) -> usize {
        self.byte(0);
        self.0.len() - 1
    }

    /// Sets the length of the sequence begun at `place`.
    pub fn close(&mut self, place: usize, length: usize) {
        // One byte holds up to 127; the decoders show far fewer members.
        debug_assert!(length < 128);
        self.0[place] = length as u8;
    }

    pub fn append(&mut self, other: &Record) {
        self.0.extend_from_slice(&other.0);
    }

    pub fn returned(&mut self, returned: &Returned) {
        match returned {
            Returned::Int(value) => {
                self.byte(0);
                self.signed(*value);
            }
            Returned::Handle(handle) => {
                self.byte(1);
                self.handle(*handle);
            }
            Returned::Text(text) => {
                self.byte(2);
                self.text(text);
            }
            Returned::Void => self.byte(3),
        }
    }

    /// A whole event that is not a call.
    pub fn event(&mut self, event: &Event) {
        // Enough for the largest: eleven integers of ten bytes at most, and
        // the longest kind of object.
        let mut room = [0; 160];
        if let Ok(body) = postcard::to_slice(event, &mut room) {
            self.0.extend_from_slice(body);
        }
    }

    /// The bytes with room for the length in front, rounded up so that
    /// lengths stay aligned; the reader ignores bytes behind an event.
    pub fn finish(mut self) -> Bytes {
        let length = self.0.len().next_multiple_of(4);
        self.0.resize(length, 0);
        self.0
    }

    /// An empty record with room for its length.
    pub fn begin() -> Record {
        Record(SmallVec::from_slice(&[0; 4]))
    }
}

#[derive(Clone, Copy)]
pub struct Handle {
    pub kind: &'static str,
    pub number: u32,
}

impl From<Handle> for event::Handle {
    fn from(handle: Handle) -> event::Handle {
        event::Handle {
            kind: handle.kind.to_string(),
            number: handle.number,
        }
    }
}

/// As [`event::Returned`].
pub enum Returned {
    Int(i64),
    Handle(Handle),
    Text(Cow<'static, str>),
    Void,
}
