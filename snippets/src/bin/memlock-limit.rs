// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#[path = "../memlock_limit.rs"]
#[allow(dead_code, unused_imports)]
mod memlock_limit;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;

#[allow(unused_imports)]
use memlock_limit::*;
#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use register_memory::*;

// book/src/memory.md:525
use rdma_sys::*;
use std::{io, mem};
const KIB: usize = 1024;

/// Registers and releases so many bytes, and says how that went.
/// 注册这么多字节，然后释放，并打印结果。
fn try_register(pd: *mut ibv_pd, length: usize) -> io::Result<()> {
    let access = ibv_access_flags::IBV_ACCESS_LOCAL_WRITE;
    let result = register_buffer(pd, length, access).and_then(release_buffer);
    let text = match &result {
        Ok(()) => "registered".to_string(),
        Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => "ENOMEM".to_string(),
        Err(error) => error.to_string(),
    };
    println!("{} KiB: {text}", length / KIB);
    result
}

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: the context is open.
    // 安全性：上下文已打开。
    let pd = unsafe { ibv_alloc_pd(context) };
    if pd.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: two integers, filled in by the call.
    // 安全性：两个整数，由调用填写。
    let limit = unsafe {
        let mut limit: libc::rlimit = mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut limit) != 0 {
            return Err(io::Error::last_os_error());
        }
        limit.rlim_cur
    };
    if limit == libc::RLIM_INFINITY {
        return Err(io::Error::other(
            "no limit to show: run under `ulimit -l 64`",
        ));
    }
    let limit = limit as usize;
    println!("limit {} KiB", limit / KIB);
    try_register(pd, limit / 2)?;
    let twice = try_register(pd, limit * 2);
    // A refused registration leaves nothing behind, and a released one gives
    // its pages back to the limit.
    // 被拒绝的注册不占用额度；注销之后，所占的页又归还到额度中。
    try_register(pd, limit / 2)?;
    // SAFETY: nothing made in the PD, then nothing made from the context, is left.
    // 安全性：PD 中的对象都已释放，随后由上下文创建的对象也都已释放。
    if unsafe { ibv_dealloc_pd(pd) != 0 || ibv_close_device(context) != 0 } {
        return Err(io::Error::other("the PD or the device is still in use"));
    }
    match twice {
        Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => Ok(()),
        _ => Err(io::Error::other("the limit did not bind")),
    }
}
