//! Addresses: where packets go.

use std::ffi::c_int;

use rdma_sys::{ibv_ah, ibv_ah_attr, ibv_pd};

use crate::args::Args;
use crate::call::exported;
use crate::handles::{self, Kind};
use crate::record::Returned;

/// An address vector; the global part only where it is in use.
pub fn attributes(args: &mut Args, name: &'static str, attr: &ibv_ah_attr) {
    args.group(name, |args| {
        args.int("is_global", attr.is_global);
        if attr.is_global != 0 {
            args.gid("dgid", &attr.grh.dgid);
            args.int("sgid_index", attr.grh.sgid_index);
            args.int("flow_label", attr.grh.flow_label);
            args.int("hop_limit", attr.grh.hop_limit);
            args.int("traffic_class", attr.grh.traffic_class);
        }
        args.int("dlid", attr.dlid);
        args.int("sl", attr.sl);
        args.int("src_path_bits", attr.src_path_bits);
        args.int("static_rate", attr.static_rate);
        args.int("port_num", attr.port_num);
    });
}

exported! {
    "IBVERBS_1.1" fn ibv_create_ah(pd: *mut ibv_pd, attr: *mut ibv_ah_attr) -> *mut ibv_ah,
    before: |args| {
        args.object("pd", Kind::Pd, pd);
        // SAFETY: the caller passes valid attributes.
        attributes(args, "attr", unsafe { &*attr });
    },
    after: |ah, _| Returned::Handle(handles::made(Kind::Ah, ah)),
}

exported! {
    "IBVERBS_1.1" fn ibv_destroy_ah(ah: *mut ibv_ah) -> c_int,
    before: |args| args.forget("ah", Kind::Ah, ah),
    after: |result, args| args.destroyed(Kind::Ah, ah, result),
}
