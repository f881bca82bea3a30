//! One QEMU process: a guest, its monitor and the line to its agent.

use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::accel::Accel;
use super::elf::find_command;
use super::image::Image;
use super::keeper;
use super::lost::{self, Lost};
use super::qmp::Qmp;
use crate::guest;

pub const QEMU: &str = "qemu-system-x86_64";

/// Size of a guest. Part of a saved state's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    pub memory_mib: u32,
    pub cpus: u32,
}

impl Default for Size {
    /// Two processors, so that a program and the receiving side of the network
    /// need not take turns.
    fn default() -> Self {
        Size {
            memory_mib: 384,
            cpus: 2,
        }
    }
}

/// Where a guest's memory is.
#[derive(Clone, Copy, Debug)]
pub enum Memory<'a> {
    /// In this process only.
    Anonymous,
    /// In a file that becomes part of a saved state.
    Saving(&'a Path),
    /// Read from a saved state's file; what the guest writes stays private.
    Restoring(&'a Path),
}

pub struct Machine {
    child: Child,
    qmp: Qmp,
    agent: UnixStream,
    console: PathBuf,
    stderr: PathBuf,
}

/// What a machine is started with.
pub struct Start<'a> {
    pub node: usize,
    pub image: &'a Image,
    pub accel: Accel,
    pub size: Size,
    pub memory: Memory<'a>,
    /// Folder for the console's log.
    pub folder: &'a Path,
    /// One end of the wire between the two guests.
    pub wire: OwnedFd,
}

/// QEMU's own words about its version; empty when it is not installed.
pub fn version() -> String {
    let output =
        find_command(QEMU).and_then(|qemu| Command::new(qemu).arg("--version").output().ok());
    output.map_or_else(String::new, |output| {
        String::from_utf8_lossy(&output.stdout).into_owned()
    })
}

/// What a saved state depends on beside the image: QEMU itself and how it is
/// called, without the names of files.
pub fn shape(accel: Accel) -> String {
    let devices = format!(
        "{MACHINE} {AGENT_BUS} {NETWORK_DEVICE} {KERNEL_LINE} {:?}",
        Size::default()
    );
    format!(
        "{} {} {} {devices}",
        version(),
        accel.qemu_value(),
        accel.cpu_model()
    )
}

/// Saving and loading the state of devices, once QEMU has begun with it.
const MIGRATION: Duration = Duration::from_secs(30);

impl Machine {
    pub fn start(start: Start) -> Result<Machine> {
        let qemu = find_command(QEMU).with_context(|| {
            format!("{QEMU} is not installed: run `sudo apt-get install qemu-system-x86`")
        })?;
        let console = start.folder.join(format!("console-{}", start.node));
        let stderr = start.folder.join(format!("stderr-{}", start.node));
        let (agent, agent_end) = UnixStream::pair()?;
        let (monitor, monitor_end) = UnixStream::pair()?;
        let mut command = Command::new(qemu);
        command
            .args(arguments(&start))
            .args([
                "-chardev",
                &format!("file,id=console,path={}", path_value(&console)),
            ])
            .args(["-serial", "chardev:console"])
            .args([
                "-chardev",
                &format!("socket,id=agent,fd={}", agent_end.as_raw_fd()),
            ])
            .args([
                "-chardev",
                &format!("socket,id=qmp,fd={}", monitor_end.as_raw_fd()),
            ])
            .args(["-mon", "chardev=qmp,mode=control"])
            .args([
                "-netdev",
                &format!("socket,id=wire,fd={}", start.wire.as_raw_fd()),
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&stderr)?);
        let inherit = [
            agent_end.as_raw_fd(),
            monitor_end.as_raw_fd(),
            start.wire.as_raw_fd(),
        ];
        let child = keeper::spawn(command, inherit.to_vec()).context("cannot start QEMU")?;
        // Only QEMU may hold its ends, or their closing would go unseen.
        drop((agent_end, monitor_end, start.wire));
        let mut child = Guard(Some(child));
        let qmp = Qmp::open(monitor).map_err(|e| {
            let text = fs::read_to_string(&stderr).unwrap_or_default();
            e.context(format!("QEMU did not start: {}", text.trim()))
        })?;
        Ok(Machine {
            child: child.0.take().expect("taken once"),
            qmp,
            agent,
            console,
            stderr,
        })
    }

    /// The line to the agent in the guest.
    pub fn agent(&self) -> &UnixStream {
        &self.agent
    }

    /// Process id of QEMU.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the guest's kernel wrote on its console.
    pub fn console(&self) -> String {
        lost::read_log(&self.console)
    }

    /// Stops the guest's processors.
    pub fn stop(&mut self) -> Result<()> {
        self.qmp.execute("stop", json!({})).map(|_| ())
    }

    /// Writes the state of a stopped guest's devices to `file`; its memory
    /// stays in the file it was started with.
    pub fn save(&mut self, file: &Path) -> Result<()> {
        self.migration_capabilities()?;
        // Every version of QEMU moves a state through a command; the newest
        // alone know files.
        let uri = format!("exec:cat > {}", quoted(file));
        self.qmp.execute("migrate", json!({ "uri": uri }))?;
        self.wait_migrated()
    }

