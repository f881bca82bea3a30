// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#include "list-devices.h"

#line 39 "book/src/devices.md"
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static void print_device(struct ibv_device *device)
{
    // The GUID arrives in network byte order.
    // GUID 以网络字节序给出。
    uint64_t guid = be64toh(ibv_get_device_guid(device));

    printf("%s: %s, GUID %016llx\n", ibv_get_device_name(device),
           ibv_node_type_str(device->node_type), (unsigned long long)guid);
}

int main(void)
{
    int count;
    struct ibv_device **list = ibv_get_device_list(&count);

    // NULL is an error; an empty list is not.
    // NULL 表示出错；空列表不是错误。
    if (!list) {
        fprintf(stderr, "ibv_get_device_list: %s\n", strerror(errno));
        return 1;
    }
    for (int i = 0; i < count; i++)
        print_device(list[i]);
    printf("devices found: %s\n", count > 0 ? "yes" : "no");
    ibv_free_device_list(list);
    return count > 0 ? 0 : 1;
}
