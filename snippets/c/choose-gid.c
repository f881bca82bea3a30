// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#include "choose-gid.h"

#line 611 "book/src/devices.md"
enum { PORT = 1 };

int main(void)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_gid_entry entry;

    if (!context) {
        fprintf(stderr, "open_device: %s\n", strerror(errno));
        return 1;
    }
    if (choose_gid(context, PORT, &entry)) {
        fprintf(stderr, "choose_gid: %s\n", strerror(errno));
        return 1;
    }
    const uint8_t *ip = entry.gid.raw + 12;
    printf("RoCE v2 GID at index %u: %d.%d.%d.%d\n", entry.gid_index, ip[0], ip[1],
           ip[2], ip[3]);
    return ibv_close_device(context) ? 1 : 0;
}
