//! A client of QEMU's machine protocol (docs/interop/qmp-spec): one JSON object
//! a line, answers in order, events in between.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// How long QEMU may take to answer; it answers at once unless the host is
/// badly overloaded.
const DEADLINE: Duration = Duration::from_secs(10);

pub struct Qmp {
    reader: BufReader<UnixStream>,
    /// A line of which only the beginning has arrived.
    partial: Vec<u8>,
    events: VecDeque<Value>,
}

impl Qmp {
    /// Takes the greeting and leaves negotiation mode.
    pub fn open(stream: UnixStream) -> Result<Qmp> {
        let mut qmp = Qmp {
            reader: BufReader::new(stream),
            partial: Vec::new(),
            events: VecDeque::new(),
        };
        let greeting = qmp.next(Instant::now() + DEADLINE)?;
        if greeting.get("QMP").is_none() {
            bail!("QEMU's monitor greets with {greeting}");
        }
        qmp.execute("qmp_capabilities", json!({}))?;
        Ok(qmp)
    }

    pub fn execute(&mut self, command: &str, arguments: Value) -> Result<Value> {
        let line = json!({ "execute": command, "arguments": arguments });
        let stream = self.reader.get_mut();
        writeln!(stream, "{line}").with_context(|| format!("cannot send {command} to QEMU"))?;
        let deadline = Instant::now() + DEADLINE;
        loop {
            let mut answer = self
                .next(deadline)
                .with_context(|| format!("no answer from QEMU to {command}"))?;
            if answer.get("event").is_some() {
                self.events.push_back(answer);
            } else if let Some(error) = answer.get("error") {
                bail!("QEMU refuses {command}: {}", error["desc"]);
            } else {
                return Ok(answer["return"].take());
            }
        }
    }

    /// The next event with this name; those before it are dropped.
    pub fn wait_event(&mut self, name: &str, within: Duration) -> Result<Value> {
        let deadline = Instant::now() + within;
        loop {
            let event = match self.events.pop_front() {
                Some(event) => event,
                None => self.next(deadline)?,
            };
            if event["event"] == name {
                return Ok(event);
            }
        }
    }

    fn next(&mut self, deadline: Instant) -> Result<Value> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Zero would mean for ever.
            let left = left.max(Duration::from_micros(1));
            self.reader.get_ref().set_read_timeout(Some(left))?;
            match self.reader.read_until(b'\n', &mut self.partial) {
                Ok(0) => bail!("QEMU closed its monitor"),
                Ok(_) => {
                    let line = std::mem::take(&mut self.partial);
                    return serde_json::from_slice(&line).context("QEMU's monitor sent no JSON");
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if Instant::now() >= deadline {
                        bail!("QEMU's monitor is silent");
                    }
                }
                Err(e) => return Err(e).context("cannot read QEMU's monitor"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A monitor that says these lines whatever it is asked.
    fn says(lines: &[&str]) -> (Result<Qmp>, UnixStream) {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        for line in lines {
            writeln!(theirs, "{line}").unwrap();
        }
        (Qmp::open(ours), theirs)
    }

    #[test]
    fn an_event_before_an_answer_is_kept_for_later() {
        let event = r#"{"event":"SHUTDOWN","data":{"guest":true}}"#;
        let (qmp, _end) = says(&[
            r#"{"QMP":{}}"#,
            r#"{"return":{}}"#,
            event,
            r#"{"return":{"running":true}}"#,
        ]);
        let mut qmp = qmp.unwrap();
        let status = qmp.execute("query-status", json!({})).unwrap();
        assert_eq!(status["running"], true);
        assert!(qmp.wait_event("SHUTDOWN", Duration::ZERO).is_ok());
    }

    #[test]
    fn a_refusal_carries_the_reason() {
        let (qmp, _end) = says(&[
            r#"{"QMP":{}}"#,
            r#"{"return":{}}"#,
            r#"{"error":{"class":"GenericError","desc":"no such disk"}}"#,
        ]);
        let error = qmp.unwrap().execute("eject", json!({})).unwrap_err();
        assert!(error.to_string().contains("no such disk"));
    }

    #[test]
    fn a_closed_monitor_is_an_error() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        assert!(Qmp::open(ours).is_err());
    }
}
