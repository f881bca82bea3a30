//! What an author reads about each kind of mistake.

use snapbox::{assert_data_eq, str};

use crate::fixture::{Fixture, declaration, snippet};

#[test]
fn a_duplicate_id_is_told_at_both_places() {
    let text = format!("{}\n{}", snippet("twin", ""), snippet("twin", ""));
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[duplicate-id]: snippet `twin` is declared twice
  --> book/src/a.md:31:6
   |
31 | id = "twin"
   |      ^^^^^^ again / 再次声明
   |
  ::: book/src/a.md:13:6
   |
13 | id = "twin"
   |      ------ first / 首次声明
   |
   = help: give one of them another id
   = 错误: 示例 `twin` 被声明了两次
   = 下一步: 请给其中一个换一个 id


"#]]
    );
}

#[test]
fn an_unknown_use_names_the_nearest_snippet() {
    let text = format!(
        "{}\n{}",
        snippet("open-device", ""),
        snippet("query", "uses = [\"open-devise\"]")
    );
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[unknown-use]: `uses` names an unknown snippet `open-devise`
  --> book/src/a.md:34:9
   |
34 | uses = ["open-devise"]
   |         ^^^^^^^^^^^^^
   |
   = help: did you mean `open-device`?
   = 错误: `uses` 引用了未知的示例 `open-devise`
   = 下一步: 是否想写 `open-device`？


"#]]
    );
}

#[test]
fn a_cycle_is_told_once_and_in_full() {
    let text = [
        snippet("a", "uses = [\"b\"]"),
        snippet("b", "uses = [\"c\"]"),
        snippet("c", "uses = [\"a\"]"),
    ];
    assert_data_eq!(
        Fixture::of(&text.join("\n")).told(),
        str![[r#"
error[cycle]: `uses` goes in a circle: a → b → c → a
  --> book/src/a.md:16:9
   |
16 | uses = ["b"]
   |         ^^^
   |
   = help: take one of these names out of `uses`
   = 错误: `uses` 形成了环：a → b → c → a
   = 下一步: 请从 `uses` 中去掉其中一个


"#]]
    );
}

#[test]
fn a_missing_language_variant_is_told_at_the_declaration() {
    let text = format!(
        "```c id=one main\nint main(void) {{ return 0; }}\n```\n\n{}",
        declaration("one", "")
    );
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[missing-language]: snippet `one` has no rust variant
 --> book/src/a.md:6:6
  |
6 | id = "one"
  |      ^^^^^
  |
  = help: add a fence ```rust id=one main before the declaration
  = 错误: 示例 `one` 缺少 rust 版本
  = 下一步: 请在声明前加代码块 ```rust id=one main


"#]]
    );
}

#[test]
fn a_variant_without_a_main_fence_has_no_entry_point() {
    let text = snippet("one", "").replace("rust id=one main", "rust id=one");
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[no-main]: the rust variant of `one` has no entry point
  --> book/src/a.md:13:6
   |
13 | id = "one"
   |      ^^^^^
   |
   = help: add a fence ```rust id=one main before the declaration
   = 错误: `one` 的 rust 版本没有入口
   = 下一步: 请在声明前加代码块 ```rust id=one main


"#]]
    );
}

