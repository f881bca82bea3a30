//! Memory regions and memory windows.

use std::ffi::{c_int, c_uint, c_void};

use rdma_sys::{ibv_mr, ibv_mw, ibv_mw_bind, ibv_mw_type, ibv_pd, ibv_qp};

use crate::args::Args;
use crate::call::exported;
use crate::context::{Operation, operation};
use crate::handles::{self, Kind};
use crate::record::Returned;

const ACCESS: &str = "ibv_access_flags";

exported! {
    "IBVERBS_1.1" fn ibv_reg_mr(
        pd: *mut ibv_pd,
        addr: *mut c_void,
        length: usize,
        access: c_int,
    ) -> *mut ibv_mr,
    before: |args| registration(args, pd, addr, length, None, access as u32),
    after: registered,
}

exported! {
    "IBVERBS_1.7" fn ibv_reg_mr_iova(
        pd: *mut ibv_pd,
        addr: *mut c_void,
        length: usize,
        iova: u64,
        access: c_int,
    ) -> *mut ibv_mr,
    before: |args| registration(args, pd, addr, length, Some(iova), access as u32),
    after: registered,
}

// The header's `ibv_reg_mr` and `ibv_reg_mr_iova` come here when the compiler
// cannot tell the access flags; they are reported by the name the program
// used, so that equal programs have equal traces.
exported! {
    "IBVERBS_1.8" fn ibv_reg_mr_iova2(
        pd: *mut ibv_pd,
        addr: *mut c_void,
        length: usize,
        iova: u64,
        access: c_uint,
    ) -> *mut ibv_mr,
    as: if iova == addr as u64 { "ibv_reg_mr" } else { "ibv_reg_mr_iova" },
    before: |args| {
        let other = (iova != addr as u64).then_some(iova);
        registration(args, pd, addr, length, other, access);
    },
    after: registered,
}

exported! {
    "IBVERBS_1.12" fn ibv_reg_dmabuf_mr(
        pd: *mut ibv_pd,
        offset: u64,
        length: usize,
        iova: u64,
        fd: c_int,
        access: c_int,
    ) -> *mut ibv_mr,
    before: |args| {
        args.object("pd", Kind::Pd, pd);
        args.varying("offset", offset);
        args.size("length", length);
        args.varying("iova", iova);
        args.varying("fd", fd as u64);
        args.flags("access", ACCESS, access as u32);
    },
    after: registered,
}

fn registration(
    args: &mut Args,
    pd: *mut ibv_pd,
    addr: *mut c_void,
    length: usize,
    iova: Option<u64>,
    access: u32,
) {
    args.object("pd", Kind::Pd, pd);
    args.varying("addr", addr as u64);
    args.size("length", length);
    if let Some(iova) = iova {
        args.varying("iova", iova);
    }
    args.flags("access", ACCESS, access);
}

fn registered(mr: *mut ibv_mr, args: &mut Args) -> Returned {
    if !mr.is_null() {
        // SAFETY: the region the call made.
        let (lkey, rkey) = unsafe { ((*mr).lkey, (*mr).rkey) };
        args.varying("lkey", lkey);
        args.varying("rkey", rkey);
    }
    Returned::Handle(handles::made(Kind::Mr, mr))
}

exported! {
    "IBVERBS_1.1" fn ibv_rereg_mr(
        mr: *mut ibv_mr,
        flags: c_int,
        pd: *mut ibv_pd,
        addr: *mut c_void,
        length: usize,
        access: c_int,
    ) -> c_int,
    before: |args| {
        args.object("mr", Kind::Mr, mr);
        args.flags("flags", "ibv_rereg_mr_flags", flags as u32);
        args.optional("pd", Kind::Pd, pd);
        args.varying("addr", addr as u64);
        args.size("length", length);
        args.flags("access", ACCESS, access as u32);
    },
    after: |result, _| Returned::Int(i64::from(result)),
}

exported! {
    "IBVERBS_1.1" fn ibv_dereg_mr(mr: *mut ibv_mr) -> c_int,
    before: |args| args.forget("mr", Kind::Mr, mr),
    after: |result, args| args.destroyed(Kind::Mr, mr, result),
}

operation! {
    Operation::AllocMw: fn alloc_mw(pd: *mut ibv_pd, kind: ibv_mw_type::Type) -> *mut ibv_mw,
    of: (*pd).context,
    as: "ibv_alloc_mw",
    before: |args| {
        args.object("pd", Kind::Pd, pd);
        args.enumeration("type", "ibv_mw_type", kind);
    },
    after: |mw: *mut ibv_mw, args| {
        if !mw.is_null() {
            // SAFETY: the window the call made.
            args.varying("rkey", unsafe { (*mw).rkey });
        }
        Returned::Handle(handles::made(Kind::Mw, mw))
    },
}

operation! {
    Operation::DeallocMw: fn dealloc_mw(mw: *mut ibv_mw) -> c_int,
    of: (*mw).context,
    as: "ibv_dealloc_mw",
    before: |args| args.forget("mw", Kind::Mw, mw),
    after: |result, args| args.destroyed(Kind::Mw, mw, result),
}

operation! {
    Operation::BindMw: fn bind_mw(
        qp: *mut ibv_qp,
        mw: *mut ibv_mw,
        mw_bind: *mut ibv_mw_bind,
    ) -> c_int,
    of: (*qp).context,
    as: "ibv_bind_mw",
    before: |args| {
        args.object("qp", Kind::Qp, qp);
        args.object("mw", Kind::Mw, mw);
        // SAFETY: the caller passes a valid request.
        let bind = unsafe { &*mw_bind };
        args.wr_id(bind.wr_id);
        args.flags("send_flags", "ibv_send_flags", bind.send_flags);
        args.object("mr", Kind::Mr, bind.bind_info.mr);
        args.varying("addr", bind.bind_info.addr);
        args.int("length", bind.bind_info.length as i64);
        args.flags("mw_access_flags", ACCESS, bind.bind_info.mw_access_flags);
    },
    after: |result, _| Returned::Int(i64::from(result)),
}
