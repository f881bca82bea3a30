//! The operations of `verbs_context`: the extended calls.

use std::ffi::c_int;

use rdma_sys::{
    ibv_context, ibv_cq, ibv_cq_ex, ibv_cq_init_attr_ex, ibv_device_attr_ex, ibv_modify_cq_attr,
    ibv_mr, ibv_pd, ibv_port_attr, ibv_qp, ibv_qp_init_attr, ibv_qp_init_attr_ex,
    ibv_query_device_ex_input, ibv_srq, ibv_srq_init_attr_ex,
};

use crate::context::{Operation, operation};
use crate::handles::{self, Kind};
use crate::record::Returned;
use crate::{completion, device, queue_pair, srq};

operation! {
    Operation::QueryPort: fn query_port(
        context: *mut ibv_context,
        port_num: u8,
        port_attr: *mut ibv_port_attr,
        port_attr_len: usize,
    ) -> c_int,
    of: context,
    as: "ibv_query_port",
    before: |args| device::port_arguments(args, context, port_num),
    after: |result, args| {
        if result == 0 {
            // SAFETY: filled in by the call that succeeded; every size that
            // headers have had reaches beyond `link_layer`.
            unsafe { device::port_attributes(args, port_attr) };
        }
        Returned::Int(i64::from(result))
    },
}

operation! {
    Operation::QueryDeviceEx: fn query_device_ex(
        context: *mut ibv_context,
        input: *const ibv_query_device_ex_input,
        attr: *mut ibv_device_attr_ex,
        attr_size: usize,
    ) -> c_int,
    of: context,
    as: "ibv_query_device_ex",
    before: |args| args.object("context", Kind::Context, context),
    after: |result, args| {
        if result == 0 {
            // SAFETY: filled in by the call that succeeded; the older
            // structure is its first member whatever its size.
            device::device_attributes(args, unsafe { &(*attr).orig_attr });
        }
        Returned::Int(i64::from(result))
    },
}

operation! {
    Operation::CreateCqEx: fn create_cq_ex(
        context: *mut ibv_context,
        cq_attr: *mut ibv_cq_init_attr_ex,
    ) -> *mut ibv_cq_ex,
    of: context,
    as: "ibv_create_cq_ex",
    before: |args| {
        args.object("context", Kind::Context, context);
        // SAFETY: the caller passes valid attributes.
        let attr = unsafe { &*cq_attr };
        args.group("cq_attr", |args| {
            args.int("cqe", attr.cqe);
            args.varying("cq_context", attr.cq_context as u64);
            args.object("channel", Kind::Channel, attr.channel);
            args.int("comp_vector", attr.comp_vector);
            args.flags("wc_flags", "ibv_create_cq_wc_flags", attr.wc_flags);
            args.int("comp_mask", attr.comp_mask);
        });
    },
    // An `ibv_cq_ex` begins as an `ibv_cq`.
    after: |cq: *mut ibv_cq_ex, args| completion::created(args, cq.cast()),
}

operation! {
    Operation::CreateQpEx: fn create_qp_ex(
        context: *mut ibv_context,
        attr: *mut ibv_qp_init_attr_ex,
    ) -> *mut ibv_qp,
    of: context,
    as: "ibv_create_qp_ex",
    before: |args| {
        args.object("context", Kind::Context, context);
        // SAFETY: the caller passes valid attributes, which begin as the older
        // structure; `comp_mask` says which of the later ones are set.
        unsafe {
            queue_pair::initial(args, &*attr.cast::<ibv_qp_init_attr>());
            let mask = (*attr).comp_mask;
            args.int("comp_mask", mask);
            if mask & INIT_PD != 0 {
                args.object("pd", Kind::Pd, (*attr).pd);
            }
            if mask & INIT_CREATE_FLAGS != 0 {
                args.int("create_flags", (*attr).create_flags);
            }
            if mask & INIT_SEND_OPS_FLAGS != 0 {
                let flags = (*attr).send_ops_flags;
                args.flags("send_ops_flags", "ibv_qp_create_send_ops_flags", flags);
            }
        }
    },
    // SAFETY: the call wrote back what it allocated.
    after: |qp, args| queue_pair::created(args, qp, unsafe { &(*attr).cap }),
}

// Bits of `ibv_qp_init_attr_mask`.
const INIT_PD: u32 = 1 << 0;
const INIT_CREATE_FLAGS: u32 = 1 << 2;
const INIT_SEND_OPS_FLAGS: u32 = 1 << 6;

operation! {
    Operation::CreateSrqEx: fn create_srq_ex(
        context: *mut ibv_context,
        attr: *mut ibv_srq_init_attr_ex,
    ) -> *mut ibv_srq,
    of: context,
    as: "ibv_create_srq_ex",
    before: |args| {
        args.object("context", Kind::Context, context);
        // SAFETY: the caller passes valid attributes.
        unsafe {
            srq::attributes(args, "attr", &(*attr).attr);
            args.int("comp_mask", (*attr).comp_mask);
            if (*attr).comp_mask & SRQ_INIT_TYPE != 0 {
                args.enumeration("srq_type", "ibv_srq_type", (*attr).srq_type);
            }
            if (*attr).comp_mask & SRQ_INIT_PD != 0 {
                args.object("pd", Kind::Pd, (*attr).pd);
            }
        }
    },
    after: |srq: *mut ibv_srq, args| {
        if !srq.is_null() {
            // SAFETY: the call wrote back what it allocated.
            srq::attributes(args, "granted", unsafe { &(*attr).attr });
        }
        Returned::Handle(handles::made(Kind::Srq, srq))
    },
}

// Bits of `ibv_srq_init_attr_mask`.
const SRQ_INIT_TYPE: u32 = 1 << 0;
const SRQ_INIT_PD: u32 = 1 << 1;

operation! {
    Operation::ModifyCq: fn modify_cq(cq: *mut ibv_cq, attr: *mut ibv_modify_cq_attr) -> c_int,
    of: (*cq).context,
    as: "ibv_modify_cq",
    before: |args| {
        args.object("cq", Kind::Cq, cq);
        // SAFETY: the caller passes valid attributes.
        let attr = unsafe { &*attr };
        args.int("attr_mask", attr.attr_mask);
        args.int("cq_count", attr.moderate.cq_count);
        args.int("cq_period", attr.moderate.cq_period);
    },
    after: |result, _| Returned::Int(i64::from(result)),
}

operation! {
    Operation::AllocNullMr: fn alloc_null_mr(pd: *mut ibv_pd) -> *mut ibv_mr,
    of: (*pd).context,
    as: "ibv_alloc_null_mr",
    before: |args| args.object("pd", Kind::Pd, pd),
    after: |mr, _| Returned::Handle(handles::made(Kind::Mr, mr)),
}
