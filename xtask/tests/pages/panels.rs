use std::collections::BTreeMap;

use protocol::event::{Returned, Value};
use xtask::panel::panel;
use xtask::record::{COMPILE, Record, Run};
use xtask::records::Records;
use xtask::snippet::{Language, Snippet};

use crate::sample::*;

fn with(runs: Vec<(Language, Run)>, testbed: &str) -> Records {
    let mut record = Record::new("sample", testbed);
    for (language, run) in runs {
        record.update(language, run);
    }
    let mut records = Records::default();
    records.insert(record);
    records
}

fn both(run: Run) -> Records {
    with(
        vec![(Language::C, run.clone()), (Language::Rust, run)],
        "qemu",
    )
}

fn html(snippet: &Snippet, records: &Records) -> String {
    panel(snippet, records, &hashes("hash")).unwrap()
}

#[test]
fn a_measured_panel_reads_as_its_golden() {
    let snippet = snippet(vec![]);
    let mut run = run(&snippet, "hash", &writing());
    run.varies.date = "2026-12-01".into();
    let html = html(&snippet, &both(run));
    snapbox::assert_data_eq!(html, snapbox::file!["goldens/measured.html"].raw());
}

/// Class, symbol and words of the line a panel shows.
fn line(html: &str) -> (String, String, String) {
    let cut = |text: &str, from: &str, to: &str| {
        let start = text
            .find(from)
            .unwrap_or_else(|| panic!("{from} in {text}"))
            + from.len();
        text[start..].split(to).next().unwrap().trim().to_string()
    };
    (
        cut(html, "m-line m-", "\""),
        cut(html, "m-symbol\" aria-hidden=\"true\">", "<"),
        cut(html, "m-symbol\" aria-hidden=\"true\">", "<span lang").replace("</span>", ""),
    )
}

#[test]
fn six_states_differ_in_class_symbol_and_words() {
    let plain = snippet(vec![]);
    let measured = run(&plain, "hash", &writing());
    let stale = run(&plain, "older", &writing());
    let failing = single(Events::default().returns("ibv_post_send", vec![], 12));
    let failed = run(&plain, "hash", &failing);
    let mut unsupported = measured.clone();
    unsupported.outcome = xtask::outcome::Outcome::Unsupported;
    let mut refused = snippet(vec![]);
    for language in Language::ALL {
        refused.compile_error.insert(language, "no member".into());
    }
    let compiled = Run::compiled("hash".into(), "cc 12".into(), "no member".into(), true);
    let compiled = with(
        Language::ALL.map(|l| (l, compiled.clone())).to_vec(),
        COMPILE,
    );
    let pages = [
        html(&plain, &both(measured)),
        html(&plain, &both(stale)),
        html(&plain, &both(failed)),
        html(&plain, &both(unsupported)),
        html(&plain, &Records::default()),
        html(&refused, &compiled),
    ];
    let lines: Vec<_> = pages.iter().map(|p| line(p)).collect();
    let classes: Vec<&str> = lines.iter().map(|l| l.0.as_str()).collect();
    assert_eq!(
        classes,
        [
            "measured",
            "stale",
            "failed",
            "unsupported",
            "unmeasured",
            "compile-only"
        ]
    );
    for (index, one) in lines.iter().enumerate() {
        for other in &lines[index + 1..] {
            assert_ne!(one.1, other.1, "symbols");
            assert_ne!(one.2, other.2, "words");
        }
    }
}

#[test]
fn languages_that_agree_share_one_table_and_others_have_their_own() {
    let snippet = snippet(vec![]);
    let c = run(&snippet, "hash", &writing());
    assert_eq!(
        html(&snippet, &both(c.clone()))
            .matches("m-program\"")
            .count(),
        1
    );
    let rust = run(&snippet, "hash", &single(writing_client()));
    let records = with(vec![(Language::C, c), (Language::Rust, rust)], "qemu");
    let page = html(&snippet, &records);
    assert_eq!(page.matches("m-program\"").count(), 2);
    assert!(page.contains("C and Rust differ"), "{page}");
}

#[test]
fn a_program_that_no_testbed_ran_is_said_to_be_unmeasured() {
    let snippet = snippet(vec![]);
    let c = run(&snippet, "hash", &writing());
    let page = html(&snippet, &with(vec![(Language::C, c)], "qemu"));
    assert!(page.contains("m-line m-measured"));
    assert!(page.contains("m-line m-unmeasured"));
}

#[test]
fn several_testbeds_have_a_line_each() {
    let snippet = snippet(vec![]);
    let run = run(&snippet, "hash", &writing());
    let mut records = both(run.clone());
    let mut lab = Record::new("sample", "ssh");
    for language in Language::ALL {
        lab.update(language, run.clone());
    }
    records.insert(lab);
    assert_eq!(
        html(&snippet, &records)
            .matches("<details class=\"m-line")
            .count(),
        2
    );
}

#[test]
fn hostile_text_stays_text() {
    let hostile = "<script>alert(1)</script>\u{202e}\"'\n\n## x\n[a](javascript:b)";
    let events = Events::default().call(
        hostile,
        vec![arg(hostile, Value::Text(hostile.repeat(100)))],
        Returned::Text(hostile.into()),
        0,
    );
    let mut snippet = snippet(vec![]);
    snippet.title.en = hostile.into();
    snippet.id = hostile.into();
    let mut run = run(&snippet, "hash", &single(events));
    run.provenance.testbed.driver = hostile.into();
    let mut record = Record::new(hostile, "qemu");
    record.update(Language::C, run);
    let mut records = Records::default();
    records.insert(record);
    let page = panel(
        &snippet,
        &records,
        &BTreeMap::from([(Language::C, "hash".to_string())]),
    )
    .unwrap();
    assert!(!page.contains("<script"), "{page}");
    assert!(!page.contains('\u{202e}'), "{page}");
    assert!(page.contains("\\u{202e}"), "{page}");
    assert!(page.contains("more characters"), "{page}");
    assert!(!page.contains("\n\n"), "an empty line ends an HTML block");
    assert!(page.len() < 20_000, "{} bytes", page.len());
}
