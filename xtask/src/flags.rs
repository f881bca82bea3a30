//! What compilers are told.

use crate::snippet::Language;

/// Flags for C programs, next to those of `pkg-config`.
pub const C: &[&str] = &["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-O2", "-g1"];

/// Flags for Rust programs, as the manifests say them to cargo.
pub const RUST: &[&str] = &["--edition=2021", "-Copt-level=2"];

/// Flags that belong to the identity of a program.
pub fn of(language: Language) -> &'static [&'static str] {
    match language {
        Language::C => C,
        Language::Rust => RUST,
    }
}
