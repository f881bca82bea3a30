// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::bring_up::*;
#[allow(unused_imports)]
use crate::choose_gid::*;
#[allow(unused_imports)]
use crate::create_qp::*;
#[allow(unused_imports)]
use crate::exchange_info::*;
#[allow(unused_imports)]
use crate::open_device::*;
#[allow(unused_imports)]
use crate::poll_deadline::*;
#[allow(unused_imports)]
use crate::register_memory::*;

// book/src/connecting.md:1533
use rdma_sys::*;
use std::net::TcpStream;
use std::{env, io, mem, ptr};
// What programs that hold a connection need with it.
// 持有连接的程序同时需要的东西。
pub use crate::exchange_info::{barrier, Endpoint};
pub use crate::poll_deadline::poll_deadline;

pub const DEVICE_PORT: u8 = 1;
pub const QUEUE_DEPTH: u32 = 64;

/// One QP with all it needs, connected to one peer.
/// 一个 QP 及其所需的一切，与一个对端相连。
pub struct Connection {
    pub context: *mut ibv_context,
    pub pd: *mut ibv_pd,
    pub cq: *mut ibv_cq,
    pub mr: *mut ibv_mr,
    pub qp: *mut ibv_qp,
    // Out of band, for as long as the QP lives.
    // 带外通道，QP 存在期间一直打开。
    pub sock: TcpStream,
    pub is_server: bool,
    pub mine: Endpoint,
    pub theirs: Endpoint,
}

/// A null pointer from verbs, as the error that errno names.
/// 把 verbs 返回的空指针变成 errno 所指的错误。
pub fn non_null<T>(pointer: *mut T) -> io::Result<*mut T> {
    match pointer.is_null() {
        true => Err(io::Error::last_os_error()),
        false => Ok(pointer),
    }
}

/// `server`, or `client ADDRESS`: the socket, and whether this is the server.
/// `server`，或 `client ADDRESS`：返回套接字，以及是否为服务器。
pub fn meet_peer() -> io::Result<(TcpStream, bool)> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server"] => Ok((tcp_serve(TCP_PORT)?, true)),
        ["client", address] => Ok((tcp_join(address, TCP_PORT, JOIN_DEADLINE)?, false)),
        _ => Err(io::Error::other("usage: server | client ADDRESS")),
    }
}

/// Everything from the device to a QP in RTS on both sides. `length` and
/// `access` are those of the buffer. After an error the process should end, and
/// the kernel frees what was made.
/// 从打开设备直到两端的 QP 都进入 RTS。`length` 与 `access` 属于缓冲区。
/// 出错时进程应当结束，由内核释放已创建的对象。
pub fn connection_open(length: usize, access: ibv_access_flags) -> io::Result<Connection> {
    let context = open_device(None)?;
    // SAFETY: the context is open.
    // 安全性：上下文已打开。
    let pd = non_null(unsafe { ibv_alloc_pd(context) })?;
    // Room for every send and every receive, so that the CQ cannot overrun.
    // 容得下所有发送与接收，所以 CQ 不会溢出。
    let entries = 2 * QUEUE_DEPTH as i32;
    // SAFETY: the context is open; no channel and no cookie are given.
    // 安全性：上下文已打开；没有传入通道和附加指针。
    let cq = unsafe { ibv_create_cq(context, entries, ptr::null_mut(), ptr::null_mut(), 0) };
    let cq = non_null(cq)?;
    let mr = register_buffer(pd, length, access)?;
    let qp = create_rc_qp(pd, cq, QUEUE_DEPTH)?;

    // SAFETY: plain integers may all be zero; the context is open.
    // 安全性：整数可以全为零；上下文已打开。
    let port = unsafe {
        let mut port: ibv_port_attr = mem::zeroed();
        match ___ibv_query_port(context, DEVICE_PORT, &mut port) {
            0 => port,
            code => return Err(io::Error::from_raw_os_error(code)),
        }
    };
    let entry = choose_gid(context, DEVICE_PORT)?;
    let (mut sock, is_server) = meet_peer()?;
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
    let theirs = exchange(&mut sock, &mine)?;
    bring_up(qp, DEVICE_PORT, entry.gid_index as u8, &mine, &theirs)?;
    // Neither side sends before both can receive.
    // 双方都能接收之前，谁也不发送。
    barrier(&mut sock)?;
    Ok(Connection {
        context,
        pd,
        cq,
        mr,
        qp,
        sock,
        is_server,
        mine,
        theirs,
    })
}
