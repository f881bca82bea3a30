//! Arguments and results of a call, taken down one by one.

use std::borrow::Cow;
use std::ffi::CStr;
use std::net::Ipv6Addr;

use rdma_sys::ibv_gid;

use crate::handles::{self, Kind};
use crate::record::{Arg, Handle, Returned, Value, What};

#[derive(Default)]
pub struct Args(Vec<Arg>);

impl Args {
    fn push(&mut self, name: &'static str, value: Value) {
        if self.0.capacity() == 0 {
            self.0.reserve(8);
        }
        self.0.push(Arg { name, value });
    }

    /// The same in every run: a size, a count, a port.
    pub fn int(&mut self, name: &'static str, value: impl Into<i64>) {
        self.push(name, Value::Int(value.into()));
    }

    /// As [`Args::int`], for sizes.
    pub fn size(&mut self, name: &'static str, value: usize) {
        self.push(name, Value::Int(value as i64));
    }

    /// Differs from run to run: an address, a key, a QP number, a PSN.
    pub fn varying(&mut self, name: &'static str, value: impl Into<u64>) {
        self.push(name, Value::Varying(value.into()));
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
        self.push(name, Value::Handle(handle));
    }

    pub fn enumeration(&mut self, name: &'static str, tag: &'static str, value: impl Into<i64>) {
        self.push(name, Value::Enum(tag, value.into()));
    }

    pub fn flags(&mut self, name: &'static str, tag: &'static str, bits: impl Into<u64>) {
        self.push(name, Value::Flags(tag, bits.into()));
    }

    pub fn text(&mut self, name: &'static str, text: impl Into<Cow<'static, str>>) {
        self.push(name, Value::Text(text.into()));
    }

    /// A GID as the IPv6 address it has the form of.
    pub fn gid(&mut self, name: &'static str, gid: &ibv_gid) {
        // SAFETY: every bit pattern is a valid array of bytes.
        let bytes = unsafe { gid.raw };
        self.text(name, Ipv6Addr::from(bytes).to_string());
    }

    pub fn group(&mut self, name: &'static str, fill: impl FnOnce(&mut Args)) {
        let mut inner = Args::default();
        fill(&mut inner);
        self.push(name, Value::Group(inner.0));
    }

    /// The finished call.
    pub fn call(self, call: &'static str, returned: Returned, errno: i32, took_ns: u64) -> What {
        What::Call {
            call,
            args: self.0,
            returned,
            errno,
            took_ns,
        }
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
        self.handle(name, handle);
    }

    /// Remembers the object of [`Args::forget`] again when it is still there.
    pub fn destroyed<T>(&mut self, kind: Kind, object: *const T, result: i32) -> Returned {
        let first = self.0.first().map(|arg| &arg.value);
        if result != 0
            && let Some(Value::Handle(handle)) = first
        {
            handles::restore(kind, object, *handle);
        }
        Returned::Int(result.into())
    }
}
