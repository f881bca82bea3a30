// Generated from book/src/completions.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/completions.md 生成：请修改章节，不要修改本文件。

#include "poll-deadline.h"

#line 181 "book/src/completions.md"
enum { TIMEOUT_MS = 50 };

int main(void)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_cq *cq = context ? ibv_create_cq(context, 1, NULL, NULL, 0) : NULL;
    struct ibv_wc wc;

    if (!cq) {
        fprintf(stderr, "no CQ: %s\n", strerror(errno));
        return 1;
    }
    long long start = monotonic_ms();
    // No QP uses this CQ, so nothing can come.
    // 没有 QP 使用这个 CQ，所以什么都不会来。
    int got = poll_deadline(cq, &wc, TIMEOUT_MS);
    long long waited = monotonic_ms() - start;

    switch (got) {
    case 1: printf("a completion: %s\n", ibv_wc_status_str(wc.status)); break;
    case 0: printf("the deadline has passed\n"); break;
    default: printf("the CQ cannot be polled\n"); break;
    }
    int failed = got != 0 || waited < TIMEOUT_MS;
    return ibv_destroy_cq(cq) || ibv_close_device(context) || failed;
}
