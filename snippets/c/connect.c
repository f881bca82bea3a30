// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#include "connect.h"

#line 1519 "book/src/connecting.md"
int main(int argc, char **argv)
{
    struct connection c;

    if (connection_open(&c, argc, argv, 4096, IBV_ACCESS_LOCAL_WRITE))
        return 1;
    printf("connected as %s\n", c.is_server ? "server" : "client");
    // The end of the process frees everything; the chapter on teardown does it in order.
    // 进程结束时一切都会释放；「释放」一章按顺序来做。
    return barrier(c.sock) ? 1 : 0;
}
