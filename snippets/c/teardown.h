// Generated from book/src/teardown.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/teardown.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "connect.h"
#include "register-memory.h"

#line 65 "book/src/teardown.md"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
// Names the call that refused. The first refusal ends the teardown: what the
// object still holds could not be freed either.
// 指出是哪个调用被拒绝。遇到第一次拒绝就停止：该对象占用的其他对象也不可能释放。
int refused(const char *call, int error)
{
    if (error)
        fprintf(stderr, "%s: %s\n", call, strerror(error));
    return error;
}

// Frees everything, users before what they use. 0, or -1.
// 释放一切：先释放使用者，再释放被使用者。成功返回 0，失败返回 -1。
int connection_close(struct connection *c)
{
    if (refused("ibv_destroy_qp", ibv_destroy_qp(c->qp)) ||
        refused("release_buffer", release_buffer(c->mr)) ||
        refused("ibv_destroy_cq", ibv_destroy_cq(c->cq)) ||
        refused("ibv_dealloc_pd", ibv_dealloc_pd(c->pd)))
        return -1;
    if (ibv_close_device(c->context)) {
        fprintf(stderr, "ibv_close_device failed\n");
        return -1;
    }
    return close(c->sock);
}
