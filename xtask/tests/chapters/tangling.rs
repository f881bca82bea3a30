//! `snippets/` is what the chapters say.

use std::path::Path;

use snapbox::{assert_data_eq, str};
use xtask::tangle::{DriftKind, Mode, Tangle};

use crate::fixture::{Fixture, chapter_line, snippet};

fn library() -> String {
    format!(
        "```c id=base-part\n~#include <stddef.h>\nint twice(int x);\n```\n\n\
         ```rust id=base-part\npub fn twice(x: i32) -> i32 {{\n    2 * x\n}}\n```\n\n{}\n{}",
        snippet("base-part", ""),
        snippet("top", "uses = [\"base-part\"]")
    )
}

fn kinds(fixture: &Fixture, mode: Mode) -> Vec<(String, DriftKind)> {
    let drifts = Tangle::of(&fixture.book())
        .sync(fixture.root(), mode)
        .unwrap();
    let shown = |d: &xtask::tangle::Drift| (d.path.display().to_string(), d.kind);
    drifts.iter().map(shown).collect()
}

#[test]
fn one_function_writes_and_then_finds_nothing_to_write() {
    let fixture = Fixture::of(&library());
    assert_eq!(kinds(&fixture, Mode::Check).len(), 8);
    assert!(
        !fixture.path("snippets").exists(),
        "checking writes nothing"
    );
    assert_eq!(kinds(&fixture, Mode::WriteAndRemove).len(), 8);
    assert_eq!(kinds(&fixture, Mode::Check), []);
}

#[test]
fn assembled_files_name_their_chapter_and_their_lines() {
    let fixture = Fixture::of(&library());
    kinds(&fixture, Mode::Write);
    assert_data_eq!(
        fixture.read("snippets/c/base-part.h"),
        str![[r#"
// Generated from book/src/a.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/a.md 生成：请修改章节，不要修改本文件。

#pragma once

#line 2 "book/src/a.md"
#include <stddef.h>
int twice(int x);

"#]]
    );
    assert_data_eq!(
        fixture.read("snippets/c/top.h"),
        str![[r#"
// Generated from book/src/a.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/a.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "base-part.h"

"#]]
    );
    assert_data_eq!(
        fixture.read("snippets/src/top.rs"),
        str![[r#"
// Generated from book/src/a.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/a.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::base_part::*;

"#]]
    );
    assert_data_eq!(
        fixture.read("snippets/src/bin/top.rs"),
        str![[r#"
// Generated from book/src/a.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/a.md 生成：请修改章节，不要修改本文件。

#[path = "../base_part.rs"]
#[allow(dead_code, unused_imports)]
mod base_part;
#[path = "../top.rs"]
#[allow(dead_code, unused_imports)]
mod top;

#[allow(unused_imports)]
use base_part::*;
#[allow(unused_imports)]
use top::*;

// book/src/a.md:38
fn main() {}

"#]]
    );
}

#[test]
fn every_assembled_line_comes_from_its_chapter_line() {
    let fixture = Fixture::of(&library());
    let book = fixture.sound();
    let tangle = Tangle::of(&book);
    let mut compared = 0;
    for file in tangle.files.values() {
        assert_eq!(file.origins.len(), file.text.lines().count());
        for (line, origin) in file.text.lines().zip(&file.origins) {
            let Some(origin) = origin else { continue };
            let chapter = chapter_line(&book, &book.snippets[0], origin.line);
            assert!(chapter.ends_with(line), "{chapter:?} is not {line:?}");
            compared += 1;
        }
    }
    assert!(compared > 10);
}

#[test]
fn a_change_by_hand_is_drift_and_is_mended() {
    let fixture = Fixture::of(&library());
    kinds(&fixture, Mode::Write);
    let path = "snippets/c/top.c";
    let kept = fixture.read(path);
    fixture.write(path, kept.replace("return 0", "return 1"));
    let line = kept.lines().position(|l| l.contains("return 0")).unwrap() + 1;
    let drift = [(path.to_string(), DriftKind::Differs(line))];
    assert_eq!(kinds(&fixture, Mode::Check), drift);
    kinds(&fixture, Mode::Write);
    assert_eq!(fixture.read(path), kept);
}

#[test]
fn what_a_removed_snippet_leaves_is_removed_and_what_people_wrote_is_kept() {
    let fixture = Fixture::of(&library());
    kinds(&fixture, Mode::Write);
    fixture.write("snippets/c/mine.c", "int mine;\n");
    fixture.write("snippets/src/lib.rs", "//! By hand.\n");
    fixture.write("book/src/a.md", snippet("base-part", ""));
    let stale = |fixture: &Fixture, mode| {
        let found = kinds(fixture, mode).into_iter();
        found.filter(|d| d.1 == DriftKind::Stale).count()
    };
    assert_eq!(stale(&fixture, Mode::Write), 4);
    assert_eq!(stale(&fixture, Mode::WriteAndRemove), 4);
    assert!(!fixture.path("snippets/c/top.c").exists());
    let left = [("snippets/c/mine.c".to_string(), DriftKind::Foreign)];
    assert_eq!(kinds(&fixture, Mode::Check), left);
    assert_eq!(fixture.read("snippets/c/mine.c"), "int mine;\n");
}

#[test]
fn a_program_that_must_not_compile_is_no_target_of_the_package() {
    let fixture = Fixture::of(&snippet("wrong", "compile_error = { rust = \"x\" }"));
    let tangle = Tangle::of(&fixture.sound());
    assert!(
        tangle
            .files
            .contains_key(Path::new("snippets/fails/wrong.rs"))
    );
    assert!(
        !tangle
            .files
            .contains_key(Path::new("snippets/src/bin/wrong.rs"))
    );
}

#[test]
fn code_that_only_moves_keeps_the_time_of_its_file() {
    let fixture = Fixture::of(&library());
    kinds(&fixture, Mode::Write);
    let path = fixture.path("snippets/src/base_part.rs");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    std::fs::File::open(&path)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let time = || std::fs::metadata(&path).unwrap().modified().unwrap();

    let moved = format!("Moved.\n\n> 下移。\n\n{}", library());
    fixture.write("book/src/a.md", &moved);
    assert_eq!(kinds(&fixture, Mode::Write).len(), 6);
    assert_eq!(time(), old, "cargo would build it again");

    fixture.write("book/src/a.md", moved.replace("2 * x", "3 * x"));
    kinds(&fixture, Mode::Write);
    assert_ne!(time(), old);
}
