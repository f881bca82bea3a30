// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#[path = "../dealloc_pd_busy.rs"]
#[allow(dead_code, unused_imports)]
mod dealloc_pd_busy;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;

#[allow(unused_imports)]
use dealloc_pd_busy::*;
#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use register_memory::*;

// book/src/memory.md:394
use rdma_sys::*;
use std::io;
const SIZE: usize = 4096;

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: the context is open.
    // 安全性：上下文已打开。
    let pd = unsafe { ibv_alloc_pd(context) };
    if pd.is_null() {
        return Err(io::Error::last_os_error());
    }
    let mr = register_buffer(pd, SIZE, ibv_access_flags::IBV_ACCESS_LOCAL_WRITE)?;

    // Too early: the MR still belongs to the PD.
    // 太早：MR 还属于这个 PD。
    // SAFETY: the PD is alive, and stays so because the call is refused.
    // 安全性：PD 有效；调用会被拒绝，所以它依然有效。
    let error = unsafe { ibv_dealloc_pd(pd) };
    if error != libc::EBUSY {
        return Err(io::Error::other(format!("error {error} instead of EBUSY")));
    }
    println!("with a live MR: EBUSY");

    // Nothing was lost: both objects work, and go in the right order.
    // 什么都没有丢：两个对象都还能用，按正确的顺序释放即可。
    // SAFETY: SIZE bytes are mapped, and no device writes them.
    // 安全性：已映射 SIZE 字节，没有设备会写它们。
    unsafe { (*mr).addr.cast::<u8>().write(1) };
    release_buffer(mr)?;
    // SAFETY: nothing made in the PD is left.
    // 安全性：PD 中的对象都已释放。
    let error = unsafe { ibv_dealloc_pd(pd) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    println!("after the MR: freed");
    // SAFETY: nothing made from the context is left.
    // 安全性：由上下文创建的对象都已释放。
    match unsafe { ibv_close_device(context) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
