// Generated from book/src/reference.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/reference.md 生成：请修改章节，不要修改本文件。

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
#[path = "../teardown.rs"]
#[allow(dead_code, unused_imports)]
mod teardown;
#[path = "../write_bandwidth.rs"]
#[allow(dead_code, unused_imports)]
mod write_bandwidth;

#[allow(unused_imports)]
use connect::*;
#[allow(unused_imports)]
use teardown::*;
#[allow(unused_imports)]
use write_bandwidth::*;

// book/src/reference.md:302
use rdma_sys::*;
use std::time::Instant;
use std::{io, slice};
fn main() -> io::Result<()> {
    let access =
        ibv_access_flags::IBV_ACCESS_LOCAL_WRITE | ibv_access_flags::IBV_ACCESS_REMOTE_WRITE;
    let mut c = connection_open(CHAIN * MESSAGE, access)?;
    let fill = if c.is_server { 0 } else { b'x' };
    // SAFETY: so many bytes are registered, and no WR is in flight.
    // 安全性：已注册这么多字节，且没有在途的 WR。
    unsafe { (*c.mr).addr.cast::<u8>().write_bytes(fill, CHAIN * MESSAGE) };
    // The server has cleared its buffer before the client may write.
    // 客户端写之前，服务器已经清空缓冲区。
    barrier(&mut c.sock)?;

    if !c.is_server {
        let mut s = build_stream(&c);
        run_stream(&mut s, &c, WARM_UP)?;
        let start = Instant::now();
        run_stream(&mut s, &c, MEASURED)?;
        let took = start.elapsed().as_nanos();
        let bytes = MEASURED * MESSAGE as u64;
        println!("write-bandwidth messages={MEASURED} bytes={bytes} ns={took}");
    }
    barrier(&mut c.sock)?;
    // SAFETY: so many bytes are registered and the peer writes no more.
    // 安全性：已注册这么多字节，且对端不再写入。
    let bytes = unsafe { slice::from_raw_parts((*c.mr).addr.cast::<u8>(), CHAIN * MESSAGE) };
    // Every byte is there, the last one too.
    // 每个字节都到了，包括最后一个。
    if bytes.iter().any(|&byte| byte != b'x') {
        return Err(io::Error::other("some bytes are missing"));
    }
    connection_close(c)
}
