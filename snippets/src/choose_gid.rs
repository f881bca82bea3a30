// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::open_device::*;

// book/src/devices.md:634
use rdma_sys::*;
use std::{io, mem};
extern "C" {
    // Behind the header's inline `ibv_query_gid_table`; rdma-sys does not bind it.
    // 头文件中内联函数 `ibv_query_gid_table` 的实体；rdma-sys 没有绑定它。
    fn _ibv_query_gid_table(
        context: *mut ibv_context,
        entries: *mut ibv_gid_entry,
        max_entries: usize,
        flags: u32,
        entry_size: usize,
    ) -> isize;
}

/// `::ffff:a.b.c.d`, the form in which an IPv4 address stands in a GID.
/// `::ffff:a.b.c.d`，即 IPv4 地址在 GID 中的形式。
pub fn is_ipv4_mapped(gid: &ibv_gid) -> bool {
    // SAFETY: every bit pattern is valid as 16 bytes.
    // 安全性：任何位模式都是合法的 16 个字节。
    let raw = unsafe { gid.raw };
    raw.starts_with(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff])
}

/// Finds the port's first GID that is of type RoCE v2 and holds an IPv4 address.
/// ENOENT when there is none.
/// 查找端口上第一个类型为 RoCE v2、内容为 IPv4 地址的 GID；没有则为 ENOENT。
pub fn choose_gid(context: *mut ibv_context, port: u8) -> io::Result<ibv_gid_entry> {
    // SAFETY: plain integers may all be zero; the context is open, and each
    // structure is large enough for the call that fills it in.
    // 安全性：整数可以全为零；上下文已打开，每个结构都足够大，可供调用填写。
    let (device, attr, error) = unsafe {
        let mut device: ibv_device_attr = mem::zeroed();
        let mut attr: ibv_port_attr = mem::zeroed();
        let mut error = ibv_query_device(context, &mut device);
        if error == 0 {
            error = ___ibv_query_port(context, port, &mut attr);
        }
        (device, attr, error)
    };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }

    // One call gives the entries of all ports, and fails if they do not fit.
    // 一次调用取得所有端口的表项；放不下时会失败。
    let room = attr.gid_tbl_len as usize * usize::from(device.phys_port_cnt);
    let mut table: Vec<ibv_gid_entry> = Vec::with_capacity(room);
    let size = mem::size_of::<ibv_gid_entry>();
    // SAFETY: the vector has room for so many entries of this size.
    // 安全性：向量能容纳这么多个该大小的表项。
    let count = unsafe { _ibv_query_gid_table(context, table.as_mut_ptr(), room, 0, size) };
    if count < 0 {
        return Err(io::Error::from_raw_os_error(-count as i32));
    }
    // SAFETY: the call has written the first `count` entries.
    // 安全性：调用已写入前 `count` 个表项。
    unsafe { table.set_len(count as usize) };
    table
        .into_iter()
        .find(|entry| {
            entry.port_num == u32::from(port)
                && entry.gid_type == IBV_GID_TYPE_ROCE_V2
                && is_ipv4_mapped(&entry.gid)
        })
        .ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))
}
