use protocol::event::{Handle, Returned};

use super::*;

fn arg(name: &str, value: Value) -> Arg {
    Arg {
        name: name.into(),
        value,
    }
}

fn handle(kind: &str, number: u32) -> Handle {
    Handle {
        kind: kind.into(),
        number,
    }
}

fn call(call: &str, args: Vec<Arg>, returned: Returned, errno: i32) -> Event {
    Event {
        at_ns: 0,
        thread: 1,
        what: What::Call {
            call: call.into(),
            args,
            returned,
            errno,
            took_ns: 0,
        },
    }
}

fn made(name: &str, from: Handle, made: Handle) -> Event {
    let args = vec![arg("parent", Value::Handle(from))];
    call(name, args, Returned::Handle(made), 0)
}

fn completion(status: u32) -> Event {
    Event {
        at_ns: 0,
        thread: 1,
        what: What::Completion {
            cq: 1,
            qp: 1,
            wr_id: 0,
            status,
            opcode: 0,
            byte_len: 0,
            vendor_err: 0,
            flags: 0,
            empty_polls: 0,
        },
    }
}

/// All attributes that an RC QP needs from INIT to RTR.
const TO_RTR: u64 = 0x12_9181;

fn modify(from: i64, to: i64, mask: u64) -> Event {
    let args = vec![
        arg("qp", Value::Handle(handle("qp", 1))),
        arg("attr_mask", Value::Flags("ibv_qp_attr_mask".into(), mask)),
        arg(
            "attr",
            Value::Group(vec![
                arg("qp_state", Value::Enum("ibv_qp_state".into(), to)),
                arg(
                    "ah_attr",
                    Value::Group(vec![arg("is_global", Value::Int(0))]),
                ),
            ]),
        ),
        arg("qp->state", Value::Enum("ibv_qp_state".into(), from)),
        arg("qp->qp_type", Value::Enum("ibv_qp_type".into(), 2)),
    ];
    call("ibv_modify_qp", args, Returned::Int(22), 0)
}

fn only(events: &[Event]) -> Explanation {
    let explanations = explain(events);
    assert_eq!(explanations.len(), 1, "{explanations:?}");
    explanations.into_iter().next().unwrap()
}

#[test]
fn a_pd_that_is_busy_names_what_lives_in_it() {
    let pd = handle("pd", 1);
    let gone = vec![arg("mr", Value::Handle(handle("mr", 1)))];
    let events = [
        made("ibv_alloc_pd", handle("context", 1), pd.clone()),
        made("ibv_reg_mr", pd.clone(), handle("mr", 1)),
        made("ibv_reg_mr", pd.clone(), handle("mr", 2)),
        call("ibv_dereg_mr", gone, Returned::Int(0), 0),
        call(
            "ibv_dealloc_pd",
            vec![arg("pd", Value::Handle(pd))],
            Returned::Int(libc::EBUSY.into()),
            0,
        ),
    ];
    let found = only(&events);
    assert_eq!(found.event, 4);
    assert!(found.en.contains("pd 1 is in use by mr 2:"), "{}", found.en);
    assert!(found.zh.contains("mr 2"), "{}", found.zh);
    assert_eq!(found.page, "teardown.html");
}

#[test]
fn a_missing_attribute_is_named() {
    const PATH_MTU: u64 = 0x100;
    let found = only(&[modify(1, 2, TO_RTR & !PATH_MTU)]);
    assert!(
        found.en.contains("IBV_QPS_INIT to IBV_QPS_RTR"),
        "{}",
        found.en
    );
    assert!(found.en.contains("missing IBV_QP_PATH_MTU"), "{}", found.en);
    assert!(found.zh.contains("缺少 IBV_QP_PATH_MTU"), "{}", found.zh);
}

#[test]
fn a_step_left_out_is_called_that() {
    let found = only(&[modify(0, 2, 1)]);
    assert!(found.en.contains("IBV_QPS_RESET cannot go to IBV_QPS_RTR"));
}

#[test]
fn a_right_mask_with_an_address_of_the_wrong_kind_is_told() {
    let found = only(&[modify(1, 2, TO_RTR)]);
    assert!(found.en.contains("is_global"), "{}", found.en);
    assert_eq!(found.page, "connecting.html");
}

#[test]
fn a_send_before_rts_is_explained_by_the_state() {
    let args = vec![arg("qp->state", Value::Enum("ibv_qp_state".into(), 1))];
    let found = only(&[call("ibv_post_send", args, Returned::Int(22), 0)]);
    assert!(
        found.en.contains("the QP is in IBV_QPS_INIT"),
        "{}",
        found.en
    );
}

#[test]
fn no_memory_for_a_region_is_the_lock_limit() {
    let args = vec![arg("length", Value::Int(65536))];
    let null = Returned::Handle(handle("mr", 0));
    let found = only(&[call("ibv_reg_mr", args, null, libc::ENOMEM)]);
    assert!(found.en.contains("65536 bytes"));
    assert!(found.en.contains("RLIMIT_MEMLOCK"));
}

#[test]
fn flushed_completions_are_explained_once() {
    let events = [completion(10), completion(5), completion(5)];
    let found = explain(&events);
    let at: Vec<usize> = found.iter().map(|e| e.event).collect();
    assert_eq!(at, [0, 1]);
}

#[test]
fn what_worked_is_not_explained() {
    let list = vec![arg("num_devices", Value::Int(1))];
    let events = [
        call(
            "ibv_get_device_list",
            list,
            Returned::Handle(handle("list", 1)),
            2,
        ),
        made("ibv_alloc_pd", handle("context", 1), handle("pd", 1)),
        completion(0),
    ];
    assert_eq!(explain(&events), []);
}

#[test]
fn every_status_that_can_occur_has_causes_in_both_languages() {
    // Statuses of the RD transport, which no device offers, and of tag
    // matching are left out.
    for status in [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 19, 20, 21] {
        let found = only(&[completion(status)]);
        assert!(found.en.is_ascii(), "{}", found.en);
        assert!(found.zh.chars().any(|c| c > '\u{4e00}'), "{}", found.zh);
    }
}

#[test]
fn a_kernel_without_rdma_and_a_host_without_a_device_are_told_apart() {
    let none = vec![arg("num_devices", Value::Int(0))];
    let list = |number| Returned::Handle(handle("list", number));
    let without_kernel = call("ibv_get_device_list", none.clone(), list(0), libc::ENOSYS);
    assert!(only(&[without_kernel]).en.contains("ib_uverbs"));
    let without_device = call("ibv_get_device_list", none, list(1), 0);
    assert!(only(&[without_device]).en.contains("rdma link"));
}
