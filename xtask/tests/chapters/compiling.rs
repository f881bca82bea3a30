//! Programs from snippets. C needs the RDMA libraries of this machine; the
//! tests that compile say so when they are missing and check that instead.

use indicatif::ProgressBar;
use snapbox::{assert_data_eq, str};
use xtask::compile::{Outcome, Program, compile_c, rust_problem};
use xtask::exit::{Exit, status_of};
use xtask::tangle::Tangle;

use crate::fixture::{Fixture, snippet};

/// The C programs of a book; none on a machine without the libraries, which
/// must be told as such.
fn c_programs(fixture: &Fixture) -> Option<Vec<Program>> {
    let book = fixture.sound();
    let snippets: Vec<_> = book.snippets.iter().collect();
    match compile_c(&book, &Tangle::of(&book), &snippets, &ProgressBar::hidden()) {
        Ok(programs) => Some(programs),
        Err(error) => {
            assert_eq!(status_of(&error), Exit::Environment, "{error:#}");
            assert!(error.to_string().contains("cargo xtask setup"), "{error:#}");
            None
        }
    }
}

fn told(fixture: &Fixture, program: &Program) -> String {
    match &program.outcome {
        Outcome::Failed { problems, .. } => fixture.book().sources.render(problems, false),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unchanged_c_program_is_left_alone_and_a_changed_one_is_built_again() {
    let text = format!("{}\n{}", snippet("one", ""), snippet("two", ""));
    let fixture = Fixture::of(&text);
    let fresh = |programs: Vec<Program>| -> Vec<bool> {
        let is_fresh = |p: &Program| match p.outcome {
            Outcome::Built { fresh, .. } => fresh,
            ref other => panic!("{other:?}"),
        };
        programs.iter().map(is_fresh).collect()
    };
    let Some(first) = c_programs(&fixture) else {
        return;
    };
    assert_eq!(fresh(first), [false, false]);
    assert_eq!(fresh(c_programs(&fixture).unwrap()), [true, true]);
    let (before, last) = text.split_at(text.rfind("return 0").unwrap());
    let changed = format!("{before}{}", last.replacen("return 0", "return 3", 1));
    fixture.write("book/src/a.md", &changed);
    assert_eq!(fresh(c_programs(&fixture).unwrap()), [true, false]);
    fixture.write("book/src/a.md", format!("Moved.\n\n> 下移。\n\n{changed}"));
    assert_eq!(
        fresh(c_programs(&fixture).unwrap()),
        [true, true],
        "moved only"
    );
}

#[test]
fn a_c_error_names_the_chapters_line_and_column_past_indentation() {
    let text = format!(
        "- 列表\n\n  ```c id=one\n  int broken(void) {{ (void)\"中\"; oops = 1; return 0; }}\n  ```\n\n> 列表\n\n{}",
        snippet("one", "")
    );
    let text = text.replace("- 列表", "- list");
    let fixture = Fixture::of(&text);
    let Some(programs) = c_programs(&fixture) else {
        return;
    };
    assert_data_eq!(
        told(&fixture, &programs[0]),
        str![[r#"
error[cc]: 'oops' undeclared (first use in this function)
 --> book/src/a.md:4:33
  |
4 |   int broken(void) { (void)"中"; oops = 1; return 0; }
  |                                  ^^^^
  |
  = help: mend the code in the chapter
  = 错误: 编译器报错：'oops' undeclared (first use in this function)
  = 下一步: 请修改章节中的代码


"#]]
    );
}

#[test]
fn a_c_warning_is_an_error() {
    let text = snippet("one", "").replace("    return 0;", "    int unused;\n    return 0;");
    let fixture = Fixture::of(&text);
    let Some(programs) = c_programs(&fixture) else {
        return;
    };
    assert_data_eq!(
        told(&fixture, &programs[0]),
        str![[r#"
error[cc]: unused variable 'unused' [-Werror=unused-variable]
 --> book/src/a.md:4:9
  |
4 |     int unused;
  |         ^^^^^^
  |
  = help: mend the code in the chapter
  = 错误: 编译器报错：unused variable 'unused' [-Werror=unused-variable]
  = 下一步: 请修改章节中的代码


"#]]
    );
}

#[test]
fn a_refusal_with_the_predicted_text_is_what_was_expected() {
    let text =
        snippet("one", "compile_error = { c = \"undeclared\" }").replace("return 0", "return x");
    let fixture = Fixture::of(&text);
    let Some(programs) = c_programs(&fixture) else {
        return;
    };
    let Outcome::FailedAsExpected { message, fresh } = &programs[0].outcome else {
        panic!("{:?}", programs[0].outcome);
    };
    assert!(
        message.starts_with("book/src/a.md:4:12: error: "),
        "{message}"
    );
    assert!(!fresh);
    let again = &c_programs(&fixture).unwrap()[0];
    assert!(matches!(
        again.outcome,
        Outcome::FailedAsExpected { fresh: true, .. }
    ));
}

#[test]
fn a_program_that_compiles_against_the_prediction_fails() {
    let fixture = Fixture::of(&snippet("one", "compile_error = { c = \"undeclared\" }"));
    let Some(programs) = c_programs(&fixture) else {
        return;
    };
    assert_data_eq!(
        told(&fixture, &programs[0]),
        str![[r#"
error[compiles]: the c variant of `one` compiles, and must not
  --> book/src/a.md:12:1
   |
12 | ```toml snippet
   | ^^^^^^^^^^^^^^^
   |
   = help: mend the code, or take `c` out of `compile_error`
   = 错误: `one` 的 c 版本本不应通过编译，却通过了
   = 下一步: 请修改代码，或从 `compile_error` 中去掉 `c`


"#]]
    );
}

#[test]
fn a_refusal_in_other_words_fails() {
    let text =
        snippet("one", "compile_error = { c = \"no such words\" }").replace("return 0", "return x");
    let fixture = Fixture::of(&text);
    let Some(programs) = c_programs(&fixture) else {
        return;
    };
    assert_data_eq!(
        told(&fixture, &programs[0]),
        str![[r#"
error[other-compile-error]: the c compiler refuses `one`, but does not say `no such words`
  --> book/src/a.md:12:1
   |
12 | ```toml snippet
   | ^^^^^^^^^^^^^^^ it says / 实际为：book/src/a.md:4:12: error: 'x' undeclared (first use in this function)
   |
   = help: mend the code, or write the compiler's words in `compile_error`
   = 错误: c 编译器拒绝了 `one`，但没有给出 `no such words`
   = 下一步: 请修改代码，或在 `compile_error` 中写入编译器的原文


"#]]
    );
}

#[test]
fn a_rust_message_names_the_chapters_line_and_column() {
    let text = format!(
        "- list\n\n  ```rust id=one\n  pub fn f() -> u8 {{ \"中\" ; oops }}\n  ```\n\n> 列表\n\n{}",
        snippet("one", "")
    );
    let fixture = Fixture::of(&text);
    let book = fixture.sound();
    let tangle = Tangle::of(&book);
    let module = &tangle.files[std::path::Path::new("snippets/src/one.rs")];
    let line = module
        .text
        .lines()
        .position(|l| l.contains("oops"))
        .unwrap()
        + 1;
    let before = "pub fn f() -> u8 { \"中\" ; ";
    let column = before.chars().count() + 1;
    let message = serde_json::json!({
        "level": "error",
        "message": "cannot find value `oops` in this scope",
        "code": { "code": "E0425" },
        "spans": [{
            "file_name": "snippets/src/bin/../one.rs",
            "is_primary": true,
            "line_start": line, "line_end": line,
            "column_start": column, "column_end": column + 4,
            "label": "not found in this scope",
        }],
        "children": [],
    });
    let problem = rust_problem(&book, &tangle, &book.snippets[0], &message).unwrap();
    assert_data_eq!(
        book.sources.render(&[problem], false),
        str![[r#"
error[rustc]: cannot find value `oops` in this scope [E0425]
 --> book/src/a.md:4:28
  |
4 |   pub fn f() -> u8 { "中" ; oops }
  |                             ^^^^ not found in this scope
  |
  = help: mend the code in the chapter
  = 错误: 编译器报错：cannot find value `oops` in this scope [E0425]
  = 下一步: 请修改章节中的代码


"#]]
    );
}
