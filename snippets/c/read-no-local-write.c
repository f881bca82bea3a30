// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#include "read-no-local-write.h"

#line 611 "book/src/failures.md"
#include <stdio.h>
enum { LENGTH = 64, DEADLINE_MS = 5000 };

static int read_into_read_only(struct connection *c)
{
    struct ibv_wc wc;

    if (post_read(c, 1, LENGTH, c->theirs.rkey))
        return -1;
    if (poll_deadline(c->cq, &wc, DEADLINE_MS) != 1)
        return -1;
    printf("%s\n", ibv_wc_status_str(wc.status));
    return wc.status == IBV_WC_LOC_PROT_ERR ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct connection c;

    // The peer may read it; our own device may not write it.
    // 对端可以读它；自己的设备不能写它。
    if (connection_open(&c, argc, argv, LENGTH, IBV_ACCESS_REMOTE_READ))
        return 1;
    int failed = c.is_server ? 0 : read_into_read_only(&c);
    if (!failed)
        failed = barrier(c.sock);
    return connection_close(&c) || failed;
}
