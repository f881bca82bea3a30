// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::choose_gid::*;
#[allow(unused_imports)]
use crate::create_qp::*;
#[allow(unused_imports)]
use crate::open_device::*;
#[allow(unused_imports)]
use crate::query_port::*;
#[allow(unused_imports)]
use crate::register_memory::*;

// book/src/connecting.md:259
use rdma_sys::*;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};
pub const TCP_PORT: u16 = 20886;
pub const JOIN_DEADLINE: Duration = Duration::from_secs(10);
pub const WIRE_BYTES: usize = 40;

/// What a peer must know to reach this end: its QP, its buffer, its address.
/// 对端要访问本端所需知道的一切：QP、缓冲区、地址。
#[derive(Clone, Copy)]
pub struct Endpoint {
    pub qpn: u32,
    pub psn: u32,
    pub rkey: u32,
    pub mtu: ibv_mtu::Type,
    pub addr: u64,
    pub gid: ibv_gid,
}

/// A random 24-bit start for packet sequence numbers.
/// 随机的 24 位起始包序号。
pub fn random_psn() -> u32 {
    let mut bytes = [0; 4];
    // SAFETY: four bytes are ours to fill.
    // 安全性：有四个字节可供填写。
    match unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) } {
        4 => u32::from_ne_bytes(bytes) & 0xffffff,
        _ => 1,
    }
}

/// Waits for one peer.
/// 等待一个对端。
pub fn tcp_serve(port: u16) -> io::Result<TcpStream> {
    // The standard library sets SO_REUSEADDR: the port may still be held by a
    // connection that has just ended.
    // 标准库会设置 SO_REUSEADDR：刚结束的连接可能还占着端口。
    let (sock, _) = TcpListener::bind(("0.0.0.0", port))?.accept()?;
    // Small messages must not wait for each other.
    // 小消息之间不应互相等待。
    sock.set_nodelay(true)?;
    Ok(sock)
}

/// Connects to the server, which may not listen yet: tries until a deadline.
/// 连接服务器；它可能尚未开始监听，所以反复尝试，直到期限。
pub fn tcp_join(address: &str, port: u16, timeout: Duration) -> io::Result<TcpStream> {
    let deadline = Instant::now() + timeout;
    loop {
        match TcpStream::connect((address, port)) {
            Ok(sock) => {
                sock.set_nodelay(true)?;
                return Ok(sock);
            }
            Err(error) if Instant::now() >= deadline => return Err(error),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// On the wire every number is in network byte order, at a fixed place.
/// 在线路上，每个数都是网络字节序，位置固定。
pub fn pack(e: &Endpoint) -> [u8; WIRE_BYTES] {
    let mut wire = [0; WIRE_BYTES];
    wire[0..4].copy_from_slice(&e.qpn.to_be_bytes());
    wire[4..8].copy_from_slice(&e.psn.to_be_bytes());
    wire[8..12].copy_from_slice(&e.rkey.to_be_bytes());
    wire[12..16].copy_from_slice(&e.mtu.to_be_bytes());
    wire[16..24].copy_from_slice(&e.addr.to_be_bytes());
    // SAFETY: every bit pattern is valid as 16 bytes.
    // 安全性：任何位模式都是合法的 16 个字节。
    wire[24..40].copy_from_slice(unsafe { &e.gid.raw });
    wire
}

pub fn unpack(wire: &[u8; WIRE_BYTES]) -> Endpoint {
    let word = |at| u32::from_be_bytes([wire[at], wire[at + 1], wire[at + 2], wire[at + 3]]);
    let mut raw = [0; 16];
    raw.copy_from_slice(&wire[24..40]);
    Endpoint {
        qpn: word(0),
        psn: word(4),
        rkey: word(8),
        mtu: word(12),
        addr: u64::from(word(16)) << 32 | u64::from(word(20)),
        gid: ibv_gid { raw },
    }
}

/// Sends mine and receives theirs.
/// 发出自己的，收下对方的。
pub fn exchange(sock: &mut TcpStream, mine: &Endpoint) -> io::Result<Endpoint> {
    let mut wire = pack(mine);
    sock.write_all(&wire)?;
    sock.read_exact(&mut wire)?;
    Ok(unpack(&wire))
}

/// Returns when both ends have called it.
/// 两端都调用之后才返回。
pub fn barrier(sock: &mut TcpStream) -> io::Result<()> {
    sock.write_all(&[0])?;
    sock.read_exact(&mut [0])
}
