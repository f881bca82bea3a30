// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#[allow(unused_imports)]
use crate::open_device::*;

// book/src/devices.md:423
use rdma_sys::*;
/// `IBV_MTU_256` is 1, and each step doubles. 0 for an unknown code.
/// `IBV_MTU_256` 的编码是 1，每加一翻一倍。未知编码返回 0。
pub fn mtu_bytes(mtu: ibv_mtu::Type) -> u32 {
    match mtu {
        ibv_mtu::IBV_MTU_256..=ibv_mtu::IBV_MTU_4096 => 128 << mtu,
        _ => 0,
    }
}

/// Lanes of an `active_width` code. 0 for an unknown code.
/// `active_width` 编码对应的通道数。未知编码返回 0。
pub fn width_lanes(width: u8) -> u32 {
    match width {
        1 => 1,
        2 => 4,
        4 => 8,
        8 => 12,
        16 => 2,
        _ => 0,
    }
}

/// Nominal Gb/s of one lane for an `active_speed` code. 0 for an unknown code.
/// `active_speed` 编码对应的单通道标称速率，单位 Gb/s。未知编码返回 0。
pub fn lane_gbps(speed: u8) -> f64 {
    match speed {
        1 => 2.5,
        2 => 5.0,
        4 | 8 => 10.0,
        16 => 14.0,
        32 => 25.0,
        64 => 50.0,
        128 => 100.0,
        _ => 0.0,
    }
}
