// Generated from book/src/data.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/data.md 生成：请修改章节，不要修改本文件。

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
#[path = "../rdma_write.rs"]
#[allow(dead_code, unused_imports)]
mod rdma_write;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;
#[path = "../teardown.rs"]
#[allow(dead_code, unused_imports)]
mod teardown;

#[allow(unused_imports)]
use connect::*;
#[allow(unused_imports)]
use rdma_write::*;
#[allow(unused_imports)]
use teardown::*;

// book/src/data.md:445
use rdma_sys::*;
use std::time::Duration;
use std::{io, ptr, slice};
const LENGTH: usize = 64;
const DEADLINE: Duration = Duration::from_secs(5);
const TEXT: &[u8] = b"hello\0";

/// Client: the completion says that the peer's device has answered.
/// 客户端：完成意味着对端的设备已经回答。
fn write_text(c: &mut Connection) -> io::Result<()> {
    // SAFETY: the buffer is longer than the text and no WR is in flight.
    // 安全性：缓冲区比文字长，且没有在途的 WR。
    unsafe { ptr::copy_nonoverlapping(TEXT.as_ptr(), (*c.mr).addr.cast(), TEXT.len()) };
    post_write(c, 1, TEXT.len() as u32, c.theirs.rkey)?;
    match poll_deadline(c.cq, DEADLINE)? {
        Some(wc) if wc.status == ibv_wc_status::IBV_WC_SUCCESS => barrier(&mut c.sock),
        _ => Err(io::Error::other("no successful completion")),
    }
}

/// Server: no verbs call tells it; the socket does.
/// 服务器：没有任何 verbs 调用会通知它，通知来自套接字。
fn read_text(c: &mut Connection) -> io::Result<()> {
    barrier(&mut c.sock)?;
    // SAFETY: LENGTH bytes are registered, and the peer has no WRITE in flight:
    // it passed the barrier after its completion.
    // 安全性：已注册 LENGTH 字节，且对端没有在途的 WRITE：它在完成之后才通过屏障。
    let bytes = unsafe { slice::from_raw_parts((*c.mr).addr.cast::<u8>(), LENGTH) };
    if !bytes.starts_with(TEXT) {
        return Err(io::Error::other("the text is not there"));
    }
    println!("{}", String::from_utf8_lossy(&bytes[..TEXT.len() - 1]));
    Ok(())
}

fn main() -> io::Result<()> {
    let access =
        ibv_access_flags::IBV_ACCESS_LOCAL_WRITE | ibv_access_flags::IBV_ACCESS_REMOTE_WRITE;
    let mut c = connection_open(LENGTH, access)?;
    if c.is_server {
        read_text(&mut c)?;
    } else {
        write_text(&mut c)?;
    }
    connection_close(c)
}
