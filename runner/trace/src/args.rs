//! Arguments and results of a call, taken down one by one.

use std::borrow::Cow;
use std::ffi::CStr;
use std::net::Ipv6Addr;

use rdma_sys::ibv_gid;

use crate::handles::{self, Kind};
use crate::record::{Handle, Record, Returned};

/// The arguments so far, in the form of the log.
#[derive(Default)]
pub struct Args {
    record: Record,
    count: usize,
    /// The object that a call destroys.
    forgotten: Option<Handle>,
}

/// Places of the kinds of value in [`protocol::event::Value`].
#[repr(u8)]
enum Tag {
    Int,
    Varying,
    Handle,
    Enum,
    Flags,
    Text,
    Group,
}

impl Args {
    fn begin(&mut self, name: &'static str, tag: Tag) -> &mut Record {
        self.count += 1;
        self.record.text(name);
        self.record.byte(tag as u8);
        &mut self.record
    }

    /// The same in every run: a size, a count, a port.
    pub fn int(&mut self, name: &'static str, value: impl Into<i64>) {
        self.begin(name, Tag::Int).signed(value.into());
    }

    /// As [`Args::int`], for sizes.
    pub fn size(&mut self, name: &'static str, value: usize) {
        self.begin(name, Tag::Int).signed(value as i64);
    }

    /// Differs from run to run: an address, a key, a QP number, a PSN.
    pub fn varying(&mut self, name: &'static str, value: impl Into<u64>) {
        self.begin(name, Tag::Varying).unsigned(value.into());
    }

    /// A work request id: programs put a small number there or an address.
    pub fn wr_id(&mut self, wr_id: u64) {
        if wr_id <= u64::from(u32::MAX) {
            self.int("wr_id", wr_id as i64);
        } else {
            self.varying("wr_id", wr_id);
        }
    }

    pub fn object<T>(&mut self, name: &'static str, kind: Kind, object: *const T) {
        self.handle(name, handles::of(kind, object));
    }

    /// An object that may be absent: a null pointer is left out.
    pub fn optional<T>(&mut self, name: &'static str, kind: Kind, object: *const T) {
        if !object.is_null() {
            self.object(name, kind, object);
        }
    }

    pub fn handle(&mut self, name: &'static str, handle: Handle) {
        self.begin(name, Tag::Handle).handle(handle);
    }

    pub fn enumeration(&mut self, name: &'static str, tag: &'static str, value: impl Into<i64>) {
        let record = self.begin(name, Tag::Enum);
        record.text(tag);
        record.signed(value.into());
    }

    pub fn flags(&mut self, name: &'static str, tag: &'static str, bits: impl Into<u64>) {
        let record = self.begin(name, Tag::Flags);
        record.text(tag);
        record.unsigned(bits.into());
    }

    pub fn text(&mut self, name: &'static str, text: &str) {
        self.begin(name, Tag::Text).text(text);
    }

    /// A GID as the IPv6 address it has the form of.
    pub fn gid(&mut self, name: &'static str, gid: &ibv_gid) {
        // SAFETY: every bit pattern is a valid array of bytes.
        let bytes = unsafe { gid.raw };
        self.text(name, &Ipv6Addr::from(bytes).to_string());
    }

    pub fn group(&mut self, name: &'static str, fill: impl FnOnce(&mut Args)) {
        let place = self.begin(name, Tag::Group).open();
        let outside = std::mem::take(&mut self.count);
        fill(self);
        self.record.close(place, self.count);
        self.count = outside;
    }

    /// The arguments as a sequence, behind what `record` holds.
    pub fn write(&self, record: &mut Record) {
        record.unsigned(self.count as u64);
        record.append(&self.record);
    }

    /// For a group whose members have a number for a name.
    pub fn member(&mut self, index: usize, fill: impl FnOnce(&mut Args)) {
        self.group(INDEX[index.min(INDEX.len() - 1)], fill);
    }
}

/// Members of an array shown in full; of a longer one the rest is counted.
pub const SHOWN: usize = 16;

const INDEX: [&str; SHOWN] = [
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
];

/// A text the library owns.
///
/// # Safety
/// `text` is null or points to a text that ends with a zero byte.
pub unsafe fn library_text(text: *const libc::c_char) -> Cow<'static, str> {
    if text.is_null() {
        return "NULL".into();
    }
    // SAFETY: the caller vouches for it.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned().into()
}

/// Objects about to be destroyed.
impl Args {
    /// Takes down an object and forgets it; [`Args::destroyed`] ends this.
    pub fn forget<T>(&mut self, name: &'static str, kind: Kind, object: *const T) {
        let handle = handles::forget(kind, object);
        self.forgotten = Some(handle);
        self.handle(name, handle);
    }

    /// Remembers the object of [`Args::forget`] again when it is still there.
    pub fn destroyed<T>(&mut self, kind: Kind, object: *const T, result: i32) -> Returned {
        if result != 0
            && let Some(handle) = self.forgotten
        {
            handles::restore(kind, object, handle);
        }
        Returned::Int(result.into())
    }
}

#[cfg(test)]
impl Args {
    /// What the protocol makes of the bytes.
    pub fn read_back(&self) -> Vec<protocol::event::Arg> {
        let mut record = Record::default();
        self.write(&mut record);
        postcard::from_bytes(&record.finish()).unwrap()
    }
}
