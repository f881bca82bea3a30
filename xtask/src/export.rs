//! One snippet as a folder that builds by itself, outside this repository.

use std::collections::BTreeMap;

use crate::book::Book;
use crate::comment::{Comments, keep};
use crate::compile::LIBRARIES;
use crate::snippet::{Language, Snippet, module_name};

/// What an export is made of.
pub struct Export<'a> {
    pub book: &'a Book,
    pub snippet: &'a Snippet,
    pub language: Language,
    pub comments: Comments,
}

impl Export<'_> {
    /// File name within the folder, and text.
    pub fn files(&self) -> BTreeMap<String, String> {
        let mut files = match self.language {
            Language::C => self.c(),
            Language::Rust => self.rust(),
        };
        files.insert("README.md".into(), self.readme());
        files
    }

    fn c(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let parts = self.book.closure(self.snippet).into_iter();
        for part in parts.chain([self.snippet]) {
            let includes: Vec<String> = part
                .uses
                .iter()
                .map(|id| format!("#include \"{id}.h\"\n"))
                .collect();
            let guard = format!("#pragma once\n{}", includes.concat());
            let text = self.file(part, &guard, false);
            files.insert(format!("{}.h", part.id), text);
        }
        let id = &self.snippet.id;
        let include = format!("#include \"{id}.h\"\n");
        let main = self.file(self.snippet, &include, true);
        files.insert(format!("{id}.c"), main);
        files.insert("Makefile".into(), makefile(id));
        files
    }

    fn rust(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let closure = self.book.closure(self.snippet);
        let mut modules = Vec::new();
        for part in closure.into_iter().chain([self.snippet]) {
            let module = part.module();
            let uses = sorted(&part.uses);
            let uses: Vec<String> = uses.iter().map(|m| glob(&format!("crate::{m}"))).collect();
            let text = self.file(part, &uses.concat(), false);
            files.insert(format!("src/{module}.rs"), text);
            modules.push(part.id.clone());
        }
        let declare =
            |module: &String| format!("#[allow(dead_code, unused_imports)]\nmod {module};\n");
        let declared: Vec<String> = sorted(&modules).iter().map(declare).collect();
        let mut in_scope = self.snippet.uses.clone();
        in_scope.push(self.snippet.id.clone());
        let in_scope: Vec<String> = sorted(&in_scope).iter().map(|m| glob(m)).collect();
        let before = format!("{}\n{}", declared.concat(), in_scope.concat());
        let main = self.file(self.snippet, &before, true);
        files.insert("src/main.rs".into(), main);
        files.insert("Cargo.toml".into(), manifest(&self.snippet.id));
        files
    }

    /// One source file: where it is from, `before`, and the code of a part.
    fn file(&self, part: &Snippet, before: &str, main: bool) -> String {
        let mut text = format!(
            "// {} / {}\n// The measured RDMA manual, {}\n// SPDX-License-Identifier: MIT OR Apache-2.0\n",
            part.title.en,
            part.title.zh,
            part.declared.file.display(),
        );
        let code = part.blocks(self.language, main);
        let code = code.map(|block| keep(&block.code, self.comments));
        let pieces = [before.to_string()].into_iter().chain(code);
        for piece in pieces.filter(|piece| !piece.trim().is_empty()) {
            text.push('\n');
            text.push_str(piece.trim_end());
            text.push('\n');
        }
        text
    }

    fn readme(&self) -> String {
        let snippet = self.snippet;
        let program = match self.language {
            Language::C => format!("./{}", snippet.id),
            Language::Rust => format!("./target/release/{}", snippet.id),
        };
        let (build, needs) = match self.language {
            Language::C => (
                "make",
                "cc, make, pkg-config, libibverbs-dev, librdmacm-dev",
            ),
            Language::Rust => (
                "cargo build --release",
                "cargo, libibverbs-dev, librdmacm-dev, libclang-dev",
            ),
        };
        let run = match snippet.nodes {
            1 => program,
            _ => format!(
                "{program} server             # node 0 / 节点 0\n{program} client ADDRESS     # node 1 / 节点 1"
            ),
        };
        let two = match snippet.nodes {
            1 => ["", ""],
            _ => [
                " ADDRESS is the IPv4 address of node 0; the two nodes also talk over TCP port 20886.",
                "ADDRESS 是节点 0 的 IPv4 地址；两个节点还会通过 TCP 端口 20886 通信。",
            ],
        };
        let fails = match snippet.compile_error.get(&self.language) {
            None => String::new(),
            Some(text) => format!(
                "\nThis program does not compile, on purpose: the compiler says `{text}`.\n\n\
                 > 本程序有意不能编译：编译器会报 `{text}`。\n"
            ),
        };
        include_str!("export.md")
            .replace("@EN@", &snippet.title.en)
            .replace("@ZH@", &snippet.title.zh)
            .replace("@CHAPTER@", &snippet.declared.file.display().to_string())
            .replace("@ID@", &snippet.id)
            .replace("@FAILS@", &fails)
            .replace("@NEEDS@", needs)
            .replace("@BUILD@", build)
            .replace("@RUN@", &run)
            .replace("@TWO_EN@", two[0])
            .replace("@TWO_ZH@", two[1])
    }
}

fn sorted(ids: &[String]) -> Vec<String> {
    let mut modules: Vec<String> = ids.iter().map(|id| module_name(id)).collect();
    modules.sort();
    modules
}

fn glob(path: &str) -> String {
    format!("#[allow(unused_imports)]\nuse {path}::*;\n")
}

fn makefile(id: &str) -> String {
    let libraries = LIBRARIES.join(" ");
    format!(
        "CFLAGS ?= -O2 -g\n\
         WARNINGS = -std=gnu17 -Wall -Wextra\n\
         RDMA_CFLAGS := $(shell pkg-config --cflags {libraries})\n\
         RDMA_LIBS := $(shell pkg-config --libs {libraries})\n\
         \n\
         {id}: {id}.c $(wildcard *.h)\n\
         \t$(CC) $(WARNINGS) $(CFLAGS) $(RDMA_CFLAGS) -o $@ $< $(LDFLAGS) $(RDMA_LIBS)\n\
         \n\
         .PHONY: clean\n\
         clean:\n\
         \trm -f {id}\n"
    )
}

/// The versions of the dependencies are those of this workspace.
fn manifest(id: &str) -> String {
    let workspace: toml::Table = include_str!("../../Cargo.toml")
        .parse()
        .expect("a manifest");
    let version = |name: &str| workspace["workspace"]["dependencies"][name].to_string();
    format!(
        "[package]\n\
         name = \"{id}\"\n\
         version = \"0.1.0\"\n\
         edition = \"2021\"\n\
         license = \"MIT OR Apache-2.0\"\n\
         publish = false\n\
         \n\
         [dependencies]\n\
         libc = {}\n\
         rdma-sys = {}\n\
         \n\
         # A workspace of its own, wherever the folder lies.\n\
         [workspace]\n",
        version("libc"),
        version("rdma-sys"),
    )
}
