// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#include "rnr.h"

#line 208 "book/src/failures.md"
#include <stdio.h>
#include <string.h>
enum { LENGTH = 64, DEADLINE_MS = 10000 };

// Client: the peer is alive and answers, but has nowhere to put the message.
// 客户端：对端活着，也在回答，只是没有地方放这条消息。
static int send_unwanted(struct connection *c)
{
    struct ibv_wc wc;

    memset(c->mr->addr, 'x', LENGTH);
    if (post_send(c, 1, IBV_WR_SEND, LENGTH, 0))
        return -1;
    if (poll_deadline(c->cq, &wc, DEADLINE_MS) != 1)
        return -1;
    printf("%s\n", ibv_wc_status_str(wc.status));
    return wc.status == IBV_WC_RNR_RETRY_EXC_ERR ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct connection c;

    if (connection_open(&c, argc, argv, LENGTH, IBV_ACCESS_LOCAL_WRITE))
        return 1;
    int failed = c.is_server ? 0 : send_unwanted(&c);
    // The server's QP must be there to say "not ready".
    // 服务器的 QP 必须还在，才能回答「未就绪」。
    if (!failed)
        failed = barrier(c.sock);
    return connection_close(&c) || failed;
}
