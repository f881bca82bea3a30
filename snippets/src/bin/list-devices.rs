// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#[path = "../list_devices.rs"]
#[allow(dead_code, unused_imports)]
mod list_devices;

#[allow(unused_imports)]
use list_devices::*;

// book/src/devices.md:75
use rdma_sys::*;
use std::ffi::CStr;
use std::{io, slice};
/// # Safety
/// `device` comes from a list that has not been freed.
/// 安全要求：`device` 所在的列表尚未释放。
unsafe fn print_device(device: *mut ibv_device) {
    // SAFETY: the caller's list keeps the device and its name alive.
    // 安全性：调用者的列表尚未释放，设备和它的名称都有效。
    unsafe {
        // The GUID arrives in network byte order.
        // GUID 以网络字节序给出。
        let guid = u64::from_be(ibv_get_device_guid(device));
        let name = CStr::from_ptr(ibv_get_device_name(device));
        let kind = CStr::from_ptr(ibv_node_type_str((*device).node_type as _));
        let (name, kind) = (name.to_string_lossy(), kind.to_string_lossy());
        println!("{name}: {kind}, GUID {guid:016x}");
    }
}

fn main() -> io::Result<()> {
    let mut count = 0;
    // SAFETY: `count` is ours; the list is freed below.
    // 安全性：`count` 属于本函数；列表在下面释放。
    let list = unsafe { ibv_get_device_list(&mut count) };

    // A null pointer is an error; an empty list is not.
    // 空指针表示出错；空列表不是错误。
    if list.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the list holds `count` devices until it is freed.
    // 安全性：列表释放之前，其中有 `count` 个设备。
    unsafe {
        for &device in slice::from_raw_parts(list, count as usize) {
            print_device(device);
        }
        ibv_free_device_list(list);
    }
    println!("devices found: {}", if count > 0 { "yes" } else { "no" });
    match count {
        0 => Err(io::Error::other("no RDMA device")),
        _ => Ok(()),
    }
}
