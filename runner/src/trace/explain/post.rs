//! Causes of work requests that were not accepted.

use libc::{EINVAL, ENOMEM};

use super::{Cause, Failed, number, page};
use crate::trace::render::name;

/// Values of `ibv_qp_state`.
const RTS: i64 = 3;
const SQD: i64 = 4;
const ERR: i64 = 6;

pub fn send(failed: &Failed) -> Option<Cause> {
    let state = number(failed.args, "qp->state")?;
    match failed.errno {
        EINVAL if state < RTS => {
            let state = name("ibv_qp_state", state);
            Some(Cause::new(
                page::QUEUE_PAIRS,
                format!(
                    "the QP is in {state}: sends are accepted from IBV_QPS_RTS on, receives from \
                     IBV_QPS_INIT on"
                ),
                format!(
                    "QP 处于 {state}：到 IBV_QPS_RTS 才接受发送请求，接收请求从 IBV_QPS_INIT 起即可"
                ),
            ))
        }
        EINVAL if (RTS..=ERR).contains(&state) && state != SQD => Some(Cause::new(
            page::DATA,
            "the request cannot be carried out: check that the opcode suits the QP's type, that \
             num_sge is within max_send_sge, that inline data is within max_inline_data, and that \
             an atomic has 8 bytes at an address aligned to 8",
            "请求无法执行：检查 opcode 是否适用于该 QP 类型，num_sge 不超过 max_send_sge，\
             内联数据不超过 max_inline_data，原子操作须为 8 字节，且地址按 8 字节对齐",
        )),
        ENOMEM => Some(Cause::new(
            page::DATA,
            "the send queue is full, or the request has more elements or inline bytes than it has \
             room for: poll the CQ before posting more, and signal at least one request in every \
             max_send_wr, for only its completion frees the places of the unsignaled before it",
            "发送队列已满，或请求的 SGE 数、内联字节数超过了容量：先轮询 CQ 再投递，\
             并且每 max_send_wr 个请求中至少有一个带 SIGNALED，因为只有取出它的完成，前面未要求完成的请求才会归还槽位",
        )),
        _ => None,
    }
}

pub fn receive(failed: &Failed) -> Option<Cause> {
    match failed.errno {
        ENOMEM => Some(Cause::new(
            page::DATA,
            "the receive queue is full: max_recv_wr requests (an SRQ's max_wr) are posted and \
             none has completed",
            "接收队列已满：已投递 max_recv_wr（SRQ 为 max_wr）个请求且没有一个完成",
        )),
        EINVAL => Some(Cause::new(
            page::DATA,
            "the request cannot be queued: num_sge is above max_recv_sge (an SRQ's max_sge), the \
             QP is still in IBV_QPS_RESET, or it takes its receives from an SRQ",
            "请求无法入队：num_sge 超过 max_recv_sge（SRQ 为 max_sge），QP 仍处于 IBV_QPS_RESET，\
             或该 QP 的接收来自 SRQ",
        )),
        _ => None,
    }
}
