// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#include "dealloc-pd-busy.h"

#line 359 "book/src/memory.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
enum { SIZE = 4096 };

int main(void)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
    struct ibv_mr *mr = pd ? register_buffer(pd, SIZE, IBV_ACCESS_LOCAL_WRITE) : NULL;

    if (!mr) {
        fprintf(stderr, "no memory region: %s\n", strerror(errno));
        return 1;
    }
    // Too early: the MR still belongs to the PD.
    // 太早：MR 还属于这个 PD。
    int error = ibv_dealloc_pd(pd);
    printf("with a live MR: %s\n", error == EBUSY ? "EBUSY" : strerror(error));
    if (error != EBUSY)
        return 1;

    // Nothing was lost: both objects work, and go in the right order.
    // 什么都没有丢：两个对象都还能用，按正确的顺序释放即可。
    *(char *)mr->addr = 1;
    error = release_buffer(mr);
    if (!error)
        error = ibv_dealloc_pd(pd);
    printf("after the MR: %s\n", error ? strerror(error) : "freed");
    return ibv_close_device(context) || error;
}
