//! The one small set of types at which the parts of this project meet.
//!
//! `xtask` turns a chapter's snippet into a [`job::Job`]; `runner` carries it
//! out on a testbed and answers with a [`report::Report`]; the preloaded
//! tracer writes [`event::Event`]s into the log that a report carries.

pub mod convention;
pub mod event;
pub mod job;
pub mod log;
pub mod names;
pub mod report;

/// Raised when a job, a report or a trace written by one version can no longer
/// be read by another. Part of every record's hash.
pub const PROTOCOL: u32 = 1;
