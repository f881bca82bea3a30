// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#[path = "../bring_up.rs"]
#[allow(dead_code, unused_imports)]
mod bring_up;
#[path = "../choose_gid.rs"]
#[allow(dead_code, unused_imports)]
mod choose_gid;
#[path = "../create_qp.rs"]
#[allow(dead_code, unused_imports)]
mod create_qp;
#[path = "../exchange_info.rs"]
#[allow(dead_code, unused_imports)]
mod exchange_info;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../query_port.rs"]
#[allow(dead_code, unused_imports)]
mod query_port;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;
#[path = "../rtr_missing_attributes.rs"]
#[allow(dead_code, unused_imports)]
mod rtr_missing_attributes;

#[allow(unused_imports)]
use bring_up::*;
#[allow(unused_imports)]
use choose_gid::*;
#[allow(unused_imports)]
use create_qp::*;
#[allow(unused_imports)]
use exchange_info::*;
#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use rtr_missing_attributes::*;

// book/src/connecting.md:1049
use rdma_sys::*;
use std::{io, mem, ptr};
const PORT: u8 = 1;
const DEPTH: u32 = 16;

const REQUIRED: [(ibv_qp_attr_mask, &str); 6] = [
    (ibv_qp_attr_mask::IBV_QP_AV, "IBV_QP_AV"),
    (ibv_qp_attr_mask::IBV_QP_PATH_MTU, "IBV_QP_PATH_MTU"),
    (ibv_qp_attr_mask::IBV_QP_DEST_QPN, "IBV_QP_DEST_QPN"),
    (ibv_qp_attr_mask::IBV_QP_RQ_PSN, "IBV_QP_RQ_PSN"),
    (
        ibv_qp_attr_mask::IBV_QP_MAX_DEST_RD_ATOMIC,
        "IBV_QP_MAX_DEST_RD_ATOMIC",
    ),
    (
        ibv_qp_attr_mask::IBV_QP_MIN_RNR_TIMER,
        "IBV_QP_MIN_RNR_TIMER",
    ),
];

fn state_of(qp: *mut ibv_qp) -> io::Result<ibv_qp_state::Type> {
    let mut attr = no_attributes();
    // SAFETY: null pointers and integers may all be zero; the QP is alive and
    // both structures are large enough to be filled in.
    // 安全性：空指针和整数可以全为零；QP 有效，两个结构都足够大，可供填写。
    let error = unsafe {
        let mut init: ibv_qp_init_attr = mem::zeroed();
        let mask = ibv_qp_attr_mask::IBV_QP_STATE.0 as i32;
        ibv_query_qp(qp, &mut attr, mask, &mut init)
    };
    match error {
        0 => Ok(attr.qp_state),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Leaves out one attribute at a time: refused each time, and no state changes.
/// 每次缺一个属性：每次都被拒绝，状态不变。
fn leave_out_each(qp: *mut ibv_qp, attr: &mut ibv_qp_attr) -> io::Result<()> {
    for (bit, name) in REQUIRED {
        let result = modify(qp, attr, RTR_MASK & !bit.0);
        let state = state_of(qp)?;
        let refused = result.is_err_and(|error| error.raw_os_error() == Some(libc::EINVAL));
        let still = state == ibv_qp_state::IBV_QPS_INIT;
        println!(
            "without {name}: {}, {}",
            if refused { "EINVAL" } else { "another result" },
            if still { "still INIT" } else { "another state" }
        );
        if !refused || !still {
            return Err(io::Error::other("not refused as expected"));
        }
    }
    Ok(())
}

/// Connects the QP to itself: one node is enough.
/// 把 QP 连接到它自己：一个节点就够。
fn walk(context: *mut ibv_context, qp: *mut ibv_qp) -> io::Result<()> {
    // SAFETY: plain integers may all be zero; the context is open.
    // 安全性：整数可以全为零；上下文已打开。
    let port = unsafe {
        let mut port: ibv_port_attr = mem::zeroed();
        match ___ibv_query_port(context, PORT, &mut port) {
            0 => port,
            code => return Err(io::Error::from_raw_os_error(code)),
        }
    };
    let entry = choose_gid(context, PORT)?;
    let me = Endpoint {
        // SAFETY: the QP is alive.
        // 安全性：QP 有效。
        qpn: unsafe { (*qp).qp_num },
        psn: random_psn(),
        rkey: 0,
        mtu: port.active_mtu,
        addr: 0,
        gid: entry.gid,
    };
    modify(qp, &mut init_attributes(PORT), INIT_MASK)?;
    let mut attr = rtr_attributes(PORT, entry.gid_index as u8, &me, &me);
    leave_out_each(qp, &mut attr)?;

    modify(qp, &mut attr, RTR_MASK)?;
    println!("complete: RTR");
    match state_of(qp)? {
        ibv_qp_state::IBV_QPS_RTR => Ok(()),
        _ => Err(io::Error::other("the QP is not in RTR")),
    }
}

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: the context is open; no channel and no cookie are given.
    // 安全性：上下文已打开；没有传入通道和附加指针。
    let (pd, cq) = unsafe {
        let pd = ibv_alloc_pd(context);
        if pd.is_null() {
            return Err(io::Error::last_os_error());
        }
        let entries = 2 * DEPTH as i32;
        (
            pd,
            ibv_create_cq(context, entries, ptr::null_mut(), ptr::null_mut(), 0),
        )
    };
    if cq.is_null() {
        return Err(io::Error::last_os_error());
    }
    let qp = create_rc_qp(pd, cq, DEPTH)?;
    walk(context, qp)?;
    // SAFETY: each object goes after those that use it.
    // 安全性：每个对象都在使用它的对象之后释放。
    let failed = unsafe {
        ibv_destroy_qp(qp) != 0
            || ibv_destroy_cq(cq) != 0
            || ibv_dealloc_pd(pd) != 0
            || ibv_close_device(context) != 0
    };
    match failed {
        false => Ok(()),
        true => Err(io::Error::other("an object is still in use")),
    }
}
