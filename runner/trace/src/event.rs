//! Asynchronous events.

use std::ffi::c_int;

use protocol::event::What;
use rdma_sys::{ibv_async_event, ibv_context};

use crate::call::{self, exported};
use crate::handles::{self, Kind};
use crate::record::{Handle, Returned};

exported! {
    "IBVERBS_1.1" fn ibv_get_async_event(
        context: *mut ibv_context,
        event: *mut ibv_async_event,
    ) -> c_int,
    before: |args| args.object("context", Kind::Context, context),
    after: |result, args| {
        if result == 0 {
            // SAFETY: filled in by the call that succeeded.
            let (kind, object) = unsafe { read(event) };
            args.enumeration("event_type", "ibv_event_type", kind);
            call::write(call::now(), What::Async { event: kind, object: Some(object.into()) });
        }
        Returned::Int(i64::from(result))
    },
}

exported! {
    "IBVERBS_1.1" fn ibv_ack_async_event(event: *mut ibv_async_event),
    before: |args| {
        // SAFETY: the caller passes an event it was given.
        let (kind, object) = unsafe { read(event) };
        args.enumeration("event_type", "ibv_event_type", kind);
        args.handle("element", object);
    },
    after: |(), _| Returned::Void,
}

/// The kind of an event and the object it is about. The kind is read as a
/// number: a newer library may know more kinds than the bindings.
///
/// # Safety
/// `event` was filled in by the library.
unsafe fn read(event: *const ibv_async_event) -> (u32, Handle) {
    // SAFETY: the caller vouches for the event; the kind says which member of
    // the union is in use.
    unsafe {
        let kind = *(&raw const (*event).event_type).cast::<u32>();
        let element = &(*event).element;
        let object = match kind {
            CQ_ERR => handles::of(Kind::Cq, element.cq),
            QP_FATAL..=PATH_MIG_ERR | QP_LAST_WQE_REACHED => handles::of(Kind::Qp, element.qp),
            SRQ_ERR | SRQ_LIMIT_REACHED => handles::of(Kind::Srq, element.srq),
            WQ_FATAL => Handle {
                kind: "wq",
                number: handles::UNKNOWN,
            },
            _ => Handle {
                kind: Kind::Port.name(),
                number: element.port_num as u32,
            },
        };
        (kind, object)
    }
}

// Values of `ibv_event_type`.
const CQ_ERR: u32 = 0;
const QP_FATAL: u32 = 1;
const PATH_MIG_ERR: u32 = 7;
const SRQ_ERR: u32 = 14;
const SRQ_LIMIT_REACHED: u32 = 15;
const QP_LAST_WQE_REACHED: u32 = 16;
const WQ_FATAL: u32 = 19;
