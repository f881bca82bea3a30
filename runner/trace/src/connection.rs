//! The connection manager: librdmacm's calls, and the events it hands out.
//! Verbs calls that it makes on its own behalf are not recorded.

use std::ffi::{c_int, c_void};
use std::net::{IpAddr, SocketAddr};

use protocol::event::What;
use rdma_sys::{
    ibv_pd, ibv_qp_init_attr, rdma_cm_event, rdma_cm_id, rdma_conn_param, rdma_event_channel,
    rdma_port_space,
};

use crate::args::Args;
use crate::call::{self, exported};
use crate::handles::{self, Kind};
use crate::queue_pair;
use crate::record::Returned;

exported! {
    "RDMACM_1.0" fn rdma_create_event_channel() -> *mut rdma_event_channel,
    before: |_| {},
    after: |channel, _| Returned::Handle(handles::made(Kind::EventChannel, channel)),
}

exported! {
    "RDMACM_1.0" fn rdma_destroy_event_channel(channel: *mut rdma_event_channel),
    before: |args| args.forget("channel", Kind::EventChannel, channel),
    after: |(), _| Returned::Void,
}

exported! {
    "RDMACM_1.0" fn rdma_create_id(
        channel: *mut rdma_event_channel,
        id: *mut *mut rdma_cm_id,
        context: *mut c_void,
        ps: rdma_port_space::Type,
    ) -> c_int,
    before: |args| {
        args.object("channel", Kind::EventChannel, channel);
        args.varying("context", context as u64);
        args.enumeration("ps", "rdma_port_space", ps);
    },
    after: |result, args| {
        if result == 0 {
            // SAFETY: written by the call that succeeded.
            args.handle("id", handles::made(Kind::Id, unsafe { *id }));
        }
        Returned::Int(i64::from(result))
    },
}

exported! {
    "RDMACM_1.0" fn rdma_destroy_id(id: *mut rdma_cm_id) -> c_int,
    before: |args| args.forget("id", Kind::Id, id),
    after: |result, args| args.destroyed(Kind::Id, id, result),
}

exported! {
    "RDMACM_1.0" fn rdma_bind_addr(id: *mut rdma_cm_id, addr: *mut libc::sockaddr) -> c_int,
    before: |args| {
        args.object("id", Kind::Id, id);
        // SAFETY: the caller passes a valid address.
        unsafe { socket_address(args, "addr", addr) };
    },
    after: plain,
}

exported! {
    "RDMACM_1.0" fn rdma_resolve_addr(
        id: *mut rdma_cm_id,
        src_addr: *mut libc::sockaddr,
        dst_addr: *mut libc::sockaddr,
        timeout_ms: c_int,
    ) -> c_int,
    before: |args| {
        args.object("id", Kind::Id, id);
        // SAFETY: the caller passes valid addresses, the first may be null.
        unsafe {
            socket_address(args, "src_addr", src_addr);
            socket_address(args, "dst_addr", dst_addr);
        }
        args.int("timeout_ms", timeout_ms);
    },
    after: plain,
}

exported! {
    "RDMACM_1.0" fn rdma_resolve_route(id: *mut rdma_cm_id, timeout_ms: c_int) -> c_int,
    before: |args| {
        args.object("id", Kind::Id, id);
        args.int("timeout_ms", timeout_ms);
    },
    after: plain,
}

exported! {
    "RDMACM_1.0" fn rdma_create_qp(
        id: *mut rdma_cm_id,
        pd: *mut ibv_pd,
        qp_init_attr: *mut ibv_qp_init_attr,
    ) -> c_int,
    before: |args| {
        args.object("id", Kind::Id, id);
        args.object("pd", Kind::Pd, pd);
        // SAFETY: the caller passes valid attributes.
        queue_pair::initial(args, unsafe { &*qp_init_attr });
    },
    after: |result, args| {
        if result == 0 {
            // SAFETY: the id's QP, which the call made.
            args.object("id->qp", Kind::Qp, unsafe { (*id).qp });
        }
        Returned::Int(i64::from(result))
    },
}

exported! {
    "RDMACM_1.0" fn rdma_destroy_qp(id: *mut rdma_cm_id),
    before: |args| args.object("id", Kind::Id, id),
    after: |(), _| Returned::Void,
}