#[test]
fn an_unknown_attribute_of_a_fence_names_the_nearest() {
    let text = snippet("one", "").replace("c id=one main", "c id=one mian");
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[unknown-attribute]: unknown attribute `mian` of a fence
 --> book/src/a.md:1:13
  |
1 | ```c id=one mian
  |             ^^^^
  |
  = help: did you mean `main`?
  = 错误: 代码块有未知属性 `mian`
  = 下一步: 是否想写 `main`？

error[no-main]: the c variant of `one` has no entry point
  --> book/src/a.md:13:6
   |
13 | id = "one"
   |      ^^^^^
   |
   = help: add a fence ```c id=one main before the declaration
   = 错误: `one` 的 c 版本没有入口
   = 下一步: 请在声明前加代码块 ```c id=one main


"#]]
    );
}

#[test]
fn an_unknown_attribute_of_a_declaration_names_the_nearest() {
    assert_data_eq!(
        Fixture::of(&snippet("one", "node = 2")).told(),
        str![[r#"
error[unknown-attribute]: unknown attribute `node` in a declaration
  --> book/src/a.md:16:1
   |
16 | node = 2
   | ^^^^
   |
   = help: did you mean `nodes`?
   = 错误: 声明中有未知属性 `node`
   = 下一步: 是否想写 `nodes`？


"#]]
    );
}

#[test]
fn a_bad_value_says_what_the_attribute_takes() {
    let more = "nodes = 3\ntimeout = \"2m\"\noptional = \"yes\"";
    assert_data_eq!(
        Fixture::of(&snippet("one", more)).told(),
        str![[r#"
error[bad-value]: `nodes` has a value that it cannot take
  --> book/src/a.md:16:9
   |
16 | nodes = 3
   |         ^
   |
   = help: `nodes` takes 1 or 2
   = 错误: `nodes` 的值不合法
   = 下一步: `nodes` 应为：1 或 2

error[bad-value]: `timeout` has a value that it cannot take
  --> book/src/a.md:17:11
   |
17 | timeout = "2m"
   |           ^^^^
   |
   = help: `timeout` takes seconds from "1s" to "600s"
   = 错误: `timeout` 的值不合法
   = 下一步: `timeout` 应为："1s" 到 "600s" 的秒数

error[bad-value]: `optional` has a value that it cannot take
  --> book/src/a.md:18:12
   |
18 | optional = "yes"
   |            ^^^^^
   |
   = help: `optional` takes `true` or `false`
   = 错误: `optional` 的值不合法
   = 下一步: `optional` 应为：`true` 或 `false`


"#]]
    );
}

#[test]
fn an_expectation_of_an_unknown_call_names_the_nearest() {
    let more = "expect = [\n  \"exit 0\",\n  \"call ibv_pots_send fails with EINVAL\",\n]";
    assert_data_eq!(
        Fixture::of(&snippet("one", more)).told(),
        str![[r#"
error[unknown-call]: the expectation names an unknown call: `ibv_pots_send`
  --> book/src/a.md:18:9
   |
18 |   "call ibv_pots_send fails with EINVAL",
   |         ^^^^^^^^^^^^^
   |
   = help: did you mean `ibv_post_send`?
   = 错误: 期望中的调用未知：`ibv_pots_send`
   = 下一步: 是否想写 `ibv_post_send`？


"#]]
    );
}

#[test]
fn an_expectation_of_an_unknown_status_names_the_nearest() {
    let more = "expect = [\"completion IBV_WC_SUCESS\"]";
    assert_data_eq!(
        Fixture::of(&snippet("one", more)).told(),
        str![[r#"
error[unknown-status]: the expectation names an unknown ibv_wc_status: `IBV_WC_SUCESS`
  --> book/src/a.md:16:23
   |
16 | expect = ["completion IBV_WC_SUCESS"]
   |                       ^^^^^^^^^^^^^
   |
   = help: did you mean `IBV_WC_SUCCESS`?
   = 错误: 期望中的 ibv_wc_status 未知：`IBV_WC_SUCESS`
   = 下一步: 是否想写 `IBV_WC_SUCCESS`？


"#]]
    );
}

#[test]
fn every_name_of_an_expectation_is_checked() {
    let lines = [
        "completion IBV_WC_SUCCESS opcode IBV_WC_SENT",
        "call ibv_reg_mr fails with ENOMEMORY",
        "qp reaches IBV_QPS_RTZ",
        "async IBV_EVENT_PORT_ERROR",
        "connection RDMA_CM_EVENT_ESTABLISH",
        "killed by SIGKIL",
        "exit 0 (on rdma_rxee)",
        "sever: exit 0",
        "calls ibv_reg_mr",
        "call ibv_reg_mr#0 fails",
        "exit 0 (on rdma_rxe > 6.1)",
        "client: exit 0",
    ];
    for line in lines {
        let more = format!("expect = ['{line}']");
        let book = Fixture::of(&snippet("one", &more)).book();
        assert_eq!(book.problems.len(), 1, "{line}: {:?}", book.problems);
        assert_eq!(book.problems[0].labels[0].at.line, 16, "{line}");
        assert!(book.problems[0].help.is_some(), "{line}");
    }
}

#[test]
fn an_empty_block_is_told() {
    let text = format!("```c id=one\n\n```\n\n{}", snippet("one", ""));
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[empty-block]: the fence holds no code
 --> book/src/a.md:1:1
  |
1 | ```c id=one
  | ^^^^^^^^^^^
  |
  = help: write its code or remove it
  = 错误: 代码块是空的
  = 下一步: 请写入代码，或删除它


"#]]
    );
}

