//! Runs one program on the two guests: `pair AGENT PROGRAM [TRACER]`.

use std::path::PathBuf;

use protocol::job::{Job, Limits, Role, RoleJob};
use runner::qemu::cache::Cache;
use runner::qemu::kernel::Source;
use runner::qemu::{Options, Qemu};

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1).map(PathBuf::from);
    let agent = args.next().expect("AGENT");
    let options = Options {
        cache: Cache::user()?,
        source: Source::Cached,
        agent,
    };
    let mut watch = |step| eprintln!("{step}");
    let mut qemu = Qemu::open(&options, &mut watch)?;
    let Some(program) = args.next() else {
        println!("{:?}", Qemu::time(&options, &mut watch)?);
        return Ok(());
    };
    let tracer = args.next();
    let one = std::env::var_os("ONE").is_some();
    let roles = if one {
        vec![Role::Single]
    } else {
        vec![Role::Server, Role::Client]
    };
    let job = Job {
        name: "example".into(),
        roles: roles
            .into_iter()
            .map(|role| RoleJob {
                role,
                program: program.clone(),
                args: vec![],
                env: vec![],
                unprivileged: false,
                memlock: None,
            })
            .collect(),
        trace: tracer.is_some(),
        limits: Limits::default(),
    };
    for _ in 0..3 {
        let report = runner::run::execute(&mut qemu, &job, tracer.as_deref());
        for role in &report.roles {
            println!("== {} {:?} {:?}", role.role.name(), role.end, role.wall);
            print!(
                "{}{}",
                String::from_utf8_lossy(&role.stdout),
                String::from_utf8_lossy(&role.stderr)
            );
            println!("{} events", role.events.len());
            if std::env::var_os("EVENTS").is_some() {
                let explanations = runner::trace::explain(&role.events);
                for (index, event) in role.events.iter().enumerate() {
                    println!("{}", runner::trace::render(event));
                    for explanation in explanations.iter().filter(|e| e.event == index) {
                        println!("    ^ {} {}", explanation.en, explanation.zh);
                    }
                }
            }
        }
        println!(
            "{:?} {:?} harness {:?}",
            report.fault, report.kernel_log, report.harness
        );
        if std::env::var_os("ONCE").is_some() {
            break;
        }
        if report.fault.is_some() {
            runner::testbed::Testbed::restore(&mut qemu)?;
        }
    }
    Ok(())
}
