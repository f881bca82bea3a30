//! The functions this library stands in front of.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::ENOSYS;

unsafe extern "C" {
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

/// An exported function, looked up when it is first called.
pub struct Original {
    name: &'static CStr,
    version: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Original {
    pub const fn new(name: &'static CStr, version: &'static CStr) -> Original {
        Original {
            name,
            version,
            found: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Its address; null when no library has it.
    pub fn address(&self) -> *mut c_void {
        let mut address = self.found.load(Ordering::Relaxed);
        if address.is_null() {
            address = self.look_up();
            self.found.store(address, Ordering::Relaxed);
        }
        address
    }

    fn look_up(&self) -> *mut c_void {
        // A plug-in loaded with RTLD_LOCAL brings libraries that RTLD_NEXT
        // does not see, though its references come here all the same.
        let loaded = |library: &CStr| {
            // SAFETY: only finds a library that is loaded already.
            unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) }
        };
        let library = if self.name.to_bytes().starts_with(b"rdma_") {
            c"librdmacm.so.1"
        } else {
            c"libibverbs.so.1"
        };
        let address = self.in_library(libc::RTLD_NEXT);
        if !address.is_null() {
            return address;
        }
        match loaded(library) {
            handle if handle.is_null() => handle,
            handle => self.in_library(handle),
        }
    }

    /// The version the headers bind to first: libibverbs also exports older
    /// ones of the same name with another ABI.
    fn in_library(&self, handle: *mut c_void) -> *mut c_void {
        // SAFETY: both names end with a zero byte; the handle is valid.
        unsafe {
            let versioned = dlvsym(handle, self.name.as_ptr(), self.version.as_ptr());
            if versioned.is_null() {
                libc::dlsym(handle, self.name.as_ptr())
            } else {
                versioned
            }
        }
    }
}

/// What a call answers when there is no function to pass it to.
pub trait Missing {
    fn missing() -> Self;
}

impl Missing for c_int {
    fn missing() -> c_int {
        crate::call::set_errno(ENOSYS);
        ENOSYS
    }
}

impl Missing for isize {
    fn missing() -> isize {
        crate::call::set_errno(ENOSYS);
        -(ENOSYS as isize)
    }
}

impl Missing for u64 {
    fn missing() -> u64 {
        0
    }
}

impl Missing for () {
    fn missing() {}
}

impl<T> Missing for *mut T {
    fn missing() -> *mut T {
        crate::call::set_errno(ENOSYS);
        std::ptr::null_mut()
    }
}

impl<T> Missing for *const T {
    fn missing() -> *const T {
        crate::call::set_errno(ENOSYS);
        std::ptr::null()
    }
}
