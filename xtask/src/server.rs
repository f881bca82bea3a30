//! The rendered pages over HTTP, for a reader on this machine.

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use tiny_http::{Header, Request, Response, Server};

/// Answers requests for files below `folder` until the process ends.
pub fn serve(server: &Server, folder: &Path) {
    for request in server.incoming_requests() {
        // A reader who went away is no reason to stop.
        let _ = answer(request, folder);
    }
}

fn answer(request: Request, folder: &Path) -> std::io::Result<()> {
    let file = below(folder, request.url()).and_then(|path| Some((File::open(&path).ok()?, path)));
    match file {
        Some((file, path)) => {
            let kind = format!("Content-Type: {}", media_type(&path));
            let header: Header = kind.parse().expect("a header of plain ASCII");
            request.respond(Response::from_file(file).with_header(header))
        }
        None => {
            let page = Response::from_string("not found / 没有这个页面").with_status_code(404);
            let kind: Header = "Content-Type: text/plain; charset=utf-8"
                .parse()
                .expect("a header of plain ASCII");
            request.respond(page.with_header(kind))
        }
    }
}

/// The file a URL names, if it stands below `folder`.
fn below(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?;
    let path = decoded(path.strip_prefix('/')?)?;
    let plain = Path::new(&path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let mut file = folder.join(&path);
    if file.is_dir() {
        file.push("index.html");
    }
    (plain && file.is_file()).then_some(file)
}

/// Percent escapes replaced by what they stand for.
fn decoded(url: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = url.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |b: Option<u8>| char::from(b?).to_digit(16);
                (digit(rest.next())? * 16 + digit(rest.next())?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_below_the_folder_are_served() {
        let folder = tempfile::tempdir().unwrap();
        let pages = folder.path().join("html");
        std::fs::create_dir(&pages).unwrap();
        std::fs::write(folder.path().join("secret"), "").unwrap();
        std::fs::write(pages.join("index.html"), "").unwrap();
        std::fs::write(pages.join("a b.html"), "").unwrap();
        assert_eq!(below(&pages, "/"), Some(pages.join("index.html")));
        assert_eq!(
            below(&pages, "/a%20b.html?x#y"),
            Some(pages.join("a b.html"))
        );
        for url in [
            "/../secret",
            "/%2e%2e/secret",
            "//etc/passwd",
            "/none",
            "secret",
            "/%",
        ] {
            assert_eq!(below(&pages, url), None, "{url}");
        }
    }
}
