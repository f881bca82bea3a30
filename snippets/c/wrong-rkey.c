// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#include "wrong-rkey.h"

#line 31 "book/src/failures.md"
#include <stdio.h>
#include <string.h>
enum { LENGTH = 64, DEADLINE_MS = 5000 };

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;

    return ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) ? IBV_QPS_UNKNOWN : attr.qp_state;
}

// Client: the first WRITE is refused by the peer, the second by our own QP.
// 客户端：第一个 WRITE 被对端拒绝，第二个被自己的 QP 退回。
static int write_twice(struct connection *c)
{
    struct ibv_wc wc;

    memset(c->mr->addr, 'x', LENGTH);
    // One bit off: no MR of the peer has this key.
    // 一位之差：对端没有任何 MR 使用这个 rkey。
    if (post_write(c, 1, LENGTH, c->theirs.rkey ^ 1))
        return -1;
    if (poll_deadline(c->cq, &wc, DEADLINE_MS) != 1)
        return -1;
    printf("first: %s\n", ibv_wc_status_str(wc.status));
    if (wc.status != IBV_WC_REM_ACCESS_ERR)
        return -1;

    // Accepted by the call, although the QP can no longer send.
    // 调用接受了它，尽管 QP 已经不能发送。
    if (post_write(c, 2, LENGTH, c->theirs.rkey))
        return -1;
    if (poll_deadline(c->cq, &wc, DEADLINE_MS) != 1)
        return -1;
    printf("second: %s\n", ibv_wc_status_str(wc.status));
    return wc.status == IBV_WC_WR_FLUSH_ERR ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct connection c;

    if (connection_open(&c, argc, argv, LENGTH,
                        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE))
        return 1;
    int failed = c.is_server ? 0 : write_twice(&c);
    if (!failed)
        failed = barrier(c.sock);
    // Neither side asked for it, yet both QPs are in the error state.
    // 双方都没有要求，但两个 QP 都已处于错误状态。
    if (!failed && state_of(c.qp) != IBV_QPS_ERR)
        failed = -1;
    // The refused WRITE has not touched a byte.
    // 被拒绝的 WRITE 没有改动任何字节。
    if (!failed && c.is_server && memchr(c.mr->addr, 'x', LENGTH))
        failed = -1;
    return connection_close(&c) || failed;
}
