//! Which page of the manual treats which topic.

pub const DEVICES: &str = "devices.html";
pub const MEMORY: &str = "memory.html";
pub const COMPLETIONS: &str = "completions.html";
pub const QUEUE_PAIRS: &str = "queue-pairs.html";
pub const CONNECTING: &str = "connecting.html";
pub const DATA: &str = "data.html";
pub const FAILURES: &str = "failures.html";
pub const TEARDOWN: &str = "teardown.html";
