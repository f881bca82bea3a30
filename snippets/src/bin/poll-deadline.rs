// Generated from book/src/completions.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/completions.md 生成：请修改章节，不要修改本文件。

#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../poll_deadline.rs"]
#[allow(dead_code, unused_imports)]
mod poll_deadline;

#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use poll_deadline::*;

// book/src/completions.md:240
use rdma_sys::*;
use std::ffi::CStr;
use std::time::{Duration, Instant};
use std::{io, ptr};
const TIMEOUT: Duration = Duration::from_millis(50);

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: the context is open; no channel and no cookie are given.
    // 安全性：上下文已打开；没有传入通道和附加指针。
    let cq = unsafe { ibv_create_cq(context, 1, ptr::null_mut(), ptr::null_mut(), 0) };
    if cq.is_null() {
        return Err(io::Error::last_os_error());
    }
    let start = Instant::now();
    // No QP uses this CQ, so nothing can come.
    // 没有 QP 使用这个 CQ，所以什么都不会来。
    let got = poll_deadline(cq, TIMEOUT);
    let waited = start.elapsed();

    match &got {
        Ok(Some(wc)) => {
            // SAFETY: the library gives a constant text for any value.
            // 安全性：对任何值，库都返回一段常量文字。
            let text = unsafe { CStr::from_ptr(ibv_wc_status_str(wc.status)) };
            println!("a completion: {}", text.to_string_lossy());
        }
        Ok(None) => println!("the deadline has passed"),
        Err(error) => println!("{error}"),
    }
    // SAFETY: no QP uses the CQ; then nothing made from the context is left.
    // 安全性：没有 QP 使用这个 CQ；随后由上下文创建的对象都已释放。
    if unsafe { ibv_destroy_cq(cq) != 0 || ibv_close_device(context) != 0 } {
        return Err(io::Error::other("the CQ or the device is still in use"));
    }
    match got? {
        None if waited >= TIMEOUT => Ok(()),
        _ => Err(io::Error::other("the wait ended before the deadline")),
    }
}
