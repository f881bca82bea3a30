//! The embedded testbed, for real: guests are booted, killed and restored.
//!
//! Needs what `cargo xtask setup` installs; without it each test fails and
//! names what is missing.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use protocol::job::{Job, Limits, Role, RoleJob};
use protocol::report::{End, Fault, Report};
use runner::qemu::cache::Cache;
use runner::qemu::kernel::Source;
use runner::qemu::{Options, Qemu};
use runner::testbed::Testbed;

/// One pair at a time: two would share two processors.
static ONE: Mutex<()> = Mutex::new(());

fn one() -> MutexGuard<'static, ()> {
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open() -> Qemu {
    let options = Options {
        cache: Cache::user().unwrap(),
        source: Source::Cached,
        agent: PathBuf::from(env!("CARGO_BIN_EXE_agent")),
    };
    Qemu::open(&options, &mut |step| eprintln!("{step}")).unwrap()
}

/// A shell command on node 0, by the guests' own kind of busybox.
fn sh(script: &str, limits: Limits) -> Job {
    Job {
        name: script.into(),
        roles: vec![role(Role::Single, script)],
        trace: false,
        limits,
    }
}

fn role(role: Role, script: &str) -> RoleJob {
    RoleJob {
        role,
        program: Path::new("/bin/busybox").into(),
        args: vec!["sh".into(), "-c".into(), script.into()],
        env: vec![],
        unprivileged: false,
        memlock: None,
    }
}

fn run(qemu: &mut Qemu, script: &str) -> Report {
    runner::run::execute(qemu, &sh(script, Limits::default()), None)
}

fn stdout(report: &Report) -> &str {
    assert_eq!(report.fault, None);
    std::str::from_utf8(&report.roles[0].stdout).unwrap().trim()
}

