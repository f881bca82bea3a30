// Generated from book/src/reference.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/reference.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::connect::*;
#[allow(unused_imports)]
use crate::teardown::*;

// book/src/reference.md:540
use rdma_sys::*;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};
use std::{io, mem, ptr};
/// Bytes of one message; the last is the round.
/// 一条消息的字节数；最后一个字节是轮次。
pub const MESSAGE: usize = 8;
/// One WR in so many is signaled.
/// 每这么多个 WR 中有一个要求完成。
pub const SIGNAL_EVERY: u64 = 16;
pub const WARM_UP: usize = 64;
pub const MEASURED: usize = 256;
pub const DEADLINE: Duration = Duration::from_secs(30);

/// The buffer holds the message to send, then the message that arrives.
/// 缓冲区前半是要发送的消息，后半是到达的消息。
pub struct PingPong {
    qp: *mut ibv_qp,
    cq: *mut ibv_cq,
    out: *mut u8,
    sge: ibv_sge,
    wr: ibv_send_wr,
    posted: u64,
    deadline: Instant,
}

pub fn build_pingpong(c: &Connection) -> PingPong {
    // SAFETY: the MR is alive as long as the connection.
    // 安全性：连接存在期间，MR 一直有效。
    let (out, lkey) = unsafe { ((*c.mr).addr.cast::<u8>(), (*c.mr).lkey) };
    // SAFETY: integers, null pointers and unions of them may all be zero.
    // 安全性：整数、空指针以及由它们组成的联合体都可以全为零。
    let mut wr: ibv_send_wr = unsafe { mem::zeroed() };
    wr.num_sge = 1;
    wr.opcode = ibv_wr_opcode::IBV_WR_RDMA_WRITE;
    wr.wr.rdma = rdma_t {
        remote_addr: c.theirs.addr + MESSAGE as u64,
        rkey: c.theirs.rkey,
    };
    PingPong {
        qp: c.qp,
        cq: c.cq,
        out,
        sge: ibv_sge {
            addr: out as u64,
            length: MESSAGE as u32,
            lkey,
        },
        wr,
        posted: 0,
        deadline: Instant::now() + DEADLINE,
    }
}

/// Waits for the oldest signaled WRITE; those before it are done as well.
/// 等最早的那个要求完成的 WRITE；在它之前的也都已完成。
pub fn collect(p: &PingPong) -> io::Result<()> {
    match poll_deadline(p.cq, DEADLINE)? {
        Some(wc) if wc.status == ibv_wc_status::IBV_WC_SUCCESS => Ok(()),
        _ => Err(io::Error::other("no successful completion")),
    }
}

/// Writes the number of the round to the peer.
/// 把轮次写给对端。
pub fn ping(p: &mut PingPong, round: u8) -> io::Result<()> {
    p.posted += 1;
    let signaled = p.posted.is_multiple_of(SIGNAL_EVERY);

    // One signaled WR in flight: the queue holds two groups at most.
    // 在途的 WR 中只有一个要求完成：队列中最多两组。
    if signaled && p.posted > SIGNAL_EVERY {
        collect(p)?;
    }
    // SAFETY: the byte lies in the buffer; an inline WR has copied it, so no
    // WR in flight reads it.
    // 安全性：该字节在缓冲区内；内联 WR 已经复制过它，在途的 WR 不会再读。
    unsafe { p.out.add(MESSAGE - 1).write(round) };
    p.wr.wr_id = p.posted;
    p.wr.sg_list = &mut p.sge;
    p.wr.send_flags = ibv_send_flags::IBV_SEND_INLINE.0;
    if signaled {
        p.wr.send_flags |= ibv_send_flags::IBV_SEND_SIGNALED.0;
    }
    let mut bad = ptr::null_mut();
    // SAFETY: the QP is alive; the WR, its SGE and its bytes are copied by the call.
    // 安全性：QP 有效；WR、SGE 与数据都由这次调用复制。
    match unsafe { ibv_post_send(p.qp, &mut p.wr, &mut bad) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Spins until the peer's message of this round is in our memory.
/// 自旋，直到对端这一轮的消息出现在自己的内存里。
pub fn await_round(p: &PingPong, round: u8) -> io::Result<()> {
    // SAFETY: the byte lies in the registered buffer; this program reads it
    // only here, as an atomic, because the device writes it at any time.
    // 安全性：该字节在已注册的缓冲区内；程序只在这里以原子方式读它，因为设备随时会写。
    let last = unsafe { AtomicU8::from_ptr(p.out.add(2 * MESSAGE - 1)) };

    for spins in 1u64.. {
        if last.load(Ordering::Acquire) == round {
            break;
        }
        if spins % 1024 == 0 && Instant::now() > p.deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}
