// Generated from book/src/teardown.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/teardown.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::connect::*;
#[allow(unused_imports)]
use crate::register_memory::*;

// book/src/teardown.md:112
use rdma_sys::*;
use std::io;
/// Names the call that refused. The first refusal ends the teardown: what the
/// object still holds could not be freed either.
/// 指出是哪个调用被拒绝。遇到第一次拒绝就停止：该对象占用的其他对象也不可能释放。
pub fn accepted(call: &str, error: i32) -> io::Result<()> {
    match error {
        0 => Ok(()),
        code => {
            let error = io::Error::from_raw_os_error(code);
            Err(io::Error::new(error.kind(), format!("{call}: {error}")))
        }
    }
}

/// Frees everything, users before what they use. The socket goes last, with
/// the connection itself.
/// 释放一切：先释放使用者，再释放被使用者。套接字最后随连接本身一起关闭。
pub fn connection_close(c: Connection) -> io::Result<()> {
    // SAFETY: the QP is alive, and its buffer stays until the QP is gone.
    // 安全性：QP 有效；缓冲区保留到 QP 销毁之后。
    accepted("ibv_destroy_qp", unsafe { ibv_destroy_qp(c.qp) })?;
    release_buffer(c.mr)?;
    // SAFETY: the CQ is alive and no QP uses it any more.
    // 安全性：CQ 有效，已没有 QP 使用它。
    accepted("ibv_destroy_cq", unsafe { ibv_destroy_cq(c.cq) })?;
    // SAFETY: the PD is alive and nothing made in it is left.
    // 安全性：PD 有效，其中的对象都已释放。
    accepted("ibv_dealloc_pd", unsafe { ibv_dealloc_pd(c.pd) })?;
    // SAFETY: the context is open and nothing made from it is left.
    // 安全性：上下文已打开，由它创建的对象都已释放。
    match unsafe { ibv_close_device(c.context) } {
        0 => Ok(()),
        _ => Err(io::Error::other("ibv_close_device failed")),
    }
}
