//! The agent over pipes, with real processes of this host.

use std::io::BufReader;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use protocol::job::Limits;
use protocol::report::{End, TimeLimit};
use runner::agent::frame;
use runner::agent::message::{Event, Exec, Program, Request, Stream};

/// An agent and what it said so far.
struct Agent {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

/// How one shell command ended.
struct Ran {
    end: End,
    stdout: Vec<u8>,
    wall: Duration,
}

impl Agent {
    fn start() -> Agent {
        let mut child = Command::new(env!("CARGO_BIN_EXE_agent"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take(), child.stdout.take().unwrap());
        Agent {
            child,
            to,
            from: BufReader::new(from),
        }
    }

    fn send(&mut self, request: &Request) {
        frame::write(self.to.as_mut().unwrap(), request).unwrap();
    }

    fn event(&mut self) -> Event {
        frame::read(&mut self.from)
            .unwrap()
            .expect("the agent goes on")
    }

    /// Starts a shell command under id 1.
    fn sh(&mut self, script: &str, limits: Limits) {
        let exec = exec("/bin/sh", &["-c", script], limits);
        self.send(&Request::Exec { id: 1, exec });
    }

    /// Until the process ends.
    fn wait(&mut self) -> Ran {
        let mut stdout = Vec::new();
        loop {
            match self.event() {
                Event::Output {
                    stream: Stream::Stdout,
                    bytes,
                    ..
                } => stdout.extend(bytes),
                Event::Exited { exit, .. } => {
                    return Ran {
                        end: exit.end,
                        stdout,
                        wall: exit.wall,
                    };
                }
                Event::Failed { reason, .. } => panic!("{reason}"),
                _ => {}
            }
        }
    }

    fn run(script: &str, limits: Limits) -> Ran {
        let mut agent = Agent::start();
        agent.sh(script, limits);
        agent.wait()
    }

    /// The first line the process prints.
    fn line(&mut self) -> String {
        loop {
            if let Event::Output { bytes, .. } = self.event() {
                return String::from_utf8(bytes).unwrap().trim().to_string();
            }
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.to = None;
        let _ = self.child.wait();
    }
}

fn exec(program: &str, args: &[&str], limits: Limits) -> Exec {
    Exec {
        program: Program::Path(program.into()),
        name: program.into(),
        args: args.iter().map(|arg| arg.to_string()).collect(),
        env: vec![],
        unprivileged: false,
        memlock: None,
        tracer: None,
        limits,
        terminal: None,
    }
}

fn limits() -> Limits {
    Limits::default()
}

/// The process is gone, or a zombie nobody has collected yet.
fn ended(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .trim_start()
        .starts_with('Z')
        || state.is_empty()
}

fn wait_until_ended(pid: &str) {
    let begin = std::time::Instant::now();
    while !ended(pid) {
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "process {pid} lives on"
        );
        std::thread::yield_now();
    }
}

#[test]
fn an_exit_status_and_the_output_before_it_arrive() {
    let ran = Agent::run("echo out; exit 7", limits());
    assert_eq!(ran.end, End::Exited { code: 7 });
    assert_eq!(ran.stdout, b"out\n");
}

#[test]
fn a_signal_is_told_from_an_exit() {
    let ran = Agent::run("kill -SEGV $$", limits());
    assert_eq!(
        ran.end,
        End::Signal {
            signal: libc::SIGSEGV
        }
    );
}

#[test]
fn a_process_beyond_its_wall_time_is_ended_though_it_writes() {
    let limits = Limits {
        wall: Duration::from_millis(300),
        ..limits()
    };
    let ran = Agent::run("while :; do echo; sleep 0.05; done", limits);
    assert_eq!(
        ran.end,
        End::TimedOut {
            limit: TimeLimit::Wall
        }
    );
    assert!(ran.wall >= Duration::from_millis(300));
}

#[test]
fn a_silent_process_is_ended_before_its_wall_time() {
    let limits = Limits {
        silence: Duration::from_millis(200),
        ..limits()
    };
    let ran = Agent::run("sleep 30", limits);
    assert_eq!(
        ran.end,
        End::TimedOut {
            limit: TimeLimit::Silence
        }
    );
}

#[test]
fn a_process_that_ignores_term_is_killed() {
    let limits = Limits {
        wall: Duration::from_millis(200),
        ..limits()
    };
    let ran = Agent::run("trap '' TERM; while :; do sleep 0.05; done", limits);
    assert_eq!(
        ran.end,
        End::TimedOut {
            limit: TimeLimit::Wall
        }
    );
}

#[test]
fn output_beyond_its_limit_ends_the_process_and_is_cut() {
    let limits = Limits {
        output: 1000,
        ..limits()
    };
    let ran = Agent::run("while :; do echo 123456789; done", limits);
    assert_eq!(ran.end, End::OutputExceeded);
    assert_eq!(ran.stdout.len(), 1000);
}

#[test]
fn a_megabyte_of_any_bytes_arrives_whole() {
    let ran = Agent::run("head -c 1000000 /dev/zero | tr '\\0' '\\377'", limits());
    assert_eq!(ran.end, End::Exited { code: 0 });
    assert!(ran.stdout.len() == 1_000_000 && ran.stdout.iter().all(|&b| b == 0xff));
}

#[test]
fn grandchildren_do_not_outlive_the_process() {
    let ran = Agent::run("sleep 60 & echo $!", limits());
    let pid = String::from_utf8(ran.stdout).unwrap();
    wait_until_ended(pid.trim());
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let mut agent = Agent::start();
    agent.send(&Request::Exec {
        id: 1,
        exec: exec("/no/such/program", &[], limits()),
    });
    match agent.event() {
        Event::Failed { id: 1, reason } => assert!(reason.contains("/no/such/program"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_kept_program_runs_and_a_path_is_no_hash() {
    let mut agent = Agent::start();
    let bytes = std::fs::read("/bin/true").unwrap();
    agent.send(&Request::Put {
        hash: "abc123".into(),
        bytes: bytes.clone(),
    });
    assert!(matches!(agent.event(), Event::Kept { .. }));
    let kept = Exec {
        program: Program::Kept("abc123".into()),
        ..exec("", &[], limits())
    };
    agent.send(&Request::Exec { id: 1, exec: kept });
    assert_eq!(agent.wait().end, End::Exited { code: 0 });
    agent.send(&Request::Put {
        hash: "../evil".into(),
        bytes,
    });
    assert!(matches!(agent.event(), Event::Failed { .. }));
}

#[test]
fn the_host_can_stop_a_process() {
    let mut agent = Agent::start();
    agent.sh("echo up; sleep 60", limits());
    agent.line();
    agent.send(&Request::Kill { id: 1 });
    assert_eq!(agent.wait().end, End::Stopped);
}

#[test]
fn processes_end_when_the_host_closes_the_line() {
    let mut agent = Agent::start();
    agent.sh("echo $$; sleep 60", limits());
    let pid = agent.line();
    agent.to = None;
    assert!(agent.child.wait().unwrap().success());
    wait_until_ended(&pid);
}

#[test]
fn processes_end_when_the_line_breaks() {
    use std::io::Write;
    let mut agent = Agent::start();
    agent.sh("echo $$; sleep 60", limits());
    let pid = agent.line();
    // A frame that promises more than may be sent.
    let to = agent.to.as_mut().unwrap();
    to.write_all(b"\x01rdmaf1\x02\xff\xff\xff\xff").unwrap();
    to.flush().unwrap();
    assert!(!agent.child.wait().unwrap().success());
    wait_until_ended(&pid);
}

#[test]
fn processes_end_when_the_agent_is_killed() {
    let mut agent = Agent::start();
    agent.sh("echo $$; exec sleep 60", limits());
    let pid = agent.line();
    agent.child.kill().unwrap();
    wait_until_ended(&pid);
}

#[test]
fn input_sent_right_behind_the_start_reaches_the_process() {
    let mut agent = Agent::start();
    agent.sh("cat", limits());
    agent.send(&Request::Stdin {
        id: 1,
        bytes: b"early".to_vec(),
    });
    agent.send(&Request::Eof { id: 1 });
    let ran = agent.wait();
    assert_eq!(
        (ran.end, ran.stdout),
        (End::Exited { code: 0 }, b"early".to_vec())
    );
}

#[test]
fn what_nobody_reads_does_not_hold_up_the_end() {
    let mut agent = Agent::start();
    agent.sh("echo up; sleep 60", limits());
    agent.line();
    agent.send(&Request::Stdin {
        id: 1,
        bytes: vec![b'x'; 300_000],
    });
    agent.send(&Request::Kill { id: 1 });
    assert_eq!(agent.wait().end, End::Stopped);
}

#[test]
fn an_unprivileged_process_is_nobody_with_its_memory_lock_limit() {
    // SAFETY: takes nothing and cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        // Only root can become somebody else; as an ordinary user every
        // process is unprivileged already.
        return;
    }
    let mut agent = Agent::start();
    let shell = exec("/bin/sh", &["-c", "id -u; ulimit -l"], limits());
    let exec = Exec {
        unprivileged: true,
        memlock: Some(65536),
        ..shell
    };
    agent.send(&Request::Exec { id: 1, exec });
    assert_eq!(agent.wait().stdout, b"65534\n64\n");
}
