//! Protection domains.

use std::ffi::c_int;

use rdma_sys::{ibv_context, ibv_pd};

use crate::call::exported;
use crate::handles::{self, Kind};
use crate::record::Returned;

exported! {
    "IBVERBS_1.1" fn ibv_alloc_pd(context: *mut ibv_context) -> *mut ibv_pd,
    before: |args| args.object("context", Kind::Context, context),
    after: |pd, _| Returned::Handle(handles::made(Kind::Pd, pd)),
}

exported! {
    "IBVERBS_1.1" fn ibv_dealloc_pd(pd: *mut ibv_pd) -> c_int,
    before: |args| args.forget("pd", Kind::Pd, pd),
    after: |result, args| args.destroyed(Kind::Pd, pd, result),
}
