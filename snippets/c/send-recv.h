// Generated from book/src/data.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/data.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "connect.h"
#include "teardown.h"

#line 57 "book/src/data.md"
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// Hands `length` bytes of the buffer, from `offset` on, to the device.
// 把缓冲区中从 `offset` 起的 `length` 字节交给设备。
int post_receive(struct connection *c, uint64_t wr_id, size_t offset, uint32_t length)
{
    struct ibv_sge sge = {
        .addr = (uintptr_t)c->mr->addr + offset,
        .length = length,
        .lkey = c->mr->lkey,
    };
    struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 };
    struct ibv_recv_wr *bad;

    return ibv_post_recv(c->qp, &wr, &bad);
}

// Sends the first `length` bytes of the buffer. `immediate` travels only with
// IBV_WR_SEND_WITH_IMM.
// 发送缓冲区开头的 `length` 字节。只有 IBV_WR_SEND_WITH_IMM 才会带上 `immediate`。
int post_send(struct connection *c, uint64_t wr_id, enum ibv_wr_opcode opcode,
              uint32_t length, uint32_t immediate)
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
        .opcode = opcode,
        .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htonl(immediate),
    };
    struct ibv_send_wr *bad;

    return ibv_post_send(c->qp, &wr, &bad);
}
