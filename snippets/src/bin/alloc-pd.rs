// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#[path = "../alloc_pd.rs"]
#[allow(dead_code, unused_imports)]
mod alloc_pd;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;

#[allow(unused_imports)]
use alloc_pd::*;
#[allow(unused_imports)]
use open_device::*;

// book/src/memory.md:64
use rdma_sys::*;
use std::io;
fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: the context is open.
    // 安全性：上下文已打开。
    let pd = unsafe { ibv_alloc_pd(context) };
    if pd.is_null() {
        return Err(io::Error::last_os_error());
    }
    println!("PD allocated");

    // Returns its error, and the PD stays valid when it fails.
    // 错误码由返回值给出；失败时 PD 依然有效。
    // SAFETY: the PD is alive and nothing was made in it.
    // 安全性：PD 有效，其中没有创建任何对象。
    let error = unsafe { ibv_dealloc_pd(pd) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    println!("PD freed");
    // SAFETY: nothing made from the context is left.
    // 安全性：由这个上下文创建的对象都已释放。
    match unsafe { ibv_close_device(context) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
