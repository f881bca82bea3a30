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
#[path = "../rdma_read.rs"]
#[allow(dead_code, unused_imports)]
mod rdma_read;
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
use teardown::*;

// book/src/data.md:631
use rdma_sys::*;
use std::time::Duration;
use std::{io, ptr, slice};
const LENGTH: usize = 64;
const DEADLINE: Duration = Duration::from_secs(5);
const TEXT: &[u8] = b"hello\0";

/// Client: fetch, wait, look.
/// 客户端：取数据，等完成，再查看。
fn fetch_text(c: &Connection) -> io::Result<()> {
    post_read(c, 1, TEXT.len() as u32, c.theirs.rkey)?;
    match poll_deadline(c.cq, DEADLINE)? {
        Some(wc) if wc.status == ibv_wc_status::IBV_WC_SUCCESS => {}
        _ => return Err(io::Error::other("no successful completion")),
    }
    // SAFETY: the completion has given the buffer back to the program.
    // 安全性：完成已把缓冲区交还给程序。
    let bytes = unsafe { slice::from_raw_parts((*c.mr).addr.cast::<u8>(), LENGTH) };
    if !bytes.starts_with(TEXT) {
        return Err(io::Error::other("the text is not there"));
    }
    println!("{}", String::from_utf8_lossy(&bytes[..TEXT.len() - 1]));
    Ok(())
}

fn main() -> io::Result<()> {
    let access =
        ibv_access_flags::IBV_ACCESS_LOCAL_WRITE | ibv_access_flags::IBV_ACCESS_REMOTE_READ;
    let mut c = connection_open(LENGTH, access)?;
    // The text is in place before the first barrier lets the client read it.
    // 第一道屏障放行客户端之前，文字已经写好。
    if c.is_server {
        // SAFETY: the buffer is longer than the text, and the peer reads it
        // only after the barrier.
        // 安全性：缓冲区比文字长，对端要到屏障之后才读。
        unsafe { ptr::copy_nonoverlapping(TEXT.as_ptr(), (*c.mr).addr.cast(), TEXT.len()) };
    }
    barrier(&mut c.sock)?;
    if !c.is_server {
        fetch_text(&c)?;
    }
    // The server keeps its QP and MR until the client has read.
    // 服务器保留 QP 与 MR，直到客户端读完。
    barrier(&mut c.sock)?;
    connection_close(c)
}
