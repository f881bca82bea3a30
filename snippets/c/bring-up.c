// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#include "bring-up.h"

#line 648 "book/src/connecting.md"
#include <unistd.h>
enum { PORT = 1, DEPTH = 16 };

static int verify(struct ibv_qp *qp, const struct endpoint *theirs)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    int error = ibv_query_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN,
                             &init);

    if (error)
        return error;
    printf("state %s\n", attr.qp_state == IBV_QPS_RTS ? "RTS" : "unexpected");
    printf("path MTU %d bytes\n", mtu_bytes(attr.path_mtu));
    return attr.qp_state != IBV_QPS_RTS || attr.dest_qp_num != theirs->qpn ||
           attr.path_mtu > theirs->mtu;
}

// Tells the peer about this end, hears about the other, and brings the QP up.
// 把本端的信息告诉对端，取得对端的信息，再把 QP 推进到 RTS。
static int connect_qp(struct ibv_context *context, struct ibv_qp *qp, int sock)
{
    struct ibv_port_attr port;
    struct ibv_gid_entry entry;
    struct endpoint theirs;

    if (ibv_query_port(context, PORT, &port) || choose_gid(context, PORT, &entry))
        return -1;
    struct endpoint mine = {
        .qpn = qp->qp_num,
        .psn = random_psn(),
        .mtu = port.active_mtu,
        .gid = entry.gid,
    };
    if (exchange(sock, &mine, &theirs))
        return -1;
    int error = bring_up(qp, PORT, entry.gid_index, &mine, &theirs);
    if (error) {
        fprintf(stderr, "bring_up: %s\n", strerror(error));
        return error;
    }
    return verify(qp, &theirs) ? -1 : barrier(sock);
}

int main(int argc, char **argv)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
    struct ibv_cq *cq = pd ? ibv_create_cq(context, 2 * DEPTH, NULL, NULL, 0) : NULL;
    struct ibv_qp *qp = cq ? create_rc_qp(pd, cq, DEPTH) : NULL;
    int sock = -1;

    if (qp)
        sock = argc > 2 ? tcp_join(argv[2], TCP_PORT, JOIN_DEADLINE_MS) : tcp_serve(TCP_PORT);
    if (sock < 0) {
        fprintf(stderr, "no peer: %s\n", strerror(errno));
        return 1;
    }
    int failed = connect_qp(context, qp, sock);
    close(sock);
    return ibv_destroy_qp(qp) || ibv_destroy_cq(cq) || ibv_dealloc_pd(pd) ||
           ibv_close_device(context) || failed;
}
