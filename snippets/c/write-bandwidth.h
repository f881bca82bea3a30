// Generated from book/src/reference.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/reference.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "connect.h"
#include "teardown.h"

#line 43 "book/src/reference.md"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
enum {
    // Bytes of one WRITE.
    // 一次 WRITE 的字节数。
    MESSAGE = 64 * 1024,
    // WRs posted by one call; the last of them is signaled.
    // 一次调用投递的 WR 数；其中最后一个要求完成。
    CHAIN = 4,
    // WRs that may be in flight: four chains.
    // 允许在途的 WR 数：四条链。
    WINDOW = 4 * CHAIN,
    WARM_UP = 16,
    MEASURED = 128,
    DEADLINE_S = 30,
};

// A chain of WRITEs, built once and posted again and again.
// 一条 WRITE 链，只构造一次，反复投递。
struct stream {
    struct ibv_sge sge[CHAIN];
    struct ibv_send_wr wr[CHAIN];
    uint64_t posted;
    uint64_t completed;
    uint64_t deadline;
};

// Nanoseconds of the monotonic clock.
// 单调时钟，单位为纳秒。
uint64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void build_stream(struct stream *s, const struct connection *c)
{
    memset(s, 0, sizeof *s);
    s->deadline = clock_ns() + DEADLINE_S * 1000000000ull;
    for (int i = 0; i < CHAIN; i++) {
        s->sge[i].addr = (uintptr_t)c->mr->addr + i * MESSAGE;
        s->sge[i].length = MESSAGE;
        s->sge[i].lkey = c->mr->lkey;
        s->wr[i].sg_list = &s->sge[i];
        s->wr[i].num_sge = 1;
        s->wr[i].opcode = IBV_WR_RDMA_WRITE;
        s->wr[i].wr.rdma.remote_addr = c->theirs.addr + i * MESSAGE;
        s->wr[i].wr.rdma.rkey = c->theirs.rkey;
        s->wr[i].next = i + 1 < CHAIN ? &s->wr[i + 1] : NULL;
    }
    s->wr[CHAIN - 1].send_flags = IBV_SEND_SIGNALED;
}

// Returns 0 once `target` WRs are complete, -1 on an error or at the deadline.
// 完成的 WR 达到 `target` 个时返回 0；出错或到期限返回 -1。
int wait_until(struct stream *s, struct ibv_cq *cq, uint64_t target)
{
    struct ibv_wc wc[WINDOW / CHAIN];

    while (s->completed < target) {
        int n = ibv_poll_cq(cq, WINDOW / CHAIN, wc);

        for (int i = 0; i < n; i++) {
            if (wc[i].status != IBV_WC_SUCCESS)
                return -1;
            s->completed = wc[i].wr_id;
        }
        // The clock is read only when there is nothing else to do.
        // 只有无事可做时才读时钟。
        if (n < 0 || (n == 0 && clock_ns() > s->deadline))
            return -1;
    }
    return 0;
}

// Posts `count` more WRs, never more than WINDOW in flight, and waits for all.
// 再投递 `count` 个 WR，在途不超过 WINDOW，并等它们全部完成。
int run_stream(struct stream *s, struct connection *c, uint64_t count)
{
    struct ibv_send_wr *bad;
    uint64_t end = s->posted + count;

    while (s->posted < end) {
        if (s->posted + CHAIN > WINDOW &&
            wait_until(s, c->cq, s->posted + CHAIN - WINDOW))
            return -1;
        s->posted += CHAIN;
        s->wr[CHAIN - 1].wr_id = s->posted;
        if (ibv_post_send(c->qp, s->wr, &bad))
            return -1;
    }
    return wait_until(s, c->cq, end);
}
