// Generated from book/src/connecting.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/connecting.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::bring_up::*;
#[allow(unused_imports)]
use crate::choose_gid::*;
#[allow(unused_imports)]
use crate::create_qp::*;
#[allow(unused_imports)]
use crate::exchange_info::*;
#[allow(unused_imports)]
use crate::open_device::*;
