// Generated from book/src/reference.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/reference.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "connect.h"
#include "teardown.h"

#line 378 "book/src/reference.md"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum {
    // Bytes of one message; the last is the round.
    // 一条消息的字节数；最后一个字节是轮次。
    MESSAGE = 8,
    // One WR in so many is signaled.
    // 每这么多个 WR 中有一个要求完成。
    SIGNAL_EVERY = 16,
    WARM_UP = 64,
    MEASURED = 256,
    DEADLINE_S = 30,
};

// The buffer holds the message to send, then the message that arrives.
// 缓冲区前半是要发送的消息，后半是到达的消息。
struct pingpong {
    struct connection *c;
    uint8_t *out;
    const uint8_t *in;
    struct ibv_sge sge;
    struct ibv_send_wr wr;
    uint64_t posted;
    uint64_t deadline;
};

uint64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void build_pingpong(struct pingpong *p, struct connection *c)
{
    memset(p, 0, sizeof *p);
    p->c = c;
    p->out = c->mr->addr;
    p->in = p->out + MESSAGE;
    p->deadline = clock_ns() + DEADLINE_S * 1000000000ull;
    p->sge.addr = (uintptr_t)p->out;
    p->sge.length = MESSAGE;
    p->sge.lkey = c->mr->lkey;
    p->wr.sg_list = &p->sge;
    p->wr.num_sge = 1;
    p->wr.opcode = IBV_WR_RDMA_WRITE;
    p->wr.wr.rdma.remote_addr = c->theirs.addr + MESSAGE;
    p->wr.wr.rdma.rkey = c->theirs.rkey;
}

// Waits for the oldest signaled WRITE; those before it are done as well.
// 等最早的那个要求完成的 WRITE；在它之前的也都已完成。
int collect(struct pingpong *p)
{
    struct ibv_wc wc;

    if (poll_deadline(p->c->cq, &wc, DEADLINE_S * 1000) != 1)
        return -1;
    return wc.status == IBV_WC_SUCCESS ? 0 : -1;
}

// Writes the number of the round to the peer.
// 把轮次写给对端。
int ping(struct pingpong *p, uint8_t round)
{
    struct ibv_send_wr *bad;
    int signaled = ++p->posted % SIGNAL_EVERY == 0;

    // One signaled WR in flight: the queue holds two groups at most.
    // 在途的 WR 中只有一个要求完成：队列中最多两组。
    if (signaled && p->posted > SIGNAL_EVERY && collect(p))
        return -1;
    p->out[MESSAGE - 1] = round;
    p->wr.wr_id = p->posted;
    p->wr.send_flags = IBV_SEND_INLINE | (signaled ? IBV_SEND_SIGNALED : 0);
    return ibv_post_send(p->c->qp, &p->wr, &bad);
}

// Spins until the peer's message of this round is in our memory.
// 自旋，直到对端这一轮的消息出现在自己的内存里。
int await(struct pingpong *p, uint8_t round)
{
    for (uint64_t spins = 1;; spins++) {
        if (__atomic_load_n(&p->in[MESSAGE - 1], __ATOMIC_ACQUIRE) == round)
            return 0;
        if (spins % 1024 == 0 && clock_ns() > p->deadline)
            return -1;
    }
}
