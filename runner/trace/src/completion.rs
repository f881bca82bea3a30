//! Completion queues, channels and completions.

use std::ffi::{c_int, c_uint, c_void};

use protocol::event::What;
use rdma_sys::{ibv_comp_channel, ibv_context, ibv_cq, ibv_wc};

use crate::args::Args;
use crate::call::{self, exported};
use crate::context::{self, Operation, operation};
use crate::handles::{self, Kind};
use crate::log;
use crate::record::Returned;

exported! {
    "IBVERBS_1.0" fn ibv_create_comp_channel(context: *mut ibv_context) -> *mut ibv_comp_channel,
    before: |args| args.object("context", Kind::Context, context),
    after: |channel, _| Returned::Handle(handles::made(Kind::Channel, channel)),
}

exported! {
    "IBVERBS_1.0" fn ibv_destroy_comp_channel(channel: *mut ibv_comp_channel) -> c_int,
    before: |args| args.forget("channel", Kind::Channel, channel),
    after: |result, args| args.destroyed(Kind::Channel, channel, result),
}

exported! {
    "IBVERBS_1.1" fn ibv_create_cq(
        context: *mut ibv_context,
        cqe: c_int,
        cq_context: *mut c_void,
        channel: *mut ibv_comp_channel,
        comp_vector: c_int,
    ) -> *mut ibv_cq,
    before: |args| {
        args.object("context", Kind::Context, context);
        args.int("cqe", cqe);
        args.varying("cq_context", cq_context as u64);
        args.object("channel", Kind::Channel, channel);
        args.int("comp_vector", comp_vector);
    },
    after: |cq: *mut ibv_cq, args| created(args, cq),
}

/// A new CQ, with the size it was given.
pub fn created(args: &mut Args, cq: *mut ibv_cq) -> Returned {
    if !cq.is_null() {
        // SAFETY: the queue the call made.
        args.int("cq->cqe", unsafe { (*cq).cqe });
    }
    Returned::Handle(handles::made(Kind::Cq, cq))
}

exported! {
    "IBVERBS_1.1" fn ibv_resize_cq(cq: *mut ibv_cq, cqe: c_int) -> c_int,
    before: |args| {
        args.object("cq", Kind::Cq, cq);
        args.int("cqe", cqe);
    },
    after: |result, args| {
        if result == 0 {
            // SAFETY: the caller passes a valid queue.
            args.int("cq->cqe", unsafe { (*cq).cqe });
        }
        Returned::Int(i64::from(result))
    },
}

exported! {
    "IBVERBS_1.1" fn ibv_destroy_cq(cq: *mut ibv_cq) -> c_int,
    before: |args| {
        write_empty_polls(cq);
        args.forget("cq", Kind::Cq, cq);
    },
    after: |result, args| args.destroyed(Kind::Cq, cq, result),
}

exported! {
    "IBVERBS_1.1" fn ibv_get_cq_event(
        channel: *mut ibv_comp_channel,
        cq: *mut *mut ibv_cq,
        cq_context: *mut *mut c_void,
    ) -> c_int,
    before: |args| args.object("channel", Kind::Channel, channel),
    after: |result, args| {
        if result == 0 {
            // SAFETY: filled in by the call that succeeded.
            let (cq, cq_context) = unsafe { (*cq, *cq_context) };
            args.object("cq", Kind::Cq, cq);
            args.varying("cq_context", cq_context as u64);
        }
        Returned::Int(i64::from(result))
    },
}

exported! {
    "IBVERBS_1.1" fn ibv_ack_cq_events(cq: *mut ibv_cq, nevents: c_uint),
    before: |args| {
        args.object("cq", Kind::Cq, cq);
        args.int("nevents", nevents);
    },
    after: |(), _| Returned::Void,
}

operation! {
    Operation::ReqNotifyCq: fn req_notify_cq(cq: *mut ibv_cq, solicited_only: c_int) -> c_int,
    of: (*cq).context,
    as: "ibv_req_notify_cq",
    before: |args| {
        args.object("cq", Kind::Cq, cq);
        args.int("solicited_only", solicited_only);
    },
    after: |result, _| Returned::Int(i64::from(result)),
}

/// Stands for `ibv_poll_cq`: each completion is an event, a poll that finds
/// nothing is only counted, and costs no look at the clock.
///
/// # Safety
/// As `ibv_poll_cq` asks.
pub unsafe extern "C-unwind" fn poll_cq(
    cq: *mut ibv_cq,
    num_entries: c_int,
    wc: *mut ibv_wc,
) -> c_int {
    type Signature = unsafe extern "C-unwind" fn(*mut ibv_cq, c_int, *mut ibv_wc) -> c_int;
    // SAFETY: the caller passes a queue of an open context.
    let context = unsafe { (*cq).context };
    let address = context::original(context, Operation::PollCq);
    if address == 0 {
        return crate::original::Missing::missing();
    }
    // SAFETY: this operation's own address.
    let original = unsafe { std::mem::transmute::<usize, Signature>(address) };
    let outermost = call::enter();
    // SAFETY: the caller vouches for the arguments.
    let found = unsafe { original(cq, num_entries, wc) };
    call::leave();
    if !outermost || !log::enabled() {
        return found;
    }
    if found == 0 {
        handles::count_empty_poll(cq);
        return 0;
    }
    let errno = call::errno();
    let at_ns = call::now();
    call::careful(|| {
        if found < 0 {
            write_failed_poll(at_ns, cq, num_entries, found, errno);
        } else {
            // SAFETY: the call filled in as many as it returned.
            let completions = unsafe { std::slice::from_raw_parts(wc, found as usize) };
            write_completions(at_ns, cq, context, completions);
        }
    });
    call::set_errno(errno);
    found
}

fn write_completions(at_ns: u64, cq: *mut ibv_cq, context: *mut ibv_context, wcs: &[ibv_wc]) {
    let cq_number = handles::of(Kind::Cq, cq).number;
    let context = handles::of(Kind::Context, context).number;
    for wc in wcs {
        let completion = What::Completion {
            cq: cq_number,
            qp: handles::qp_by_number(context, wc.qp_num),
            wr_id: wc.wr_id,
            status: wc.status,
            opcode: wc.opcode,
            byte_len: wc.byte_len,
            vendor_err: wc.vendor_err,
            flags: wc.wc_flags,
            // Only the first of a batch has any: the counter is taken.
            empty_polls: handles::take_empty_polls(cq),
        };
        call::write(at_ns, completion);
    }
}

/// Tells of the polls since the last completion, when the queue goes and
/// there will be no completion to tell it with.
fn write_empty_polls(cq: *mut ibv_cq) {
    let polls = handles::take_empty_polls(cq);
    if polls > 0 {
        let mut args = Args::default();
        args.object("cq", Kind::Cq, cq);
        args.varying("empty_polls", polls);
        let now = call::now();
        call::write_call(now, "ibv_poll_cq", &args, &Returned::Int(0), 0, 0);
    }
}

fn write_failed_poll(at_ns: u64, cq: *mut ibv_cq, num_entries: c_int, result: c_int, errno: c_int) {
    let mut args = Args::default();
    args.object("cq", Kind::Cq, cq);
    args.int("num_entries", num_entries);
    let returned = Returned::Int(result.into());
    call::write_call(at_ns, "ibv_poll_cq", &args, &returned, errno, 0);
}
