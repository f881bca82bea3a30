// Generated from book/src/devices.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/devices.md 生成：请修改章节，不要修改本文件。

#pragma once
#include "open-device.h"

#line 353 "book/src/devices.md"
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// IBV_MTU_256 is 1, and each step doubles. 0 for an unknown code.
// IBV_MTU_256 的编码是 1，每加一翻一倍。未知编码返回 0。
int mtu_bytes(enum ibv_mtu mtu)
{
    return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128 << mtu : 0;
}

// Lanes of an `active_width` code. 0 for an unknown code.
// `active_width` 编码对应的通道数。未知编码返回 0。
int width_lanes(uint8_t width)
{
    switch (width) {
    case 1: return 1;
    case 2: return 4;
    case 4: return 8;
    case 8: return 12;
    case 16: return 2;
    default: return 0;
    }
}

// Nominal Gb/s of one lane for an `active_speed` code. 0 for an unknown code.
// `active_speed` 编码对应的单通道标称速率，单位 Gb/s。未知编码返回 0。
double lane_gbps(uint8_t speed)
{
    switch (speed) {
    case 1: return 2.5;
    case 2: return 5;
    case 4: case 8: return 10;
    case 16: return 14;
    case 32: return 25;
    case 64: return 50;
    case 128: return 100;
    default: return 0;
    }
}
