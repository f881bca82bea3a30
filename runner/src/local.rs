//! The `local` testbed: the devices of this host, both roles on it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use protocol::report::Provenance;

use crate::testbed::{Loss, Testbed};
use crate::wire::Wire;

/// How long the agent may take to say what this host is.
const GREETING: Duration = Duration::from_secs(10);

/// This host, with an agent as a child.
pub struct Local {
    agent: PathBuf,
    child: Child,
    wire: Wire,
    provenance: Provenance,
    address: String,
}

impl Local {
    /// Starts `agent` and asks it for the host's RDMA device.
    pub fn open(agent: &Path) -> Result<Local> {
        let (child, mut wire) = start(agent)?;
        let hello = wire.greet(GREETING)?.remove(0);
        let mut local = Local {
            agent: agent.to_path_buf(),
            child,
            wire,
            provenance: hello.provenance,
            address: String::new(),
        };
        if local.provenance.device.is_empty() {
            bail!(
                "no RDMA device on this host: load its driver, or make a soft one with \
                 `sudo rdma link add rxe0 type rxe netdev INTERFACE`, or use the embedded testbed\n\
                 本机没有 RDMA 设备：请加载其驱动，或用上述命令创建软件设备，或改用内置的 qemu 测试床"
            );
        }
        local.address = device_address(&local.provenance.device).context(
            "the device has no GID with an IPv4 address: give its interface an address first / \
             设备没有带 IPv4 地址的 GID：请先为其网络接口配置地址",
        )?;
        local.provenance.testbed = "local".into();
        local.provenance.accelerator = "none".into();
        Ok(local)
    }

    /// Closes the line: the agent then ends its processes and itself.
    fn end(&mut self) {
        self.wire = Wire::default();
        let _ = self.child.wait();
    }
}

impl Testbed for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn key(&self) -> String {
        format!("local-{:?}", self.provenance)
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn address(&self) -> String {
        self.address.clone()
    }

    fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    /// A new agent; the host itself stays as it is.
    fn restore(&mut self) -> Result<()> {
        self.end();
        (self.child, self.wire) = start(&self.agent)?;
        self.wire.greet(GREETING)?;
        Ok(())
    }

    fn lost(&mut self) -> Option<Loss> {
        use std::os::unix::process::ExitStatusExt;
        let status = self.child.try_wait().ok()??;
        Some(Loss {
            node: 0,
            reason: format!("the agent ended with {status}"),
            killed: status.signal().is_some(),
        })
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.end();
    }
}

fn start(agent: &Path) -> Result<(Child, Wire)> {
    let mut child = Command::new(agent)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start the agent {}", agent.display()))?;
    let mut wire = Wire::default();
    let (from, to) = (child.stdout.take(), child.stdin.take());
    wire.add(
        from.context("the agent has no output")?,
        to.context("the agent has no input")?,
    );
    Ok((child, wire))
}

/// The IPv4 address in the device's first GID that has one.
fn device_address(device: &str) -> Option<String> {
    let gids = Path::new("/sys/class/infiniband")
        .join(device)
        .join("ports/1/gids");
    std::fs::read_dir(gids).ok()?.flatten().find_map(|entry| {
        let gid = std::fs::read_to_string(entry.path()).ok()?;
        let digits = gid
            .trim()
            .strip_prefix("0000:0000:0000:0000:0000:ffff:")?
            .replace(':', "");
        let address = u32::from_str_radix(&digits, 16).ok()?;
        Some(std::net::Ipv4Addr::from_bits(address).to_string())
    })
}
