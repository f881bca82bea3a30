// Generated from book/src/reference.md by `cargo xtask check --fix`: edit the chapter, not this file.
// 由 `cargo xtask check --fix` 根据 book/src/reference.md 生成：请修改章节，不要修改本文件。

#[path = "../bring_up.rs"]
#[allow(dead_code, unused_imports)]
mod bring_up;
#[path = "../choose_gid.rs"]
#[allow(dead_code, unused_imports)]
mod choose_gid;
#[path = "../connect.rs"]
#[allow(dead_code, unused_imports)]
mod connect;
#[path = "../create_qp.rs"]
#[allow(dead_code, unused_imports)]
mod create_qp;
#[path = "../exchange_info.rs"]
#[allow(dead_code, unused_imports)]
mod exchange_info;
#[path = "../open_device.rs"]
#[allow(dead_code, unused_imports)]
mod open_device;
#[path = "../poll_deadline.rs"]
#[allow(dead_code, unused_imports)]
mod poll_deadline;
#[path = "../query_port.rs"]
#[allow(dead_code, unused_imports)]
mod query_port;
#[path = "../register_memory.rs"]
#[allow(dead_code, unused_imports)]
mod register_memory;
#[path = "../teardown.rs"]
#[allow(dead_code, unused_imports)]
mod teardown;
#[path = "../write_latency.rs"]
#[allow(dead_code, unused_imports)]
mod write_latency;

#[allow(unused_imports)]
use connect::*;
#[allow(unused_imports)]
use teardown::*;
#[allow(unused_imports)]
use write_latency::*;

// book/src/reference.md:654
use rdma_sys::*;
use std::io;
use std::time::Instant;
/// Client: gives the nanoseconds of each round.
/// 客户端：给出每一轮的纳秒数。
fn ask(p: &mut PingPong) -> io::Result<Vec<u64>> {
    let mut took = vec![0; WARM_UP + MEASURED];
    for (i, took) in took.iter_mut().enumerate() {
        let start = Instant::now();
        ping(p, (i + 1) as u8)?;
        await_round(p, (i + 1) as u8)?;
        *took = start.elapsed().as_nanos() as u64;
    }
    collect(p)?;
    Ok(took)
}

/// Server: each round is answered as soon as it is seen.
/// 服务器：一看到就应答。
fn answer(p: &mut PingPong) -> io::Result<()> {
    for i in 0..WARM_UP + MEASURED {
        await_round(p, (i + 1) as u8)?;
        ping(p, (i + 1) as u8)?;
    }
    collect(p)
}

fn main() -> io::Result<()> {
    let access =
        ibv_access_flags::IBV_ACCESS_LOCAL_WRITE | ibv_access_flags::IBV_ACCESS_REMOTE_WRITE;
    let mut c = connection_open(2 * MESSAGE, access)?;
    // SAFETY: so many bytes are registered, and no WR is in flight.
    // 安全性：已注册这么多字节，且没有在途的 WR。
    unsafe { (*c.mr).addr.cast::<u8>().write_bytes(0, 2 * MESSAGE) };
    let mut p = build_pingpong(&c);
    barrier(&mut c.sock)?;
    if c.is_server {
        answer(&mut p)?;
    } else {
        let mut took = ask(&mut p)?;
        let measured = &mut took[WARM_UP..];
        let sum: u64 = measured.iter().sum();
        measured.sort_unstable();
        let median = measured[MEASURED / 2];
        println!("write-latency rounds={MEASURED} bytes={MESSAGE} ns={sum} median_ns={median}");
    }
    barrier(&mut c.sock)?;
    connection_close(c)
}
