//! Causes of failures to make and to change a QP.

use libc::{EINVAL, ENOMEM, ETIMEDOUT};

use super::transition::{self, Verdict};
use super::{Cause, Failed, number, page};
use crate::trace::render::{bits, name};

const MASK: &str = "ibv_qp_attr_mask";

pub fn modify(failed: &Failed) -> Option<Cause> {
    let mask = number(failed.args, "attr_mask")? as u32;
    let state = number(failed.args, "qp->state")?;
    let kind = number(failed.args, "qp->qp_type")?;
    let wanted = match number(failed.args, "qp_state") {
        Some(wanted) if mask & transition::STATE != 0 => wanted,
        _ => state,
    };
    match failed.errno {
        ETIMEDOUT => Some(unreachable()),
        EINVAL => match transition::judge(kind, state, wanted, mask)? {
            Verdict::Forbidden => Some(forbidden(state, wanted)),
            Verdict::Attributes {
                missing,
                superfluous,
            } => Some(attributes(state, wanted, missing, superfluous)),
            Verdict::Right => values(failed, mask),
        },
        _ => None,
    }
}

fn forbidden(state: i64, wanted: i64) -> Cause {
    let (from, to) = (name("ibv_qp_state", state), name("ibv_qp_state", wanted));
    Cause::new(
        page::QUEUE_PAIRS,
        format!(
            "a QP in {from} cannot go to {to}: the way up is RESET, INIT, RTR, RTS, one step a \
             call, and from every state back to RESET or to ERR"
        ),
        format!(
            "处于 {from} 的 QP 不能迁移到 {to}：向前只能依 RESET、INIT、RTR、RTS 的顺序，每次调用迁移一步，\
             任何状态都可以迁移到 RESET 或 ERR"
        ),
    )
}

fn attributes(state: i64, wanted: i64, missing: u32, superfluous: u32) -> Cause {
    let (from, to) = (name("ibv_qp_state", state), name("ibv_qp_state", wanted));
    let mut en = format!("the attribute mask is wrong for {from} to {to}:");
    let mut zh = format!("属性掩码不适用于 {from} 到 {to}：");
    if missing != 0 {
        let missing = bits(MASK, u64::from(missing));
        en += &format!(" missing {missing}");
        zh += &format!("缺少 {missing}");
    }
    if superfluous != 0 {
        let between = if missing != 0 { [";", "；"] } else { ["", ""] };
        let superfluous = bits(MASK, u64::from(superfluous));
        en += &format!("{} not allowed {superfluous}", between[0]);
        zh += &format!("{}多余 {superfluous}", between[1]);
    }
    Cause::new(page::QUEUE_PAIRS, en, zh)
}

fn unreachable() -> Cause {
    Cause::new(
        page::CONNECTING,
        "the peer's GID could not be resolved to a link address: check that dgid is the peer's \
         address, that sgid_index is a RoCE v2 GID of the same network, and that the peer answers \
         to ping",
        "无法把对端 GID 解析为链路层地址：检查 dgid 是否为对端地址，sgid_index 是否为同一网络的 \
         RoCE v2 GID，以及能否 ping 通对端",
    )
}

/// The mask is right, so a value is not.
fn values(failed: &Failed, mask: u32) -> Option<Cause> {
    if mask & transition::AV != 0 && number(failed.args, "is_global") == Some(0) {
        return Some(Cause::new(
            page::CONNECTING,
            "on RoCE the address needs its global part: set ah_attr.is_global to 1, and in \
             ah_attr.grh dgid, sgid_index and hop_limit",
            "在 RoCE 上地址必须带全局部分：把 ah_attr.is_global 设为 1，并在 ah_attr.grh 中填写 \
             dgid、sgid_index 和 hop_limit",
        ));
    }
    let suspects = [
        (transition::PORT, "port_num (1 to phys_port_cnt)"),
        (transition::PKEY_INDEX, "pkey_index (below pkey_tbl_len)"),
        (transition::AV, "ah_attr.grh.sgid_index (below gid_tbl_len)"),
        (transition::AV, "ah_attr.port_num"),
        (transition::PATH_MTU, "path_mtu (no more than the port's)"),
        (
            transition::MAX_RD_ATOMIC,
            "max_rd_atomic (no more than max_qp_init_rd_atom)",
        ),
        (
            transition::MAX_DEST_RD_ATOMIC,
            "max_dest_rd_atomic (no more than max_qp_rd_atom)",
        ),
        (transition::TIMEOUT, "timeout (0 to 31)"),
        (transition::RETRY_CNT, "retry_cnt (0 to 7)"),
        (transition::RNR_RETRY, "rnr_retry (0 to 7)"),
        (transition::MIN_RNR_TIMER, "min_rnr_timer (0 to 31)"),
    ];
    let suspects: Vec<&str> = suspects
        .iter()
        .filter(|(bit, _)| mask & bit != 0)
        .map(|(_, text)| *text)
        .collect();
    (!suspects.is_empty()).then(|| {
        let suspects = suspects.join(", ");
        Cause::new(
            page::QUEUE_PAIRS,
            format!("the mask is right, so a value is out of range; check {suspects}"),
            format!("掩码正确，因此是某个值超出范围；请检查 {suspects}"),
        )
    })
}

pub fn create(failed: &Failed) -> Option<Cause> {
    match failed.errno {
        EINVAL => Some(Cause::new(
            page::QUEUE_PAIRS,
            "the QP asks for more than the device has: compare cap with max_qp_wr and max_sge of \
             ibv_query_device, make max_inline_data smaller, and check that the device supports \
             this qp_type",
            "该 QP 的要求超出设备能力：把 cap 与 ibv_query_device 的 max_qp_wr、max_sge 比较，\
             减小 max_inline_data，并确认设备支持该 qp_type",
        )),
        ENOMEM => Some(Cause::new(
            page::QUEUE_PAIRS,
            "no memory for the queues: make max_send_wr and max_recv_wr smaller, raise the limit \
             of locked memory (`ulimit -l`), or destroy QPs that are no longer needed",
            "没有内存可供队列使用：减小 max_send_wr 和 max_recv_wr，调大锁定内存上限（`ulimit -l`），\
             或销毁不再使用的 QP",
        )),
        _ => None,
    }
}
