// Generated from book/src/data.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/data.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::connect::*;
#[allow(unused_imports)]
use crate::teardown::*;

// book/src/data.md:411
use rdma_sys::*;
use std::{io, mem, ptr};
/// Writes the first `length` bytes of the buffer to the start of the peer's.
/// 把缓冲区开头的 `length` 字节写到对端缓冲区的开头。
pub fn post_write(c: &Connection, wr_id: u64, length: u32, rkey: u32) -> io::Result<()> {
    // SAFETY: the MR is alive as long as the connection.
    // 安全性：连接存在期间，MR 一直有效。
    let (addr, lkey) = unsafe { ((*c.mr).addr as u64, (*c.mr).lkey) };
    let mut sge = ibv_sge { addr, length, lkey };
    // SAFETY: integers, null pointers and unions of them may all be zero.
    // 安全性：整数、空指针以及由它们组成的联合体都可以全为零。
    let mut wr: ibv_send_wr = unsafe { mem::zeroed() };
    wr.wr_id = wr_id;
    wr.sg_list = &mut sge;
    wr.num_sge = 1;
    wr.opcode = ibv_wr_opcode::IBV_WR_RDMA_WRITE;
    wr.send_flags = ibv_send_flags::IBV_SEND_SIGNALED.0;
    wr.wr.rdma = rdma_t {
        remote_addr: c.theirs.addr,
        rkey,
    };
    let mut bad = ptr::null_mut();

    // SAFETY: the QP is alive; `wr` and `sge` are copied before the call
    // returns; the buffer stays registered and unchanged until the completion.
    // 安全性：QP 有效；调用返回前 `wr` 与 `sge` 已被复制；完成之前缓冲区保持注册且不改动。
    match unsafe { ibv_post_send(c.qp, &mut wr, &mut bad) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}
