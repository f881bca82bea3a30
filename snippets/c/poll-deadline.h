// Generated from book/src/completions.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/completions.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "open-device.h"

#line 143 "book/src/completions.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
// Milliseconds of a clock that nobody sets.
// 不会被调整的时钟，单位为毫秒。
long long monotonic_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

// Takes one completion. 1: `wc` holds it, with whatever status; 0: none came in
// time; -1: the CQ cannot be polled.
// 取出一个完成。1：已写入 `wc`，状态不限；0：期限内没有完成；-1：无法轮询这个 CQ。
int poll_deadline(struct ibv_cq *cq, struct ibv_wc *wc, int timeout_ms)
{
    long long deadline = monotonic_ms() + timeout_ms;

    for (;;) {
        // The clock is read before the poll, so that the last poll comes after
        // the deadline: a completion in time is never missed.
        // 先读时钟再轮询，最后一次轮询就在期限之后：按时到来的完成不会漏掉。
        int late = monotonic_ms() >= deadline;
        int count = ibv_poll_cq(cq, 1, wc);

        if (count)
            return count > 0 ? 1 : -1;
        if (late)
            return 0;
    }
}
