// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::open_device::*;

// book/src/memory.md:229
use rdma_sys::*;
use std::{io, ptr};
/// Makes a buffer of its own pages, all zero, and registers it.
/// 分配一块独占整页、内容全零的缓冲区并注册。
pub fn register_buffer(
    pd: *mut ibv_pd,
    length: usize,
    access: ibv_access_flags,
) -> io::Result<*mut ibv_mr> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at an address that the kernel chooses.
    // 安全性：新的映射，地址由内核选择。
    let buffer = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, -1, 0) };
    if buffer == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }

    // The last argument: `access` is not a constant, as for the macro of C.
    // 最后一个参数：`access` 不是常量，与 C 的宏一致。
    // SAFETY: the PD is alive; the buffer stays mapped until it is deregistered.
    // 安全性：PD 有效；注销之前缓冲区一直处于映射状态。
    let mr = unsafe { __ibv_reg_mr(pd, buffer, length, access.0, 0) };
    if mr.is_null() {
        let error = io::Error::last_os_error();
        // SAFETY: no device knows the buffer.
        // 安全性：没有设备知道这块缓冲区。
        unsafe { libc::munmap(buffer, length) };
        return Err(error);
    }
    Ok(mr)
}

/// Deregisters the buffer, then unmaps it. After an error the buffer is still
/// there.
/// 先注销，再解除映射。出错时缓冲区仍在。
pub fn release_buffer(mr: *mut ibv_mr) -> io::Result<()> {
    // The MR is gone after the call, so note what it says about the buffer.
    // 调用之后 MR 不复存在，所以先记下缓冲区的位置与长度。
    // SAFETY: the MR is alive.
    // 安全性：MR 有效。
    let (buffer, length) = unsafe { ((*mr).addr, (*mr).length) };
    // SAFETY: the MR is alive and no WR in flight names it.
    // 安全性：MR 有效，没有在途的 WR 使用它。
    let error = unsafe { ibv_dereg_mr(mr) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    // SAFETY: `register_buffer` mapped it, and no device uses it any more.
    // 安全性：它由 `register_buffer` 映射，已没有设备使用它。
    match unsafe { libc::munmap(buffer, length) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