#[test]
fn code_that_no_declaration_claims_is_told() {
    assert_data_eq!(
        Fixture::of("```c id=lost main\nint main(void) { return 0; }\n```\n").told(),
        str![[r#"
error[undeclared]: the chapter has no declaration of snippet `lost`
 --> book/src/a.md:1:6
  |
1 | ```c id=lost main
  |      ^^^^^^^
  |
  = help: add a `toml snippet` block with `id = "lost"` after its code, in the same chapter
  = 错误: 本章没有示例 `lost` 的声明
  = 下一步: 请在同一章、代码之后加一个含 `id = "lost"` 的 `toml snippet` 块


"#]]
    );
}

#[test]
fn a_declaration_without_code_is_told() {
    assert_data_eq!(
        Fixture::of(&declaration("bare", "")).told(),
        str![[r#"
error[no-code]: snippet `bare` is declared but has no code
 --> book/src/a.md:2:6
  |
2 | id = "bare"
  |      ^^^^^^
  |
  = help: write ```c id=bare main and ```rust id=bare main fences before it
  = 错误: 示例 `bare` 有声明但没有代码
  = 下一步: 请在声明前写 ```c id=bare main 与 ```rust id=bare main 代码块


"#]]
    );
}

#[test]
fn code_after_its_declaration_is_told() {
    let text = format!("{}\n```c id=one\nint late;\n```\n", snippet("one", ""));
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[code-after-declaration]: code of `one` stands after its declaration
  --> book/src/a.md:19:6
   |
19 | ```c id=one
   |      ^^^^^^
   |
  ::: book/src/a.md:13:6
   |
13 | id = "one"
   |      ----- declared here / 声明在此
   |
   = help: move the declaration after all code of the snippet
   = 错误: `one` 的代码写在了声明之后
   = 下一步: 请把声明移到该示例的全部代码之后


"#]]
    );
}

#[test]
fn a_snippet_that_does_not_compile_cannot_be_used() {
    let text = format!(
        "{}\n{}",
        snippet("wrong", "compile_error = { c = \"x\", rust = \"x\" }"),
        snippet("user", "uses = [\"wrong\"]")
    );
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[uses-broken]: `uses` names `wrong`, which does not compile on purpose
  --> book/src/a.md:34:9
   |
34 | uses = ["wrong"]
   |         ^^^^^^^
   |
   = help: use another snippet
   = 错误: `uses` 引用了有意不能编译的 `wrong`
   = 下一步: 请改用别的示例


"#]]
    );
}

#[test]
fn broken_toml_is_told_where_it_breaks() {
    let text = snippet("one", "").replace("title = \"T\"", "title = T");
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[bad-toml]: the declaration is not TOML: invalid boolean, expected `true`
  --> book/src/a.md:14:9
   |
14 | title = T
   |         ^
   |
   = help: write `key = value` lines
   = 错误: 声明不是合法的 TOML：invalid boolean, expected `true`
   = 下一步: 请写成 `key = value` 的形式


"#]]
    );
}

