// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#include "open-device.h"

#line 204 "book/src/devices.md"
int main(void)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_device_attr attr;

    if (!context) {
        fprintf(stderr, "open_device: %s\n", strerror(errno));
        return 1;
    }
    // This call returns its error; errno is not where to look.
    // 这个调用直接返回错误码，不必看 errno。
    int error = ibv_query_device(context, &attr);
    if (error) {
        fprintf(stderr, "ibv_query_device: %s\n", strerror(error));
        return 1;
    }
    printf("ports: %d\n", attr.phys_port_cnt);
    return ibv_close_device(context) ? 1 : 0;
}
