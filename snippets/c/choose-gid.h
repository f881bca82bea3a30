// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "open-device.h"

#line 555 "book/src/devices.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
// ::ffff:a.b.c.d, the form in which an IPv4 address stands in a GID.
// ::ffff:a.b.c.d，即 IPv4 地址在 GID 中的形式。
int is_ipv4_mapped(const union ibv_gid *gid)
{
    static const uint8_t PREFIX[12] = { [10] = 0xff, [11] = 0xff };

    return !memcmp(gid->raw, PREFIX, sizeof PREFIX);
}

// Finds the port's first GID that is of type RoCE v2 and holds an IPv4 address.
// 0, or -1 with errno set (ENOENT: there is none).
// 查找端口上第一个类型为 RoCE v2、内容为 IPv4 地址的 GID。
// 成功返回 0；失败返回 -1 并设置 errno（ENOENT：没有这样的 GID）。
int choose_gid(struct ibv_context *context, uint8_t port, struct ibv_gid_entry *out)
{
    struct ibv_device_attr device;
    struct ibv_port_attr attr;
    int error = ibv_query_device(context, &device);

    if (!error)
        error = ibv_query_port(context, port, &attr);
    if (error) {
        errno = error;
        return -1;
    }
    // One call gives the entries of all ports, and fails if they do not fit.
    // 一次调用取得所有端口的表项；放不下时会失败。
    size_t room = (size_t)attr.gid_tbl_len * device.phys_port_cnt;
    struct ibv_gid_entry *table = calloc(room, sizeof *table);
    if (!table)
        return -1;

    ssize_t count = ibv_query_gid_table(context, table, room, 0);
    error = count < 0 ? (int)-count : ENOENT;
    for (ssize_t i = 0; i < count; i++) {
        if (table[i].port_num == port && table[i].gid_type == IBV_GID_TYPE_ROCE_V2 &&
            is_ipv4_mapped(&table[i].gid)) {
            *out = table[i];
            error = 0;
            break;
        }
    }
    free(table);
    errno = error;
    return error ? -1 : 0;
}
