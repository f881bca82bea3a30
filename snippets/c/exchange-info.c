// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#include "exchange-info.h"

#line 199 "book/src/connecting.md"
enum { PORT = 1, DEPTH = 16, SIZE = 4096 };

// Serves as `server`, joins as `client ADDRESS`.
// 参数为 `server` 时等待，为 `client ADDRESS` 时连接。
static int meet(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "server"))
        return tcp_serve(TCP_PORT);
    if (argc == 3 && !strcmp(argv[1], "client"))
        return tcp_join(argv[2], TCP_PORT, JOIN_DEADLINE_MS);
    errno = EINVAL;
    return -1;
}

static int introduce(struct ibv_context *context, struct ibv_qp *qp, struct ibv_mr *mr,
                     int sock)
{
    struct ibv_port_attr port;
    struct ibv_gid_entry entry;
    struct endpoint theirs;

    if (ibv_query_port(context, PORT, &port) || choose_gid(context, PORT, &entry))
        return -1;
    struct endpoint mine = {
        .qpn = qp->qp_num,
        .psn = random_psn(),
        .rkey = mr->rkey,
        .mtu = port.active_mtu,
        .addr = (uintptr_t)mr->addr,
        .gid = entry.gid,
    };
    if (exchange(sock, &mine, &theirs))
        return -1;
    printf("peer: QP number %s, GID %s, MTU %d bytes\n", theirs.qpn ? "given" : "missing",
           is_ipv4_mapped(&theirs.gid) ? "of an IPv4 address" : "of another kind",
           mtu_bytes(theirs.mtu));
    return theirs.qpn && is_ipv4_mapped(&theirs.gid) ? barrier(sock) : -1;
}

int main(int argc, char **argv)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
    struct ibv_cq *cq = pd ? ibv_create_cq(context, 2 * DEPTH, NULL, NULL, 0) : NULL;
    struct ibv_qp *qp = cq ? create_rc_qp(pd, cq, DEPTH) : NULL;
    struct ibv_mr *mr = qp ? register_buffer(pd, SIZE, IBV_ACCESS_LOCAL_WRITE) : NULL;
    int sock = mr ? meet(argc, argv) : -1;

    if (sock < 0) {
        fprintf(stderr, "no peer: %s\n", strerror(errno));
        return 1;
    }
    int failed = introduce(context, qp, mr, sock);
    close(sock);
    return ibv_destroy_qp(qp) || release_buffer(mr) || ibv_destroy_cq(cq) ||
           ibv_dealloc_pd(pd) || ibv_close_device(context) || failed;
}