fn lost(report: &Report) -> (usize, &str) {
    match &report.fault {
        Some(Fault::NodeLost { node, reason, .. }) => (*node, reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_restored_pair_has_the_device_the_time_and_the_way_to_its_peer() {
    let _one = one();
    let mut qemu = open();
    for _ in 0..2 {
        assert_eq!(
            stdout(&run(&mut qemu, "cat /sys/class/infiniband/*/node_desc")),
            "rxe"
        );
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs();
        let guest: u64 = stdout(&run(&mut qemu, "date +%s")).parse().unwrap();
        assert!(
            guest.abs_diff(now) < 10,
            "the guest's clock says {guest}, the host's {now}"
        );
        assert_eq!(
            stdout(&run(
                &mut qemu,
                "ping -c1 -w5 10.10.0.2 >/dev/null && echo yes"
            )),
            "yes"
        );
        qemu.restore().unwrap();
    }
    let provenance = qemu.provenance();
    assert_eq!(provenance.driver, "rdma_rxe");
    assert_eq!(provenance.gid_type, "RoCE v2");
    assert_eq!(provenance.active_mtu, 1024);
}

#[test]
fn a_killed_qemu_is_a_lost_node_and_the_pair_comes_back() {
    let _one = one();
    let mut qemu = open();
    let pid = qemu.pids()[0];
    let killer = std::thread::spawn(move || {
        // SAFETY: the process is a child of this one and not collected.
        unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) }
    });
    let begin = Instant::now();
    let report = run(&mut qemu, "sleep 30");
    killer.join().unwrap();
    let (node, reason) = lost(&report);
    assert_eq!(node, 0);
    assert!(reason.contains("signal 9"), "{reason}");
    assert!(begin.elapsed() < Duration::from_secs(10));
    qemu.restore().unwrap();
    assert_eq!(stdout(&run(&mut qemu, "echo back")), "back");
}

#[test]
fn a_hung_guest_is_told_as_silent() {
    let _one = one();
    let mut qemu = open();
    let pid = qemu.pids()[0] as libc::pid_t;
    // SAFETY: the process is a child of this one and not collected.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGSTOP) }, 0);
    let limits = Limits {
        wall: Duration::from_secs(1),
        ..Limits::default()
    };
    let report = runner::run::execute(&mut qemu, &sh("echo never", limits), None);
    let (node, reason) = lost(&report);
    assert_eq!(node, 0);
    assert!(reason.contains("silent"), "{reason}");
}

#[test]
fn a_panic_is_told_with_the_kernels_last_lines() {
    let _one = one();
    let mut qemu = open();
    let report = run(&mut qemu, "echo c > /proc/sysrq-trigger; sleep 30");
    let (_, reason) = lost(&report);
    assert!(
        reason.contains("panicked") && reason.contains("sysrq"),
        "{reason}"
    );
}

#[test]
fn a_guest_that_switches_itself_off_is_lost() {
    let _one = one();
    let mut qemu = open();
    let report = run(&mut qemu, "poweroff -f; sleep 30");
    let (_, reason) = lost(&report);
    assert!(reason.contains("switched itself off"), "{reason}");
}

#[test]
fn memory_and_processes_are_bounded_and_the_node_survives() {
    let _one = one();
    let mut qemu = open();
    let report = run(&mut qemu, "tail /dev/zero");
    assert_eq!(report.roles[0].end, End::OutOfMemory);
    let limits = Limits {
        pids: 16,
        wall: Duration::from_secs(5),
        ..Limits::default()
    };
    let bomb = sh("bomb() { bomb | bomb & }; bomb; sleep 1", limits);
    let report = runner::run::execute(&mut qemu, &bomb, None);
    assert_eq!(report.fault, None);
    assert_eq!(stdout(&run(&mut qemu, "echo alive")), "alive");
}

#[test]
fn the_server_runs_on_one_node_and_the_client_on_the_other() {
    let _one = one();
    let mut qemu = open();
    let program = |who| RoleJob {
        program: Path::new("/bin/busybox").into(),
        args: vec![],
        env: vec![],
        ..role(who, "")
    };
    let job = Job {
        name: "roles".into(),
        roles: vec![program(Role::Server), program(Role::Client)],
        trace: false,
        limits: Limits::default(),
    };
    let report = runner::run::execute(&mut qemu, &job, None);
    // busybox knows neither `server` nor `client`, and says so by its status.
    let ends: Vec<_> = report
        .roles
        .iter()
        .map(|role| (role.role, role.end.clone()))
        .collect();
    assert_eq!(
        ends,
        [
            (Role::Server, End::Exited { code: 127 }),
            (Role::Client, End::Exited { code: 127 })
        ]
    );
}

#[test]
fn the_local_testbed_runs_both_roles_on_a_host_that_has_a_device() {
    let _one = one();
    let mut qemu = open();
    // A guest is such a host, and its own agent is `/init`.
    let mut job = sh("", Limits::default());
    job.roles[0].program = env!("CARGO_BIN_EXE_runner").into();
    let args = [
        "run",
        "--testbed",
        "local",
        "--agent",
        "/init",
        "--nodes",
        "2",
        "/usr/bin/busybox",
    ];
    job.roles[0].args = args.map(String::from).to_vec();
    let report = runner::run::execute(&mut qemu, &job, None);
    assert_eq!(report.fault, None);
    let out = String::from_utf8_lossy(&report.roles[0].stdout);
    // busybox knows neither of the two words that name the roles.
    assert!(out.contains("== server: Exited { code: 127 }"), "{out}");
    assert!(out.contains("== client: Exited { code: 127 }"), "{out}");
}

#[test]
fn a_host_without_a_device_is_no_local_testbed() {
    let agent = Path::new(env!("CARGO_BIN_EXE_agent"));
    if Path::new("/sys/class/infiniband").exists() {
        assert!(runner::local::Local::open(agent).is_ok());
        return;
    }
    let error = runner::local::Local::open(agent)
        .err()
        .expect("no device")
        .to_string();
    assert!(
        error.contains("no RDMA device") && error.contains("rdma link add"),
        "{error}"
    );
}

/// Not a test of its own: the next one starts it as another process.
#[test]
fn hold_a_pair_when_asked_to() {
    if std::env::var_os("HOLD_A_PAIR").is_none() {
        return;
    }
    let qemu = open();
    println!("pids {:?}", qemu.pids());
    std::thread::park();
}

#[test]
fn no_qemu_outlives_a_killed_owner() {
    let _one = one();
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "hold_a_pair_when_asked_to", "--nocapture"])
        .env("HOLD_A_PAIR", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let pids = lines
        .map_while(Result::ok)
        .find_map(|line| {
            line.split_once("pids [")
                .map(|(_, rest)| rest.replace(']', ""))
        })
        .expect("the owner starts a pair");
    let alive = |pid: &str| {
        let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline"));
        command.is_ok_and(|command| command.contains("qemu"))
    };
    let pids: Vec<&str> = pids.split(", ").collect();
    assert!(pids.iter().all(|pid| alive(pid)));
    owner.kill().unwrap();
    owner.wait().unwrap();
    let begin = Instant::now();
    while pids.iter().any(|pid| alive(pid)) {
        assert!(begin.elapsed() < Duration::from_secs(5), "a QEMU lives on");
        std::thread::yield_now();
    }
}
