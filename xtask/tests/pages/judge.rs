use protocol::event::{Returned, What};
use protocol::job::Role;
use protocol::report::{End, Fault, Report, TimeLimit};
use xtask::judge::{Judged, judge};
use xtask::outcome::Outcome;
use xtask::snippet::{CallResult, Condition, Expectation, Expected};

use crate::sample::*;

fn judged(expect: Vec<Expectation>, report: &Report) -> Judged {
    judge(&snippet(expect), report, &provenance())
}

/// The one finding's English text.
fn reason(judged: &Judged) -> &str {
    assert_eq!(judged.findings.len(), 1, "{:#?}", judged.findings);
    &judged.findings[0].happened.en
}

fn posting(errno: i64) -> Report {
    single(Events::default().returns("ibv_post_send", vec![], errno))
}

fn fails_with_einval() -> Expectation {
    expect_call("ibv_post_send", None, CallResult::FailsWith(libc::EINVAL))
}

#[test]
fn a_run_without_expectations_passes_when_nothing_fails() {
    assert_eq!(judged(vec![], &writing()).outcome, Outcome::Passed);
}

#[test]
fn a_predicted_failure_that_happens_is_a_pass() {
    let judged = judged(vec![fails_with_einval()], &posting(22));
    assert_eq!(judged.outcome, Outcome::Passed);
}

#[test]
fn a_predicted_failure_that_does_not_happen_fails() {
    let judged = judged(vec![fails_with_einval()], &posting(0));
    assert_eq!(judged.outcome, Outcome::Failed);
    assert_eq!(reason(&judged), "ibv_post_send returned 0");
    assert_eq!(judged.findings[0].at, span(9), "the expectation's line");
}

#[test]
fn a_failing_call_that_no_line_predicts_fails() {
    let judged = judged(vec![], &posting(12));
    assert_eq!(judged.outcome, Outcome::Failed);
    assert_eq!(
        reason(&judged),
        "ibv_post_send (number 1 of that name) failed with ENOMEM"
    );
    assert_eq!(judged.findings[0].at, span(5), "the declaration");
}

#[test]
fn the_same_failure_with_another_errno_is_two_reasons() {
    let judged = judged(vec![fails_with_einval()], &posting(12));
    assert_eq!(judged.findings.len(), 2, "not shown, and not predicted");
}

#[test]
fn each_convention_of_failure_is_understood() {
    let calls = Events::default()
        .call(
            "ibv_reg_mr",
            vec![],
            Returned::Handle(handle("mr", 0)),
            libc::ENOMEM,
        )
        .call("ibv_query_gid", vec![], Returned::Int(-1), libc::EINVAL)
        .returns("ibv_dealloc_pd", vec![], i64::from(libc::EBUSY));
    let expect = vec![
        expect_call("ibv_reg_mr", None, CallResult::FailsWith(libc::ENOMEM)),
        expect_call("ibv_query_gid", Some(1), CallResult::Fails),
        expect_call("ibv_dealloc_pd", None, CallResult::FailsWith(libc::EBUSY)),
    ];
    assert_eq!(judged(expect, &single(calls)).outcome, Outcome::Passed);
}

#[test]
fn a_number_means_the_call_of_that_name() {
    let calls = || {
        single(
            Events::default()
                .returns("ibv_post_send", vec![], 0)
                .returns("ibv_post_send", vec![], 22),
        )
    };
    let nth = |n, result| vec![expect_call("ibv_post_send", Some(n), result)];
    let einval = CallResult::FailsWith(libc::EINVAL);
    assert_eq!(judged(nth(2, einval), &calls()).outcome, Outcome::Passed);
    let first = judged(nth(1, einval), &calls());
    assert_eq!(first.findings.len(), 2, "the second failed unpredicted");
    let third = judged(nth(3, CallResult::Succeeds), &posting(0));
    assert_eq!(
        reason(&third),
        "ibv_post_send has no call #3; calls made: 1"
    );
}

#[test]
fn returned_numbers_are_compared() {
    let calls = single(Events::default().returns("ibv_get_pkey_index", vec![], 3));
    let returns = |v| {
        vec![expect_call(
            "ibv_get_pkey_index",
            None,
            CallResult::Returns(v),
        )]
    };
    assert_eq!(judged(returns(3), &calls).outcome, Outcome::Passed);
    assert_eq!(judged(returns(0), &calls).outcome, Outcome::Failed);
}

#[test]
fn a_call_that_was_not_made_is_named() {
    let judged = judged(
        vec![expect_call("ibv_reg_mr", None, CallResult::Succeeds)],
        &posting(0),
    );
    assert_eq!(reason(&judged), "ibv_reg_mr was not called");
}

fn completion(status: u32, times: Option<usize>) -> Expectation {
    expect(
        None,
        "completion …",
        Expected::Completion {
            status,
            opcode: None,
            times,
        },
    )
}

#[test]
fn completions_are_counted_and_bad_ones_must_be_predicted() {
    let bad = || single(Events::default().completes(1, REM_ACCESS_ERR, RDMA_WRITE));
    let passed = judged(vec![completion(REM_ACCESS_ERR, Some(1))], &bad());
    assert_eq!(passed.outcome, Outcome::Passed);
    assert_eq!(
        reason(&judged(vec![], &bad())),
        "completion 1 on qp 1 has IBV_WC_REM_ACCESS_ERR"
    );
    let twice = judged(vec![completion(REM_ACCESS_ERR, Some(2))], &bad());
    assert_eq!(reason(&twice), "completions: IBV_WC_REM_ACCESS_ERR");
}

