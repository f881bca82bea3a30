//! Device contexts and their operations.
//!
//! The inline functions of `infiniband/verbs.h` call through pointers in the
//! context: `context->ops` and, in front of it, the members of
//! `verbs_context`. When a context is opened the pointers are exchanged for
//! stand-ins, and what was there is kept to be called.

use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use rdma_sys::{ibv_context, verbs_context};

use crate::handles::{self, Kind};
use crate::record::Handle;
use crate::{completion, data, extended, log, memory};

/// An operation that has a stand-in.
#[derive(Clone, Copy)]
#[repr(usize)]
pub enum Operation {
    AllocMw,
    BindMw,
    DeallocMw,
    PollCq,
    ReqNotifyCq,
    PostSrqRecv,
    PostSend,
    PostRecv,
    QueryPort,
    QueryDeviceEx,
    CreateCqEx,
    CreateQpEx,
    CreateSrqEx,
    ModifyCq,
    AllocNullMr,
}

const OPERATIONS: usize = Operation::AllocNullMr as usize + 1;

struct StandIn {
    operation: Operation,
    /// From the start of `verbs_context`.
    offset: usize,
    address: usize,
}

/// Offset of a member of `context.ops` within `verbs_context`.
macro_rules! basic {
    ($member:ident) => {
        offset_of!(verbs_context, context.ops.$member)
    };
}

macro_rules! extension {
    ($member:ident) => {
        offset_of!(verbs_context, $member)
    };
}

fn stand_ins() -> [StandIn; OPERATIONS] {
    use Operation::*;
    [
        (
            AllocMw,
            basic!(alloc_mw),
            memory::alloc_mw as *const () as usize,
        ),
        (
            BindMw,
            basic!(bind_mw),
            memory::bind_mw as *const () as usize,
        ),
        (
            DeallocMw,
            basic!(dealloc_mw),
            memory::dealloc_mw as *const () as usize,
        ),
        (
            PollCq,
            basic!(poll_cq),
            completion::poll_cq as *const () as usize,
        ),
        (
            ReqNotifyCq,
            basic!(req_notify_cq),
            completion::req_notify_cq as *const () as usize,
        ),
        (
            PostSrqRecv,
            basic!(post_srq_recv),
            data::post_srq_recv as *const () as usize,
        ),
        (
            PostSend,
            basic!(post_send),
            data::post_send as *const () as usize,
        ),
        (
            PostRecv,
            basic!(post_recv),
            data::post_recv as *const () as usize,
        ),
        (
            QueryPort,
            extension!(query_port),
            extended::query_port as *const () as usize,
        ),
        (
            QueryDeviceEx,
            extension!(query_device_ex),
            extended::query_device_ex as *const () as usize,
        ),
        (
            CreateCqEx,
            extension!(create_cq_ex),
            extended::create_cq_ex as *const () as usize,
        ),
        (
            CreateQpEx,
            extension!(create_qp_ex),
            extended::create_qp_ex as *const () as usize,
        ),
        (
            CreateSrqEx,
            extension!(create_srq_ex),
            extended::create_srq_ex as *const () as usize,
        ),
        (
            ModifyCq,
            extension!(modify_cq),
            extended::modify_cq as *const () as usize,
        ),
        (
            AllocNullMr,
            extension!(alloc_null_mr),
            extended::alloc_null_mr as *const () as usize,
        ),
    ]
    .map(|(operation, offset, address)| StandIn {
        operation,
        offset,
        address,
    })
}

/// What a context's pointers were before they were exchanged.
struct Kept {
    context: AtomicPtr<ibv_context>,
    operations: [AtomicUsize; OPERATIONS],
}

/// More contexts than this at one time are left as they are.
const CONTEXTS: usize = 64;

static KEPT: [Kept; CONTEXTS] = [const {
    Kept {
        context: AtomicPtr::new(std::ptr::null_mut()),
        operations: [const { AtomicUsize::new(0) }; OPERATIONS],
    }
}; CONTEXTS];

/// Takes a context into the books and exchanges its operations.
pub fn opened(context: *mut ibv_context) -> Handle {
    if !context.is_null() && log::enabled() {
        exchange(context);
    }
    handles::made(Kind::Context, context)
}

