//! Queue pairs.

use std::ffi::c_int;

use rdma_sys::{
    ibv_gid, ibv_pd, ibv_qp, ibv_qp_attr, ibv_qp_attr_mask, ibv_qp_cap, ibv_qp_init_attr,
};

use crate::address_handle;
use crate::args::Args;
use crate::call::exported;
use crate::handles::{self, Kind};
use crate::record::Returned;

exported! {
    "IBVERBS_1.1" fn ibv_create_qp(
        pd: *mut ibv_pd,
        qp_init_attr: *mut ibv_qp_init_attr,
    ) -> *mut ibv_qp,
    before: |args| {
        args.object("pd", Kind::Pd, pd);
        // SAFETY: the caller passes valid attributes.
        initial(args, unsafe { &*qp_init_attr });
    },
    // SAFETY: the call wrote back what it allocated.
    after: |qp, args| created(args, qp, unsafe { &(*qp_init_attr).cap }),
}

/// What a QP is to be.
pub fn initial(args: &mut Args, init: &ibv_qp_init_attr) {
    args.group("qp_init_attr", |args| {
        args.object("send_cq", Kind::Cq, init.send_cq);
        args.object("recv_cq", Kind::Cq, init.recv_cq);
        args.optional("srq", Kind::Srq, init.srq);
        capacity(args, "cap", &init.cap);
        args.enumeration("qp_type", "ibv_qp_type", init.qp_type);
        args.int("sq_sig_all", init.sq_sig_all);
    });
}

fn capacity(args: &mut Args, name: &'static str, cap: &ibv_qp_cap) {
    args.group(name, |args| {
        args.int("max_send_wr", cap.max_send_wr);
        args.int("max_recv_wr", cap.max_recv_wr);
        args.int("max_send_sge", cap.max_send_sge);
        args.int("max_recv_sge", cap.max_recv_sge);
        args.int("max_inline_data", cap.max_inline_data);
    });
}

/// A new QP, with its number and the sizes it was given.
pub fn created(args: &mut Args, qp: *mut ibv_qp, granted: &ibv_qp_cap) -> Returned {
    let handle = handles::made(Kind::Qp, qp);
    if !qp.is_null() {
        // SAFETY: the QP the call made.
        let (context, qp_num) = unsafe { ((*qp).context, (*qp).qp_num) };
        capacity(args, "granted", granted);
        args.varying("qp_num", qp_num);
        handles::name_qp(handles::of(Kind::Context, context).number, qp_num, handle);
    }
    Returned::Handle(handle)
}

exported! {
    "IBVERBS_1.1" fn ibv_modify_qp(
        qp: *mut ibv_qp,
        attr: *mut ibv_qp_attr,
        attr_mask: c_int,
    ) -> c_int,
    before: |args| {
        args.object("qp", Kind::Qp, qp);
        // The library's own notion: a failed transition is explained by it.
        // SAFETY: the caller passes a valid QP and attributes.
        let (qp, attr) = unsafe { (&*qp, &*attr) };
        args.flags("attr_mask", "ibv_qp_attr_mask", attr_mask as u32);
        args.group("attr", |args| attributes(args, attr, attr_mask as u32));
        args.enumeration("qp->state", "ibv_qp_state", qp.state);
        args.enumeration("qp->qp_type", "ibv_qp_type", qp.qp_type);
    },
    after: |result, _| Returned::Int(i64::from(result)),
}

exported! {
    "IBVERBS_1.1" fn ibv_query_qp(
        qp: *mut ibv_qp,
        attr: *mut ibv_qp_attr,
        attr_mask: c_int,
        init_attr: *mut ibv_qp_init_attr,
    ) -> c_int,
    before: |args| {
        args.object("qp", Kind::Qp, qp);
        args.flags("attr_mask", "ibv_qp_attr_mask", attr_mask as u32);
    },
    after: |result, args| {
        if result == 0 {
            // SAFETY: filled in by the call that succeeded.
            let (attr, init) = unsafe { (&*attr, &*init_attr) };
            args.group("attr", |args| attributes(args, attr, attr_mask as u32));
            args.group("init_attr", |args| {
                capacity(args, "cap", &init.cap);
                args.int("sq_sig_all", init.sq_sig_all);
            });
        }
        Returned::Int(i64::from(result))
    },
}

exported! {
    "IBVERBS_1.1" fn ibv_destroy_qp(qp: *mut ibv_qp) -> c_int,
    before: |args| {
        args.forget("qp", Kind::Qp, qp);
        // SAFETY: the caller passes a valid QP.
        let (context, qp_num) = unsafe { ((*qp).context, (*qp).qp_num) };
        handles::unname_qp(handles::of(Kind::Context, context).number, qp_num);
    },
    after: |result, args| {
        let returned = args.destroyed(Kind::Qp, qp, result);
        if result != 0 {
            // SAFETY: the QP is still there.
            let (context, qp_num) = unsafe { ((*qp).context, (*qp).qp_num) };
            let context = handles::of(Kind::Context, context).number;
            handles::name_qp(context, qp_num, handles::of(Kind::Qp, qp));
        }
        returned
    },
}

exported! {
    "IBVERBS_1.1" fn ibv_attach_mcast(qp: *mut ibv_qp, gid: *const ibv_gid, lid: u16) -> c_int,
    before: |args| multicast(args, qp, gid, lid),
    after: |result, _| Returned::Int(i64::from(result)),
}

