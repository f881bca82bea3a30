// Generated from book/src/queue-pairs.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/queue-pairs.md 生成：请修改章节，不要修改本文件。

#[path = "../src/port_num_in_init_attr.rs"]
#[allow(dead_code, unused_imports)]
mod port_num_in_init_attr;

#[allow(unused_imports)]
use port_num_in_init_attr::*;

// book/src/queue-pairs.md:269
use rdma_sys::*;
use std::mem;
fn main() {
    // SAFETY: integers and null pointers may all be zero.
    // 安全性：整数和空指针可以全为零。
    let mut init: ibv_qp_init_attr = unsafe { mem::zeroed() };
    init.qp_type = ibv_qp_type::IBV_QPT_RC;
    // Does not compile: a QP gets its port later, on the way to INIT.
    // 不能编译：QP 的端口要到之后迁移到 INIT 时才给出。
    init.port_num = 1;
}
