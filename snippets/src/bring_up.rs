// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::choose_gid::*;
#[allow(unused_imports)]
use crate::create_qp::*;
#[allow(unused_imports)]
use crate::exchange_info::*;
#[allow(unused_imports)]
use crate::open_device::*;
#[allow(unused_imports)]
use crate::query_port::*;

// book/src/connecting.md:714
use rdma_sys::*;
use std::{io, mem};
/// What each transition needs, no more and no less.
/// 每次迁移所需的属性，不多也不少。
pub const INIT_MASK: u32 = ibv_qp_attr_mask::IBV_QP_STATE.0
    | ibv_qp_attr_mask::IBV_QP_PKEY_INDEX.0
    | ibv_qp_attr_mask::IBV_QP_PORT.0
    | ibv_qp_attr_mask::IBV_QP_ACCESS_FLAGS.0;
pub const RTR_MASK: u32 = ibv_qp_attr_mask::IBV_QP_STATE.0
    | ibv_qp_attr_mask::IBV_QP_AV.0
    | ibv_qp_attr_mask::IBV_QP_PATH_MTU.0
    | ibv_qp_attr_mask::IBV_QP_DEST_QPN.0
    | ibv_qp_attr_mask::IBV_QP_RQ_PSN.0
    | ibv_qp_attr_mask::IBV_QP_MAX_DEST_RD_ATOMIC.0
    | ibv_qp_attr_mask::IBV_QP_MIN_RNR_TIMER.0;
pub const RTS_MASK: u32 = ibv_qp_attr_mask::IBV_QP_STATE.0
    | ibv_qp_attr_mask::IBV_QP_TIMEOUT.0
    | ibv_qp_attr_mask::IBV_QP_RETRY_CNT.0
    | ibv_qp_attr_mask::IBV_QP_RNR_RETRY.0
    | ibv_qp_attr_mask::IBV_QP_SQ_PSN.0
    | ibv_qp_attr_mask::IBV_QP_MAX_QP_RD_ATOMIC.0;

/// No attribute set.
/// 没有设置任何属性。
pub fn no_attributes() -> ibv_qp_attr {
    // SAFETY: plain integers may all be zero.
    // 安全性：整数可以全为零。
    unsafe { mem::zeroed() }
}

pub fn init_attributes(port: u8) -> ibv_qp_attr {
    let access =
        ibv_access_flags::IBV_ACCESS_REMOTE_READ | ibv_access_flags::IBV_ACCESS_REMOTE_WRITE;
    let mut attr = no_attributes();
    attr.qp_state = ibv_qp_state::IBV_QPS_INIT;
    attr.pkey_index = 0;
    attr.port_num = port;
    // What this QP lets its peer do; an MR must allow it as well.
    // 这个 QP 允许对端做什么；MR 也必须允许。
    attr.qp_access_flags = access.0;
    attr
}

pub fn rtr_attributes(port: u8, sgid_index: u8, mine: &Endpoint, theirs: &Endpoint) -> ibv_qp_attr {
    let mut attr = no_attributes();
    attr.qp_state = ibv_qp_state::IBV_QPS_RTR;
    // Neither port may be asked for more than it carries.
    // 两端的端口都要能承载这个 MTU。
    attr.path_mtu = mine.mtu.min(theirs.mtu);
    attr.dest_qp_num = theirs.qpn;
    attr.rq_psn = theirs.psn;
    attr.max_dest_rd_atomic = 1;
    // 12 is the code of 0.64 ms.
    // 12 是 0.64 ms 的编码。
    attr.min_rnr_timer = 12;
    // RoCE has no LID: the address is a GID, so the GRH is always there.
    // RoCE 没有 LID：地址就是 GID，所以总要有 GRH。
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = port;
    attr.ah_attr.grh.dgid = theirs.gid;
    attr.ah_attr.grh.sgid_index = sgid_index;
    attr.ah_attr.grh.hop_limit = 64;
    attr
}

pub fn rts_attributes(mine: &Endpoint) -> ibv_qp_attr {
    let mut attr = no_attributes();
    attr.qp_state = ibv_qp_state::IBV_QPS_RTS;
    // 4.096 us x 2^14 = 67 ms at least before a packet is sent again.
    // 重发之前至少等待 4.096 µs × 2^14 = 67 ms。
    attr.timeout = 14;
    attr.retry_cnt = 5;
    // 7 would mean: without end.
    // 7 表示无限次，所以不用。
    attr.rnr_retry = 5;
    attr.sq_psn = mine.psn;
    attr.max_rd_atomic = 1;
    attr
}

/// One transition.
/// 一次迁移。
pub fn modify(qp: *mut ibv_qp, attr: &mut ibv_qp_attr, mask: u32) -> io::Result<()> {
    // SAFETY: the QP is alive; the call only reads `attr`.
    // 安全性：QP 有效；调用只读取 `attr`。
    match unsafe { ibv_modify_qp(qp, attr, mask as i32) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// RESET to INIT to RTR to RTS; the error is that of the step that failed.
/// RESET → INIT → RTR → RTS；错误来自出错的那一步。
pub fn bring_up(
    qp: *mut ibv_qp,
    port: u8,
    sgid_index: u8,
    mine: &Endpoint,
    theirs: &Endpoint,
) -> io::Result<()> {
    modify(qp, &mut init_attributes(port), INIT_MASK)?;
    modify(
        qp,
        &mut rtr_attributes(port, sgid_index, mine, theirs),
        RTR_MASK,
    )?;
    modify(qp, &mut rts_attributes(mine), RTS_MASK)
}
