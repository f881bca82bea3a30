//! Testbeds, runs and traces: takes a job, gives a report; knows nothing of
//! Markdown.

pub mod agent;
pub mod command;
pub mod daemon;
pub mod guest;
pub mod local;
pub mod qemu;
pub mod run;
pub mod testbed;
pub mod trace;
pub mod wire;
