//! Installs what [`crate::needs`] finds missing, or says how to.

use std::io::{BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::exit::Stop;
use crate::interrupt;
use crate::needs::{self, Need};

/// What became of the missing things.
pub enum Installed {
    /// Nothing was missing.
    Nothing,
    /// These packages were installed.
    Packages(Vec<&'static str>),
    /// The machine is as it was; the message says what to do.
    Refused(String),
}

/// Installs what is missing, or stops with what to do. `guests` asks also for
/// what the embedded testbed needs.
pub fn make_ready(yes: bool, guests: bool) -> anyhow::Result<()> {
    match install_missing(yes, guests)? {
        Installed::Nothing => Ok(()),
        Installed::Packages(packages) => {
            eprintln!("Installed / 已安装：{}", packages.join(" "));
            Ok(())
        }
        Installed::Refused(message) => Err(Stop::environment(message)),
    }
}

/// Makes the machine ready. `yes` asks nothing; so does a standard input that
/// is no terminal.
pub fn install_missing(yes: bool, guests: bool) -> anyhow::Result<Installed> {
    let missing = needs::missing(guests);
    if missing.is_empty() {
        return Ok(Installed::Nothing);
    }
    eprintln!("Missing on this machine / 本机缺少：");
    for need in &missing {
        let why = (need.why)();
        eprintln!("  {:<20} {} / {}", need.what, why.en, why.zh);
    }
    let packages = packages(&missing);
    if needs::command("apt-get").is_none() {
        return Ok(Installed::Refused(
            "no apt-get here: install the things above with this system's own tools, \
             then run the same command again\n\
             本机没有 apt-get：请用系统自带的工具安装上述各项，然后重新运行同一命令"
                .into(),
        ));
    }
    // SAFETY: geteuid takes nothing, cannot fail and touches no memory.
    if unsafe { libc::geteuid() } != 0 {
        return Ok(Installed::Refused(format!(
            "run this once, then the same command again / 请先执行一次下面的命令，再重新运行：\n\n  \
             sudo apt-get install --yes --no-install-recommends {}\n",
            packages.join(" ")
        )));
    }
    if !yes && std::io::stdin().is_terminal() && !agreed(&packages)? {
        return Ok(Installed::Refused(
            "nothing was installed / 没有安装任何软件".into(),
        ));
    }
    // Half an installation would need mending by hand.
    interrupt::whole(|| apt_install(&packages))?;
    let left = needs::missing(guests);
    if !left.is_empty() {
        bail!(
            "still missing after the installation: {}; install them by hand, \
             then run the same command again / 安装后仍缺少上述各项，请手工安装后重试",
            left.iter()
                .map(|need| need.what)
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    Ok(Installed::Packages(packages))
}

fn packages(missing: &[&'static Need]) -> Vec<&'static str> {
    let mut packages: Vec<_> = missing.iter().map(|need| need.package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn agreed(packages: &[&str]) -> anyhow::Result<bool> {
    eprint!("Install {} now? / 现在安装？[Y/n] ", packages.join(" "));
    std::io::stderr().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "" | "y" | "Y" | "yes"))
}

fn apt_install(packages: &[&str]) -> anyhow::Result<()> {
    eprintln!("Installing / 正在安装：{}", packages.join(" "));
    // An installation that was cut short before is finished first.
    let _ = Command::new("dpkg")
        .args(["--configure", "-a"])
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status();
    // A source that is out of reach need not be the one that has the packages:
    // the installation decides.
    let _ = apt(&["update", "--quiet=2"]);
    let mut arguments = vec!["install", "--yes", "--quiet=2", "--no-install-recommends"];
    arguments.extend(packages);
    apt(&arguments)
}

fn apt(arguments: &[&str]) -> anyhow::Result<()> {
    let status = Command::new("apt-get")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        // Standard output belongs to the command's own result.
        .stdout(std::io::stderr())
        .status()
        .context("apt-get could not be started")?;
    if !status.success() {
        let command = arguments.join(" ");
        bail!(
            "apt-get {command} ended with {status}; mend what its messages above say \
             (the network, the package sources), then run the same command again\n\
             apt-get {command} 以 {status} 结束；请按上面的信息排除问题\
             （网络、软件源），然后重新运行同一命令"
        );
    }
    Ok(())
}
