//! Chapters become snippets, programs, records and pages.
//!
//! One direction, one module a stage:
//! chapters → snippets → programs → runs → records → panels → pages.

pub mod applies;
pub mod differ;
pub mod facts;
pub mod finding;
pub mod fold_sequence;
pub mod hash;
pub mod judge;
pub mod outcome;
pub mod record;
pub mod records;
pub mod seen;
pub mod snippet;
pub mod varies;
