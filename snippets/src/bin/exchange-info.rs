// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

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
use choose_gid::*;
#[allow(unused_imports)]
use create_qp::*;
#[allow(unused_imports)]
use exchange_info::*;
#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use query_port::*;
#[allow(unused_imports)]
use register_memory::*;

// book/src/connecting.md:368
use rdma_sys::*;
use std::net::TcpStream;
use std::{env, io, mem, ptr};
const PORT: u8 = 1;
const DEPTH: u32 = 16;
const SIZE: usize = 4096;

/// Serves as `server`, joins as `client ADDRESS`.
/// 参数为 `server` 时等待，为 `client ADDRESS` 时连接。
fn meet() -> io::Result<TcpStream> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server"] => tcp_serve(TCP_PORT),
        ["client", address] => tcp_join(address, TCP_PORT, JOIN_DEADLINE),
        _ => Err(io::Error::other("say `server` or `client ADDRESS`")),
    }
}

fn introduce(
    context: *mut ibv_context,
    qp: *mut ibv_qp,
    mr: *mut ibv_mr,
    sock: &mut TcpStream,
) -> io::Result<()> {
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
    // SAFETY: the QP and the MR are alive.
    // 安全性：QP 与 MR 有效。
    let mine = unsafe {
        Endpoint {
            qpn: (*qp).qp_num,
            psn: random_psn(),
            rkey: (*mr).rkey,
            mtu: port.active_mtu,
            addr: (*mr).addr as u64,
            gid: entry.gid,
        }
    };
    let theirs = exchange(sock, &mine)?;
    let mapped = is_ipv4_mapped(&theirs.gid);
    println!(
        "peer: QP number {}, GID {}, MTU {} bytes",
        if theirs.qpn != 0 { "given" } else { "missing" },
        if mapped {
            "of an IPv4 address"
        } else {
            "of another kind"
        },
        mtu_bytes(theirs.mtu)
    );
    match theirs.qpn != 0 && mapped {
        true => barrier(sock),
        false => Err(io::Error::other("the peer is not as expected")),
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
    let mut sock = meet()?;
    introduce(context, qp, mr, &mut sock)?;

    // SAFETY: the QP is alive; nothing uses it.
    // 安全性：QP 有效；没有对象使用它。
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
