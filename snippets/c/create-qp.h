// Generated from book/src/queue-pairs.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/queue-pairs.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "open-device.h"

#line 62 "book/src/queue-pairs.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { INLINE_BYTES = 64 };

// Makes an RC QP with room for `depth` sends and `depth` receives, each of one
// SGE; both kinds complete in `cq`. NULL with errno set when refused.
// 创建 RC QP：可容纳 `depth` 个发送与 `depth` 个接收，每个一个 SGE；完成都进入 `cq`。
// 被拒绝时返回 NULL，并设置 errno。
struct ibv_qp *create_rc_qp(struct ibv_pd *pd, struct ibv_cq *cq, uint32_t depth)
{
    struct ibv_qp_init_attr init = {
        .send_cq = cq,
        .recv_cq = cq,
        .cap = {
            .max_send_wr = depth,
            .max_recv_wr = depth,
            .max_send_sge = 1,
            .max_recv_sge = 1,
            .max_inline_data = INLINE_BYTES,
        },
        .qp_type = IBV_QPT_RC,
        // 0: only WRs with IBV_SEND_SIGNALED give a completion.
        // 0：只有带 IBV_SEND_SIGNALED 的 WR 产生完成。
        .sq_sig_all = 0,
    };

    return ibv_create_qp(pd, &init);
}
