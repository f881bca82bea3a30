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
#[path = "../rdma_read.rs"]
#[allow(dead_code, unused_imports)]
mod rdma_read;
#[path = "../read_no_local_write.rs"]
#[allow(dead_code, unused_imports)]
mod read_no_local_write;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;
#[path = "../teardown.rs"]
#[allow(dead_code, unused_imports)]
mod teardown;

#[allow(unused_imports)]
use connect::*;
#[allow(unused_imports)]
use rdma_read::*;
#[allow(unused_imports)]
use read_no_local_write::*;
#[allow(unused_imports)]
use teardown::*;

// book/src/failures.md:642
use rdma_sys::*;
use std::ffi::CStr;
use std::io;
use std::time::Duration;
const LENGTH: usize = 64;
const DEADLINE: Duration = Duration::from_secs(5);

fn read_into_read_only(c: &Connection) -> io::Result<()> {
    post_read(c, 1, LENGTH as u32, c.theirs.rkey)?;
    let wc = poll_deadline(c.cq, DEADLINE)?.ok_or(io::ErrorKind::TimedOut)?;
    // SAFETY: the library gives a constant text for any value.
    // 安全性：对任何值，库都返回一段常量文字。
    let text = unsafe { CStr::from_ptr(ibv_wc_status_str(wc.status)) };
    println!("{}", text.to_string_lossy());
    match wc.status {
        ibv_wc_status::IBV_WC_LOC_PROT_ERR => Ok(()),
        _ => Err(io::Error::other("another status than expected")),
    }
}

fn main() -> io::Result<()> {
    // The peer may read it; our own device may not write it.
    // 对端可以读它；自己的设备不能写它。
    let mut c = connection_open(LENGTH, ibv_access_flags::IBV_ACCESS_REMOTE_READ)?;
    if !c.is_server {
        read_into_read_only(&c)?;
    }
    barrier(&mut c.sock)?;
    connection_close(c)
}
