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
#[path = "../poll_deadline.rs"]
#[allow(dead_code, unused_imports)]
mod poll_deadline;
#[path = "../query_port.rs"]
#[allow(dead_code, unused_imports)]
mod query_port;
#[path = "../recv_too_small.rs"]
#[allow(dead_code, unused_imports)]
mod recv_too_small;
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
use recv_too_small::*;
#[allow(unused_imports)]
use send_recv::*;
#[allow(unused_imports)]
use teardown::*;

// book/src/failures.md:337
use rdma_sys::*;
use std::ffi::CStr;
use std::io;
use std::time::Duration;
const LENGTH: usize = 64;
const TOO_SMALL: u32 = 8;
const DEADLINE: Duration = Duration::from_secs(5);

fn main() -> io::Result<()> {
    let mut c = connection_open(LENGTH, ibv_access_flags::IBV_ACCESS_LOCAL_WRITE)?;
    // Posting succeeds: nobody knows yet how long the message will be.
    // 投递会成功：此时谁也不知道消息有多长。
    if c.is_server {
        post_receive(&c, 1, 0, TOO_SMALL)?;
    }
    barrier(&mut c.sock)?;
    if !c.is_server {
        post_send(&c, 1, ibv_wr_opcode::IBV_WR_SEND, LENGTH as u32, 0)?;
    }
    let wc = poll_deadline(c.cq, DEADLINE)?.ok_or(io::ErrorKind::TimedOut)?;
    // SAFETY: the library gives a constant text for any value.
    // 安全性：对任何值，库都返回一段常量文字。
    let text = unsafe { CStr::from_ptr(ibv_wc_status_str(wc.status)) };
    println!("{}", text.to_string_lossy());
    if wc.status == ibv_wc_status::IBV_WC_SUCCESS {
        return Err(io::Error::other("the message was accepted"));
    }
    barrier(&mut c.sock)?;
    connection_close(c)
}
