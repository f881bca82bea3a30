// Generated from book/src/reference.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/reference.md 生成：请修改章节，不要修改本文件。

#include "write-bandwidth.h"

#line 147 "book/src/reference.md"
int main(int argc, char **argv)
{
    struct connection c;
    struct stream s;

    if (connection_open(&c, argc, argv, CHAIN * MESSAGE,
                        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE))
        return 1;
    memset(c.mr->addr, c.is_server ? 0 : 'x', CHAIN * MESSAGE);
    // The server has cleared its buffer before the client may write.
    // 客户端写之前，服务器已经清空缓冲区。
    int failed = barrier(c.sock);

    if (!failed && !c.is_server) {
        build_stream(&s, &c);
        failed = run_stream(&s, &c, WARM_UP);
        uint64_t start = clock_ns();
        if (!failed)
            failed = run_stream(&s, &c, MEASURED);
        uint64_t took = clock_ns() - start;
        if (!failed)
            printf("write-bandwidth messages=%d bytes=%llu ns=%llu\n", MEASURED,
                   (unsigned long long)MEASURED * MESSAGE, (unsigned long long)took);
    }
    if (!failed)
        failed = barrier(c.sock);
    // Every byte is there, the last one too.
    // 每个字节都到了，包括最后一个。
    const char *bytes = c.mr->addr;
    for (int i = 0; !failed && i < CHAIN * MESSAGE; i++)
        failed = bytes[i] != 'x';
    return connection_close(&c) || failed;
}
