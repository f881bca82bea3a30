//! Work requests. Taken down before the call: once posted, another thread may
//! see the completion and use the request's memory again.

use std::ffi::c_int;

use rdma_sys::{ibv_qp, ibv_recv_wr, ibv_send_wr, ibv_sge, ibv_srq, ibv_wr_opcode};

use crate::args::{Args, SHOWN};
use crate::context::{Operation, operation};
use crate::handles::Kind;
use crate::record::Returned;

operation! {
    Operation::PostSend: fn post_send(
        qp: *mut ibv_qp,
        wr: *mut ibv_send_wr,
        bad_wr: *mut *mut ibv_send_wr,
    ) -> c_int,
    of: (*qp).context,
    as: "ibv_post_send",
    before: |args| {
        args.object("qp", Kind::Qp, qp);
        // SAFETY: the caller passes a valid QP and a chain of valid requests.
        unsafe {
            args.group("wr", |args| chain(args, wr, send_request));
            args.enumeration("qp->state", "ibv_qp_state", (*qp).state);
        }
    },
    // SAFETY: as above; `bad_wr` is written when the call fails.
    after: |result, args| unsafe { posted(args, wr, bad_wr, result) },
}

operation! {
    Operation::PostRecv: fn post_recv(
        qp: *mut ibv_qp,
        wr: *mut ibv_recv_wr,
        bad_wr: *mut *mut ibv_recv_wr,
    ) -> c_int,
    of: (*qp).context,
    as: "ibv_post_recv",
    before: |args| {
        args.object("qp", Kind::Qp, qp);
        // SAFETY: the caller passes a chain of valid requests.
        unsafe { args.group("wr", |args| chain(args, wr, receive_request)) };
    },
    // SAFETY: as above; `bad_wr` is written when the call fails.
    after: |result, args| unsafe { posted(args, wr, bad_wr, result) },
}

operation! {
    Operation::PostSrqRecv: fn post_srq_recv(
        srq: *mut ibv_srq,
        wr: *mut ibv_recv_wr,
        bad_wr: *mut *mut ibv_recv_wr,
    ) -> c_int,
    of: (*srq).context,
    as: "ibv_post_srq_recv",
    before: |args| {
        args.object("srq", Kind::Srq, srq);
        // SAFETY: the caller passes a chain of valid requests.
        unsafe { args.group("wr", |args| chain(args, wr, receive_request)) };
    },
    // SAFETY: as above; `bad_wr` is written when the call fails.
    after: |result, args| unsafe { posted(args, wr, bad_wr, result) },
}

/// A request that is linked to the next.
trait Linked {
    fn next(&self) -> *mut Self;
}

impl Linked for ibv_send_wr {
    fn next(&self) -> *mut Self {
        self.next
    }
}

impl Linked for ibv_recv_wr {
    fn next(&self) -> *mut Self {
        self.next
    }
}

/// # Safety
/// `wr` is null or the first of a chain of valid requests.
unsafe fn chain<W: Linked>(args: &mut Args, wr: *mut W, show: unsafe fn(&mut Args, &W)) {
    let mut wr = wr;
    let mut index = 0;
    // SAFETY: the caller vouches for the chain.
    while let Some(request) = unsafe { wr.as_ref() } {
        if index < SHOWN {
            // SAFETY: as above.
            args.member(index, |args| unsafe { show(args, request) });
        }
        index += 1;
        wr = request.next();
    }
    if index > SHOWN {
        args.size("more", index - SHOWN);
    }
}

/// # Safety
/// `wr` is a chain of valid requests; `bad_wr` is null or was written.
unsafe fn posted<W: Linked>(
    args: &mut Args,
    wr: *mut W,
    bad_wr: *mut *mut W,
    result: c_int,
) -> Returned {
    if result != 0 && !bad_wr.is_null() {
        // SAFETY: the caller vouches for both. A failed call leaves the chain
        // with the program, so walking it is sound.
        unsafe {
            let bad = *bad_wr;
            let mut wr = wr;
            let mut index = 0;
            while !wr.is_null() && wr != bad {
                wr = (*wr).next();
                index += 1;
            }
            if !wr.is_null() {
                args.size("bad_wr", index);
            }
        }
    }
    Returned::Int(result.into())
}

/// # Safety
/// `wr` is valid and so is its scatter/gather list.
unsafe fn send_request(args: &mut Args, wr: &ibv_send_wr) {
    use ibv_wr_opcode::*;
    args.wr_id(wr.wr_id);
    args.enumeration("opcode", "ibv_wr_opcode", wr.opcode);
    args.flags("send_flags", "ibv_send_flags", wr.send_flags);
    // SAFETY: the caller vouches for the list.
    unsafe { elements(args, wr.sg_list, wr.num_sge) };
    // SAFETY: the opcode says which member of each union is in use; all of
    // them are plain numbers.
    unsafe {
        match wr.opcode {
            IBV_WR_RDMA_WRITE | IBV_WR_RDMA_WRITE_WITH_IMM | IBV_WR_RDMA_READ => {
                args.varying("remote_addr", wr.wr.rdma.remote_addr);
                args.varying("rkey", wr.wr.rdma.rkey);
            }
            IBV_WR_ATOMIC_CMP_AND_SWP | IBV_WR_ATOMIC_FETCH_AND_ADD => {
                args.varying("remote_addr", wr.wr.atomic.remote_addr);
                args.varying("rkey", wr.wr.atomic.rkey);
                args.int("compare_add", wr.wr.atomic.compare_add as i64);
                if wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP {
                    args.int("swap", wr.wr.atomic.swap as i64);
                }
            }
            _ => {}
        }
        let extra = &wr.imm_data_invalidated_rkey_union;
        match wr.opcode {
            IBV_WR_SEND_WITH_IMM | IBV_WR_RDMA_WRITE_WITH_IMM => {
                args.int("imm_data", u32::from_be(extra.imm_data));
            }
            IBV_WR_LOCAL_INV | IBV_WR_SEND_WITH_INV => {
                args.varying("invalidate_rkey", extra.invalidated_rkey);
            }
            _ => {}
        }
    }
}

/// # Safety
/// `wr` is valid and so is its scatter/gather list.
unsafe fn receive_request(args: &mut Args, wr: &ibv_recv_wr) {
    args.wr_id(wr.wr_id);
    // SAFETY: the caller vouches for the list.
    unsafe { elements(args, wr.sg_list, wr.num_sge) };
}

/// # Safety
/// `list` has `count` valid elements.
unsafe fn elements(args: &mut Args, list: *const ibv_sge, count: c_int) {
    args.int("num_sge", count);
    if list.is_null() || count <= 0 {
        return;
    }
    args.group("sg_list", |args| {
        for i in 0..(count as usize).min(SHOWN) {
            // SAFETY: the caller vouches for the list.
            let element = unsafe { &*list.add(i) };
            args.member(i, |args| {
                args.varying("addr", element.addr);
                args.int("length", element.length);
                args.varying("lkey", element.lkey);
            });
        }
    });
}
