// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#[path = "../bring_up.rs"]
#[allow(dead_code, unused_imports)]
mod bring_up;
#[path = "../choose_gid.rs"]
#[allow(dead_code, unused_imports)]
mod choose_gid;
#[path = "../connect.rs"]
#[allow(dead_code, unused_imports)]
mod connect;
#[path = "../create_qp.rs"]
#[allow(dead_code, unused_imports)]
mod create_qp;
#[path = "../exchange_info.rs"]
#[allow(dead_code, unused_imports)]
mod exchange_info;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../peer_killed.rs"]
#[allow(dead_code, unused_imports)]
mod peer_killed;
#[path = "../poll_deadline.rs"]
#[allow(dead_code, unused_imports)]
mod poll_deadline;
#[path = "../query_port.rs"]
#[allow(dead_code, unused_imports)]
mod query_port;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;
#[path = "../send_recv.rs"]
#[allow(dead_code, unused_imports)]
mod send_recv;
#[path = "../teardown.rs"]
#[allow(dead_code, unused_imports)]
mod teardown;

#[allow(unused_imports)]
use connect::*;
#[allow(unused_imports)]
use peer_killed::*;
#[allow(unused_imports)]
use send_recv::*;
#[allow(unused_imports)]
use teardown::*;

// book/src/failures.md:449
use rdma_sys::*;
use std::ffi::CStr;
use std::io::{self, Read};
use std::time::Duration;
const LENGTH: usize = 64;
const DEADLINE: Duration = Duration::from_secs(20);

/// Client: the socket tells at once, the QP only when it is used.
/// 客户端：套接字立刻就能看出；QP 要到使用时才看得出。
fn outlive(c: &mut Connection) -> io::Result<()> {
    if c.sock.read(&mut [0])? != 0 {
        return Err(io::Error::other("the peer is alive"));
    }
    println!("the socket has ended");

    // SAFETY: LENGTH bytes are registered and no WR is in flight.
    // 安全性：已注册 LENGTH 字节，且没有在途的 WR。
    unsafe { (*c.mr).addr.cast::<u8>().write_bytes(b'x', LENGTH) };
    post_send(c, 1, ibv_wr_opcode::IBV_WR_SEND, LENGTH as u32, 0)?;
    let wc = poll_deadline(c.cq, DEADLINE)?.ok_or(io::ErrorKind::TimedOut)?;
    // SAFETY: the library gives a constant text for any value.
    // 安全性：对任何值，库都返回一段常量文字。
    let text = unsafe { CStr::from_ptr(ibv_wc_status_str(wc.status)) };
    println!("{}", text.to_string_lossy());
    match wc.status {
        ibv_wc_status::IBV_WC_RETRY_EXC_ERR => Ok(()),
        _ => Err(io::Error::other("another status than expected")),
    }
}

fn main() -> io::Result<()> {
    let mut c = connection_open(LENGTH, ibv_access_flags::IBV_ACCESS_LOCAL_WRITE)?;
    // No destructor, no exit handler: the kernel alone cleans up.
    // 没有析构，没有退出处理：全由内核清理。
    if c.is_server {
        // SAFETY: a signal to oneself; SIGKILL cannot be handled or ignored.
        // 安全性：给自己发信号；SIGKILL 无法处理，也无法忽略。
        unsafe { libc::raise(libc::SIGKILL) };
    }
    outlive(&mut c)?;
    connection_close(c)
}
