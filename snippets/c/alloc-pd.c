// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#include "alloc-pd.h"

#line 32 "book/src/memory.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    struct ibv_context *context = open_device(NULL);

    if (!context) {
        fprintf(stderr, "open_device: %s\n", strerror(errno));
        return 1;
    }
    struct ibv_pd *pd = ibv_alloc_pd(context);
    if (!pd) {
        fprintf(stderr, "ibv_alloc_pd: %s\n", strerror(errno));
        return 1;
    }
    printf("PD allocated\n");

    // Returns its error, and the PD stays valid when it fails.
    // 错误码由返回值给出；失败时 PD 依然有效。
    int error = ibv_dealloc_pd(pd);
    if (error) {
        fprintf(stderr, "ibv_dealloc_pd: %s\n", strerror(error));
        return 1;
    }
    printf("PD freed\n");
    return ibv_close_device(context) ? 1 : 0;
}
