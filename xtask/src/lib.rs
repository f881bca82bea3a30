//! Chapters become snippets, programs, records and pages.
//!
//! One direction, one module a stage:
//! chapters → snippets → programs → runs → records → panels → pages.

pub mod applies;
pub mod assemble;
pub mod book;
pub mod chapter;
pub mod cli;
pub mod commands;
pub mod comment;
pub mod compile;
pub mod declare;
pub mod diagnose;
pub mod differ;
pub mod exit;
pub mod expect;
pub mod export;
pub mod facts;
pub mod fence;
pub mod finding;
pub mod flags;
pub mod fold;
pub mod fold_sequence;
pub mod gather;
pub mod hash;
pub mod id;
pub mod judge;
pub mod outcome;
pub mod page_state;
pub mod panel;
pub mod passage;
pub mod position;
pub mod problem;
pub mod program_view;
pub mod record;
pub mod records;
pub mod seen;
pub mod server;
pub mod site;
pub mod snippet;
pub mod stray;
pub mod summary;
pub mod tangle;
pub mod varies;
pub mod visible;
pub mod wording;
