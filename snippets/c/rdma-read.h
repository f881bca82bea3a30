// Generated from book/src/data.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/data.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "connect.h"
#include "teardown.h"

#line 530 "book/src/data.md"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// Fetches `length` bytes from the start of the peer's buffer into ours.
// 从对端缓冲区开头取 `length` 字节到自己的缓冲区。
int post_read(struct connection *c, uint64_t wr_id, uint32_t length, uint32_t rkey)
{
    struct ibv_sge sge = {
        .addr = (uintptr_t)c->mr->addr,
        .length = length,
        .lkey = c->mr->lkey,
    };
    struct ibv_send_wr wr = {
        .wr_id = wr_id,
        .sg_list = &sge,
        .num_sge = 1,
        .opcode = IBV_WR_RDMA_READ,
        .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = { .remote_addr = c->theirs.addr, .rkey = rkey },
    };
    struct ibv_send_wr *bad;

    return ibv_post_send(c->qp, &wr, &bad);
}
