//! Shared receive queues.

use std::ffi::c_int;

use rdma_sys::{ibv_pd, ibv_srq, ibv_srq_attr, ibv_srq_init_attr};

use crate::args::Args;
use crate::call::exported;
use crate::handles::{self, Kind};
use crate::record::Returned;

exported! {
    "IBVERBS_1.1" fn ibv_create_srq(
        pd: *mut ibv_pd,
        srq_init_attr: *mut ibv_srq_init_attr,
    ) -> *mut ibv_srq,
    before: |args| {
        args.object("pd", Kind::Pd, pd);
        // SAFETY: the caller passes valid attributes.
        attributes(args, "attr", unsafe { &(*srq_init_attr).attr });
    },
    after: |srq: *mut ibv_srq, args| {
        if !srq.is_null() {
            // SAFETY: the call wrote back what it allocated.
            attributes(args, "granted", unsafe { &(*srq_init_attr).attr });
        }
        Returned::Handle(handles::made(Kind::Srq, srq))
    },
}

pub fn attributes(args: &mut Args, name: &'static str, attr: &ibv_srq_attr) {
    args.group(name, |args| {
        args.int("max_wr", attr.max_wr);
        args.int("max_sge", attr.max_sge);
        args.int("srq_limit", attr.srq_limit);
    });
}

exported! {
    "IBVERBS_1.1" fn ibv_modify_srq(
        srq: *mut ibv_srq,
        srq_attr: *mut ibv_srq_attr,
        srq_attr_mask: c_int,
    ) -> c_int,
    before: |args| {
        args.object("srq", Kind::Srq, srq);
        // SAFETY: the caller passes valid attributes.
        let attr = unsafe { &*srq_attr };
        if srq_attr_mask & MAX_WR != 0 {
            args.int("max_wr", attr.max_wr);
        }
        if srq_attr_mask & LIMIT != 0 {
            args.int("srq_limit", attr.srq_limit);
        }
    },
    after: |result, _| Returned::Int(i64::from(result)),
}

/// `IBV_SRQ_MAX_WR` and `IBV_SRQ_LIMIT`.
const MAX_WR: c_int = 1;
const LIMIT: c_int = 2;

exported! {
    "IBVERBS_1.1" fn ibv_query_srq(srq: *mut ibv_srq, srq_attr: *mut ibv_srq_attr) -> c_int,
    before: |args| args.object("srq", Kind::Srq, srq),
    after: |result, args| {
        if result == 0 {
            // SAFETY: filled in by the call that succeeded.
            attributes(args, "srq_attr", unsafe { &*srq_attr });
        }
        Returned::Int(i64::from(result))
    },
}

exported! {
    "IBVERBS_1.1" fn ibv_destroy_srq(srq: *mut ibv_srq) -> c_int,
    before: |args| args.forget("srq", Kind::Srq, srq),
    after: |result, args| args.destroyed(Kind::Srq, srq, result),
}