#[test]
fn no_completion_means_none() {
    let none = || vec![expect(None, "no completion", Expected::NoCompletion)];
    assert_eq!(judged(none(), &posting(0)).outcome, Outcome::Passed);
    let one = single(Events::default().completes(1, SUCCESS, RDMA_WRITE));
    assert_eq!(judged(none(), &one).outcome, Outcome::Failed);
}

#[test]
fn output_states_and_events_are_looked_for() {
    let events = writing_client()
        .push(What::Async {
            event: 16,
            object: None,
        })
        .push(What::Connection {
            event: 9,
            status: 0,
        });
    let report = report(vec![role(Role::Single, exit(0), "GID index 2\n", events)]);
    let shown = [
        Expected::Prints("index 2".into()),
        Expected::QpReaches(3),
        Expected::Async(16),
        Expected::Connection(9),
    ];
    for expected in shown {
        let judged = judged(vec![expect(None, "…", expected.clone())], &report);
        assert_eq!(judged.outcome, Outcome::Passed, "{expected:?}");
    }
    let missing = [
        Expected::Prints("index 3".into()),
        Expected::QpReaches(6),
        Expected::Async(1),
        Expected::Connection(8),
    ];
    for expected in missing {
        let judged = judged(vec![expect(None, "…", expected.clone())], &report);
        assert_eq!(judged.outcome, Outcome::Failed, "{expected:?}");
    }
}

#[test]
fn a_line_without_role_binds_every_role() {
    let wide = vec![expect(None, "qp …", Expected::QpReaches(3))];
    let judged_wide = judged(wide, &writing());
    assert_eq!(reason(&judged_wide), "no QP was made");
    assert_eq!(judged_wide.findings[0].role, "server");
    let narrow = vec![expect(
        Some(Role::Client),
        "client: qp …",
        Expected::QpReaches(3),
    )];
    assert_eq!(judged(narrow, &writing()).outcome, Outcome::Passed);
}

#[test]
fn a_role_that_did_not_run_is_named() {
    let lines = vec![expect(
        Some(Role::Client),
        "client: exit 0",
        Expected::Exit(0),
    )];
    assert_eq!(
        reason(&judged(lines, &posting(0))),
        "the run has no role client"
    );
}

#[test]
fn a_line_for_another_driver_does_not_count() {
    let mut line = fails_with_einval();
    line.condition = Some(Condition {
        except: false,
        driver: "mlx5_ib".into(),
        kernel: None,
    });
    assert_eq!(
        judged(vec![line.clone()], &posting(0)).outcome,
        Outcome::Passed
    );
    assert_eq!(
        judged(vec![line], &posting(22)).outcome,
        Outcome::Failed,
        "it does not predict the failure here either"
    );
}

fn ends(end: End) -> Report {
    report(vec![role(Role::Single, end, "", Events::default())])
}

#[test]
fn an_end_must_be_predicted_unless_it_is_0() {
    let exits = |code| vec![expect(None, "exit …", Expected::Exit(code))];
    let killed = || vec![expect(None, "killed by SIGKILL", Expected::KilledBy(9))];
    let kill = End::Signal { signal: 9 };
    assert_eq!(judged(exits(3), &ends(exit(3))).outcome, Outcome::Passed);
    assert_eq!(judged(exits(3), &ends(exit(0))).outcome, Outcome::Failed);
    assert_eq!(
        judged(killed(), &ends(kill.clone())).outcome,
        Outcome::Passed
    );
    assert_eq!(judged(vec![], &ends(kill)).outcome, Outcome::Signal);
    assert_eq!(judged(vec![], &ends(exit(1))).outcome, Outcome::Failed);
    assert_eq!(
        judged(vec![], &ends(End::OutOfMemory)).outcome,
        Outcome::Oom
    );
    let silent = End::TimedOut {
        limit: TimeLimit::Silence,
    };
    assert_eq!(judged(vec![], &ends(silent)).outcome, Outcome::Timeout);
}

#[test]
fn the_hardest_end_names_a_run_of_two_roles() {
    let roles = vec![
        role(Role::Server, End::Stopped, "", Events::default()),
        role(Role::Client, End::OutOfMemory, "", Events::default()),
    ];
    assert_eq!(judged(vec![], &report(roles)).outcome, Outcome::Oom);
}

#[test]
fn an_optional_snippet_that_the_device_refuses_is_unsupported() {
    let mut optional = snippet(vec![expect_call(
        "ibv_open_xrcd",
        None,
        CallResult::Succeeds,
    )]);
    optional.optional = true;
    let refused = Events::default().call(
        "ibv_open_xrcd",
        vec![],
        Returned::Handle(handle("xrcd", 0)),
        libc::EOPNOTSUPP,
    );
    let judged = judge(&optional, &single(refused), &provenance());
    assert_eq!(judged.outcome, Outcome::Unsupported);
}

#[test]
fn a_lost_node_says_nothing_about_the_program() {
    let mut lost = posting(22);
    lost.fault = Some(Fault::NodeLost {
        node: 1,
        killed: false,
        reason: "kernel panic".into(),
    });
    let judged = judged(vec![], &lost);
    assert_eq!(judged.outcome, Outcome::NodeLost);
    assert_eq!(reason(&judged), "node 1 was lost: kernel panic");
}

#[test]
fn a_finding_is_told_at_its_line_with_what_was_expected_and_what_to_do() {
    let judged = judged(vec![fails_with_einval()], &posting(0));
    let problem = judged.findings[0].problem("sample/c");
    assert_eq!(
        problem.one_line(),
        "book/src/sample.md:9:1: sample/c: ibv_post_send returned 0 / sample/c: \
         ibv_post_send 返回 0"
    );
    assert_eq!(
        problem.labels[0].text,
        "the chapter says `call …` / 章节写的是 `call …`"
    );
    assert!(problem.help.unwrap().zh.contains("请改代码"));
}
