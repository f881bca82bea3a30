//! The Rust programs of the book, one binary a snippet.
//!
//! Everything else in this folder is generated from the chapters by
//! `cargo xtask check --fix`: a module here holds the library part of a
//! snippet, `bin/` its program, `../c/` the C variant, and `../fails/` the
//! programs that must not compile.
