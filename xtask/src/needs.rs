//! What a machine must have before programs can be compiled and run, and how
//! to get it. One row a thing: the check looks for the thing itself, not for
//! a package, so that hand-built installations count.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::snippet::Bilingual;

/// One thing a machine must have.
pub struct Need {
    /// As a person would call it: `qemu-system-x86_64`, `libibverbs headers`.
    pub what: &'static str,
    /// Debian and Ubuntu package that brings it.
    pub package: &'static str,
    pub why: fn() -> Bilingual,
    /// Only for the guests of the embedded testbed.
    pub guests: bool,
    present: fn() -> bool,
}

impl Need {
    pub fn present(&self) -> bool {
        (self.present)()
    }
}

/// Everything `verify` needs on the embedded testbed, in the order it is used.
pub const NEEDS: &[Need] = &[
    Need {
        what: "cc",
        package: "gcc",
        why: || why("compiles the C programs", "编译 C 程序"),
        guests: false,
        present: || command("cc").is_some(),
    },
    Need {
        what: "libc headers",
        package: "libc6-dev",
        why: || why("compiles the C programs", "编译 C 程序"),
        guests: false,
        present: || include_exists("stdio.h"),
    },
    Need {
        what: "pkg-config",
        package: "pkg-config",
        why: || why("finds the RDMA libraries", "查找 RDMA 库"),
        guests: false,
        present: || command("pkg-config").is_some(),
    },
    Need {
        what: "libibverbs headers",
        package: "libibverbs-dev",
        why: || {
            why(
                "verbs for programs and tracer",
                "程序和跟踪库使用的 verbs 接口",
            )
        },
        guests: false,
        present: || pkg_config("libibverbs"),
    },
    Need {
        what: "librdmacm headers",
        package: "librdmacm-dev",
        why: || why("connection manager for programs", "程序使用的连接管理接口"),
        guests: false,
        present: || pkg_config("librdmacm"),
    },
    Need {
        what: "rxe provider",
        package: "ibverbs-providers",
        why: || {
            why(
                "user-space driver of the soft device, copied into the guests",
                "软件设备的用户态驱动，会放进虚拟机",
            )
        },
        guests: true,
        present: || library_directories().any(|d| has_file(&d.join("libibverbs"), "librxe")),
    },
    Need {
        what: "libclang",
        package: "libclang-dev",
        why: || {
            why(
                "rdma-sys makes its bindings with it",
                "rdma-sys 用它生成绑定",
            )
        },
        guests: false,
        present: libclang,
    },
    Need {
        what: "qemu-system-x86_64",
        package: "qemu-system-x86",
        why: || {
            why(
                "runs the two guests of the testbed",
                "运行测试床的两台虚拟机",
            )
        },
        guests: true,
        present: || command("qemu-system-x86_64").is_some(),
    },
    Need {
        what: "busybox (static)",
        package: "busybox-static",
        why: || why("shell inside the guests", "虚拟机里的 shell"),
        guests: true,
        present: || command("busybox").is_some(),
    },
    Need {
        what: "ip, rdma and tc",
        package: "iproute2",
        why: || {
            why(
                "set up the guests' network and device",
                "配置虚拟机的网络和设备",
            )
        },
        guests: true,
        present: || {
            ["ip", "rdma", "tc"]
                .iter()
                .all(|name| command(name).is_some())
        },
    },
    Need {
        what: "xz",
        package: "xz-utils",
        why: || why("unpacks the guests' kernel", "解压虚拟机内核"),
        guests: true,
        present: || command("xz").is_some(),
    },
    Need {
        what: "zstd",
        package: "zstd",
        why: || why("unpacks kernels and modules", "解压内核和模块"),
        guests: true,
        present: || command("zstd").is_some(),
    },
];

/// The rows whose thing is not on this machine; without those that only
/// `guests` need unless there will be any.
pub fn missing(guests: bool) -> Vec<&'static Need> {
    let asked = NEEDS.iter().filter(|need| guests || !need.guests);
    asked.filter(|need| !need.present()).collect()
}

/// A command in `PATH` or in the administrator's folders, which an ordinary
/// user's `PATH` on Debian leaves out.
pub fn command(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin", "/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn why(en: &str, zh: &str) -> Bilingual {
    Bilingual {
        en: en.into(),
        zh: zh.into(),
    }
}

fn pkg_config(library: &str) -> bool {
    succeeds(Command::new("pkg-config").args(["--exists", library]))
}

fn include_exists(header: &str) -> bool {
    succeeds(Command::new("cc").args(["-E", "-include", header, "-x", "c", "/dev/null"]))
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn library_directories() -> impl Iterator<Item = PathBuf> {
    let multiarch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    [
        multiarch,
        "/usr/lib64".into(),
        "/usr/lib".into(),
        "/usr/local/lib".into(),
    ]
    .into_iter()
    .map(PathBuf::from)
}

/// Where bindgen's `clang-sys` looks.
fn libclang() -> bool {
    let named = std::env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let llvm = std::fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            name.to_string_lossy()
                .starts_with("llvm-")
                .then(|| entry.path().join("lib"))
        });
    named
        .into_iter()
        .chain(library_directories())
        .chain(llvm)
        .any(|folder| {
            ["libclang.so", "libclang-"]
                .iter()
                .any(|start| has_file(&folder, start))
        })
}

fn has_file(folder: &Path, start: &str) -> bool {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(start) && name.contains(".so") && !name.starts_with("libclang-cpp")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_by_name_and_a_made_up_one_is_not() {
        assert!(command("sh").is_some());
        assert!(command("no-such-command-anywhere").is_none());
    }

    #[test]
    fn each_need_names_its_package_and_reason_in_both_languages() {
        for need in NEEDS {
            let why = (need.why)();
            assert!(
                !need.package.is_empty() && !why.en.is_empty(),
                "{}",
                need.what
            );
            assert!(why.zh.chars().any(|c| c > '\u{2e80}'), "{}", need.what);
        }
    }
}
