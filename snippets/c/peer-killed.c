// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#include "peer-killed.h"

#line 407 "book/src/failures.md"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
enum { LENGTH = 64, DEADLINE_MS = 20000 };

// Client: the socket tells at once, the QP only when it is used.
// 客户端：套接字立刻就能看出；QP 要到使用时才看得出。
static int outlive(struct connection *c)
{
    struct ibv_wc wc;
    char byte;

    if (recv(c->sock, &byte, 1, 0) != 0)
        return -1;
    printf("the socket has ended\n");

    memset(c->mr->addr, 'x', LENGTH);
    if (post_send(c, 1, IBV_WR_SEND, LENGTH, 0))
        return -1;
    if (poll_deadline(c->cq, &wc, DEADLINE_MS) != 1)
        return -1;
    printf("%s\n", ibv_wc_status_str(wc.status));
    return wc.status == IBV_WC_RETRY_EXC_ERR ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct connection c;

    if (connection_open(&c, argc, argv, LENGTH, IBV_ACCESS_LOCAL_WRITE))
        return 1;
    // No destructor, no exit handler: the kernel alone cleans up.
    // 没有析构，没有退出处理：全由内核清理。
    if (c.is_server)
        raise(SIGKILL);
    int failed = outlive(&c);
    return connection_close(&c) || failed;
}
