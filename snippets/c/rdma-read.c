// Generated from book/src/data.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/data.md 生成：请修改章节，不要修改本文件。

#include "rdma-read.h"

#line 557 "book/src/data.md"
enum { LENGTH = 64, DEADLINE_MS = 5000 };
static const char TEXT[] = "hello";

// Client: fetch, wait, look.
// 客户端：取数据，等完成，再查看。
static int fetch_text(struct connection *c)
{
    struct ibv_wc wc;

    if (post_read(c, 1, sizeof TEXT, c->theirs.rkey))
        return -1;
    if (poll_deadline(c->cq, &wc, DEADLINE_MS) != 1 || wc.status != IBV_WC_SUCCESS)
        return -1;
    printf("%.*s\n", LENGTH, (const char *)c->mr->addr);
    return memcmp(c->mr->addr, TEXT, sizeof TEXT) ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct connection c;

    if (connection_open(&c, argc, argv, LENGTH,
                        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ))
        return 1;
    // The text is in place before the first barrier lets the client read it.
    // 第一道屏障放行客户端之前，文字已经写好。
    if (c.is_server)
        memcpy(c.mr->addr, TEXT, sizeof TEXT);
    int failed = barrier(c.sock);
    if (!failed && !c.is_server)
        failed = fetch_text(&c);
    // The server keeps its QP and MR until the client has read.
    // 服务器保留 QP 与 MR，直到客户端读完。
    if (!failed)
        failed = barrier(c.sock);
    return connection_close(&c) || failed;
}
