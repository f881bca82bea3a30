// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

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
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;

#[allow(unused_imports)]
use bring_up::*;
#[allow(unused_imports)]
use choose_gid::*;
#[allow(unused_imports)]
use connect::*;
#[allow(unused_imports)]
use create_qp::*;
#[allow(unused_imports)]
use exchange_info::*;
#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use poll_deadline::*;
#[allow(unused_imports)]
use register_memory::*;

// book/src/connecting.md:1643
use rdma_sys::*;
use std::io;
fn main() -> io::Result<()> {
    let mut c = connection_open(4096, ibv_access_flags::IBV_ACCESS_LOCAL_WRITE)?;
    println!(
        "connected as {}",
        if c.is_server { "server" } else { "client" }
    );
    // The end of the process frees everything; the chapter on teardown does it in order.
    // 进程结束时一切都会释放；「释放」一章按顺序来做。
    barrier(&mut c.sock)
}
