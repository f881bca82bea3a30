// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::open_device::*;
#[allow(unused_imports)]
use crate::register_memory::*;
