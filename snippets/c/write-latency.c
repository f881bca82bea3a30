// Generated from book/src/reference.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/reference.md 生成：请修改章节，不要修改本文件。

#include "write-latency.h"

#line 478 "book/src/reference.md"
static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

// Client: `took[i]` becomes the nanoseconds of round i + 1.
// 客户端：`took[i]` 记下第 i + 1 轮的纳秒数。
static int ask(struct pingpong *p, uint64_t *took)
{
    for (int i = 0; i < WARM_UP + MEASURED; i++) {
        uint64_t start = clock_ns();

        if (ping(p, i + 1) || await(p, i + 1))
            return -1;
        took[i] = clock_ns() - start;
    }
    return collect(p);
}

// Server: each round is answered as soon as it is seen.
// 服务器：一看到就应答。
static int answer(struct pingpong *p)
{
    for (int i = 0; i < WARM_UP + MEASURED; i++)
        if (await(p, i + 1) || ping(p, i + 1))
            return -1;
    return collect(p);
}

int main(int argc, char **argv)
{
    static uint64_t took[WARM_UP + MEASURED];
    struct connection c;
    struct pingpong p;

    if (connection_open(&c, argc, argv, 2 * MESSAGE,
                        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE))
        return 1;
    memset(c.mr->addr, 0, 2 * MESSAGE);
    build_pingpong(&p, &c);
    int failed = barrier(c.sock);
    if (!failed)
        failed = c.is_server ? answer(&p) : ask(&p, took);
    if (!failed && !c.is_server) {
        uint64_t *measured = took + WARM_UP, sum = 0;

        for (int i = 0; i < MEASURED; i++)
            sum += measured[i];
        qsort(measured, MEASURED, sizeof *measured, by_size);
        printf("write-latency rounds=%d bytes=%d ns=%llu median_ns=%llu\n", MEASURED,
               MESSAGE, (unsigned long long)sum,
               (unsigned long long)measured[MEASURED / 2]);
    }
    if (!failed)
        failed = barrier(c.sock);
    return connection_close(&c) || failed;
}
