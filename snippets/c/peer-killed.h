// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "send-recv.h"
#include "connect.h"
#include "teardown.h"
