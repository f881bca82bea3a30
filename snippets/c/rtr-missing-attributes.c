// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#include "rtr-missing-attributes.h"

#line 965 "book/src/connecting.md"
enum { PORT = 1, DEPTH = 16 };

static const struct {
    int bit;
    const char *name;
} REQUIRED[] = {
    { IBV_QP_AV, "IBV_QP_AV" },
    { IBV_QP_PATH_MTU, "IBV_QP_PATH_MTU" },
    { IBV_QP_DEST_QPN, "IBV_QP_DEST_QPN" },
    { IBV_QP_RQ_PSN, "IBV_QP_RQ_PSN" },
    { IBV_QP_MAX_DEST_RD_ATOMIC, "IBV_QP_MAX_DEST_RD_ATOMIC" },
    { IBV_QP_MIN_RNR_TIMER, "IBV_QP_MIN_RNR_TIMER" },
};

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;

    return ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) ? IBV_QPS_UNKNOWN : attr.qp_state;
}

// Leaves out one attribute at a time: refused each time, and no state changes.
// 每次缺一个属性：每次都被拒绝，状态不变。
static int leave_out_each(struct ibv_qp *qp, struct ibv_qp_attr *attr)
{
    for (size_t i = 0; i < sizeof REQUIRED / sizeof *REQUIRED; i++) {
        int error = ibv_modify_qp(qp, attr, RTR_MASK & ~REQUIRED[i].bit);
        enum ibv_qp_state state = state_of(qp);

        printf("without %s: %s, %s\n", REQUIRED[i].name,
               error == EINVAL ? "EINVAL" : strerror(error),
               state == IBV_QPS_INIT ? "still INIT" : "another state");
        if (error != EINVAL || state != IBV_QPS_INIT)
            return -1;
    }
    return 0;
}

// Connects the QP to itself: one node is enough.
// 把 QP 连接到它自己：一个节点就够。
static int walk(struct ibv_context *context, struct ibv_qp *qp)
{
    struct ibv_port_attr port;
    struct ibv_gid_entry entry;

    if (ibv_query_port(context, PORT, &port) || choose_gid(context, PORT, &entry))
        return -1;
    struct endpoint self = {
        .qpn = qp->qp_num,
        .psn = random_psn(),
        .mtu = port.active_mtu,
        .gid = entry.gid,
    };
    struct ibv_qp_attr attr = init_attributes(PORT);
    if (ibv_modify_qp(qp, &attr, INIT_MASK))
        return -1;
    attr = rtr_attributes(PORT, entry.gid_index, &self, &self);
    if (leave_out_each(qp, &attr))
        return -1;

    int error = ibv_modify_qp(qp, &attr, RTR_MASK);
    printf("complete: %s\n", error ? strerror(error) : "RTR");
    return error || state_of(qp) != IBV_QPS_RTR ? -1 : 0;
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
    int failed = walk(context, qp);
    return ibv_destroy_qp(qp) || ibv_destroy_cq(cq) || ibv_dealloc_pd(pd) ||
           ibv_close_device(context) || failed;
}
