// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

// book/src/devices.md:226
use rdma_sys::*;
use std::ffi::CStr;
use std::{env, io, ptr, slice};
/// Opens the device of this name; with `None`, the one that RDMA_DEVICE names,
/// else the first.
/// 打开指定名称的设备；`None` 表示由环境变量 RDMA_DEVICE 指定，未指定则取第一个。
pub fn open_device(name: Option<&str>) -> io::Result<*mut ibv_context> {
    let mut count = 0;
    // SAFETY: `count` is ours; the list is freed below.
    // 安全性：`count` 属于本函数；列表在下面释放。
    let list = unsafe { ibv_get_device_list(&mut count) };
    if list.is_null() {
        return Err(io::Error::last_os_error());
    }

    let name = name
        .map(str::to_owned)
        .or_else(|| env::var("RDMA_DEVICE").ok());
    let mut context = ptr::null_mut();
    let mut error = io::Error::from_raw_os_error(libc::ENODEV);
    // SAFETY: the list holds `count` devices, with their names, until it is
    // freed; an open context does not need it any more.
    // 安全性：列表释放之前，其中有 `count` 个设备及其名称；打开之后，上下文不再需要列表。
    unsafe {
        for &device in slice::from_raw_parts(list, count as usize) {
            let other = |name: &String| {
                CStr::from_ptr(ibv_get_device_name(device)).to_bytes() != name.as_bytes()
            };
            if name.as_ref().is_some_and(other) {
                continue;
            }
            context = ibv_open_device(device);
            error = io::Error::last_os_error();
            break;
        }
        ibv_free_device_list(list);
    }
    match context.is_null() {
        true => Err(error),
        false => Ok(context),
    }
}
