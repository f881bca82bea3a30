// Generated from book/src/queue-pairs.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/queue-pairs.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::open_device::*;

// book/src/queue-pairs.md:132
use rdma_sys::*;
use std::{io, mem};
pub const INLINE_BYTES: u32 = 64;

/// Makes an RC QP with room for `depth` sends and `depth` receives, each of one
/// SGE; both kinds complete in `cq`.
/// 创建 RC QP：可容纳 `depth` 个发送与 `depth` 个接收，每个一个 SGE；完成都进入 `cq`。
pub fn create_rc_qp(pd: *mut ibv_pd, cq: *mut ibv_cq, depth: u32) -> io::Result<*mut ibv_qp> {
    // SAFETY: integers and null pointers may all be zero.
    // 安全性：整数和空指针可以全为零。
    let mut init: ibv_qp_init_attr = unsafe { mem::zeroed() };
    init.send_cq = cq;
    init.recv_cq = cq;
    init.cap = ibv_qp_cap {
        max_send_wr: depth,
        max_recv_wr: depth,
        max_send_sge: 1,
        max_recv_sge: 1,
        max_inline_data: INLINE_BYTES,
    };
    init.qp_type = ibv_qp_type::IBV_QPT_RC;
    // 0: only WRs with IBV_SEND_SIGNALED give a completion.
    // 0：只有带 IBV_SEND_SIGNALED 的 WR 产生完成。
    init.sq_sig_all = 0;

    // SAFETY: the PD and the CQ are alive and of one device.
    // 安全性：PD 与 CQ 有效，且属于同一设备。
    let qp = unsafe { ibv_create_qp(pd, &mut init) };
    match qp.is_null() {
        true => Err(io::Error::last_os_error()),
        false => Ok(qp),
    }
}
