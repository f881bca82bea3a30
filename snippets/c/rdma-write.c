// Generated from book/src/data.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/data.md 生成：请修改章节，不要修改本文件。

#include "rdma-write.h"

#line 371 "book/src/data.md"
enum { LENGTH = 64, DEADLINE_MS = 5000 };
static const char TEXT[] = "hello";

// Client: the completion says that the peer's device has answered.
// 客户端：完成意味着对端的设备已经回答。
static int write_text(struct connection *c)
{
    struct ibv_wc wc;

    memcpy(c->mr->addr, TEXT, sizeof TEXT);
    if (post_write(c, 1, sizeof TEXT, c->theirs.rkey))
        return -1;
    if (poll_deadline(c->cq, &wc, DEADLINE_MS) != 1 || wc.status != IBV_WC_SUCCESS)
        return -1;
    return barrier(c->sock);
}

// Server: no verbs call tells it; the socket does.
// 服务器：没有任何 verbs 调用会通知它，通知来自套接字。
static int read_text(struct connection *c)
{
    if (barrier(c->sock))
        return -1;
    printf("%.*s\n", LENGTH, (const char *)c->mr->addr);
    return memcmp(c->mr->addr, TEXT, sizeof TEXT) ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct connection c;

    if (connection_open(&c, argc, argv, LENGTH,
                        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE))
        return 1;
    int failed = c.is_server ? read_text(&c) : write_text(&c);
    return connection_close(&c) || failed;
}
