//! `cargo xtask serve`

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use notify::{RecursiveMode, Watcher};
use tiny_http::Server;

use super::sound_book;
use crate::exit::Exit;
use crate::{server, site};

/// Show the book in a browser and render it again when a file changes / 预览全书
///
/// Listens on this machine only, until Ctrl-C. A page in the browser shows a
/// change after it is loaded again.
#[derive(Debug, Args)]
pub struct Serve {
    /// TCP port on 127.0.0.1; 0 lets the system choose
    #[arg(long, default_value_t = 3000)]
    port: u16,
}

/// Folders whose files the pages are made from.
const WATCHED: [&str; 3] = ["book/src", "book/measured", "book/theme"];

/// An editor writes several times in a row; render once they are through.
const QUIET: Duration = Duration::from_millis(200);

impl Serve {
    pub fn run(self, root: &Path) -> Result<Exit> {
        site::log_warnings();
        sound_book(root)?;
        let pages = site::build(root)?;
        let server = Server::http(("127.0.0.1", self.port)).map_err(|error| {
            anyhow!(
                "cannot listen on 127.0.0.1:{port}: {error}; choose another port with --port\n\
                 无法监听 127.0.0.1:{port}：{error}；请用 --port 换一个端口",
                port = self.port
            )
        })?;
        println!("http://{}/", server.server_addr());
        std::thread::spawn(move || server::serve(&server, &pages));
        rebuild_on_change(root)?;
        Ok(Exit::Ok)
    }
}

fn rebuild_on_change(root: &Path) -> Result<()> {
    let (changed, changes) = mpsc::channel::<PathBuf>();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if !event.kind.is_access() {
            // Nobody listens only when the command is about to end.
            let _ = changed.send(event.paths.into_iter().next().unwrap_or_default());
        }
    })
    .context("the file system cannot be watched")?;
    for folder in WATCHED.iter().map(|folder| root.join(folder)) {
        if folder.is_dir() {
            watcher
                .watch(&folder, RecursiveMode::Recursive)
                .with_context(|| format!("{} cannot be watched", folder.display()))?;
        }
    }
    while let Ok(path) = changes.recv() {
        while changes.recv_timeout(QUIET).is_ok() {}
        match sound_book(root).and_then(|_| site::build(root)) {
            Ok(_) => eprintln!("rendered again / 已重新生成：{}", path.display()),
            Err(error) => eprintln!("error: {error:#}"),
        }
    }
    Ok(())
}
