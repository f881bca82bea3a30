// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "open-device.h"
#include "choose-gid.h"
#include "register-memory.h"
#include "create-qp.h"
#include "exchange-info.h"
#include "bring-up.h"
#include "poll-deadline.h"

#line 1417 "book/src/connecting.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { DEVICE_PORT = 1, QUEUE_DEPTH = 64 };

// One QP with all it needs, connected to one peer.
// 一个 QP 及其所需的一切，与一个对端相连。
struct connection {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_mr *mr;
    struct ibv_qp *qp;
    // Out of band, for as long as the QP lives.
    // 带外通道，QP 存在期间一直打开。
    int sock;
    int is_server;
    struct endpoint mine, theirs;
};

int complain(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    return -1;
}

int create_objects(struct connection *c, size_t length, int access)
{
    c->context = open_device(NULL);
    if (!c->context)
        return complain("open_device");
    c->pd = ibv_alloc_pd(c->context);
    if (!c->pd)
        return complain("ibv_alloc_pd");
    // Room for every send and every receive, so that the CQ cannot overrun.
    // 容得下所有发送与接收，所以 CQ 不会溢出。
    c->cq = ibv_create_cq(c->context, 2 * QUEUE_DEPTH, NULL, NULL, 0);
    if (!c->cq)
        return complain("ibv_create_cq");
    c->mr = register_buffer(c->pd, length, access);
    if (!c->mr)
        return complain("register_buffer");
    c->qp = create_rc_qp(c->pd, c->cq, QUEUE_DEPTH);
    return c->qp ? 0 : complain("create_rc_qp");
}

// `server`, or `client ADDRESS`.
// `server`，或 `client ADDRESS`。
int meet_peer(struct connection *c, int argc, char **argv)
{
    c->is_server = argc == 2 && !strcmp(argv[1], "server");
    if (!c->is_server && (argc != 3 || strcmp(argv[1], "client"))) {
        fprintf(stderr, "usage: %s server | client ADDRESS\n", argv[0]);
        return -1;
    }
    c->sock = c->is_server ? tcp_serve(TCP_PORT)
                           : tcp_join(argv[2], TCP_PORT, JOIN_DEADLINE_MS);
    return c->sock < 0 ? complain("no peer") : 0;
}

// Everything from the device to a QP in RTS on both sides. `length` and
// `access` are those of the buffer. 0, or -1 after a message on standard error;
// the process should then end, and the kernel frees what was made.
// 从打开设备直到两端的 QP 都进入 RTS。`length` 与 `access` 属于缓冲区。
// 成功返回 0；失败时在标准错误上说明，返回 -1：进程应当结束，由内核释放已创建的对象。
int connection_open(struct connection *c, int argc, char **argv, size_t length, int access)
{
    struct ibv_port_attr port;
    struct ibv_gid_entry entry;

    memset(c, 0, sizeof *c);
    if (create_objects(c, length, access))
        return -1;
    errno = ibv_query_port(c->context, DEVICE_PORT, &port);
    if (errno)
        return complain("ibv_query_port");
    if (choose_gid(c->context, DEVICE_PORT, &entry))
        return complain("choose_gid");
    if (meet_peer(c, argc, argv))
        return -1;
    c->mine = (struct endpoint){
        .qpn = c->qp->qp_num,
        .psn = random_psn(),
        .rkey = c->mr->rkey,
        .mtu = port.active_mtu,
        .addr = (uintptr_t)c->mr->addr,
        .gid = entry.gid,
    };
    if (exchange(c->sock, &c->mine, &c->theirs))
        return complain("exchange");
    errno = bring_up(c->qp, DEVICE_PORT, entry.gid_index, &c->mine, &c->theirs);
    if (errno)
        return complain("bring_up");
    // Neither side sends before both can receive.
    // 双方都能接收之前，谁也不发送。
    return barrier(c->sock) ? complain("barrier") : 0;
}
