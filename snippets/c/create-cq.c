// Generated from book/src/completions.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/completions.md 生成：请修改章节，不要修改本文件。

#include "create-cq.h"

#line 37 "book/src/completions.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
enum { ASKED = 100 };

int main(void)
{
    struct ibv_context *context = open_device(NULL);

    if (!context) {
        fprintf(stderr, "open_device: %s\n", strerror(errno));
        return 1;
    }
    // No completion channel: this CQ is polled. Vector 0 is then without effect.
    // 没有完成通道：这个 CQ 靠轮询。此时向量 0 不起作用。
    struct ibv_cq *cq = ibv_create_cq(context, ASKED, NULL, NULL, 0);
    if (!cq) {
        fprintf(stderr, "ibv_create_cq: %s\n", strerror(errno));
        return 1;
    }
    // The device may round up, never down.
    // 设备可以向上取整，不会变小。
    printf("asked for %d, granted %d\n", ASKED, cq->cqe);
    int failed = cq->cqe < ASKED;
    return ibv_destroy_cq(cq) || ibv_close_device(context) || failed;
}
