//! Devices: finding, opening, asking.

use std::ffi::{c_char, c_int};

use rdma_sys::{ibv_context, ibv_device, ibv_device_attr, ibv_gid, ibv_gid_entry, ibv_port_attr};

use crate::args::{Args, SHOWN, library_text};
use crate::call::exported;
use crate::context;
use crate::handles::{self, Kind};
use crate::record::Returned;

exported! {
    "IBVERBS_1.1" fn ibv_get_device_list(num_devices: *mut c_int) -> *mut *mut ibv_device,
    before: |_| {},
    after: |list: *mut *mut ibv_device, args| {
        let mut devices = 0;
        if !list.is_null() {
            // SAFETY: the list ends with a null pointer.
            unsafe {
                while !(*list.add(devices)).is_null() {
                    handles::made(Kind::Device, *list.add(devices));
                    devices += 1;
                }
            }
        }
        args.size("num_devices", devices);
        Returned::Handle(handles::made(Kind::List, list))
    },
}

exported! {
    "IBVERBS_1.1" fn ibv_free_device_list(list: *mut *mut ibv_device),
    before: |args| args.handle("list", handles::forget(Kind::List, list)),
    after: |(), _| Returned::Void,
}

exported! {
    "IBVERBS_1.1" fn ibv_get_device_name(device: *mut ibv_device) -> *const c_char,
    before: |args| args.object("device", Kind::Device, device),
    // SAFETY: the library returns a text of its own, or null.
    after: |name, _| Returned::Text(unsafe { library_text(name) }),
}

exported! {
    "IBVERBS_1.1" fn ibv_get_device_guid(device: *mut ibv_device) -> u64,
    before: |args| args.object("device", Kind::Device, device),
    after: |guid, _| Returned::Text(guid_text(guid).into()),
}

exported! {
    "IBVERBS_1.9" fn ibv_get_device_index(device: *mut ibv_device) -> c_int,
    before: |args| args.object("device", Kind::Device, device),
    after: |index, _| Returned::Int(index.into()),
}

exported! {
    "IBVERBS_1.1" fn ibv_open_device(device: *mut ibv_device) -> *mut ibv_context,
    before: |args| args.object("device", Kind::Device, device),
    after: |context, _| Returned::Handle(context::opened(context)),
}

exported! {
    "IBVERBS_1.10" fn ibv_import_device(cmd_fd: c_int) -> *mut ibv_context,
    before: |args| args.varying("cmd_fd", cmd_fd as u64),
    after: |context, _| Returned::Handle(context::opened(context)),
}

exported! {
    "IBVERBS_1.1" fn ibv_close_device(context: *mut ibv_context) -> c_int,
    before: |args| args.handle("context", context::closing(context)),
    after: |result, args| {
        if result != 0 {
            context::still_open(context);
        }
        args.destroyed(Kind::Context, context, result)
    },
}

exported! {
    "IBVERBS_1.1" fn ibv_query_device(
        context: *mut ibv_context,
        device_attr: *mut ibv_device_attr,
    ) -> c_int,
    before: |args| args.object("context", Kind::Context, context),
    after: |result, args| {
        if result == 0 {
            // SAFETY: filled in by the call that succeeded.
            device_attributes(args, unsafe { &*device_attr });
        }
        Returned::Int(result.into())
    },
}

/// What a program sizes itself by, and who the device is.
pub fn device_attributes(args: &mut Args, attr: &ibv_device_attr) {
    args.group("device_attr", |args| {
        // SAFETY: the library ends the text with a zero byte.
        args.text("fw_ver", &unsafe { library_text(attr.fw_ver.as_ptr()) });
        args.text("node_guid", &guid_text(attr.node_guid));
        args.varying("max_mr_size", attr.max_mr_size);
        args.int("vendor_id", attr.vendor_id);
        args.int("vendor_part_id", attr.vendor_part_id);
        args.int("hw_ver", attr.hw_ver);
        args.int("max_qp", attr.max_qp);
        args.int("max_qp_wr", attr.max_qp_wr);
        args.flags(
            "device_cap_flags",
            "ibv_device_cap_flags",
            attr.device_cap_flags,
        );
        args.int("max_sge", attr.max_sge);
        args.int("max_cq", attr.max_cq);
        args.int("max_cqe", attr.max_cqe);
        args.int("max_mr", attr.max_mr);
        args.int("max_pd", attr.max_pd);
        args.int("max_qp_rd_atom", attr.max_qp_rd_atom);
        args.int("max_qp_init_rd_atom", attr.max_qp_init_rd_atom);
        args.enumeration("atomic_cap", "ibv_atomic_cap", attr.atomic_cap);
        args.int("max_srq", attr.max_srq);
        args.int("max_pkeys", attr.max_pkeys);
        args.int("phys_port_cnt", attr.phys_port_cnt);
    });
}

/// The older, exported form, for programs that do not use the inline one. It
/// fills in no more than the attributes up to `link_layer`.
mod compat {
    use super::*;

