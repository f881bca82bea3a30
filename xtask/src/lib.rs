//! Chapters become snippets, programs, records and pages.
//!
//! One direction, one module a stage:
//! chapters → snippets → programs → runs → records → panels → pages.

pub mod applies;
pub mod differ;
pub mod facts;
pub mod finding;
pub mod fold_sequence;
pub mod judge;
pub mod outcome;
pub mod seen;
pub mod snippet;