fn exchange(context: *mut ibv_context) {
    // Set for ever, so that two threads never fill in one slot.
    let free = |kept: &&Kept| {
        kept.context
            .compare_exchange(
                std::ptr::null_mut(),
                context,
                Ordering::AcqRel,
                Ordering::Relaxed,
            )
            .is_ok()
    };
    let Some(kept) = KEPT.iter().find(free) else {
        return;
    };
    for stand_in in stand_ins() {
        if let Some(pointer) = pointer(context, stand_in.offset) {
            // SAFETY: a function pointer inside the context just opened, which
            // no other thread knows yet.
            unsafe {
                let before = *pointer;
                if before != 0 {
                    kept.operations[stand_in.operation as usize].store(before, Ordering::Release);
                    *pointer = stand_in.address;
                }
            }
        }
    }
}

/// Where the context has this operation, if it is large enough to have it.
fn pointer(context: *mut ibv_context, offset: usize) -> Option<*mut usize> {
    let own = offset_of!(verbs_context, context);
    let whole = (context as usize - own) as *mut verbs_context;
    // SAFETY: `abi_compat` says that the context is the last member of a
    // `verbs_context`; `sz` says how much of the latter is there.
    let present = offset > own
        || unsafe {
            (*context).abi_compat == EXTENDED as *mut c_void
                && (*whole).sz >= size_of::<verbs_context>() - offset
        };
    present.then_some((whole as usize + offset) as *mut usize)
}

/// `__VERBS_ABI_IS_EXTENDED`: all bits set.
const EXTENDED: usize = usize::MAX;

/// Takes [`closing`] back: the context could not be closed.
pub fn still_open(context: *mut ibv_context) {
    if log::enabled() {
        exchange(context);
    }
}

/// Forgets a context about to be closed.
pub fn closing(context: *mut ibv_context) -> Handle {
    for kept in &KEPT {
        if kept.context.load(Ordering::Acquire) == context {
            restore(context, kept);
            kept.context.store(std::ptr::null_mut(), Ordering::Release);
        }
    }
    handles::forget(Kind::Context, context)
}

fn restore(context: *mut ibv_context, kept: &Kept) {
    for stand_in in stand_ins() {
        let before = kept.operations[stand_in.operation as usize].swap(0, Ordering::AcqRel);
        if before != 0
            && let Some(pointer) = pointer(context, stand_in.offset)
        {
            // SAFETY: the context is still open, and a program that closes it
            // has no other thread use it.
            unsafe { *pointer = before };
        }
    }
}

/// The address of the operation a stand-in stands for; 0 when there is none.
pub fn original(context: *mut ibv_context, operation: Operation) -> usize {
    KEPT.iter()
        .find(|kept| kept.context.load(Ordering::Acquire) == context)
        .map_or(0, |kept| {
            kept.operations[operation as usize].load(Ordering::Acquire)
        })
}

/// Defines the stand-in for an operation of a context, as `exported!` does
/// for a function; `of` is the context it belongs to.
macro_rules! operation {
    (
        $operation:path: fn $name:ident ($($arg:ident: $type:ty),* $(,)?) -> $ret:ty,
        of: $context:expr,
        as: $report:expr,
        before: $before:expr,
        after: $after:expr $(,)?
    ) => {
        /// # Safety
        /// As the inline function of the header asks that calls it.
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) -> $ret {
            type Signature = unsafe extern "C-unwind" fn($($type),*) -> $ret;
            // Some of these have the context itself for a parameter.
            #[allow(unused_unsafe)]
            let call = || {
                // SAFETY: the caller passes objects of an open context.
                let address = $crate::context::original(unsafe { $context }, $operation);
                if address == 0 {
                    return $crate::original::Missing::missing();
                }
                // SAFETY: this operation's own address, so it has this
                // signature; the caller vouches for the arguments.
                unsafe { std::mem::transmute::<usize, Signature>(address)($($arg),*) }
            };
            $crate::call::traced($report, $before, call, $after)
        }
    };
}
pub(crate) use operation;
