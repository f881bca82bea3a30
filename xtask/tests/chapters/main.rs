//! From chapters to programs: one module a topic.

mod compiling;
mod exporting;
mod fixture;
mod messages;
mod passages;
mod places;
mod rough;
mod scaffolding;
mod tangling;
