//! From what was kept of runs to what `verify` prints.

mod command;
mod fixture;
mod keys;
mod report;
mod retry;
