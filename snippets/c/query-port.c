// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#include "query-port.h"

#line 397 "book/src/devices.md"
enum { PORT = 1 };

int main(void)
{
    struct ibv_context *context = open_device(NULL);
    struct ibv_port_attr port;

    if (!context) {
        fprintf(stderr, "open_device: %s\n", strerror(errno));
        return 1;
    }
    int error = ibv_query_port(context, PORT, &port);
    if (error) {
        fprintf(stderr, "ibv_query_port: %s\n", strerror(error));
        return 1;
    }
    printf("state %s\n", ibv_port_state_str(port.state));
    printf("MTU code %d: %d bytes\n", port.active_mtu, mtu_bytes(port.active_mtu));
    printf("width code %d x speed code %d: %.1f Gb/s\n", port.active_width,
           port.active_speed,
           width_lanes(port.active_width) * lane_gbps(port.active_speed));
    return ibv_close_device(context) || port.state != IBV_PORT_ACTIVE;
}
