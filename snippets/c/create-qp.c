// Generated from book/src/queue-pairs.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/queue-pairs.md 生成：请修改章节，不要修改本文件。

#include "create-qp.h"

#line 96 "book/src/queue-pairs.md"
enum { DEPTH = 30 };

static int show_granted(struct ibv_qp *qp)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    int error = ibv_query_qp(qp, &attr, IBV_QP_STATE | IBV_QP_CAP, &init);

    if (error)
        return error;
    printf("state %s\n", attr.qp_state == IBV_QPS_RESET ? "RESET" : "unexpected");
    printf("send: asked for %d, granted %u\n", DEPTH, init.cap.max_send_wr);
    printf("receive: asked for %d, granted %u\n", DEPTH, init.cap.max_recv_wr);
    printf("inline: asked for %d, granted %u\n", INLINE_BYTES, init.cap.max_inline_data);
    return attr.qp_state != IBV_QPS_RESET || init.cap.max_send_wr < DEPTH ||
           init.cap.max_recv_wr < DEPTH || init.cap.max_inline_data < INLINE_BYTES;
}

int main(void)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
    struct ibv_cq *cq = pd ? ibv_create_cq(context, 2 * DEPTH, NULL, NULL, 0) : NULL;
    struct ibv_qp *qp = cq ? create_rc_qp(pd, cq, DEPTH) : NULL;

    if (!qp) {
        fprintf(stderr, "no QP: %s\n", strerror(errno));
        return 1;
    }
    int failed = show_granted(qp);
    return ibv_destroy_qp(qp) || ibv_destroy_cq(cq) || ibv_dealloc_pd(pd) ||
           ibv_close_device(context) || failed;
}
