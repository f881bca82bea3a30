// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#include "register-memory.h"

#line 197 "book/src/memory.md"
enum { SIZE = 8192 };

static int use_memory(struct ibv_pd *pd)
{
    struct ibv_mr *mr = register_buffer(pd, SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

    if (!mr) {
        fprintf(stderr, "register_buffer: %s\n", strerror(errno));
        return -1;
    }
    // It is still ordinary memory of this process.
    // 它仍然是本进程的普通内存。
    strcpy(mr->addr, "ready");
    printf("registered %zu bytes: %s\n", mr->length, (const char *)mr->addr);
    return release_buffer(mr);
}

int main(void)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;

    if (!pd) {
        fprintf(stderr, "no protection domain: %s\n", strerror(errno));
        return 1;
    }
    int failed = use_memory(pd);
    return ibv_dealloc_pd(pd) || ibv_close_device(context) || failed;
}
