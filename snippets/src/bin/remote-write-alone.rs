// Generated from book/src/failures.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/failures.md 生成：请修改章节，不要修改本文件。

#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;
#[path = "../remote_write_alone.rs"]
#[allow(dead_code, unused_imports)]
mod remote_write_alone;

#[allow(unused_imports)]
use open_device::*;
#[allow(unused_imports)]
use register_memory::*;
#[allow(unused_imports)]
use remote_write_alone::*;

// book/src/failures.md:724
use rdma_sys::*;
use std::io;
const LENGTH: usize = 4096;

fn main() -> io::Result<()> {
    let context = open_device(None)?;
    // SAFETY: the context is open.
    // 安全性：上下文已打开。
    let pd = unsafe { ibv_alloc_pd(context) };
    if pd.is_null() {
        return Err(io::Error::last_os_error());
    }
    match register_buffer(pd, LENGTH, ibv_access_flags::IBV_ACCESS_REMOTE_WRITE) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            println!("REMOTE_WRITE alone: refused");
        }
        Err(error) => return Err(error),
        Ok(_) => return Err(io::Error::other("REMOTE_WRITE alone: registered")),
    }

    // Once more, with the missing right.
    // 再来一次，补上缺少的权限。
    let access =
        ibv_access_flags::IBV_ACCESS_LOCAL_WRITE | ibv_access_flags::IBV_ACCESS_REMOTE_WRITE;
    let mr = register_buffer(pd, LENGTH, access)?;
    println!("with LOCAL_WRITE: registered");
    release_buffer(mr)?;
    // SAFETY: the PD holds nothing any more, and then nor does the context.
    // 安全性：PD 中已没有对象，随后上下文中也没有。
    match unsafe { ibv_dealloc_pd(pd) != 0 || ibv_close_device(context) != 0 } {
        false => Ok(()),
        true => Err(io::Error::other("the PD or the device is still in use")),
    }
}
