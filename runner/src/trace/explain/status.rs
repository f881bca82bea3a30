//! Causes of completions that did not succeed, most likely first.

use super::{Cause, page};

/// `IBV_WC_WR_FLUSH_ERR`
pub const FLUSHED: u32 = 5;

/// What this `ibv_wc_status` points to; nothing for success and for statuses
/// of transports long gone.
pub fn cause(status: u32) -> Option<Cause> {
    let (page, en, zh) = local(status).or_else(|| remote(status))?;
    Some(Cause::new(page, en, zh))
}

type Text = (&'static str, &'static str, &'static str);

/// Found on this side.
fn local(status: u32) -> Option<Text> {
    Some(match status {
        1 => (
            page::DATA,
            "a length does not fit: the message is larger than the posted receive buffer, or than \
             the port's max_msg_sz (for UD: than the MTU)",
            "长度不合：消息大于已投递的接收缓冲区，或超过端口的 max_msg_sz（UD 为 MTU）",
        ),
        2 => (
            page::FAILURES,
            "the QP could not carry the request out: an opcode its type or state does not have, \
             or, with some drivers, an lkey that names no memory region",
            "QP 无法执行该请求：其类型或状态不支持此 opcode，某些驱动在 lkey 不对应任何内存区域时也报此错",
        ),
        4 => (
            page::MEMORY,
            "a scatter/gather element is outside its memory region, its lkey is not of the QP's \
             PD, or the region was registered without IBV_ACCESS_LOCAL_WRITE and data was to land \
             in it",
            "某个 SGE 超出其内存区域，lkey 不属于 QP 的 PD，或数据要写入的区域注册时没有 \
             IBV_ACCESS_LOCAL_WRITE",
        ),
        FLUSHED => (
            page::FAILURES,
            "the QP went to the error state before this request was carried out: the cause is the \
             first completion with another status, or the disconnect or ibv_modify_qp that put it \
             there",
            "QP 在执行该请求之前进入了错误状态：起因见第一个状态与此不同的完成，\
             或见使其进入该状态的断开连接或 ibv_modify_qp",
        ),
        6 => (
            page::MEMORY,
            "the memory window could not be bound: the region lacks IBV_ACCESS_MW_BIND, the range \
             is outside it, or window and region are of different PDs",
            "内存窗口绑定失败：内存区域没有 IBV_ACCESS_MW_BIND，范围超出该区域，或两者属于不同的 PD",
        ),
        7 => (
            page::FAILURES,
            "the peer's answer does not fit the request: suspect the peer's stack or a packet \
             altered on the way",
            "对端的应答与请求不符：怀疑对端协议栈或途中被改动的数据包",
        ),
        8 => (
            page::MEMORY,
            "data that arrived could not be written here: the memory is not accessible the way \
             the operation asks for",
            "收到的数据无法写入本地：该内存不允许此操作所需的访问方式",
        ),
        19 => (
            page::FAILURES,
            "the device or driver met an error it cannot recover from: read the kernel's log",
            "设备或驱动遇到无法恢复的错误：查看内核日志",
        ),
        21 => (
            page::FAILURES,
            "an error without a status of its own: look at vendor_err and the kernel's log",
            "没有专门状态码的错误：查看 vendor_err 和内核日志",
        ),
        _ => return None,
    })
}

/// Found on the other side, or because it did not answer.
fn remote(status: u32) -> Option<Text> {
    Some(match status {
        9 => (
            page::FAILURES,
            "the peer refused the request as malformed: a message larger than its receive buffer, \
             an operation its QP does not allow (qp_access_flags), too many reads at once \
             (max_dest_rd_atomic), or an atomic at an address not aligned to 8",
            "对端认为请求无效而拒绝：消息大于其接收缓冲区，其 QP 不允许该操作（qp_access_flags），\
             同时进行的读太多（max_dest_rd_atomic），或原子操作的地址未按 8 字节对齐",
        ),
        10 => (
            page::MEMORY,
            "the peer refused access to its memory: the rkey is wrong or no longer valid, the \
             range is outside its region, the region lacks the REMOTE_ flag, or region and QP are \
             of different PDs there",
            "对端拒绝访问其内存：rkey 错误或已失效，范围超出其内存区域，\
             该区域缺少相应的 REMOTE_ 标志，或对端的内存区域与 QP 属于不同的 PD",
        ),
        11 => (
            page::FAILURES,
            "the peer could not carry the request out: its side has an error completion or event \
             that says why",
            "对端无法执行该请求：其自身会有错误完成或事件说明原因",
        ),
        12 => (
            page::FAILURES,
            "no acknowledgement came in timeout x (retry_cnt + 1): the peer is gone or its QP is \
             not yet in RTR or is in error, the path is wrong (dgid, sgid_index, path_mtu above \
             the network's), or dest_qp_num or the PSNs do not match the peer's",
            "在 timeout ×（retry_cnt + 1）内没有收到确认：对端已退出，其 QP 未到 RTR 或已出错；\
             路径有误（dgid、sgid_index，或 path_mtu 大于网络的 MTU）；dest_qp_num 或 PSN 与对端不符",
        ),
        13 => (
            page::FAILURES,
            "the peer had no receive posted each time it was asked, rnr_retry + 1 times: post \
             receives before the peer sends, or choose a larger min_rnr_timer on its side or a \
             larger rnr_retry here (7 is without end)",
            "在 rnr_retry + 1 次尝试中对端都没有已投递的接收请求：在发送之前先投递接收，\
             或调大对端的 min_rnr_timer 或本端的 rnr_retry（7 为无限次）",
        ),
        16 => (
            page::FAILURES,
            "the peer gave the operation up",
            "对端中止了该操作",
        ),
        20 => (
            page::FAILURES,
            "an answer did not come in time",
            "应答未在规定时间内到达",
        ),
        _ => return None,
    })
}
