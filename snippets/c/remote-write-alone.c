// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#include "remote-write-alone.h"

#line 693 "book/src/failures.md"
#include <errno.h>
#include <stdio.h>
#include <string.h>
enum { LENGTH = 4096 };

int main(void)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;

    if (!pd) {
        fprintf(stderr, "no protection domain: %s\n", strerror(errno));
        return 1;
    }
    struct ibv_mr *mr = register_buffer(pd, LENGTH, IBV_ACCESS_REMOTE_WRITE);
    int failed = mr || errno != EINVAL;
    printf("REMOTE_WRITE alone: %s\n", mr ? "registered" : "refused");

    // Once more, with the missing right.
    // 再来一次，补上缺少的权限。
    if (!failed) {
        mr = register_buffer(pd, LENGTH, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
        printf("with LOCAL_WRITE: %s\n", mr ? "registered" : "refused");
    }
    failed = failed || !mr;
    return (mr && release_buffer(mr)) || ibv_dealloc_pd(pd) || ibv_close_device(context) ||
           failed;
}
