// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;

#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use register_memory::*;

// book/src/memory.md:287
use rdma_sys::*;
use std::ffi::CStr;
use std::{io, ptr};
const SIZE: usize = 8192;

fn use_memory(pd: *mut ibv_pd) -> io::Result<()> {
    let access =
        ibv_access_flags::IBV_ACCESS_LOCAL_WRITE | ibv_access_flags::IBV_ACCESS_REMOTE_WRITE;
    let mr = register_buffer(pd, SIZE, access)?;
    // It is still ordinary memory of this process.
    // 它仍然是本进程的普通内存。
    let text = c"ready".to_bytes_with_nul();
    // SAFETY: the buffer is longer than the text, and no device writes it: its
    // rkey has been given to nobody.
    // 安全性：缓冲区比文字长；没有设备会写它，因为 rkey 没有给过任何人。
    let text = unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), (*mr).addr.cast(), text.len());
        CStr::from_ptr((*mr).addr.cast())
    };
    // SAFETY: the MR is alive.
    // 安全性：MR 有效。
    let length = unsafe { (*mr).length };
    println!("registered {length} bytes: {}", text.to_string_lossy());
    release_buffer(mr)
}

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: the context is open.
    // 安全性：上下文已打开。
    let pd = unsafe { ibv_alloc_pd(context) };
    if pd.is_null() {
        return Err(io::Error::last_os_error());
    }
    use_memory(pd)?;
    // SAFETY: nothing made in the PD, then nothing made from the context, is left.
    // 安全性：PD 中的对象都已释放，随后由上下文创建的对象也都已释放。
    match unsafe { ibv_dealloc_pd(pd) != 0 || ibv_close_device(context) != 0 } {
        false => Ok(()),
        true => Err(io::Error::other("the PD or the device is still in use")),
    }
}
