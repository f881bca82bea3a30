// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#[path = "../bring_up.rs"]
#[allow(dead_code, unused_imports)]
mod bring_up;
#[path = "../choose_gid.rs"]
#[allow(dead_code, unused_imports)]
mod choose_gid;
#[path = "../create_qp.rs"]
#[allow(dead_code, unused_imports)]
mod create_qp;
#[path = "../exchange_info.rs"]
#[allow(dead_code, unused_imports)]
mod exchange_info;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../poll_deadline.rs"]
#[allow(dead_code, unused_imports)]
mod poll_deadline;
#[path = "../query_port.rs"]
#[allow(dead_code, unused_imports)]
mod query_port;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;
#[path = "../send_in_init.rs"]
#[allow(dead_code, unused_imports)]
mod send_in_init;

#[allow(unused_imports)]
use bring_up::*;
#[allow(unused_imports)]
use create_qp::*;
#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use poll_deadline::*;
#[allow(unused_imports)]
use register_memory::*;
#[allow(unused_imports)]
use send_in_init::*;

// book/src/connecting.md:1272
use rdma_sys::*;
use std::time::Duration;
use std::{io, mem, ptr};
const PORT: u8 = 1;
const DEPTH: u32 = 16;
const SIZE: usize = 64;
const TIMEOUT: Duration = Duration::from_millis(200);

/// A receive may be posted in INIT; a send may not.
/// INIT 状态下可以投递接收，不可以投递发送。
fn post_both(qp: *mut ibv_qp, cq: *mut ibv_cq, mr: *mut ibv_mr) -> io::Result<()> {
    // SAFETY: the MR is alive.
    // 安全性：MR 有效。
    let (addr, lkey) = unsafe { ((*mr).addr as u64, (*mr).lkey) };
    let mut sge = ibv_sge {
        addr,
        length: SIZE as u32,
        lkey,
    };
    let mut receive = ibv_recv_wr {
        wr_id: 1,
        next: ptr::null_mut(),
        sg_list: &mut sge,
        num_sge: 1,
    };
    let mut bad_receive = ptr::null_mut();
    // SAFETY: the QP is alive; the WR is copied by the call; the buffer stays
    // registered until the QP is destroyed.
    // 安全性：QP 有效；调用会复制 WR；销毁 QP 之前缓冲区一直处于注册状态。
    let error = unsafe { ibv_post_recv(qp, &mut receive, &mut bad_receive) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    println!("receive in INIT: accepted");

    // SAFETY: integers, null pointers and unions of them may all be zero.
    // 安全性：整数、空指针以及由它们组成的联合体都可以全为零。
    let mut send: ibv_send_wr = unsafe { mem::zeroed() };
    send.wr_id = 2;
    send.sg_list = &mut sge;
    send.num_sge = 1;
    send.opcode = ibv_wr_opcode::IBV_WR_SEND;
    send.send_flags = ibv_send_flags::IBV_SEND_SIGNALED.0;
    let mut bad_send = ptr::null_mut();
    // SAFETY: as for the receive.
    // 安全性：与接收相同。
    let error = unsafe { ibv_post_send(qp, &mut send, &mut bad_send) };
    let text = match error {
        0 => "accepted".to_string(),
        libc::EINVAL => "EINVAL".to_string(),
        code => io::Error::from_raw_os_error(code).to_string(),
    };
    println!("send in INIT: {text}");
    // By the contract it names the WR that was refused.
    // 按约定，它指向被拒绝的 WR。
    if error != 0 {
        let named = ptr::eq(bad_send, &send);
        println!("bad_wr: {}", if named { "the WR" } else { "not set" });
    }
    // Refused or not, nothing was sent, so nothing completes.
    // 无论是否被拒绝，都没有发送，所以没有任何完成。
    match poll_deadline(cq, TIMEOUT)? {
        None => Ok(()),
        Some(_) => Err(io::Error::other("a completion in INIT")),
    }
}

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: the context is open; no channel and no cookie are given.
    // 安全性：上下文已打开；没有传入通道和附加指针。
    let (pd, cq) = unsafe {
        let pd = ibv_alloc_pd(context);
        if pd.is_null() {
            return Err(io::Error::last_os_error());
        }
        let entries = 2 * DEPTH as i32;
        (
            pd,
            ibv_create_cq(context, entries, ptr::null_mut(), ptr::null_mut(), 0),
        )
    };
    if cq.is_null() {
        return Err(io::Error::last_os_error());
    }
    let qp = create_rc_qp(pd, cq, DEPTH)?;
    let mr = register_buffer(pd, SIZE, ibv_access_flags::IBV_ACCESS_LOCAL_WRITE)?;
    modify(qp, &mut init_attributes(PORT), INIT_MASK)?;
    post_both(qp, cq, mr)?;

    // SAFETY: the QP is alive; its receive goes with it.
    // 安全性：QP 有效；其上的接收请求随它一起消失。
    if unsafe { ibv_destroy_qp(qp) } != 0 {
        return Err(io::Error::other("the QP is still in use"));
    }
    release_buffer(mr)?;
    // SAFETY: each object goes after those that use it.
    // 安全性：每个对象都在使用它的对象之后释放。
    let failed = unsafe {
        ibv_destroy_cq(cq) != 0 || ibv_dealloc_pd(pd) != 0 || ibv_close_device(context) != 0
    };
    match failed {
        false => Ok(()),
        true => Err(io::Error::other("an object is still in use")),
    }
}
