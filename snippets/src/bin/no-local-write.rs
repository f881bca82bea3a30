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
#[path = "../no_local_write.rs"]
#[allow(dead_code, unused_imports)]
mod no_local_write;
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
#[path = "../send_recv.rs"]
#[allow(dead_code, unused_imports)]
mod send_recv;
#[path = "../teardown.rs"]
#[allow(dead_code, unused_imports)]
mod teardown;

#[allow(unused_imports)]
use connect::*;
#[allow(unused_imports)]
use no_local_write::*;
#[allow(unused_imports)]
use send_recv::*;
#[allow(unused_imports)]
use teardown::*;

// book/src/failures.md:555
use rdma_sys::*;
use std::ffi::CStr;
use std::io;
use std::time::Duration;
const LENGTH: usize = 64;
const DEADLINE: Duration = Duration::from_secs(5);

fn main() -> io::Result<()> {
    // 0 instead of IBV_ACCESS_LOCAL_WRITE: the device may read the buffer only.
    // 用 0 代替 IBV_ACCESS_LOCAL_WRITE：设备只能读这块缓冲区。
    let mut c = connection_open(LENGTH, ibv_access_flags(0))?;
    if c.is_server {
        post_receive(&c, 1, 0, LENGTH as u32)?;
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
        return Err(io::Error::other("the device wrote where it may not"));
    }
    barrier(&mut c.sock)?;
    connection_close(c)
}
