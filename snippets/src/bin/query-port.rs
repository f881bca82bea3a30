// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../query_port.rs"]
#[allow(dead_code, unused_imports)]
mod query_port;

#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use query_port::*;

// book/src/devices.md:463
use rdma_sys::*;
use std::ffi::CStr;
use std::{io, mem};
const PORT: u8 = 1;

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // Zeroed: an old provider fills in only the front of the structure.
    // 先清零：旧的用户态驱动库只填写结构的前一部分。
    // SAFETY: plain integers may all be zero.
    // 安全性：整数可以全为零。
    let mut port: ibv_port_attr = unsafe { mem::zeroed() };

    // SAFETY: the context is open and `port` is large enough.
    // 安全性：上下文已打开，`port` 足够大。
    let error = unsafe { ___ibv_query_port(context, PORT, &mut port) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    // SAFETY: the library gives a constant text for any value.
    // 安全性：对任何值，库都返回一段常量文字。
    let state = unsafe { CStr::from_ptr(ibv_port_state_str(port.state)) };
    println!("state {}", state.to_string_lossy());
    println!(
        "MTU code {}: {} bytes",
        port.active_mtu,
        mtu_bytes(port.active_mtu)
    );
    let gbps = f64::from(width_lanes(port.active_width)) * lane_gbps(port.active_speed);
    println!(
        "width code {} x speed code {}: {gbps:.1} Gb/s",
        port.active_width, port.active_speed
    );
    // SAFETY: nothing was made from the context.
    // 安全性：没有从这个上下文创建任何对象。
    if unsafe { ibv_close_device(context) } != 0 {
        return Err(io::Error::last_os_error());
    }
    match port.state {
        ibv_port_state::IBV_PORT_ACTIVE => Ok(()),
        _ => Err(io::Error::other("the port is not active")),
    }
}