exported! {
    "RDMACM_1.0" fn rdma_connect(id: *mut rdma_cm_id, conn_param: *mut rdma_conn_param) -> c_int,
    before: |args| connection(args, id, conn_param),
    after: plain,
}

exported! {
    "RDMACM_1.0" fn rdma_accept(id: *mut rdma_cm_id, conn_param: *mut rdma_conn_param) -> c_int,
    before: |args| connection(args, id, conn_param),
    after: plain,
}

exported! {
    "RDMACM_1.0" fn rdma_listen(id: *mut rdma_cm_id, backlog: c_int) -> c_int,
    before: |args| {
        args.object("id", Kind::Id, id);
        args.int("backlog", backlog);
    },
    after: plain,
}

exported! {
    "RDMACM_1.0" fn rdma_reject(
        id: *mut rdma_cm_id,
        private_data: *const c_void,
        private_data_len: u8,
    ) -> c_int,
    before: |args| {
        args.object("id", Kind::Id, id);
        args.int("private_data_len", private_data_len);
    },
    after: plain,
}

exported! {
    "RDMACM_1.0" fn rdma_disconnect(id: *mut rdma_cm_id) -> c_int,
    before: |args| args.object("id", Kind::Id, id),
    after: plain,
}

exported! {
    "RDMACM_1.0" fn rdma_get_cm_event(
        channel: *mut rdma_event_channel,
        event: *mut *mut rdma_cm_event,
    ) -> c_int,
    before: |args| args.object("channel", Kind::EventChannel, channel),
    after: |result, args| {
        if result == 0 {
            // SAFETY: written by the call that succeeded.
            let event = unsafe { &**event };
            // The id of a connection request is new.
            args.handle("id", handles::made(Kind::Id, event.id));
            args.optional("listen_id", Kind::Id, event.listen_id);
            args.enumeration("event", "rdma_cm_event_type", event.event);
            args.int("status", event.status);
            let seen = What::Connection { event: event.event, status: event.status };
            call::write(call::now(), seen);
        }
        Returned::Int(i64::from(result))
    },
}

exported! {
    "RDMACM_1.0" fn rdma_ack_cm_event(event: *mut rdma_cm_event) -> c_int,
    before: |args| {
        // SAFETY: the caller passes an event it was given.
        args.enumeration("event", "rdma_cm_event_type", unsafe { (*event).event });
    },
    after: plain,
}

fn plain(result: c_int, _: &mut Args) -> Returned {
    Returned::Int(result.into())
}

fn connection(args: &mut Args, id: *mut rdma_cm_id, param: *const rdma_conn_param) {
    args.object("id", Kind::Id, id);
    // SAFETY: the caller passes valid parameters or null.
    if let Some(param) = unsafe { param.as_ref() } {
        args.group("conn_param", |args| {
            args.int("private_data_len", param.private_data_len);
            args.int("responder_resources", param.responder_resources);
            args.int("initiator_depth", param.initiator_depth);
            args.int("retry_count", param.retry_count);
            args.int("rnr_retry_count", param.rnr_retry_count);
        });
    }
}

/// # Safety
/// `address` is null or points to an address of its family's size.
unsafe fn socket_address(args: &mut Args, name: &'static str, address: *const libc::sockaddr) {
    if address.is_null() {
        return args.text(name, "NULL");
    }
    // SAFETY: the caller vouches for the address; the family says which kind
    // it is. Callers need not align it for the larger ones.
    let text = unsafe {
        match c_int::from((*address).sa_family) {
            libc::AF_INET => {
                let v4 = address.cast::<libc::sockaddr_in>().read_unaligned();
                let ip = IpAddr::from(v4.sin_addr.s_addr.to_ne_bytes());
                SocketAddr::new(ip, u16::from_be(v4.sin_port)).to_string()
            }
            libc::AF_INET6 => {
                let v6 = address.cast::<libc::sockaddr_in6>().read_unaligned();
                let ip = IpAddr::from(v6.sin6_addr.s6_addr);
                SocketAddr::new(ip, u16::from_be(v6.sin6_port)).to_string()
            }
            family => format!("family {family}"),
        }
    };
    args.text(name, &text);
}
