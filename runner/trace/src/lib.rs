//! The preloaded tracer: sees the verbs calls a program makes, without a
//! change to the program.
//!
//! Loaded with `LD_PRELOAD` and told by `RDMA_TRACE_LOG` where to write, it
//! stands in for the exported functions of libibverbs and librdmacm and, for
//! each device context opened, for the operations that the inline functions
//! of `infiniband/verbs.h` call. Each call passes through unchanged; what went
//! in and what came out is appended to a log that outlives the process. With
//! no `RDMA_TRACE_LOG` every call passes straight through.
//!
//! What it does not see: functions a program looks up itself with `dlsym` or
//! `dlvsym` on a library handle, and the work requests posted through
//! `ibv_wr_*`.

mod address_handle;
mod args;
mod call;
mod completion;
mod connection;
mod context;
mod data;
mod device;
mod event;
mod extended;
mod handles;
mod log;
mod memory;
mod original;
mod protection;
mod queue_pair;
mod record;
mod srq;
