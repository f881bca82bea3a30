// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#pragma once

#line 166 "book/src/devices.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// Opens the device of this name; with NULL, the one that RDMA_DEVICE names,
// else the first. NULL with errno set when that cannot be done.
// 打开指定名称的设备；NULL 表示由环境变量 RDMA_DEVICE 指定，未指定则取第一个。
// 失败时返回 NULL，并设置 errno。
struct ibv_context *open_device(const char *name)
{
    int count;
    struct ibv_device **list = ibv_get_device_list(&count);
    struct ibv_context *context = NULL;
    int error = ENODEV;

    if (!list)
        return NULL;
    if (!name)
        name = getenv("RDMA_DEVICE");
    for (int i = 0; i < count; i++) {
        if (name && strcmp(ibv_get_device_name(list[i]), name))
            continue;
        context = ibv_open_device(list[i]);
        error = errno;
        break;
    }
    // An open context does not need the list any more.
    // 打开之后，上下文不再需要这个列表。
    ibv_free_device_list(list);
    // Freeing may have changed errno.
    // 释放列表可能改动 errno。
    errno = error;
    return context;
}
