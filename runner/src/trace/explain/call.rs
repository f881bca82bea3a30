//! Causes of failed calls.

use libc::{EACCES, EBUSY, EFAULT, EINVAL, ENODEV, ENOMEM, ENOSYS, EOPNOTSUPP, EPERM};
use protocol::event::Arg;

use super::{Cause, Failed, find, number, page, post, queue_pair};
use crate::trace::render::object_name;

/// Why this call failed, as far as the trace tells.
pub fn cause(failed: &Failed) -> Option<Cause> {
    let special = match failed.call {
        "ibv_reg_mr" | "ibv_reg_mr_iova" => registration(failed),
        "ibv_modify_qp" => queue_pair::modify(failed),
        "ibv_create_qp" | "ibv_create_qp_ex" => queue_pair::create(failed),
        "ibv_post_send" => post::send(failed),
        "ibv_post_recv" | "ibv_post_srq_recv" => post::receive(failed),
        "ibv_get_device_list" => list(failed),
        "ibv_open_device" => open(failed),
        "ibv_create_cq" | "ibv_create_cq_ex" => completion_queue(failed),
        _ => None,
    };
    special.or_else(|| general(failed))
}

/// A call that worked and yet is the end of the matter.
pub fn warning(call: &str, args: &[Arg]) -> Option<Cause> {
    (call == "ibv_get_device_list" && number(args, "num_devices") == Some(0)).then(|| {
        Cause::new(
            page::DEVICES,
            "no RDMA device was found: check `rdma link` for the kernel's devices, load the \
             driver's module, and install the user-space providers (ibverbs-providers)",
            "没有找到 RDMA 设备：用 `rdma link` 查看内核中的设备，加载驱动模块，\
             并安装用户态驱动库（ibverbs-providers 软件包）",
        )
    })
}

fn registration(failed: &Failed) -> Option<Cause> {
    const LOCAL_WRITE: i64 = 1;
    const REMOTE_WRITE: i64 = 2;
    const REMOTE_ATOMIC: i64 = 8;
    let access = number(failed.args, "access").unwrap_or(0);
    let length = number(failed.args, "length").unwrap_or(0);
    match failed.errno {
        ENOMEM => Some(Cause::new(
            page::MEMORY,
            format!(
                "registering pins memory, and pinning these {length} bytes passes the process's \
                 limit of locked memory (RLIMIT_MEMLOCK), to which everything registered counts; \
                 see `ulimit -l`, and raise it in limits.conf, with LimitMEMLOCK= of the service, \
                 or with --ulimit memlock=-1 of the container. With a generous limit, the memory \
                 or the device's space for regions has run out"
            ),
            format!(
                "注册会锁定内存页，锁定这 {length} 字节超过了进程的锁定内存上限（RLIMIT_MEMLOCK），\
                 所有已注册的内存都计入其中；用 `ulimit -l` 查看，在 limits.conf、服务的 LimitMEMLOCK= \
                 或容器的 --ulimit memlock=-1 中调大。若上限足够，则是内存或设备可容纳的内存区域已用尽"
            ),
        )),
        EINVAL if access & (REMOTE_WRITE | REMOTE_ATOMIC) != 0 && access & LOCAL_WRITE == 0 => {
            Some(Cause::new(
                page::MEMORY,
                "a region that a peer may write (REMOTE_WRITE or REMOTE_ATOMIC) must be writable \
                 locally too: add IBV_ACCESS_LOCAL_WRITE",
                "允许对端写入（REMOTE_WRITE 或 REMOTE_ATOMIC）的内存区域必须同时允许本地写：\
                 加上 IBV_ACCESS_LOCAL_WRITE",
            ))
        }
        EINVAL if length == 0 => Some(Cause::new(
            page::MEMORY,
            "a region of no bytes cannot be registered: check the length",
            "不能注册长度为 0 的内存区域：检查 length",
        )),
        EFAULT => Some(Cause::new(
            page::MEMORY,
            "part of the address range is not mapped in this process, or is mapped read-only \
             while the access flags ask for writing",
            "这段地址有一部分没有映射到本进程，或者映射为只读而访问标志要求可写",
        )),
        _ => None,
    }
}

fn list(failed: &Failed) -> Option<Cause> {
    (failed.errno == ENOSYS).then(|| {
        Cause::new(
            page::DEVICES,
            "the kernel's side of verbs is not there: load the module ib_uverbs (and in a \
             container pass in /sys/class/infiniband_verbs and /dev/infiniband)",
            "内核中没有 verbs 支持：加载 ib_uverbs 模块（在容器中还须传入 \
             /sys/class/infiniband_verbs 和 /dev/infiniband）",
        )
    })
}

fn open(failed: &Failed) -> Option<Cause> {
    matches!(failed.errno, EACCES | EPERM | ENODEV).then(|| {
        Cause::new(
            page::DEVICES,
            "the device's file under /dev/infiniband cannot be opened: check that uverbsN is \
             there and its mode, and in a container that it is passed in",
            "无法打开 /dev/infiniband 下的设备文件：检查 uverbsN 是否存在及其权限；\
             在容器中检查它是否已传入",
        )
    })
}

fn completion_queue(failed: &Failed) -> Option<Cause> {
    let cqe = number(failed.args, "cqe")?;
    match failed.errno {
        EINVAL => Some(Cause::new(
            page::COMPLETIONS,
            format!(
                "{cqe} entries are not between 1 and the device's max_cqe (ibv_query_device), or \
                 comp_vector is not below the context's num_comp_vectors"
            ),
            format!(
                "条目数 {cqe} 不在 1 到设备的 max_cqe（ibv_query_device）之间，\
                 或 comp_vector 不小于上下文的 num_comp_vectors"
            ),
        )),
        ENOMEM => Some(Cause::new(
            page::COMPLETIONS,
            "no memory for the queue: fewer entries, a higher limit of locked memory \
             (`ulimit -l`), or CQs destroyed that are no longer needed",
            "没有内存可供该队列使用：减少条目数，调大锁定内存上限（`ulimit -l`），\
             或销毁不再使用的 CQ",
        )),
        _ => None,
    }
}

fn general(failed: &Failed) -> Option<Cause> {
    match failed.errno {
        EBUSY => busy(failed),
        EOPNOTSUPP | ENOSYS => Some(Cause::new(
            page::FAILURES,
            format!("the device's driver does not offer {}", failed.call),
            format!("该设备的驱动不提供 {}", failed.call),
        )),
        _ => None,
    }
}

/// Something made from the object is still there.
fn busy(failed: &Failed) -> Option<Cause> {
    let protocol::event::Value::Handle(parent) = find(failed.args, &failed.args.first()?.name)?
    else {
        return None;
    };
    let children: Vec<String> = failed
        .alive
        .children(parent)
        .into_iter()
        .map(object_name)
        .collect();
    if children.is_empty() {
        return None;
    }
    let (parent, children) = (object_name(parent), children.join(", "));
    Some(Cause::new(
        page::TEARDOWN,
        format!("{parent} is in use by {children}: destroy what was made from it first"),
        format!("{parent} 仍被 {children} 使用：先销毁由它创建的对象"),
    ))
}
