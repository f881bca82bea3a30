//! Watching one process: its output, its limits and its end.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::time::{Duration, Instant};

use protocol::job::Limits;
use protocol::report::{End, TimeLimit};

use super::cgroup::Cgroup;
use super::message::{Exit, Stream};
use super::process::Started;

/// From TERM to KILL.
const GRACE: Duration = Duration::from_millis(500);
/// How long output may still come after the process and its group are gone.
const DRAIN: Duration = Duration::from_millis(500);

/// A process under watch.
pub struct Watch<'a> {
    pub started: &'a Started,
    pub limits: &'a Limits,
    pub group: Option<&'a Cgroup>,
    /// Readable when the host asks for the end.
    pub stop: RawFd,
    /// Takes what the process writes.
    pub output: &'a mut dyn FnMut(Stream, &[u8]),
}

/// Why a process is being ended before its time.
#[derive(Clone, Copy)]
struct Ending {
    end: EndedBy,
    kill_at: Instant,
    killed: bool,
}

#[derive(Clone, Copy)]
enum EndedBy {
    Time(TimeLimit),
    Output,
    Host,
}

struct Streams {
    /// Open ones, with the bytes seen of each.
    open: Vec<(Stream, RawFd, u64)>,
    last_output: Instant,
}

impl Watch<'_> {
    /// Returns when the process has ended and its output is read.
    pub fn until_exit(mut self, log: &Path) -> io::Result<Exit> {
        let begin = Instant::now();
        let handle = pidfd(self.started.pid)?;
        let mut streams = self.streams();
        let mut ending: Option<Ending> = None;
        loop {
            let wait = self.next_deadline(begin, &streams, ending);
            // Once it is ending, the closed pipe has nothing more to say.
            let others = [handle.as_raw_fd(), self.stop];
            let others = if ending.is_none() {
                &others[..]
            } else {
                &others[..1]
            };
            let ready = poll(&streams, others, wait)?;
            let over = self.read_output(&mut streams, &ready.streams);
            if ready.others[0] {
                break;
            }
            let reason = if over {
                Some(EndedBy::Output)
            } else if ready.others.get(1) == Some(&true) {
                Some(EndedBy::Host)
            } else {
                self.expired(begin, &streams).map(EndedBy::Time)
            };
            ending = self.press(ending, reason);
        }
        let wall = begin.elapsed();
        // Before it is collected: until then its group's number is its own.
        self.kill_everything();
        let (status, cpu) = collect(self.started.pid)?;
        self.drain(&mut streams);
        let end = self.end(status, ending);
        let recorded = protocol::log::read(log)?;
        Ok(Exit {
            end,
            wall,
            cpu,
            trace: recorded.bytes,
            trace_truncated: recorded.truncated,
        })
    }

    fn streams(&self) -> Streams {
        let mut open = vec![(Stream::Stdout, self.started.stdout.as_raw_fd(), 0)];
        if let Some(stderr) = &self.started.stderr {
            open.push((Stream::Stderr, stderr.as_raw_fd(), 0));
        }
        Streams {
            open,
            last_output: Instant::now(),
        }
    }

    fn next_deadline(&self, begin: Instant, streams: &Streams, ending: Option<Ending>) -> Duration {
        let deadline = match ending {
            Some(ending) if !ending.killed => ending.kill_at,
            Some(_) => return Duration::from_secs(1),
            None if self.started.terminal => return Duration::from_secs(60),
            None => (begin + self.limits.wall).min(streams.last_output + self.limits.silence),
        };
        deadline.saturating_duration_since(Instant::now())
    }

    fn expired(&self, begin: Instant, streams: &Streams) -> Option<TimeLimit> {
        if self.started.terminal {
            None
        } else if begin.elapsed() >= self.limits.wall {
            Some(TimeLimit::Wall)
        } else if streams.last_output.elapsed() >= self.limits.silence {
            Some(TimeLimit::Silence)
        } else {
            None
        }
    }

    /// Asks the process to end, and makes it end when it does not.
    fn press(&self, ending: Option<Ending>, reason: Option<EndedBy>) -> Option<Ending> {
        match (ending, reason) {
            (None, Some(end)) => {
                self.signal(libc::SIGTERM);
                Some(Ending {
                    end,
                    kill_at: Instant::now() + GRACE,
                    killed: false,
                })
            }
            (Some(ending), _) if !ending.killed && Instant::now() >= ending.kill_at => {
                self.kill_everything();
                Some(Ending {
                    killed: true,
                    ..ending
                })
            }
            _ => ending,
        }
    }

    /// Reads what is there; true when the process wrote more than it may.
    fn read_output(&mut self, streams: &mut Streams, ready: &[bool]) -> bool {
        let mut over = false;
        let mut closed = Vec::new();
        for (index, (stream, fd, seen)) in streams.open.iter_mut().enumerate() {
            if !ready[index] {
                continue;
            }
            let mut buffer = [0; 64 << 10];
            // SAFETY: an open descriptor and a buffer of this length.
            let count = unsafe { libc::read(*fd, buffer.as_mut_ptr().cast(), buffer.len()) };
            // A terminal whose last program has ended answers EIO.
            if count <= 0 {
                closed.push(index);
                continue;
            }
            streams.last_output = Instant::now();
            let room = match self.started.terminal {
                true => u64::MAX,
                false => self.limits.output.saturating_sub(*seen),
            };
            *seen += count as u64;
            let kept = (count as u64).min(room) as usize;
            over |= kept < count as usize;
            if kept > 0 {
                (self.output)(*stream, &buffer[..kept]);
            }
        }
        for index in closed.into_iter().rev() {
            streams.open.remove(index);
        }
        over
    }

    /// What was written before the end and is still in the pipes.
    fn drain(&mut self, streams: &mut Streams) {
        let deadline = Instant::now() + DRAIN;
        while !streams.open.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            match poll(streams, &[], left) {
                Ok(ready) if ready.streams.contains(&true) => {
                    self.read_output(streams, &ready.streams);
                }
                _ => return,
            }
        }
    }

    fn signal(&self, signal: libc::c_int) {
        // SAFETY: the process is not collected yet, so its group is its own.
        unsafe { libc::kill(-self.started.pid, signal) };
    }

    fn kill_everything(&self) {
        self.signal(libc::SIGKILL);
        if let Some(group) = self.group {
            group.kill();
        }
    }

    fn end(&self, status: libc::c_int, ending: Option<Ending>) -> End {
        if self.group.is_some_and(Cgroup::out_of_memory) {
            return End::OutOfMemory;
        }
        match ending.map(|ending| ending.end) {
            Some(EndedBy::Time(limit)) => End::TimedOut { limit },
            Some(EndedBy::Output) => End::OutputExceeded,
            Some(EndedBy::Host) => End::Stopped,
            None if libc::WIFSIGNALED(status) => End::Signal {
                signal: libc::WTERMSIG(status),
            },
            None => End::Exited {
                code: libc::WEXITSTATUS(status),
            },
        }
    }
}

