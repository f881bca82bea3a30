//! `runner trace`: any program under the preloaded tracer, its verbs calls as
//! text, and its failures explained in the reader's language.

mod command;
pub mod explain;
mod library;
mod render;

pub use command::{Language, Trace};
pub use explain::{Explanation, explain};
pub use render::render;
