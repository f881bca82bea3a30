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
#[path = "../query_port.rs"]
#[allow(dead_code, unused_imports)]
mod query_port;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;

#[allow(unused_imports)]
use bring_up::*;
#[allow(unused_imports)]
use choose_gid::*;
#[allow(unused_imports)]
use create_qp::*;
#[allow(unused_imports)]
use exchange_info::*;
#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use query_port::*;

// book/src/connecting.md:825
use rdma_sys::*;
use std::net::TcpStream;
use std::{env, io, mem, ptr};
const PORT: u8 = 1;
const DEPTH: u32 = 16;

fn verify(qp: *mut ibv_qp, theirs: &Endpoint) -> io::Result<()> {
    let mask = ibv_qp_attr_mask::IBV_QP_STATE
        | ibv_qp_attr_mask::IBV_QP_PATH_MTU
        | ibv_qp_attr_mask::IBV_QP_DEST_QPN;
    let mut attr = no_attributes();
    // SAFETY: null pointers and integers may all be zero; the QP is alive and
    // both structures are large enough to be filled in.
    // 安全性：空指针和整数可以全为零；QP 有效，两个结构都足够大，可供填写。
    let error = unsafe {
        let mut init: ibv_qp_init_attr = mem::zeroed();
        ibv_query_qp(qp, &mut attr, mask.0 as i32, &mut init)
    };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    let ready = attr.qp_state == ibv_qp_state::IBV_QPS_RTS;
    println!("state {}", if ready { "RTS" } else { "unexpected" });
    println!("path MTU {} bytes", mtu_bytes(attr.path_mtu));
    match ready && attr.dest_qp_num == theirs.qpn && attr.path_mtu <= theirs.mtu {
        true => Ok(()),
        false => Err(io::Error::other("the QP is not as asked for")),
    }
}

/// Tells the peer about this end, hears about the other, and brings the QP up.
/// 把本端的信息告诉对端，取得对端的信息，再把 QP 推进到 RTS。
fn connect_qp(context: *mut ibv_context, qp: *mut ibv_qp, sock: &mut TcpStream) -> io::Result<()> {
    // SAFETY: plain integers may all be zero; the context is open.
    // 安全性：整数可以全为零；上下文已打开。
    let port = unsafe {
        let mut port: ibv_port_attr = mem::zeroed();
        match ___ibv_query_port(context, PORT, &mut port) {
            0 => port,
            code => return Err(io::Error::from_raw_os_error(code)),
        }
    };
    let entry = choose_gid(context, PORT)?;
    let mine = Endpoint {
        // SAFETY: the QP is alive.
        // 安全性：QP 有效。
        qpn: unsafe { (*qp).qp_num },
        psn: random_psn(),
        rkey: 0,
        mtu: port.active_mtu,
        addr: 0,
        gid: entry.gid,
    };
    let theirs = exchange(sock, &mine)?;
    bring_up(qp, PORT, entry.gid_index as u8, &mine, &theirs)?;
    verify(qp, &theirs)?;
    barrier(sock)
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
    let mut sock = match env::args().nth(2) {
        Some(address) => tcp_join(&address, TCP_PORT, JOIN_DEADLINE)?,
        None => tcp_serve(TCP_PORT)?,
    };
    connect_qp(context, qp, &mut sock)?;

    // SAFETY: each object goes after those that use it.
    // 安全性：每个对象都在使用它的对象之后释放。
    let failed = unsafe {
        ibv_destroy_qp(qp) != 0
            || ibv_destroy_cq(cq) != 0
            || ibv_dealloc_pd(pd) != 0
            || ibv_close_device(context) != 0
    };
    match failed {
        false => Ok(()),
        true => Err(io::Error::other("an object is still in use")),
    }
}
