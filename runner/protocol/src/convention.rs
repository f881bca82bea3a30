//! How each call says that it failed.
//!
//! Verbs grew over twenty years and report errors in several ways; this is the
//! one table of them, after the declarations in `infiniband/verbs.h` and
//! `rdma/rdma_cma.h` and their implementation in rdma-core 44.

use crate::event::Returned;

/// What a returned value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// A null pointer, with errno set.
    Null,
    /// 0, or the errno value itself; some providers return -1 with errno set.
    Errno,
    /// -1 with errno set, also where success is a count or an index.
    MinusOne,
    /// A count, or a negative value which is itself a negated errno or -1.
    Count,
    /// 0, `ENOENT` for "nothing there", or another errno value.
    Poll,
    /// Cannot fail: what is returned is an answer.
    Answer,
}

/// The convention of a call, by its name in the header.
pub fn convention(call: &str) -> Convention {
    match call {
        "ibv_start_poll" | "ibv_next_poll" => Convention::Poll,
        "ibv_poll_cq" | "ibv_query_gid_table" | "_ibv_query_gid_table" | "ibv_rereg_mr" => {
            Convention::Count
        }
        "ibv_get_cq_event"
        | "ibv_get_async_event"
        | "ibv_query_gid"
        | "ibv_query_pkey"
        | "ibv_get_pkey_index"
        | "ibv_get_device_index"
        | "ibv_init_ah_from_wc" => Convention::MinusOne,
        "ibv_is_fork_initialized"
        | "ibv_query_qp_data_in_order"
        | "ibv_rate_to_mult"
        | "ibv_rate_to_mbps"
        | "ibv_inc_rkey"
        | "ibv_get_device_guid"
        | "ibv_is_qpt_supported"
        | "rdma_get_src_port"
        | "rdma_get_dst_port" => Convention::Answer,
        _ if call.starts_with("ibv_wc_read_") || call.ends_with("_str") => Convention::Answer,
        _ if makes_an_object(call) => Convention::Null,
        _ if call.starts_with("rdma_") => Convention::MinusOne,
        _ => Convention::Errno,
    }
}

fn makes_an_object(call: &str) -> bool {
    matches!(
        call,
        "ibv_get_device_list"
            | "ibv_get_device_name"
            | "ibv_open_device"
            | "ibv_open_qp"
            | "ibv_open_xrcd"
            | "ibv_qp_to_qp_ex"
            | "rdma_create_event_channel"
            | "rdma_get_devices"
    ) || ["ibv_create_", "ibv_alloc_", "ibv_reg_", "ibv_import_"]
        .iter()
        .any(|prefix| call.starts_with(prefix))
}

/// The errno with which a call failed, or nothing when it succeeded. `errno`
/// is the variable's value after the call, which a successful call may have
/// changed too. 0 means that the call failed and set no errno.
pub fn failure(call: &str, returned: &Returned, errno: i32) -> Option<i32> {
    match returned {
        Returned::Void => None,
        Returned::Handle(handle) => (handle.number == 0).then_some(errno),
        Returned::Text(text) => {
            (convention(call) == Convention::Null && text == "NULL").then_some(errno)
        }
        Returned::Int(value) => failed_number(convention(call), *value, errno),
    }
}

fn failed_number(convention: Convention, value: i64, errno: i32) -> Option<i32> {
    let negated = || if value == -1 { errno } else { -value as i32 };
    match convention {
        Convention::Answer => None,
        Convention::Null => (value == 0).then_some(errno),
        Convention::Poll if value == i64::from(libc::ENOENT) => None,
        Convention::Errno | Convention::Poll => match value {
            0 => None,
            1.. => Some(value as i32),
            _ => Some(negated()),
        },
        Convention::MinusOne => (value < 0).then_some(errno),
        Convention::Count => (value < 0).then(negated),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Handle;

    fn handle(number: u32) -> Returned {
        Returned::Handle(Handle {
            kind: "pd".into(),
            number,
        })
    }

    #[test]
    fn a_null_pointer_fails_with_the_errno_variable() {
        assert_eq!(
            failure("ibv_alloc_pd", &handle(0), libc::ENOMEM),
            Some(libc::ENOMEM)
        );
        assert_eq!(
            failure("ibv_open_device", &handle(1), libc::ENOSPC),
            None,
            "errno left behind by a success is no failure"
        );
        assert_eq!(
            failure("ibv_get_device_list", &Returned::Text("NULL".into()), 38),
            Some(38)
        );
    }

    #[test]
    fn a_positive_value_is_the_errno_of_most_calls() {
        for call in ["ibv_modify_qp", "ibv_post_send", "ibv_dealloc_pd"] {
            assert_eq!(failure(call, &Returned::Int(22), 0), Some(22), "{call}");
            assert_eq!(failure(call, &Returned::Int(0), 28), None, "{call}");
            assert_eq!(failure(call, &Returned::Int(-1), 12), Some(12), "{call}");
        }
    }

    #[test]
    fn minus_one_fails_and_a_positive_value_is_an_answer() {
        assert_eq!(failure("ibv_query_gid", &Returned::Int(-1), 22), Some(22));
        assert_eq!(failure("ibv_get_pkey_index", &Returned::Int(3), 22), None);
        assert_eq!(failure("rdma_connect", &Returned::Int(-1), 111), Some(111));
    }

    #[test]
    fn a_count_is_no_failure_and_an_empty_poll_is_none_either() {
        assert_eq!(failure("ibv_poll_cq", &Returned::Int(4), 11), None);
        assert_eq!(failure("ibv_poll_cq", &Returned::Int(-22), 0), Some(22));
        assert_eq!(failure("ibv_start_poll", &Returned::Int(2), 0), None);
        assert_eq!(failure("ibv_start_poll", &Returned::Int(22), 0), Some(22));
    }

    #[test]
    fn an_answer_never_fails() {
        let big = Returned::Int(-1);
        assert_eq!(failure("ibv_is_fork_initialized", &big, 5), None);
        assert_eq!(failure("ibv_ack_cq_events", &Returned::Void, 5), None);
    }
}
