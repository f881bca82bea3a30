//! The library travels to a node: without the standard library's debug
//! information it is a tenth of the size.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,--strip-debug");
    println!("cargo::rerun-if-changed=build.rs");
}