#[test]
fn an_id_that_no_program_can_bear_is_refused() {
    for id in ["Big", "two--hyphens", "1st", "match", "libc"] {
        let codes: Vec<_> = Fixture::of(&snippet(id, "")).book().problems;
        assert!(codes.iter().any(|p| p.code == "bad-id"), "{id}: {codes:?}");
    }
}

#[test]
fn a_fence_that_is_never_closed_is_told() {
    let text = "# T / 题\n\n```c id=one main\nint main(void) { return 0; }\n";
    assert_data_eq!(
        Fixture::of(text).told(),
        str![[r#"
error[open-fence]: the fence is never closed
 --> book/src/a.md:3:1
  |
3 | ```c id=one main
  | ^^^^^^^^^^^^^^^^
  |
  = help: end it with a line of three backticks
  = 错误: 代码块没有结束标记
  = 下一步: 请以一行三个反引号结束

error[undeclared]: the chapter has no declaration of snippet `one`
 --> book/src/a.md:3:6
  |
3 | ```c id=one main
  |      ^^^^^^
  |
  = help: add a `toml snippet` block with `id = "one"` after its code, in the same chapter
  = 错误: 本章没有示例 `one` 的声明
  = 下一步: 请在同一章、代码之后加一个含 `id = "one"` 的 `toml snippet` 块


"#]]
    );
}

#[test]
fn a_chapter_that_is_not_utf8_is_told_with_the_line_of_the_bad_byte() {
    let fixture = Fixture::of("");
    fixture.write("book/src/a.md", b"# T / \xe9\xa2\x98\n\nok \xff no\n");
    assert_data_eq!(
        fixture.told(),
        str![[r#"
error[invalid-utf8]: the chapter is not UTF-8: byte 0xff at offset 14
 --> book/src/a.md:3:4
  |
3 | ok � no
  |    ^ the bad byte / 错误的字节
  |
  = help: save the file as UTF-8
  = 错误: 章节不是 UTF-8：偏移 14 处的字节为 0xff
  = 下一步: 请将文件保存为 UTF-8


"#]]
    );
}

#[test]
fn a_chapter_that_the_summary_does_not_list_is_told() {
    let fixture = Fixture::of("# T / 题\n");
    fixture.write("book/src/deep/lost.md", "# T / 题\n");
    assert_data_eq!(
        fixture.told(),
        str![[r#"
error[not-in-summary]: SUMMARY.md does not list the chapter `deep/lost.md`
--> book/src/deep/lost.md:1:1
 = help: add `- [Title / 标题](deep/lost.md)` to book/src/SUMMARY.md
 = 错误: SUMMARY.md 没有列出章节 `deep/lost.md`
 = 下一步: 请在 book/src/SUMMARY.md 中加入 `- [Title / 标题](deep/lost.md)`


"#]]
    );
}

#[test]
fn a_listed_chapter_that_is_no_file_is_told() {
    let fixture = Fixture::of("# T / 题\n");
    fixture.write(
        "book/src/SUMMARY.md",
        "# Summary\n\n- [A / 甲](a.md)\n- [B / 乙](b.md)\n",
    );
    assert_data_eq!(
        fixture.told(),
        str![[r#"
error[missing-chapter]: SUMMARY.md lists `b.md`, which is not a file
 --> book/src/SUMMARY.md:4:11
  |
4 | - [B / 乙](b.md)
  |            ^^^^ no such file / 没有这个文件
  |
  = help: create `book/src/b.md` or remove the line
  = 错误: SUMMARY.md 列出了 `b.md`，但没有这个文件
  = 下一步: 请创建 `book/src/b.md`，或删除这一行


"#]]
    );
}

#[test]
fn all_problems_are_told_at_once_in_the_order_of_the_chapter() {
    let text = format!("# Title\n\nAlone.\n\n{}", snippet("one", "nodes = 9"));
    let book = Fixture::of(&text).book();
    let codes: Vec<_> = book.problems.iter().map(|p| p.code).collect();
    assert_eq!(codes, ["heading-language", "no-chinese", "bad-value"]);
}