    exported! {
        "IBVERBS_1.1" fn ibv_query_port(
            context: *mut ibv_context,
            port_num: u8,
            port_attr: *mut ibv_port_attr,
        ) -> c_int,
        before: |args| port_arguments(args, context, port_num),
        after: |result, args| {
            if result == 0 {
                // SAFETY: filled in up to `link_layer`, and no later field is
                // read.
                unsafe { port_attributes(args, port_attr) };
            }
            Returned::Int(result.into())
        },
    }
}

pub fn port_arguments(args: &mut Args, context: *mut ibv_context, port_num: u8) {
    args.object("context", Kind::Context, context);
    args.int("port_num", port_num);
}

/// # Safety
/// `port` points to attributes filled in up to `link_layer`.
pub unsafe fn port_attributes(args: &mut Args, port: *const ibv_port_attr) {
    // SAFETY: the caller vouches for each field read here; no reference to
    // the whole is made, for its end may not be there.
    unsafe {
        args.group("port_attr", |args| {
            args.enumeration("state", "ibv_port_state", (*port).state);
            args.enumeration("max_mtu", "ibv_mtu", (*port).max_mtu);
            args.enumeration("active_mtu", "ibv_mtu", (*port).active_mtu);
            args.int("gid_tbl_len", (*port).gid_tbl_len);
            args.varying("port_cap_flags", (*port).port_cap_flags);
            args.int("max_msg_sz", (*port).max_msg_sz);
            args.int("pkey_tbl_len", (*port).pkey_tbl_len);
            args.int("lid", (*port).lid);
            args.int("active_width", (*port).active_width);
            args.int("active_speed", (*port).active_speed);
            args.int("phys_state", (*port).phys_state);
            args.int("link_layer", (*port).link_layer);
        });
    }
}

exported! {
    "IBVERBS_1.1" fn ibv_query_gid(
        context: *mut ibv_context,
        port_num: u8,
        index: c_int,
        gid: *mut ibv_gid,
    ) -> c_int,
    before: |args| {
        port_arguments(args, context, port_num);
        args.int("index", index);
    },
    after: |result, args| {
        if result == 0 {
            // SAFETY: filled in by the call that succeeded.
            args.gid("gid", unsafe { &*gid });
        }
        Returned::Int(result.into())
    },
}

exported! {
    "IBVERBS_1.11" fn _ibv_query_gid_ex(
        context: *mut ibv_context,
        port_num: u32,
        gid_index: u32,
        entry: *mut ibv_gid_entry,
        flags: u32,
        entry_size: usize,
    ) -> c_int,
    as: "ibv_query_gid_ex",
    before: |args| {
        args.object("context", Kind::Context, context);
        args.int("port_num", port_num);
        args.int("gid_index", gid_index);
        args.int("flags", flags);
    },
    after: |result, args| {
        if result == 0 && entry_size >= size_of::<ibv_gid_entry>() {
            // SAFETY: filled in by the call that succeeded, to this size.
            args.group("entry", |args| gid_entry(args, unsafe { &*entry }));
        }
        Returned::Int(result.into())
    },
}

exported! {
    "IBVERBS_1.11" fn _ibv_query_gid_table(
        context: *mut ibv_context,
        entries: *mut ibv_gid_entry,
        max_entries: usize,
        flags: u32,
        entry_size: usize,
    ) -> isize,
    as: "ibv_query_gid_table",
    before: |args| {
        args.object("context", Kind::Context, context);
        args.size("max_entries", max_entries);
        args.int("flags", flags);
    },
    after: |result, args| {
        if result > 0 && entry_size == size_of::<ibv_gid_entry>() {
            args.group("entries", |args| {
                for i in 0..(result as usize).min(SHOWN) {
                    // SAFETY: the call filled in as many as it returned.
                    args.member(i, |args| gid_entry(args, unsafe { &*entries.add(i) }));
                }
            });
        }
        Returned::Int(result as i64)
    },
}

fn gid_entry(args: &mut Args, entry: &ibv_gid_entry) {
    args.gid("gid", &entry.gid);
    args.int("gid_index", entry.gid_index);
    args.int("port_num", entry.port_num);
    args.enumeration("gid_type", "ibv_gid_type", entry.gid_type);
    args.varying("ndev_ifindex", entry.ndev_ifindex);
}

exported! {
    "IBVERBS_1.1" fn ibv_query_pkey(
        context: *mut ibv_context,
        port_num: u8,
        index: c_int,
        pkey: *mut u16,
    ) -> c_int,
    before: |args| {
        port_arguments(args, context, port_num);
        args.int("index", index);
    },
    after: |result, args| {
        if result == 0 {
            // SAFETY: filled in by the call that succeeded.
            args.int("pkey", u16::from_be(unsafe { *pkey }));
        }
        Returned::Int(result.into())
    },
}

exported! {
    "IBVERBS_1.1" fn ibv_fork_init() -> c_int,
    before: |_| {},
    after: |result, _| Returned::Int(i64::from(result)),
}

fn guid_text(guid: u64) -> String {
    let [a, b, c, d] = [0, 2, 4, 6].map(|i| {
        let bytes = guid.to_ne_bytes();
        u16::from_be_bytes([bytes[i], bytes[i + 1]])
    });
    format!("{a:04x}:{b:04x}:{c:04x}:{d:04x}")
}