struct Ready {
    streams: Vec<bool>,
    others: Vec<bool>,
}

fn poll(streams: &Streams, others: &[RawFd], wait: Duration) -> io::Result<Ready> {
    let fds = streams
        .open
        .iter()
        .map(|open| open.1)
        .chain(others.iter().copied());
    let mut polled: Vec<libc::pollfd> = fds
        .map(|fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        })
        .collect();
    // Rounded up, so that a deadline has passed when poll returns for it.
    let wait = wait.as_millis().saturating_add(1).min(60_000) as libc::c_int;
    // SAFETY: the array is valid for its length.
    let count = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, wait) };
    if count < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
        polled.iter_mut().for_each(|fd| fd.revents = 0);
    }
    let ready: Vec<bool> = polled.iter().map(|fd| fd.revents != 0).collect();
    let (streams, others) = ready.split_at(streams.open.len());
    Ok(Ready {
        streams: streams.to_vec(),
        others: others.to_vec(),
    })
}

fn pidfd(pid: libc::pid_t) -> io::Result<OwnedFd> {
    // SAFETY: a system call without pointers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a new descriptor that nobody else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Takes the ended process's status and its user and system time.
fn collect(pid: libc::pid_t) -> io::Result<(libc::c_int, Duration)> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both results are valid for the call.
    let collected = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
    if collected != pid {
        return Err(io::Error::last_os_error());
    }
    let time = |t: libc::timeval| {
        Duration::from_secs(t.tv_sec as u64) + Duration::from_micros(t.tv_usec as u64)
    };
    Ok((status, time(usage.ru_utime) + time(usage.ru_stime)))
}
