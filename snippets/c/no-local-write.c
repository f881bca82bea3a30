// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#include "no-local-write.h"

#line 527 "book/src/failures.md"
#include <stdio.h>
enum { LENGTH = 64, DEADLINE_MS = 5000 };

int main(int argc, char **argv)
{
    struct connection c;
    struct ibv_wc wc;

    // 0 instead of IBV_ACCESS_LOCAL_WRITE: the device may read the buffer only.
    // 用 0 代替 IBV_ACCESS_LOCAL_WRITE：设备只能读这块缓冲区。
    if (connection_open(&c, argc, argv, LENGTH, 0))
        return 1;
    int failed = c.is_server ? post_receive(&c, 1, 0, LENGTH) : 0;
    if (!failed)
        failed = barrier(c.sock);
    if (!failed && !c.is_server)
        failed = post_send(&c, 1, IBV_WR_SEND, LENGTH, 0);
    if (!failed && poll_deadline(c.cq, &wc, DEADLINE_MS) != 1)
        failed = -1;
    if (!failed) {
        printf("%s\n", ibv_wc_status_str(wc.status));
        failed = wc.status == IBV_WC_SUCCESS ? -1 : barrier(c.sock);
    }
    return connection_close(&c) || failed;
}
