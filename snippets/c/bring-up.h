// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "open-device.h"
#include "query-port.h"
#include "choose-gid.h"
#include "create-qp.h"
#include "exchange-info.h"

#line 556 "book/src/connecting.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// What each transition needs, no more and no less.
// 每次迁移所需的属性，不多也不少。
enum {
    INIT_MASK = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
    RTR_MASK = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
               IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
    RTS_MASK = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
               IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
};

struct ibv_qp_attr init_attributes(uint8_t port)
{
    return (struct ibv_qp_attr){
        .qp_state = IBV_QPS_INIT,
        .pkey_index = 0,
        .port_num = port,
        // What this QP lets its peer do; an MR must allow it as well.
        // 这个 QP 允许对端做什么；MR 也必须允许。
        .qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
    };
}

struct ibv_qp_attr rtr_attributes(uint8_t port, uint8_t sgid_index,
                                  const struct endpoint *mine,
                                  const struct endpoint *theirs)
{
    return (struct ibv_qp_attr){
        .qp_state = IBV_QPS_RTR,
        // Neither port may be asked for more than it carries.
        // 两端的端口都要能承载这个 MTU。
        .path_mtu = mine->mtu < theirs->mtu ? mine->mtu : theirs->mtu,
        .dest_qp_num = theirs->qpn,
        .rq_psn = theirs->psn,
        .max_dest_rd_atomic = 1,
        // 12 is the code of 0.64 ms.
        // 12 是 0.64 ms 的编码。
        .min_rnr_timer = 12,
        // RoCE has no LID: the address is a GID, so the GRH is always there.
        // RoCE 没有 LID：地址就是 GID，所以总要有 GRH。
        .ah_attr = {
            .is_global = 1,
            .port_num = port,
            .grh = {
                .dgid = theirs->gid,
                .sgid_index = sgid_index,
                .hop_limit = 64,
            },
        },
    };
}

struct ibv_qp_attr rts_attributes(const struct endpoint *mine)
{
    return (struct ibv_qp_attr){
        .qp_state = IBV_QPS_RTS,
        // 4.096 us x 2^14 = 67 ms at least before a packet is sent again.
        // 重发之前至少等待 4.096 µs × 2^14 = 67 ms。
        .timeout = 14,
        .retry_cnt = 5,
        // 7 would mean: without end.
        // 7 表示无限次，所以不用。
        .rnr_retry = 5,
        .sq_psn = mine->psn,
        .max_rd_atomic = 1,
    };
}

// RESET to INIT to RTR to RTS. 0, or the positive error of the step that failed.
// RESET → INIT → RTR → RTS。成功返回 0；失败返回出错那一步的正错误码。
int bring_up(struct ibv_qp *qp, uint8_t port, uint8_t sgid_index,
             const struct endpoint *mine, const struct endpoint *theirs)
{
    struct ibv_qp_attr attr = init_attributes(port);
    int error = ibv_modify_qp(qp, &attr, INIT_MASK);

    if (error)
        return error;
    attr = rtr_attributes(port, sgid_index, mine, theirs);
    error = ibv_modify_qp(qp, &attr, RTR_MASK);
    if (error)
        return error;
    attr = rts_attributes(mine);
    return ibv_modify_qp(qp, &attr, RTS_MASK);
}
