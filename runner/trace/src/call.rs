//! One traced call: what went in, the call itself, what came out.

use std::cell::Cell;
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use protocol::event::{Event, What};

use crate::args::Args;
use crate::log;
use crate::record::{Bytes, Record, Returned};

thread_local! {
    /// Traced calls this thread is in. A call made inside another is the
    /// library's own and is not recorded.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// Kernel thread id; 0 when not asked yet.
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// Runs `call` and records it as `name`.
///
/// `before` takes down the arguments while they are sure to be valid; `after`
/// adds the results and says what was returned. Both also keep the books on
/// objects, so they run for calls that are not recorded too. Nothing here has
/// a destructor across `call`: a thread may be cancelled inside it.
pub fn traced<R: Copy>(
    name: &'static str,
    before: impl FnOnce(&mut Args),
    call: impl FnOnce() -> R,
    after: impl FnOnce(R, &mut Args) -> Returned,
) -> R {
    if !log::enabled() {
        return call();
    }
    let entry_errno = errno();
    let mut args = ManuallyDrop::new(Args::default());
    careful(|| before(&mut args));
    let outermost = enter();
    // The program's own errno goes in, the call's own comes out.
    set_errno(entry_errno);
    let at_ns = now();
    let result = call();
    let took_ns = now() - at_ns;
    let errno = errno();
    leave();
    careful(|| {
        let mut args = ManuallyDrop::into_inner(args);
        let returned = after(result, &mut args);
        if outermost {
            write_call(at_ns, name, &args, &returned, errno, took_ns);
        }
    });
    set_errno(errno);
    result
}

/// Begins a call; true when it is the program's own.
pub fn enter() -> bool {
    DEPTH.with(|depth| {
        let before = depth.get();
        depth.set(before + 1);
        before == 0
    })
}

/// Ends what [`enter`] began.
pub fn leave() {
    DEPTH.with(|depth| depth.set(depth.get().saturating_sub(1)));
}

/// Appends a call to the log.
pub fn write_call(
    at_ns: u64,
    name: &str,
    args: &Args,
    returned: &Returned,
    errno: c_int,
    took_ns: u64,
) {
    log::append(&call_record(at_ns, name, args, returned, errno, took_ns));
}

fn call_record(
    at_ns: u64,
    name: &str,
    args: &Args,
    returned: &Returned,
    errno: c_int,
    took_ns: u64,
) -> Bytes {
    let mut record = Record::begin();
    record.unsigned(at_ns);
    record.unsigned(thread().into());
    record.byte(0); // `What::Call`
    record.text(name);
    args.write(&mut record);
    record.returned(returned);
    record.signed(errno.into());
    record.unsigned(took_ns);
    record.finish()
}

/// Appends an event that is not a call to the log.
pub fn write(at_ns: u64, what: What) {
    let mut record = Record::begin();
    record.event(&Event {
        at_ns,
        thread: thread(),
        what,
    });
    log::append(&record.finish());
}

/// Runs the tracer's own code: a mistake in it must not reach the program.
pub fn careful(work: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(work));
}

/// `CLOCK_MONOTONIC` in nanoseconds.
pub fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: fills in the structure it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn thread() -> u32 {
    THREAD.with(|thread| {
        if thread.get() == 0 {
            // SAFETY: has no precondition.
            thread.set(unsafe { libc::gettid() } as u32);
        }
        thread.get()
    })
}

/// The one thread of a forked child has a new id.
pub fn forked() {
    THREAD.with(|thread| thread.set(0));
}

pub fn errno() -> c_int {
    // SAFETY: the location of this thread's errno is always valid.
    unsafe { *libc::__errno_location() }
}

pub fn set_errno(value: c_int) {
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = value };
}

/// Defines the stand-in for an exported function:
///
/// ```text
/// exported! {
///     "VERSION" fn NAME(PARAMETERS) -> RESULT [as "NAME TO REPORT"],
///     before: |args| …,
///     after: |result, args| …,
/// }
/// ```
macro_rules! exported {
    (
        $version:literal fn $name:ident ($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)?,
        as: $report:expr,
        before: $before:expr,
        after: $after:expr $(,)?
    ) => {
        /// # Safety
        /// As the function of this name in the library's header asks.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) $(-> $ret)? {
            type Signature = unsafe extern "C-unwind" fn($($type),*) $(-> $ret)?;
            static ORIGINAL: $crate::original::Original = $crate::original::Original::new(
                $crate::call::c_name(concat!(stringify!($name), "\0")),
                $crate::call::c_name(concat!($version, "\0")),
            );
            let call = || {
                let address = ORIGINAL.address();
                if address.is_null() {
                    return $crate::original::Missing::missing();
                }
                // SAFETY: the address is this function's in the library, which
                // has this signature; the caller vouches for the arguments.
                unsafe {
                    std::mem::transmute::<*mut std::ffi::c_void, Signature>(address)($($arg),*)
                }
            };
            $crate::call::traced($report, $before, call, $after)
        }
    };
    (
        $version:literal fn $name:ident ($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)?,
        before: $before:expr,
        after: $after:expr $(,)?
    ) => {
        $crate::call::exported! {
            $version fn $name($($arg: $type),*) $(-> $ret)?,
            as: stringify!($name),
            before: $before,
            after: $after,
        }
    };
}
pub(crate) use exported;

/// A literal that ends with its zero byte as a C text.
pub const fn c_name(text: &'static str) -> &'static std::ffi::CStr {
    match std::ffi::CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name ends with one zero byte"),
    }
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
