//! One snippet as a folder of its own.

use snapbox::{assert_data_eq, str};
use xtask::comment::Comments;
use xtask::export::Export;
use xtask::snippet::Language;

use crate::fixture::{Fixture, snippet};

fn fixture() -> Fixture {
    let library = "```c id=base\n// Twice.\n// 两倍。\nint twice(int x);\n```\n\n\
                   ```rust id=base\n// Twice.\n// 两倍。\npub fn twice() {}\n```\n";
    Fixture::of(&format!(
        "{library}\n{}\n{}",
        snippet("base", ""),
        snippet("top", "uses = [\"base\"]\nnodes = 2")
    ))
}

fn export(language: Language, comments: Comments) -> Vec<(String, String)> {
    let fixture = fixture();
    let book = fixture.sound();
    let export = Export {
        book: &book,
        snippet: book.snippet("top").unwrap(),
        language,
        comments,
    };
    export.files().into_iter().collect()
}

fn text(files: &[(String, String)], name: &str) -> String {
    files.iter().find(|f| f.0 == name).unwrap().1.clone()
}

#[test]
fn a_c_folder_holds_headers_program_and_makefile() {
    let files = export(Language::C, Comments::Both);
    let names: Vec<_> = files.iter().map(|f| f.0.as_str()).collect();
    assert_eq!(names, ["Makefile", "README.md", "base.h", "top.c", "top.h"]);
    assert!(files.iter().all(|f| !f.1.contains("#line")));
    assert_data_eq!(
        text(&files, "base.h"),
        str![[r#"
// T / 题
// The measured RDMA manual, book/src/a.md
// SPDX-License-Identifier: MIT OR Apache-2.0

#pragma once

// Twice.
// 两倍。
int twice(int x);

"#]]
    );
    assert_data_eq!(
        text(&files, "top.c"),
        str![[r#"
// T / 题
// The measured RDMA manual, book/src/a.md
// SPDX-License-Identifier: MIT OR Apache-2.0

#include "top.h"

int main(void)
{
    return 0;
}

"#]]
    );
}

#[test]
fn a_rust_folder_holds_manifest_and_modules() {
    let files = export(Language::Rust, Comments::Both);
    let names: Vec<_> = files.iter().map(|f| f.0.as_str()).collect();
    let expected = [
        "Cargo.toml",
        "README.md",
        "src/base.rs",
        "src/main.rs",
        "src/top.rs",
    ];
    assert_eq!(names, expected);
    assert_data_eq!(
        text(&files, "src/main.rs"),
        str![[r#"
// T / 题
// The measured RDMA manual, book/src/a.md
// SPDX-License-Identifier: MIT OR Apache-2.0

#[allow(dead_code, unused_imports)]
mod base;
#[allow(dead_code, unused_imports)]
mod top;

#[allow(unused_imports)]
use base::*;
#[allow(unused_imports)]
use top::*;

fn main() {}

"#]]
    );
    assert_data_eq!(
        text(&files, "src/top.rs"),
        str![[r#"
// T / 题
// The measured RDMA manual, book/src/a.md
// SPDX-License-Identifier: MIT OR Apache-2.0

#[allow(unused_imports)]
use crate::base::*;

"#]]
    );
}

#[test]
fn comments_of_one_language_can_be_kept() {
    let english = text(&export(Language::C, Comments::En), "base.h");
    assert!(english.contains("// Twice.") && !english.contains("// 两倍。"));
    let chinese = text(&export(Language::C, Comments::Zh), "base.h");
    assert!(!chinese.contains("// Twice.") && chinese.contains("// 两倍。"));
}

#[test]
fn the_readme_says_how_both_roles_are_run() {
    assert_data_eq!(
        text(&export(Language::C, Comments::Both), "README.md"),
        str![[r#"
# T / 题

Snippet `top` of the measured RDMA manual, from `book/src/a.md`.

> 《实测 RDMA 手册》中的示例 `top`，出自 `book/src/a.md`。

## Build and run / 构建与运行

Needed: cc, make, pkg-config, libibverbs-dev, librdmacm-dev, and an RDMA device. The program takes the first device, or the one that the environment variable `RDMA_DEVICE` names. It ends with status 0 when it did what it shows. ADDRESS is the IPv4 address of node 0; the two nodes also talk over TCP port 20886.

> 需要：cc, make, pkg-config, libibverbs-dev, librdmacm-dev，以及一个 RDMA 设备。程序使用第一个设备，或环境变量 `RDMA_DEVICE` 指定的设备。完成所示操作后，程序以状态 0 退出。ADDRESS 是节点 0 的 IPv4 地址；两个节点还会通过 TCP 端口 20886 通信。

```console
make
./top server             # node 0 / 节点 0
./top client ADDRESS     # node 1 / 节点 1
```

A host without RDMA hardware can use the soft device: `modprobe rdma_rxe`, then `rdma link add rxe0 type rxe netdev eth0`, as root.

> 没有 RDMA 硬件的主机可使用软件设备：以 root 身份执行 `modprobe rdma_rxe`，再执行 `rdma link add rxe0 type rxe netdev eth0`。

## Licence / 许可

The code is under MIT OR Apache-2.0, at your option.

> 代码采用 MIT 或 Apache-2.0 许可，任选其一。

"#]]
    );
}
