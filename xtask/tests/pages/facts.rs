use protocol::event::{Returned, Value};
use protocol::job::Role;
use protocol::report::RoleReport;
use xtask::differ::first_difference;
use xtask::facts::{RoleFacts, role_facts};
use xtask::seen::Seen;

use crate::sample::*;

fn facts(report: &RoleReport) -> RoleFacts {
    role_facts(&Seen::of(report), &["hello"])
}

fn client(events: Events) -> RoleFacts {
    facts(&role(Role::Client, exit(0), "", events))
}

#[test]
fn the_facts_of_a_write_read_like_the_calls_it_made() {
    let all: Vec<RoleFacts> = writing().roles.iter().map(facts).collect();
    let json = serde_json::to_string_pretty(&all).unwrap();
    snapbox::assert_data_eq!(json, snapbox::file!["goldens/write.json"].raw());
}

#[test]
fn addresses_times_and_free_output_are_no_facts() {
    let mut other = writing();
    for role in &mut other.roles {
        role.wall *= 3;
        role.stdout.extend(b"took 999 us\n");
        for event in &mut role.events {
            event.at_ns *= 7;
        }
    }
    let again: Vec<RoleFacts> = other.roles.iter().map(facts).collect();
    let first: Vec<RoleFacts> = writing().roles.iter().map(facts).collect();
    assert_eq!(first, again);
}

#[test]
fn a_thousand_writes_are_one_step_though_their_wr_ids_count_up() {
    let mut events = Events::default();
    for i in 0..1000 {
        events = events.posts(i).completes(i as u64, SUCCESS, RDMA_WRITE);
    }
    let facts = client(events);
    assert_eq!(facts.calls.len(), 1);
    assert_eq!(facts.calls[0].times(), 1000);
    assert!(facts.calls[0].items()[0].args[1].contains("wr_id=…"));
    assert_eq!(facts.completions[0].times(), 1000);
}

#[test]
fn polls_and_events_not_yet_there_are_timing() {
    let polled = Events::default()
        .returns("ibv_poll_cq", vec![], 0)
        .returns("ibv_poll_cq", vec![], 2)
        .call(
            "ibv_get_async_event",
            vec![],
            Returned::Int(-1),
            libc::EAGAIN,
        )
        .returns("ibv_poll_cq", vec![], -22);
    let calls = client(polled).calls;
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].items()[0].errno.as_deref(), Some("EINVAL"));
}

#[test]
fn how_threads_and_queues_interleave_is_no_fact() {
    let a = Events::default()
        .returns("ibv_dealloc_pd", vec![], 0)
        .thread(1)
        .returns("ibv_dereg_mr", vec![], 0)
        .thread(2)
        .returns("ibv_destroy_cq", vec![], 0)
        .thread(1)
        .completes(1, SUCCESS, RECV)
        .completes(2, SUCCESS, RDMA_WRITE);
    let b = Events::default()
        .returns("ibv_dealloc_pd", vec![], 0)
        .thread(1)
        .completes(2, SUCCESS, RDMA_WRITE)
        .returns("ibv_destroy_cq", vec![], 0)
        .thread(1)
        .returns("ibv_dereg_mr", vec![], 0)
        .thread(2)
        .completes(1, SUCCESS, RECV);
    assert_eq!(client(a), client(b));
}

#[test]
fn an_opcode_or_length_that_is_undefined_is_left_out() {
    let facts = client(
        Events::default()
            .completes(1, SUCCESS, RDMA_WRITE)
            .completes(2, REM_ACCESS_ERR, RDMA_WRITE),
    );
    let items: Vec<_> = facts.completions.iter().flat_map(|s| s.items()).collect();
    assert_eq!(items[0].byte_len, None, "undefined for a write");
    assert_eq!(items[0].opcode.as_deref(), Some("IBV_WC_RDMA_WRITE"));
    assert_eq!(items[1].opcode, None, "undefined after an error");
}

#[test]
fn a_state_path_holds_what_was_set_and_what_was_seen() {
    let query = vec![
        object("qp", "qp", 1),
        arg("qp_state", Value::Enum("ibv_qp_state".into(), 6)),
    ];
    let events = Events::default()
        .makes("ibv_create_qp", vec![], "qp", 1)
        .modifies(1)
        .call(
            "ibv_modify_qp",
            vec![
                object("qp", "qp", 1),
                arg("qp_state", Value::Enum("ibv_qp_state".into(), 3)),
            ],
            Returned::Int(22),
            0,
        )
        .returns("ibv_query_qp", query, 0);
    assert_eq!(
        client(events).states["qp 1"],
        ["IBV_QPS_RESET", "IBV_QPS_INIT", "IBV_QPS_ERR"],
        "RTR was refused"
    );
}

#[test]
fn the_first_difference_is_named_by_call_and_field() {
    let left = client(Events::default().modifies(1).posts(7));
    let right = client(Events::default().modifies(2).posts(7));
    let difference = first_difference(std::slice::from_ref(&left), &[right]).unwrap();
    assert_eq!(difference.role, "client");
    assert_eq!(difference.place, "call 1, ibv_modify_qp: attr");
    assert_eq!(difference.left, "{qp_state=IBV_QPS_INIT}");
    assert_eq!(difference.right, "{qp_state=IBV_QPS_RTR}");
    assert_eq!(
        first_difference(std::slice::from_ref(&left), std::slice::from_ref(&left)),
        None
    );
}

#[test]
fn a_call_that_one_language_does_not_make_is_a_difference() {
    let left = client(Events::default().modifies(1).posts(7));
    let right = client(Events::default().modifies(1));
    let difference = first_difference(&[left], &[right]).unwrap();
    assert_eq!(difference.place, "call 2");
    assert!(
        difference.left.starts_with("ibv_post_send("),
        "{}",
        difference.left
    );
    assert_eq!(difference.right, "(nothing)");
}
