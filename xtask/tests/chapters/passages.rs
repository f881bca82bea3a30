//! English text and its Chinese partner.

use snapbox::{assert_data_eq, str};
use xtask::passage::passages;

use crate::fixture::{Fixture, declaration, snippet};

fn codes(text: &str) -> Vec<&'static str> {
    let problems = Fixture::of(text).book().problems;
    problems.iter().map(|p| p.code).collect()
}

#[test]
fn a_passage_is_a_run_of_blocks_and_the_quote_after_it() {
    let text =
        "# T / 题\n\nOne.\n\n- two\n\n| a |\n|---|\n| b |\n\n> 一、二。\n\nMore.\n\n> 更多。\n";
    let book = Fixture::of(text).sound();
    let (found, _) = passages(&book.chapters[0]);
    assert_eq!(found.len(), 2);
    assert!(text[found[0].english.clone()].starts_with("One."));
    assert!(text[found[0].english.clone()].trim_end().ends_with("| b |"));
    assert_eq!(text[found[0].chinese.clone()].trim_end(), "> 一、二。");
}

#[test]
fn english_without_chinese_is_told() {
    assert_data_eq!(
        Fixture::of("Alone.\nStill.\n\n```text\nx\n```\n").told(),
        str![[r#"
error[no-chinese]: the passage has no Chinese rendering
 --> book/src/a.md:1:1
  |
1 | Alone.
  | ^^^^^^ the passage begins here / 段落从这里开始
  |
  = help: put the Chinese text in a blockquote (`>`) directly after it
  = 错误: 这段英文没有对应的中文
  = 下一步: 请在其后紧接一个引用块（`>`），写入中文


"#]]
    );
}

#[test]
fn chinese_without_english_is_told() {
    assert_data_eq!(
        Fixture::of("# T / 题\n\n> 孤单。\n").told(),
        str![[r#"
error[no-english]: the blockquote does not follow an English passage
 --> book/src/a.md:3:1
  |
3 | > 孤单。
  | ^^^^^^^^
  |
  = help: write the English text directly before it; blockquotes hold the Chinese text of a passage and nothing else
  = 错误: 引用块之前没有英文段落
  = 下一步: 请在其前面写英文；引用块只用于段落的中文


"#]]
    );
}

#[test]
fn a_quote_in_english_is_told() {
    assert_data_eq!(
        Fixture::of("Said.\n\n> Quoted.\n").told(),
        str![[r#"
error[quote-language]: the blockquote holds no Chinese text
 --> book/src/a.md:3:1
  |
3 | > Quoted.
  | ^^^^^^^^^
  |
  = help: blockquotes hold the Chinese text of a passage and nothing else
  = 错误: 引用块里没有中文
  = 下一步: 引用块只用于段落的中文


"#]]
    );
}

#[test]
fn a_heading_carries_both_languages_or_is_one_name() {
    assert_eq!(
        codes("# Send / receive / 发送与接收\n\n## `ibv_post_send`\n"),
        [""; 0]
    );
    assert_eq!(codes("# Only English\n"), ["heading-language"]);
    assert_eq!(codes("# 只有中文\n"), ["heading-language"]);
    assert_eq!(codes("# 中文 / English\n"), ["heading-language"]);
}

#[test]
fn pictures_html_and_rules_belong_to_no_language() {
    let text = "![a](a.png)\n\n<!-- note -->\n\n---\n\nText.\n\n![b](b.png)\n\n> 文字。\n";
    assert_eq!(codes(text), [""; 0]);
}

#[test]
fn a_comment_in_one_language_is_told_at_its_line() {
    let text = snippet("one", "").replace("    return 0;", "    // Done.\n    return 0;");
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[comment-language]: the comment has no Chinese partner
 --> book/src/a.md:4:5
  |
4 |     // Done.
  |     ^^^^^^^^
  |
  = help: put a Chinese `//` line directly after it
  = 错误: 这条注释没有对应的中文
  = 下一步: 请在其后紧接一行中文 `//` 注释


"#]]
    );
}

#[test]
fn a_chinese_comment_needs_the_english_before_it() {
    let text = format!(
        "```c id=one\n// 头。\nint x;\n```\n\n{}",
        snippet("one", "")
    );
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[comment-language]: the comment has no English partner
 --> book/src/a.md:2:1
  |
2 | // 头。
  | ^^^^^^^
  |
  = help: put an English `//` line directly before it
  = 错误: 这条注释没有对应的英文
  = 下一步: 请在其前紧接一行英文 `//` 注释


"#]]
    );
    assert_eq!(codes(&declaration("one", "")), ["no-code"]);
}

#[test]
fn a_comment_beside_code_is_told() {
    let text = snippet("one", "").replace("return 0;", "return 0; // Done. 完成。");
    assert_data_eq!(
        Fixture::of(&text).told(),
        str![[r#"
error[stray-comment]: the comment is not a line of its own
 --> book/src/a.md:4:15
  |
4 |     return 0; // Done. 完成。
  |               ^^^^^^^^^^^^^^^
  |
  = help: write an English and a Chinese `//` line before the code
  = 错误: 注释没有独占一行
  = 下一步: 请在代码之前写一行英文和一行中文 `//` 注释


"#]]
    );
}
