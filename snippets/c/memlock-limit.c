// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#include "memlock-limit.h"

#line 479 "book/src/memory.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
enum { KIB = 1024 };

// Registers and releases so many bytes. 0, or a positive error.
// 注册这么多字节，然后释放。成功返回 0；失败返回正的错误码。
static int try_register(struct ibv_pd *pd, size_t length)
{
    struct ibv_mr *mr = register_buffer(pd, length, IBV_ACCESS_LOCAL_WRITE);
    int error = mr ? release_buffer(mr) : errno;

    printf("%zu KiB: %s\n", length / KIB,
           !error ? "registered" : error == ENOMEM ? "ENOMEM" : strerror(error));
    return error;
}

int main(void)
{
    struct rlimit limit;
    struct ibv_context *context = open_device(NULL);
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;

    if (!pd || getrlimit(RLIMIT_MEMLOCK, &limit)) {
        perror("no protection domain, or no limit");
        return 1;
    }
    if (limit.rlim_cur == RLIM_INFINITY) {
        fprintf(stderr, "no limit to show: run under `ulimit -l 64`\n");
        return 1;
    }
    printf("limit %llu KiB\n", (unsigned long long)limit.rlim_cur / KIB);
    int half = try_register(pd, limit.rlim_cur / 2);
    int twice = try_register(pd, limit.rlim_cur * 2);
    // A refused registration leaves nothing behind, and a released one gives
    // its pages back to the limit.
    // 被拒绝的注册不占用额度；注销之后，所占的页又归还到额度中。
    int again = try_register(pd, limit.rlim_cur / 2);
    return ibv_dealloc_pd(pd) || ibv_close_device(context) || half || again ||
           twice != ENOMEM;
}
