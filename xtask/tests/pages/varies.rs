use std::time::Duration;

use protocol::job::Role;
use xtask::varies::reference_unit;

use crate::sample::*;

/// Post and completion stand one microsecond apart in a sample.
#[test]
fn the_yardstick_is_the_median_of_sends_that_wait_for_their_completion() {
    let mut events = Events::default();
    for i in 0..5 {
        events = events.posts(i).completes(i as u64, SUCCESS, RDMA_WRITE);
    }
    for i in 0..100 {
        events = events.posts(i);
    }
    let report = report(vec![role(Role::Client, exit(0), "", events)]);
    assert_eq!(reference_unit(&report), Some(Duration::from_micros(1)));
}

#[test]
fn a_run_without_a_completion_is_no_yardstick() {
    assert_eq!(reference_unit(&single(Events::default().posts(1))), None);
}

#[test]
fn times_are_ratios_and_polls_are_counted() {
    let run = run(&snippet(vec![]), "h", &writing());
    let client = &run.varies.roles[1];
    assert_eq!(client.wall, Some(1.5), "600 µs at 400 µs a write");
    assert_eq!(client.calls.len(), 9);
    assert_eq!(client.calls[0], 0.0005);
    assert_eq!(client.empty_polls, 45_000);
}

#[test]
fn the_reference_loop_keeps_no_absolute_figures_of_an_emulated_testbed() {
    let mut reference = snippet(vec![]);
    let kept = |run: xtask::record::Run| run.varies.roles[0].stdout.clone();
    assert!(kept(run(&reference, "h", &writing())).contains("123 us"));
    reference.reference = true;
    assert_eq!(kept(run(&reference, "h", &writing())), "");
}
