// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "open-device.h"
#include "query-port.h"
#include "choose-gid.h"
#include "register-memory.h"
#include "create-qp.h"

#line 49 "book/src/connecting.md"
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
enum { TCP_PORT = 20886, JOIN_DEADLINE_MS = 10000, WIRE_BYTES = 40 };

// What a peer must know to reach this end: its QP, its buffer, its address.
// 对端要访问本端所需知道的一切：QP、缓冲区、地址。
struct endpoint {
    uint32_t qpn;
    uint32_t psn;
    uint32_t rkey;
    uint32_t mtu;
    uint64_t addr;
    union ibv_gid gid;
};

// A random 24-bit start for packet sequence numbers.
// 随机的 24 位起始包序号。
uint32_t random_psn(void)
{
    uint32_t psn = 0;

    return getrandom(&psn, sizeof psn, 0) == sizeof psn ? psn & 0xffffff : 1;
}

// Small messages must not wait for each other.
// 小消息之间不应互相等待。
int without_delay(int sock)
{
    int on = 1;

    return setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Waits for one peer. A socket, or -1 with errno set.
// 等待一个对端。返回套接字；失败返回 -1 并设置 errno。
int tcp_serve(uint16_t port)
{
    struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1, sock = -1;

    if (listener < 0)
        return -1;
    // The port may still be held by a connection that has just ended.
    // 刚结束的连接可能还占着端口。
    if (!setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
        !bind(listener, (struct sockaddr *)&any, sizeof any) && !listen(listener, 1))
        sock = accept(listener, NULL, NULL);
    int error = errno;
    close(listener);
    errno = error;
    return sock < 0 || without_delay(sock) ? -1 : sock;
}

// Connects to the server, which may not listen yet: tries until a deadline.
// 连接服务器；它可能尚未开始监听，所以反复尝试，直到期限。
int tcp_join(const char *address, uint16_t port, int timeout_ms)
{
    const struct timespec pause = { .tv_nsec = 20 * 1000000 };
    struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(port) };
    struct timespec now;

    if (inet_pton(AF_INET, address, &server.sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long deadline = now.tv_sec * 1000LL + now.tv_nsec / 1000000 + timeout_ms;
    for (;;) {
        int sock = socket(AF_INET, SOCK_STREAM, 0);
        if (sock < 0)
            return -1;
        if (!connect(sock, (struct sockaddr *)&server, sizeof server))
            return without_delay(sock) ? -1 : sock;
        int error = errno;
        close(sock);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec * 1000LL + now.tv_nsec / 1000000 >= deadline) {
            errno = error;
            return -1;
        }
        nanosleep(&pause, NULL);
    }
}

// On the wire every number is in network byte order, at a fixed place.
// 在线路上，每个数都是网络字节序，位置固定。
void pack(const struct endpoint *e, uint8_t wire[WIRE_BYTES])
{
    const uint32_t words[4] = { htonl(e->qpn), htonl(e->psn), htonl(e->rkey), htonl(e->mtu) };
    const uint64_t addr = htobe64(e->addr);

    memcpy(wire, words, 16);
    memcpy(wire + 16, &addr, 8);
    memcpy(wire + 24, e->gid.raw, 16);
}

void unpack(const uint8_t wire[WIRE_BYTES], struct endpoint *e)
{
    uint32_t words[4];
    uint64_t addr;

    memcpy(words, wire, 16);
    memcpy(&addr, wire + 16, 8);
    memcpy(e->gid.raw, wire + 24, 16);
    e->qpn = ntohl(words[0]);
    e->psn = ntohl(words[1]);
    e->rkey = ntohl(words[2]);
    e->mtu = ntohl(words[3]);
    e->addr = be64toh(addr);
}

// Sends mine and receives theirs. 0, or -1 when the peer has gone.
// 发出自己的，收下对方的。成功返回 0；对端已离开时返回 -1。
int exchange(int sock, const struct endpoint *mine, struct endpoint *theirs)
{
    uint8_t wire[WIRE_BYTES];

    pack(mine, wire);
    if (send(sock, wire, sizeof wire, MSG_NOSIGNAL) != sizeof wire)
        return -1;
    if (recv(sock, wire, sizeof wire, MSG_WAITALL) != sizeof wire)
        return -1;
    unpack(wire, theirs);
    return 0;
}

// Returns when both ends have called it. 0, or -1 when the peer has gone.
// 两端都调用之后才返回。成功返回 0；对端已离开时返回 -1。
int barrier(int sock)
{
    char byte = 0;

    if (send(sock, &byte, 1, MSG_NOSIGNAL) != 1)
        return -1;
    return recv(sock, &byte, 1, MSG_WAITALL) == 1 ? 0 : -1;
}
