// Generated from book/src/queue-pairs.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/queue-pairs.md 生成：请修改章节，不要修改本文件。

#include "port-num-in-init-attr.h"

#line 254 "book/src/queue-pairs.md"
#include <infiniband/verbs.h>
int main(void)
{
    // Does not compile: a QP gets its port later, on the way to INIT.
    // 不能编译：QP 的端口要到之后迁移到 INIT 时才给出。
    struct ibv_qp_init_attr init = {
        .qp_type = IBV_QPT_RC,
        .port_num = 1,
    };

    return init.qp_type != IBV_QPT_RC;
}
