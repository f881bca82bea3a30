// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#include "send-in-init.h"

#line 1215 "book/src/connecting.md"
enum { PORT = 1, DEPTH = 16, SIZE = 64, TIMEOUT_MS = 200 };

// A receive may be posted in INIT; a send may not.
// INIT 状态下可以投递接收，不可以投递发送。
static int post_both(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_mr *mr)
{
    struct ibv_sge sge = { .addr = (uintptr_t)mr->addr, .length = SIZE, .lkey = mr->lkey };
    struct ibv_recv_wr receive = { .wr_id = 1, .sg_list = &sge, .num_sge = 1 };
    struct ibv_send_wr send = {
        .wr_id = 2,
        .sg_list = &sge,
        .num_sge = 1,
        .opcode = IBV_WR_SEND,
        .send_flags = IBV_SEND_SIGNALED,
    };
    struct ibv_recv_wr *bad_receive = NULL;
    struct ibv_send_wr *bad_send = NULL;
    struct ibv_wc wc;

    int error = ibv_post_recv(qp, &receive, &bad_receive);
    printf("receive in INIT: %s\n", error ? strerror(error) : "accepted");
    if (error)
        return -1;

    error = ibv_post_send(qp, &send, &bad_send);
    printf("send in INIT: %s\n", !error ? "accepted" : error == EINVAL ? "EINVAL" : strerror(error));
    // By the contract it names the WR that was refused.
    // 按约定，它指向被拒绝的 WR。
    if (error)
        printf("bad_wr: %s\n", bad_send == &send ? "the WR" : "not set");
    // Refused or not, nothing was sent, so nothing completes.
    // 无论是否被拒绝，都没有发送，所以没有任何完成。
    return poll_deadline(cq, &wc, TIMEOUT_MS);
}

int main(void)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
    struct ibv_cq *cq = pd ? ibv_create_cq(context, 2 * DEPTH, NULL, NULL, 0) : NULL;
    struct ibv_qp *qp = cq ? create_rc_qp(pd, cq, DEPTH) : NULL;
    struct ibv_mr *mr = qp ? register_buffer(pd, SIZE, IBV_ACCESS_LOCAL_WRITE) : NULL;

    if (!mr) {
        fprintf(stderr, "no QP and buffer: %s\n", strerror(errno));
        return 1;
    }
    struct ibv_qp_attr attr = init_attributes(PORT);
    int failed = ibv_modify_qp(qp, &attr, INIT_MASK);
    if (!failed)
        failed = post_both(qp, cq, mr);
    return ibv_destroy_qp(qp) || release_buffer(mr) || ibv_destroy_cq(cq) ||
           ibv_dealloc_pd(pd) || ibv_close_device(context) || failed;
}
