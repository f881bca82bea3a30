//! What compilers are told.

use crate::snippet::Language;

/// Flags for C programs, next to those of `pkg-config`.
pub const C: &[&str] = &["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-O2"];

/// Flags that belong to the identity of a program. Those of Rust stand in the
/// manifest of `snippets/`.
pub fn of(language: Language) -> &'static [&'static str] {
    match language {
        Language::C => C,
        Language::Rust => &[],
    }
}
