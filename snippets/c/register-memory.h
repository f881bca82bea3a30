// Generated from book/src/memory.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/memory.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "open-device.h"

#line 155 "book/src/memory.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
// Makes a buffer of its own pages, all zero, and registers it. NULL with errno
// set when that cannot be done.
// 分配一块独占整页、内容全零的缓冲区并注册。失败时返回 NULL，并设置 errno。
struct ibv_mr *register_buffer(struct ibv_pd *pd, size_t length, int access)
{
    void *buffer = mmap(NULL, length, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (buffer == MAP_FAILED)
        return NULL;
    struct ibv_mr *mr = ibv_reg_mr(pd, buffer, length, access);
    if (!mr) {
        int error = errno;
        munmap(buffer, length);
        errno = error;
    }
    return mr;
}

// Deregisters the buffer, then unmaps it. 0, or a positive error; the buffer is
// still there then.
// 先注销，再解除映射。成功返回 0；失败返回正的错误码，此时缓冲区仍在。
int release_buffer(struct ibv_mr *mr)
{
    // The MR is gone after the call, so note what it says about the buffer.
    // 调用之后 MR 不复存在，所以先记下缓冲区的位置与长度。
    void *buffer = mr->addr;
    size_t length = mr->length;
    int error = ibv_dereg_mr(mr);

    if (!error && munmap(buffer, length))
        error = errno;
    return error;
}
