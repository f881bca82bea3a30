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
use send_recv::*;
#[allow(unused_imports)]
use teardown::*;

// book/src/data.md:234
use rdma_sys::*;
use std::time::Duration;
use std::{io, ptr, slice};
const SLOT: usize = 64;
const DEADLINE: Duration = Duration::from_secs(5);

/// The next completion, if it comes in time and is a success.
/// 下一个完成：须在期限内到来，且为成功。
fn completed(c: &Connection) -> io::Result<ibv_wc> {
    match poll_deadline(c.cq, DEADLINE)? {
        Some(wc) if wc.status == ibv_wc_status::IBV_WC_SUCCESS => Ok(wc),
        _ => Err(io::Error::other("no successful completion")),
    }
}

/// Server: both receives are in place before the peer may send.
/// 服务器：两个接收请求就位之后，才放行对端。
fn receive_two(c: &mut Connection) -> io::Result<()> {
    for slot in 0..2 {
        post_receive(c, slot as u64, slot * SLOT, SLOT as u32)?;
    }
    barrier(&mut c.sock)?;

    for _ in 0..2 {
        let wc = completed(c)?;
        // SAFETY: the completion has given this slot back to the program, and
        // `byte_len` bytes of it have been written.
        // 安全性：完成已把该槽位交还给程序，其中写入了 `byte_len` 字节。
        let text = unsafe {
            let start = (*c.mr).addr.cast::<u8>().add(wc.wr_id as usize * SLOT);
            slice::from_raw_parts(start, wc.byte_len as usize)
        };
        print!("receive {}: {}", wc.wr_id, String::from_utf8_lossy(text));
        if wc.wc_flags & ibv_wc_flags::IBV_WC_WITH_IMM.0 != 0 {
            // SAFETY: the flag says that this member of the union is set.
            // 安全性：标志说明联合体的这个成员有值。
            let immediate = unsafe { wc.imm_data_invalidated_rkey_union.imm_data };
            print!(", immediate {}", u32::from_be(immediate));
        }
        println!();
    }
    Ok(())
}

/// Client: one message at a time, so that one buffer serves both.
/// 客户端：一次一条消息，所以一块缓冲区就够用。
fn send_two(c: &mut Connection) -> io::Result<()> {
    let messages = [
        ("hello", ibv_wr_opcode::IBV_WR_SEND),
        ("again", ibv_wr_opcode::IBV_WR_SEND_WITH_IMM),
    ];

    barrier(&mut c.sock)?;
    for (i, (text, opcode)) in messages.into_iter().enumerate() {
        // SAFETY: the buffer is longer than the text, and no WR that names it
        // is in flight: the previous completion has been polled.
        // 安全性：缓冲区比文字长，且没有使用它的在途 WR：上一个完成已经取出。
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), (*c.mr).addr.cast(), text.len()) };
        post_send(c, i as u64, opcode, text.len() as u32, 7)?;
        completed(c)?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let mut c = connection_open(2 * SLOT, ibv_access_flags::IBV_ACCESS_LOCAL_WRITE)?;
    if c.is_server {
        receive_two(&mut c)?;
    } else {
        send_two(&mut c)?;
    }
    barrier(&mut c.sock)?;
    connection_close(c)
}
