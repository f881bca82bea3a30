//! From reports to pages: facts, verdicts, records, panels.

mod facts;
mod judge;
mod panels;
mod records;
mod sample;
mod site;
mod varies;
