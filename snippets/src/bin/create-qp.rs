// Generated from book/src/queue-pairs.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/queue-pairs.md 生成：请修改章节，不要修改本文件。

#[path = "../create_qp.rs"]
#[allow(dead_code, unused_imports)]
mod create_qp;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;

#[allow(unused_imports)]
use create_qp::*;
#[allow(unused_imports)]
use open_device::*;

// book/src/queue-pairs.md:168
use rdma_sys::*;
use std::{io, mem, ptr};
const DEPTH: u32 = 30;

fn show_granted(qp: *mut ibv_qp) -> io::Result<bool> {
    let mask = ibv_qp_attr_mask::IBV_QP_STATE | ibv_qp_attr_mask::IBV_QP_CAP;
    // SAFETY: integers and null pointers may all be zero; the QP is alive and
    // both structures are large enough to be filled in.
    // 安全性：整数和空指针可以全为零；QP 有效，两个结构都足够大，可供填写。
    let (attr, init) = unsafe {
        let mut attr: ibv_qp_attr = mem::zeroed();
        let mut init: ibv_qp_init_attr = mem::zeroed();
        match ibv_query_qp(qp, &mut attr, mask.0 as i32, &mut init) {
            0 => (attr, init),
            code => return Err(io::Error::from_raw_os_error(code)),
        }
    };
    let cap = init.cap;
    let reset = attr.qp_state == ibv_qp_state::IBV_QPS_RESET;
    println!("state {}", if reset { "RESET" } else { "unexpected" });
    println!("send: asked for {DEPTH}, granted {}", cap.max_send_wr);
    println!("receive: asked for {DEPTH}, granted {}", cap.max_recv_wr);
    println!(
        "inline: asked for {INLINE_BYTES}, granted {}",
        cap.max_inline_data
    );
    let enough = cap.max_send_wr >= DEPTH && cap.max_recv_wr >= DEPTH;
    Ok(reset && enough && cap.max_inline_data >= INLINE_BYTES)
}

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: the context is open.
    // 安全性：上下文已打开。
    let pd = unsafe { ibv_alloc_pd(context) };
    if pd.is_null() {
        return Err(io::Error::last_os_error());
    }
    let entries = 2 * DEPTH as i32;
    // SAFETY: the context is open; no channel and no cookie are given.
    // 安全性：上下文已打开；没有传入通道和附加指针。
    let cq = unsafe { ibv_create_cq(context, entries, ptr::null_mut(), ptr::null_mut(), 0) };
    if cq.is_null() {
        return Err(io::Error::last_os_error());
    }
    let qp = create_rc_qp(pd, cq, DEPTH)?;
    let as_asked = show_granted(qp)?;
    // SAFETY: each object goes after those that use it.
    // 安全性：每个对象都在使用它的对象之后释放。
    let failed = unsafe {
        ibv_destroy_qp(qp) != 0
            || ibv_destroy_cq(cq) != 0
            || ibv_dealloc_pd(pd) != 0
            || ibv_close_device(context) != 0
    };
    match as_asked && !failed {
        true => Ok(()),
        false => Err(io::Error::other("not as asked for, or still in use")),
    }
}
