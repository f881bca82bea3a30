// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#[path = "../choose_gid.rs"]
#[allow(dead_code, unused_imports)]
mod choose_gid;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;

#[allow(unused_imports)]
use choose_gid::*;
#[allow(unused_imports)]
use open_device::*;

// book/src/devices.md:703
use rdma_sys::*;
use std::io;
use std::net::Ipv6Addr;
const PORT: u8 = 1;

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    let entry = choose_gid(context, PORT)?;
    // SAFETY: every bit pattern is valid as 16 bytes.
    // 安全性：任何位模式都是合法的 16 个字节。
    let address = Ipv6Addr::from(unsafe { entry.gid.raw });
    let address = address.to_ipv4_mapped().ok_or(io::ErrorKind::InvalidData)?;
    println!("RoCE v2 GID at index {}: {address}", entry.gid_index);
    // SAFETY: nothing was made from the context.
    // 安全性：没有从这个上下文创建任何对象。
    match unsafe { ibv_close_device(context) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
