// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;

#[allow(unused_imports)]
use open_device::*;

// book/src/devices.md:271
use rdma_sys::*;
use std::{io, mem};
fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: plain integers may all be zero.
    // 安全性：整数可以全为零。
    let mut attr: ibv_device_attr = unsafe { mem::zeroed() };

    // SAFETY: the context is open and `attr` is large enough.
    // 安全性：上下文已打开，`attr` 足够大。
    let error = unsafe { ibv_query_device(context, &mut attr) };
    // This call returns its error; errno is not where to look.
    // 这个调用直接返回错误码，不必看 errno。
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    println!("ports: {}", attr.phys_port_cnt);
    // SAFETY: nothing was made from the context.
    // 安全性：没有从这个上下文创建任何对象。
    match unsafe { ibv_close_device(context) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
