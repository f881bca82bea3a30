//! An independent second check of the Rust blocks that stand outside snippets:
//! `cargo test -p readme` compiles and runs them.

#[cfg(test)]
mod blocks {
    include!(concat!(env!("OUT_DIR"), "/skeptic-tests.rs"));
}
