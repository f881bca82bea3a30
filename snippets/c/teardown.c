// Generated from book/src/teardown.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/teardown.md 生成：请修改章节，不要修改本文件。

#include "teardown.h"

#line 96 "book/src/teardown.md"
int main(int argc, char **argv)
{
    struct connection c;

    if (connection_open(&c, argc, argv, 4096, IBV_ACCESS_LOCAL_WRITE))
        return 1;
    // The peer has nothing more to send to this QP.
    // 对端不会再向这个 QP 发送任何东西。
    if (barrier(c.sock) || connection_close(&c))
        return 1;
    printf("closed in order\n");
    return 0;
}