    /// Loads the state of the devices from `file`; [`Machine::go`] lets the
    /// guest go on.
    pub fn load(&mut self, file: &Path) -> Result<()> {
        self.migration_capabilities()?;
        let uri = format!("exec:cat {}", quoted(file));
        self.qmp
            .execute("migrate-incoming", json!({ "uri": uri }))?;
        self.wait_migrated()
    }

    pub fn go(&mut self) -> Result<()> {
        self.qmp.execute("cont", json!({})).map(|_| ())
    }

    fn migration_capabilities(&mut self) -> Result<()> {
        let on = |name: &str| json!({ "capability": name, "state": true });
        let list = json!({ "capabilities": [on("x-ignore-shared"), on("events")] });
        self.qmp.execute("migrate-set-capabilities", list)?;
        Ok(())
    }

    fn wait_migrated(&mut self) -> Result<()> {
        loop {
            let event = self.qmp.wait_event("MIGRATION", MIGRATION)?;
            match event["data"]["status"].as_str() {
                Some("completed") => return Ok(()),
                Some("failed" | "cancelled") => {
                    let text = fs::read_to_string(&self.stderr).unwrap_or_default();
                    bail!("QEMU cannot move the state: {}", text.trim());
                }
                _ => {}
            }
        }
    }

    /// Why the guest no longer runs; `None` while it does.
    pub fn lost(&mut self) -> Option<Lost> {
        let ended = self.child.try_wait().ok().flatten();
        if let Some(lines) = lost::panic_in(&self.console()) {
            return Some(Lost::Panic { lines });
        }
        // A guest that switched itself off takes QEMU along in a moment.
        let status = ended?;
        if let Some(signal) = status.signal() {
            return Some(Lost::Killed { signal });
        }
        if status.success() {
            return Some(Lost::PoweredOff {
                lines: lost::tail(&self.console()),
            });
        }
        let stderr = fs::read_to_string(&self.stderr).unwrap_or_default();
        Some(Lost::Failed {
            code: status.code().unwrap_or(-1),
            stderr: stderr.trim().to_string(),
        })
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Ends a child that no machine owns yet.
struct Guard(Option<Child>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            end(child);
        }
    }
}

fn end(child: &mut Child) {
    // Errors mean that it has ended already.
    let _ = child.kill();
    let _ = child.wait();
}

/// All arguments but those for the lines to this process.
fn arguments(start: &Start) -> Vec<String> {
    let Size { memory_mib, cpus } = start.size;
    let memory = format!("size={memory_mib}M");
    let memory = match start.memory {
        Memory::Anonymous => format!("memory-backend-ram,id=ram,{memory}"),
        Memory::Saving(file) => {
            let path = path_value(file);
            format!("memory-backend-file,id=ram,{memory},share=on,mem-path={path}")
        }
        Memory::Restoring(file) => {
            let path = path_value(file);
            format!("memory-backend-file,id=ram,{memory},share=off,mem-path={path}")
        }
    };
    let mac = format!("52:54:00:0a:0a:{:02x}", start.node + 1);
    let append = format!("{KERNEL_LINE} {}{}", guest::NODE_PARAMETER, start.node);
    let mut arguments: Vec<String> = [
        "-nodefaults",
        "-no-user-config",
        "-no-reboot",
        "-display",
        "none",
        "-machine",
        MACHINE,
        "-accel",
        start.accel.qemu_value(),
        "-cpu",
        start.accel.cpu_model(),
        "-smp",
        &cpus.to_string(),
        "-m",
        &format!("{memory_mib}M"),
        "-object",
        &memory,
        "-kernel",
        &start.image.kernel.to_string_lossy(),
        "-initrd",
        &start.image.initramfs.to_string_lossy(),
        "-append",
        &append,
        "-device",
        AGENT_BUS,
        "-device",
        &format!("virtserialport,chardev=agent,name={}", guest::PORT),
        "-device",
        &format!("{NETWORK_DEVICE},mac={mac}"),
    ]
    .map(str::to_string)
    .to_vec();
    if let Memory::Restoring(_) = start.memory {
        arguments.extend(["-incoming", "defer"].map(str::to_string));
    }
    arguments
}

const MACHINE: &str = "q35,memory-backend=ram,usb=off,vmport=off,smm=off,hpet=on";
const AGENT_BUS: &str = "virtio-serial-pci";
const NETWORK_DEVICE: &str = "virtio-net-pci,netdev=wire,romfile=,speed=1000,duplex=full";

/// Warnings reach the console, for the evidence of a lost node; a panic ends
/// QEMU. The rest shortens a boot under emulation.
const KERNEL_LINE: &str = "console=ttyS0 loglevel=5 panic=-1 oops=panic reboot=t \
    tsc=reliable no_timer_check mitigations=off init_on_alloc=0 random.trust_cpu=on \
    cryptomgr.notests audit=0 apparmor=0 selinux=0 nmi_watchdog=0 i8042.noaux \
    8250.nr_uarts=1 rcupdate.rcu_expedited=1";

/// A path inside a QEMU option: commas are doubled.
fn path_value(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}

/// A path as one word of a shell command.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"))
}
