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
#[path = "../rdma_write.rs"]
#[allow(dead_code, unused_imports)]
mod rdma_write;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;
#[path = "../teardown.rs"]
#[allow(dead_code, unused_imports)]
mod teardown;
#[path = "../wrong_rkey.rs"]
#[allow(dead_code, unused_imports)]
mod wrong_rkey;

#[allow(unused_imports)]
use connect::*;
#[allow(unused_imports)]
use rdma_write::*;
#[allow(unused_imports)]
use teardown::*;
#[allow(unused_imports)]
use wrong_rkey::*;

// book/src/failures.md:93
use rdma_sys::*;
use std::ffi::CStr;
use std::time::Duration;
use std::{io, mem, slice};
const LENGTH: usize = 64;
const DEADLINE: Duration = Duration::from_secs(5);

fn state_of(qp: *mut ibv_qp) -> io::Result<ibv_qp_state::Type> {
    // SAFETY: integers and null pointers may all be zero; the QP is alive and
    // both structures are large enough to be filled in.
    // 安全性：整数和空指针可以全为零；QP 有效，两个结构都足够大，可供填写。
    unsafe {
        let mut attr: ibv_qp_attr = mem::zeroed();
        let mut init: ibv_qp_init_attr = mem::zeroed();
        let mask = ibv_qp_attr_mask::IBV_QP_STATE.0 as i32;
        match ibv_query_qp(qp, &mut attr, mask, &mut init) {
            0 => Ok(attr.qp_state),
            code => Err(io::Error::from_raw_os_error(code)),
        }
    }
}

/// Waits for a completion and prints its status.
/// 等一个完成，并打印它的状态。
fn status(c: &Connection, what: &str) -> io::Result<ibv_wc_status::Type> {
    let wc = poll_deadline(c.cq, DEADLINE)?.ok_or(io::ErrorKind::TimedOut)?;
    // SAFETY: the library gives a constant text for any value.
    // 安全性：对任何值，库都返回一段常量文字。
    let text = unsafe { CStr::from_ptr(ibv_wc_status_str(wc.status)) };
    println!("{what}: {}", text.to_string_lossy());
    Ok(wc.status)
}

/// Client: the first WRITE is refused by the peer, the second by our own QP.
/// 客户端：第一个 WRITE 被对端拒绝，第二个被自己的 QP 退回。
fn write_twice(c: &Connection) -> io::Result<()> {
    // SAFETY: LENGTH bytes are registered and no WR is in flight.
    // 安全性：已注册 LENGTH 字节，且没有在途的 WR。
    unsafe { (*c.mr).addr.cast::<u8>().write_bytes(b'x', LENGTH) };
    // One bit off: no MR of the peer has this key.
    // 一位之差：对端没有任何 MR 使用这个 rkey。
    post_write(c, 1, LENGTH as u32, c.theirs.rkey ^ 1)?;
    if status(c, "first")? != ibv_wc_status::IBV_WC_REM_ACCESS_ERR {
        return Err(io::Error::other("the peer did not refuse the key"));
    }

    // Accepted by the call, although the QP can no longer send.
    // 调用接受了它，尽管 QP 已经不能发送。
    post_write(c, 2, LENGTH as u32, c.theirs.rkey)?;
    if status(c, "second")? != ibv_wc_status::IBV_WC_WR_FLUSH_ERR {
        return Err(io::Error::other("the second WRITE was not flushed"));
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let access =
        ibv_access_flags::IBV_ACCESS_LOCAL_WRITE | ibv_access_flags::IBV_ACCESS_REMOTE_WRITE;
    let mut c = connection_open(LENGTH, access)?;
    if !c.is_server {
        write_twice(&c)?;
    }
    barrier(&mut c.sock)?;
    // Neither side asked for it, yet both QPs are in the error state.
    // 双方都没有要求，但两个 QP 都已处于错误状态。
    if state_of(c.qp)? != ibv_qp_state::IBV_QPS_ERR {
        return Err(io::Error::other("the QP is not in the error state"));
    }
    // SAFETY: LENGTH bytes are registered and the peer writes no more.
    // 安全性：已注册 LENGTH 字节，且对端不再写入。
    let bytes = unsafe { slice::from_raw_parts((*c.mr).addr.cast::<u8>(), LENGTH) };
    // The refused WRITE has not touched a byte.
    // 被拒绝的 WRITE 没有改动任何字节。
    if c.is_server && bytes.contains(&b'x') {
        return Err(io::Error::other("the refused WRITE changed the buffer"));
    }
    connection_close(c)
}
