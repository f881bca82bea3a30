// Generated from book/src/completions.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/completions.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::open_device::*;

// book/src/completions.md:210
use rdma_sys::*;
use std::time::{Duration, Instant};
use std::{io, mem};
/// Takes one completion, whatever its status; `None`: none came in time; an
/// error: the CQ cannot be polled.
/// 取出一个完成，状态不限；`None`：期限内没有完成；错误：无法轮询这个 CQ。
pub fn poll_deadline(cq: *mut ibv_cq, timeout: Duration) -> io::Result<Option<ibv_wc>> {
    let deadline = Instant::now() + timeout;
    // SAFETY: plain integers may all be zero.
    // 安全性：整数可以全为零。
    let mut wc: ibv_wc = unsafe { mem::zeroed() };

    loop {
        // The clock is read before the poll, so that the last poll comes after
        // the deadline: a completion in time is never missed.
        // 先读时钟再轮询，最后一次轮询就在期限之后：按时到来的完成不会漏掉。
        let late = Instant::now() >= deadline;
        // SAFETY: the CQ is alive and there is room for one completion.
        // 安全性：CQ 有效，且有一个完成的空间。
        match unsafe { ibv_poll_cq(cq, 1, &mut wc) } {
            0 if late => return Ok(None),
            0 => {}
            1 => return Ok(Some(wc)),
            _ => return Err(io::Error::other("the CQ cannot be polled")),
        }
    }
}
