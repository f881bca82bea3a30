// Generated from book/src/reference.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/reference.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::connect::*;
#[allow(unused_imports)]
use crate::teardown::*;

// book/src/reference.md:183
use rdma_sys::*;
use std::time::{Duration, Instant};
use std::{io, mem, ptr};
/// Bytes of one WRITE.
/// 一次 WRITE 的字节数。
pub const MESSAGE: usize = 64 * 1024;
/// WRs posted by one call; the last of them is signaled.
/// 一次调用投递的 WR 数；其中最后一个要求完成。
pub const CHAIN: usize = 4;
/// WRs that may be in flight: four chains.
/// 允许在途的 WR 数：四条链。
pub const WINDOW: usize = 4 * CHAIN;
pub const WARM_UP: u64 = 16;
pub const MEASURED: u64 = 128;
pub const DEADLINE: Duration = Duration::from_secs(30);

/// A chain of WRITEs, built once and posted again and again.
/// 一条 WRITE 链，只构造一次，反复投递。
pub struct Stream {
    /// The WRs point into it; it is never resized.
    /// WR 指向它，它的长度从不改变。
    _sges: Vec<ibv_sge>,
    wrs: Vec<ibv_send_wr>,
    posted: u64,
    completed: u64,
    deadline: Instant,
}

pub fn build_stream(c: &Connection) -> Stream {
    // SAFETY: the MR is alive as long as the connection.
    // 安全性：连接存在期间，MR 一直有效。
    let (addr, lkey) = unsafe { ((*c.mr).addr as u64, (*c.mr).lkey) };
    let mut sges: Vec<ibv_sge> = (0..CHAIN)
        .map(|i| ibv_sge {
            addr: addr + (i * MESSAGE) as u64,
            length: MESSAGE as u32,
            lkey,
        })
        .collect();
    // SAFETY: integers, null pointers and unions of them may all be zero.
    // 安全性：整数、空指针以及由它们组成的联合体都可以全为零。
    let mut wrs: Vec<ibv_send_wr> = (0..CHAIN).map(|_| unsafe { mem::zeroed() }).collect();
    let first = wrs.as_mut_ptr();
    for (i, (wr, sge)) in wrs.iter_mut().zip(&mut sges).enumerate() {
        wr.sg_list = sge;
        wr.num_sge = 1;
        wr.opcode = ibv_wr_opcode::IBV_WR_RDMA_WRITE;
        wr.wr.rdma = rdma_t {
            remote_addr: c.theirs.addr + (i * MESSAGE) as u64,
            rkey: c.theirs.rkey,
        };
        wr.next = match i + 1 {
            CHAIN => ptr::null_mut(),
            next => first.wrapping_add(next),
        };
    }
    wrs[CHAIN - 1].send_flags = ibv_send_flags::IBV_SEND_SIGNALED.0;
    Stream {
        _sges: sges,
        wrs,
        posted: 0,
        completed: 0,
        deadline: Instant::now() + DEADLINE,
    }
}

/// Ok once `target` WRs are complete, an error when one failed or the deadline passed.
/// 完成的 WR 达到 `target` 个时返回 Ok；出错或到期限返回错误。
pub fn wait_until(s: &mut Stream, cq: *mut ibv_cq, target: u64) -> io::Result<()> {
    // SAFETY: a completion is made of integers, which may all be zero.
    // 安全性：完成由整数组成，可以全为零。
    let mut wc: [ibv_wc; WINDOW / CHAIN] = unsafe { mem::zeroed() };

    while s.completed < target {
        // SAFETY: the CQ is alive and `wc` has room for as many as are asked for.
        // 安全性：CQ 有效，`wc` 容得下所要的个数。
        let n = unsafe { ibv_poll_cq(cq, wc.len() as i32, wc.as_mut_ptr()) };

        for done in &wc[..n.max(0) as usize] {
            if done.status != ibv_wc_status::IBV_WC_SUCCESS {
                return Err(io::Error::other("a WRITE failed"));
            }
            s.completed = done.wr_id;
        }
        // The clock is read only when there is nothing else to do.
        // 只有无事可做时才读时钟。
        if n < 0 || (n == 0 && Instant::now() > s.deadline) {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}

/// Posts `count` more WRs, never more than WINDOW in flight, and waits for all.
/// 再投递 `count` 个 WR，在途不超过 WINDOW，并等它们全部完成。
pub fn run_stream(s: &mut Stream, c: &Connection, count: u64) -> io::Result<()> {
    let (chain, window) = (CHAIN as u64, WINDOW as u64);
    let end = s.posted + count;
    let mut bad = ptr::null_mut();

    while s.posted < end {
        if s.posted + chain > window {
            wait_until(s, c.cq, s.posted + chain - window)?;
        }
        s.posted += chain;
        s.wrs[CHAIN - 1].wr_id = s.posted;
        // SAFETY: the QP is alive, the WRs are linked within the vector and
        // copied by the call; the buffer stays registered until they are done.
        // 安全性：QP 有效；各 WR 在向量内部相连，由调用复制；完成之前缓冲区一直处于注册状态。
        match unsafe { ibv_post_send(c.qp, s.wrs.as_mut_ptr(), &mut bad) } {
            0 => {}
            code => return Err(io::Error::from_raw_os_error(code)),
        }
    }
    wait_until(s, c.cq, end)
}