exported! {
    "IBVERBS_1.1" fn ibv_detach_mcast(qp: *mut ibv_qp, gid: *const ibv_gid, lid: u16) -> c_int,
    before: |args| multicast(args, qp, gid, lid),
    after: |result, _| Returned::Int(i64::from(result)),
}

fn multicast(args: &mut Args, qp: *mut ibv_qp, gid: *const ibv_gid, lid: u16) {
    args.object("qp", Kind::Qp, qp);
    // SAFETY: the caller passes a valid GID.
    args.gid("gid", unsafe { &*gid });
    args.int("lid", lid);
}

/// The attributes that the mask names, in the order of its bits.
pub fn attributes(args: &mut Args, attr: &ibv_qp_attr, mask: u32) {
    type Mask = ibv_qp_attr_mask;
    let set = |bit: Mask| mask & bit.0 != 0;
    if set(Mask::IBV_QP_STATE) {
        args.enumeration("qp_state", "ibv_qp_state", attr.qp_state);
    }
    if set(Mask::IBV_QP_CUR_STATE) {
        args.enumeration("cur_qp_state", "ibv_qp_state", attr.cur_qp_state);
    }
    if set(Mask::IBV_QP_EN_SQD_ASYNC_NOTIFY) {
        args.int("en_sqd_async_notify", attr.en_sqd_async_notify);
    }
    if set(Mask::IBV_QP_ACCESS_FLAGS) {
        args.flags("qp_access_flags", "ibv_access_flags", attr.qp_access_flags);
    }
    if set(Mask::IBV_QP_PKEY_INDEX) {
        args.int("pkey_index", attr.pkey_index);
    }
    if set(Mask::IBV_QP_PORT) {
        args.int("port_num", attr.port_num);
    }
    if set(Mask::IBV_QP_QKEY) {
        args.int("qkey", attr.qkey);
    }
    if set(Mask::IBV_QP_AV) {
        address_handle::attributes(args, "ah_attr", &attr.ah_attr);
    }
    if set(Mask::IBV_QP_PATH_MTU) {
        args.enumeration("path_mtu", "ibv_mtu", attr.path_mtu);
    }
    reliability(args, attr, mask);
}

/// The later half of the bits, most of which only RC has.
fn reliability(args: &mut Args, attr: &ibv_qp_attr, mask: u32) {
    type Mask = ibv_qp_attr_mask;
    let set = |bit: Mask| mask & bit.0 != 0;
    if set(Mask::IBV_QP_TIMEOUT) {
        args.int("timeout", attr.timeout);
    }
    if set(Mask::IBV_QP_RETRY_CNT) {
        args.int("retry_cnt", attr.retry_cnt);
    }
    if set(Mask::IBV_QP_RNR_RETRY) {
        args.int("rnr_retry", attr.rnr_retry);
    }
    if set(Mask::IBV_QP_RQ_PSN) {
        args.varying("rq_psn", attr.rq_psn);
    }
    if set(Mask::IBV_QP_MAX_QP_RD_ATOMIC) {
        args.int("max_rd_atomic", attr.max_rd_atomic);
    }
    if set(Mask::IBV_QP_ALT_PATH) {
        address_handle::attributes(args, "alt_ah_attr", &attr.alt_ah_attr);
        args.int("alt_pkey_index", attr.alt_pkey_index);
        args.int("alt_port_num", attr.alt_port_num);
        args.int("alt_timeout", attr.alt_timeout);
    }
    if set(Mask::IBV_QP_MIN_RNR_TIMER) {
        args.int("min_rnr_timer", attr.min_rnr_timer);
    }
    if set(Mask::IBV_QP_SQ_PSN) {
        args.varying("sq_psn", attr.sq_psn);
    }
    if set(Mask::IBV_QP_MAX_DEST_RD_ATOMIC) {
        args.int("max_dest_rd_atomic", attr.max_dest_rd_atomic);
    }
    if set(Mask::IBV_QP_PATH_MIG_STATE) {
        args.enumeration("path_mig_state", "ibv_mig_state", attr.path_mig_state);
    }
    if set(Mask::IBV_QP_CAP) {
        capacity(args, "cap", &attr.cap);
    }
    if set(Mask::IBV_QP_DEST_QPN) {
        args.varying("dest_qp_num", attr.dest_qp_num);
    }
    if set(Mask::IBV_QP_RATE_LIMIT) {
        args.int("rate_limit", attr.rate_limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(mask: u32) -> Vec<String> {
        // SAFETY: plain numbers, for which all zero is valid.
        let attr: ibv_qp_attr = unsafe { std::mem::zeroed() };
        let mut args = Args::default();
        attributes(&mut args, &attr, mask);
        args.read_back().into_iter().map(|arg| arg.name).collect()
    }

    #[test]
    fn only_the_attributes_that_the_mask_names_are_shown() {
        type M = ibv_qp_attr_mask;
        let to_init =
            M::IBV_QP_STATE | M::IBV_QP_PKEY_INDEX | M::IBV_QP_PORT | M::IBV_QP_ACCESS_FLAGS;
        assert_eq!(
            names(to_init.0),
            ["qp_state", "qp_access_flags", "pkey_index", "port_num"]
        );
        assert_eq!(names(0), [""; 0]);
    }

    #[test]
    fn every_bit_of_the_mask_shows_something() {
        let known = protocol::names::enumeration("ibv_qp_attr_mask").unwrap();
        for (name, bit) in known.members {
            assert!(!names(*bit as u32).is_empty(), "{name} shows nothing");
        }
    }
}
