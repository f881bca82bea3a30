// Generated from book/src/data.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/data.md 生成：请修改章节，不要修改本文件。

#include "send-recv.h"

#line 106 "book/src/data.md"
enum { SLOT = 64, DEADLINE_MS = 5000 };

// Server: both receives are in place before the peer may send.
// 服务器：两个接收请求就位之后，才放行对端。
static int receive_two(struct connection *c)
{
    for (int slot = 0; slot < 2; slot++)
        if (post_receive(c, slot, slot * SLOT, SLOT))
            return -1;
    if (barrier(c->sock))
        return -1;

    for (int i = 0; i < 2; i++) {
        struct ibv_wc wc;

        if (poll_deadline(c->cq, &wc, DEADLINE_MS) != 1 || wc.status != IBV_WC_SUCCESS)
            return -1;
        // From here on the slot belongs to the program again.
        // 从这里起，该槽位重新归程序所有。
        const char *text = (const char *)c->mr->addr + wc.wr_id * SLOT;
        printf("receive %d: %.*s", (int)wc.wr_id, (int)wc.byte_len, text);
        if (wc.wc_flags & IBV_WC_WITH_IMM)
            printf(", immediate %u", ntohl(wc.imm_data));
        printf("\n");
    }
    return 0;
}

// Client: one message at a time, so that one buffer serves both.
// 客户端：一次一条消息，所以一块缓冲区就够用。
static int send_two(struct connection *c)
{
    static const struct {
        const char *text;
        enum ibv_wr_opcode opcode;
    } message[] = { { "hello", IBV_WR_SEND }, { "again", IBV_WR_SEND_WITH_IMM } };

    if (barrier(c->sock))
        return -1;
    for (int i = 0; i < 2; i++) {
        struct ibv_wc wc;
        uint32_t length = strlen(message[i].text);

        memcpy(c->mr->addr, message[i].text, length);
        if (post_send(c, i, message[i].opcode, length, 7))
            return -1;
        if (poll_deadline(c->cq, &wc, DEADLINE_MS) != 1 || wc.status != IBV_WC_SUCCESS)
            return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct connection c;

    if (connection_open(&c, argc, argv, 2 * SLOT, IBV_ACCESS_LOCAL_WRITE))
        return 1;
    int failed = c.is_server ? receive_two(&c) : send_two(&c);
    if (!failed)
        failed = barrier(c.sock);
    return connection_close(&c) || failed;
}
