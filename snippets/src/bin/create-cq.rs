// Generated from book/src/completions.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/completions.md 生成：请修改章节，不要修改本文件。

#[path = "../create_cq.rs"]
#[allow(dead_code, unused_imports)]
mod create_cq;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;

#[allow(unused_imports)]
use create_cq::*;
#[allow(unused_imports)]
use open_device::*;

// book/src/completions.md:67
use rdma_sys::*;
use std::{io, ptr};
const ASKED: i32 = 100;

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // No completion channel: this CQ is polled. Vector 0 is then without effect.
    // 没有完成通道：这个 CQ 靠轮询。此时向量 0 不起作用。
    // SAFETY: the context is open; no channel and no cookie are given.
    // 安全性：上下文已打开；没有传入通道和附加指针。
    let cq = unsafe { ibv_create_cq(context, ASKED, ptr::null_mut(), ptr::null_mut(), 0) };
    if cq.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the CQ is alive.
    // 安全性：CQ 有效。
    let granted = unsafe { (*cq).cqe };
    // The device may round up, never down.
    // 设备可以向上取整，不会变小。
    println!("asked for {ASKED}, granted {granted}");
    // SAFETY: no QP uses the CQ; then nothing made from the context is left.
    // 安全性：没有 QP 使用这个 CQ；随后由上下文创建的对象都已释放。
    if unsafe { ibv_destroy_cq(cq) != 0 || ibv_close_device(context) != 0 } {
        return Err(io::Error::other("the CQ or the device is still in use"));
    }
    match granted < ASKED {
        true => Err(io::Error::other("fewer than asked for")),
        false => Ok(()),
    }
}
