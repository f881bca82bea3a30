//! Chapters become snippets, programs, records and pages.
//!
//! One direction, one module a stage:
//! chapters → snippets → programs → runs → records → panels → pages.

pub mod snippet;
