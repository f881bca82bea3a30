use std::time::Duration;

use protocol::job::Role;
use protocol::report::Report;
use xtask::varies::reference_unit;

use crate::sample::*;

fn printing(text: &str) -> Report {
    let events = Events::default();
    report(vec![
        role(
            Role::Server,
            exit(0),
            "rounds=1 median_ns=99\n",
            Events::default(),
        ),
        role(Role::Client, exit(0), text, events),
    ])
}

#[test]
fn the_yardstick_is_half_the_clients_median_round() {
    let line = "ready\nwrite-latency rounds=256 bytes=8 ns=230400000 median_ns=880000\n";
    assert_eq!(
        reference_unit(&printing(line)),
        Some(Duration::from_micros(440))
    );
}

#[test]
fn a_program_that_prints_no_rounds_is_no_yardstick() {
    for text in [
        "write-bandwidth messages=128 bytes=8388608 ns=12\n",
        "write-latency rounds=256 median_ns=x\n",
        "write-latency rounds=256 median_ns=0\n",
        "",
    ] {
        assert_eq!(reference_unit(&printing(text)), None, "{text}");
    }
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
