//! Makes a crate from generated files and templates; the only room that writes crates.
//!
//! pmc overwrites no file that it did not write, leaves no file half-written, and does not touch files that are up to
//! date, so that cargo has nothing to build again.

mod runtime;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::codegen::Generated;
use crate::collections::Fnv;

const CARGO_TOML: &str = include_str!("../embedded/templates/verifier-Cargo.toml");
const CARGO_LOCK: &str = include_str!("../embedded/templates/Cargo.lock");
const GITIGNORE: &str = include_str!("../embedded/templates/gitignore");
const TEST: &str = include_str!("../embedded/templates/test.rs");
const MAIN: &str = include_str!("../embedded/templates/main.rs");
const README: &str = include_str!("../embedded/templates/README.md");
const RUNTIME_CARGO_TOML: &str = include_str!("../embedded/templates/runtime-Cargo.toml");
const CORE_CARGO_TOML: &str = include_str!("../embedded/templates/core-Cargo.toml");
/// What a crate has only if its model has embedded C, beside modules of Rust.
const OF_C: [&str; 3] = ["build.rs", "src/embedded.c", "src/embedded-guard.c"];
const EMBEDDED_BUILD: &str = include_str!("../embedded/templates/embedded-build.rs");
const EMBEDDED_GUARD: &str = include_str!("../embedded/templates/embedded-guard.c");
const SEARCHES: &str = include_str!("../embedded/searches.rs");
const SEARCHES_CARGO_TOML: &str = include_str!("../embedded/templates/searches-Cargo.toml");

/// The root of the generated modules: a library, and with its `main` a program as well.
const ROOT: &str = "src/lib.rs";
/// What git leaves alone. A folder may have such a file already, which then stays as it is.
const IGNORED: &str = ".gitignore";
/// The mark in the first lines of every file that pmc writes outside of `runtime/`.
const MARK: &str = "Made by pmc";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{path}` was not written by pmc; use `-o DIR` to put the verifier elsewhere")]
    Foreign { path: String },
    #[error("cannot write `{path}`")]
    Write { path: String, source: io::Error },
    #[error("cannot read `{path}`")]
    Read { path: String, source: io::Error },
}

/// A crate that is not written yet.
pub struct Package {
    /// Paths in the crate, with `/`, each with its text.
    files: Vec<(String, String)>,
}

/// Where the runtime of a crate is.
pub enum Runtime<'r> {
    /// In the crate itself, which then needs nothing else.
    Inside,
    /// In a folder that several crates share; the crate has this name instead of `verifier`.
    Shared { path: &'r Path, name: &'r str },
}

impl Package {
    pub fn new(generated: Generated, runtime: &Runtime<'_>) -> Self {
        let mut files: Vec<(String, String)> = Vec::new();
        let mut add = |path: &str, text: String| files.push((path.to_owned(), text));
        let cargo_toml = CARGO_TOML.replace("\"SEARCHES\"", &features(&generated));
        match runtime {
            Runtime::Inside => {
                add("Cargo.toml", cargo_toml);
                add("Cargo.lock", CARGO_LOCK.to_owned());
                add("src/README.md", README.to_owned());
                add("src/main.rs", MAIN.to_owned());
                add("tests/model.rs", TEST.to_owned());
                add(IGNORED, GITIGNORE.to_owned());
            }
            Runtime::Shared { path, name } => {
                let path = format!("path = {:?}", path.join("searches").display().to_string());
                let named = cargo_toml.replacen("name = \"verifier\"", &format!("name = \"{name}\""), 1);
                add("Cargo.toml", named.replace("path = \"runtime/searches\"", &path));
                add("Cargo.lock", CARGO_LOCK.replace("\"verifier\"", &format!("\"{name}\"")));
            }
        }
        if generated.embedded_c().is_some() {
            add("build.rs", EMBEDDED_BUILD.to_owned());
            add("src/embedded-guard.c", EMBEDDED_GUARD.to_owned());
        }
        for file in generated.files {
            match runtime {
                // No other crate uses it, so it is a program only: one crate to build in place of two.
                Runtime::Shared { .. } if file.path == ROOT => add("src/main.rs", file.text),
                Runtime::Inside | Runtime::Shared { .. } => add(&file.path, file.text),
            }
        }
        if let Runtime::Inside = runtime {
            files.extend(runtime_files().into_iter().map(|(path, text)| (format!("runtime/{path}"), text)));
        }
        Self { files }
    }

    /// The runtime alone, for crates that share it.
    pub fn runtime() -> Self {
        Self { files: runtime_files() }
    }

    /// One file, to be included in another crate.
    pub fn module(name: String, text: String) -> Self {
        Self { files: vec![(name, text)] }
    }

    /// Each file's path in the crate, and its text.
    pub fn into_files(self) -> Vec<(String, String)> {
        self.files
    }

    /// A hash of all files.
    pub fn fingerprint(&self) -> String {
        let mut hash = Fnv::default();
        for (path, text) in &self.files {
            hash.add(path.as_bytes());
            hash.add(text.as_bytes());
        }
        hash.to_string()
    }

    /// Writes the files that are not up to date.
    pub fn write(&self, dir: &Path) -> Result<(), Error> {
        for (path, _) in self.files_in(dir) {
            refuse_foreign(&dir.join(path), path)?;
        }
        for (path, text) in self.files_in(dir) {
            write(&dir.join(path), text)?;
        }
        for stale in self.stale(dir) {
            fs::remove_file(&stale).map_err(|source| Error::Write { path: stale.display().to_string(), source })?;
        }
        Ok(())
    }

    /// The files of a crate in a folder.
    fn files_in<'f>(&'f self, dir: &'f Path) -> impl Iterator<Item = &'f (String, String)> {
        self.files.iter().filter(move |(path, _)| {
            let place = dir.join(path);
            path != IGNORED || !place.exists() || is_marked(&place)
        })
    }

    /// The files on the disk that are not up to date.
    pub fn differences(&self, dir: &Path) -> Vec<String> {
        let differs =
            |(path, text): &&(String, String)| fs::read(dir.join(path)).ok().as_deref() != Some(text.as_bytes());
        let changed = self.files_in(dir).filter(differs).map(|(path, _)| path.clone());
        let stale = self.stale(dir).into_iter().map(|path| path.display().to_string());
        changed.chain(stale).collect()
    }

    /// Modules that pmc wrote for an earlier form of the model, or with an earlier version of the runtime: two files for
    /// one module would be an error to rustc.
    fn stale(&self, dir: &Path) -> Vec<PathBuf> {
        let is_own = |path: &Path| self.files.iter().any(|(own, _)| dir.join(own) == *path);
        let mut stale = Vec::new();
        for root in ["src", "runtime/src"] {
            // A single module says nothing about other files in its folder.
            if self.files.iter().any(|(path, _)| path.starts_with(&format!("{root}/"))) {
                let modules = modules_below(&dir.join(root));
                stale.extend(
                    modules.into_iter().filter(|path| !is_own(path) && (is_marked(path) || is_in_runtime(path))),
                );
            }
        }
        if self.files.iter().any(|(path, _)| path.starts_with("src/")) {
            let of_c = OF_C.iter().map(|path| dir.join(path));
            stale.extend(of_c.filter(|path| path.is_file() && !is_own(path) && is_marked(path)));
        }
        stale.sort();
        stale
    }
}

/// The features of the searches, as they stand in a list of a manifest.
fn features(generated: &Generated) -> String {
    generated.features().iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

/// All Rust files in a folder and in those inside it.
fn modules_below(dir: &Path) -> Vec<PathBuf> {
    let (mut modules, mut dirs) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(dir) = dirs.pop() {
        let Ok(entries) = fs::read_dir(dir) else { continue };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => dirs.push(entry.path()),
                Ok(kind) if kind.is_file() && entry.path().extension().is_some_and(|extension| extension == "rs") => {
                    modules.push(entry.path());
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    modules
}

fn runtime_files() -> Vec<(String, String)> {
    let mut files = vec![
        ("Cargo.toml".to_owned(), RUNTIME_CARGO_TOML.to_owned()),
        ("core/Cargo.toml".to_owned(), CORE_CARGO_TOML.to_owned()),
        ("searches/Cargo.toml".to_owned(), SEARCHES_CARGO_TOML.to_owned()),
        ("searches/src/lib.rs".to_owned(), SEARCHES.to_owned()),
    ];
    files.extend(runtime::sources().into_iter().map(|(path, text)| (format!("src/{path}"), text)));
    files.sort();
    files
}

/// Fails if pmc did not write a file, so that nothing is overwritten.
fn refuse_foreign(path: &Path, shown: &str) -> Result<(), Error> {
    let is_below = ["src/", "searches/src/", "runtime/searches/src/"].iter().any(|root| shown.starts_with(root));
    let is_runtime_source = shown.contains("runtime/src/") || is_below && is_in_runtime(path);
    if !path.exists() || is_marked(path) || is_runtime_source {
        return Ok(());
    }
    Err(Error::Foreign { path: shown.to_owned() })
}

/// Sources of the runtime have no mark; the `Cargo.toml` above them does.
fn is_in_runtime(path: &Path) -> bool {
    path.ancestors().any(|dir| {
        fs::read_to_string(dir.join("Cargo.toml"))
            .is_ok_and(|text| text.contains(MARK) && text.contains("name = \"pmc-runtime\""))
    })
}

fn is_marked(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.lines().take(40).any(|line| line.contains(MARK)))
}

/// Writes a file completely or not at all.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let failed = |source: io::Error| Error::Write { path: path.display().to_string(), source };
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir).map_err(failed)?;
    let mut file = tempfile::Builder::new().prefix(".pmc-").tempfile_in(dir).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    make_readable(file.as_file()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A temporary file is private; the final one gets the usual permissions.
#[cfg(unix)]
fn make_readable(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::layout::WIDEST;

    #[test]
    fn there_are_searches_for_states_of_every_size() {
        let sources = runtime::sources();
        let (_, precompiled) = sources.iter().find(|(path, _)| path == "precompiled.rs").expect("a file");
        let sizes = (1..=WIDEST / 64).map(|n| format!("words{n}"));
        for name in sizes.chain(["bytes".to_owned()]) {
            for manifest in [SEARCHES_CARGO_TOML, include_str!("../../runtime/searches/Cargo.toml")] {
                assert!(manifest.contains(&format!("\n{name} = []\n")), "{name}");
            }
            assert!(SEARCHES.contains(&format!("\"{name}\" {name} ")), "{name}");
            assert!(precompiled.contains(&format!(" {name} ")), "{name}");
        }
    }

    #[test]
    fn files_of_c_go_with_the_last_c_of_a_model() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = |names: &[&str]| Package {
            files: names.iter().map(|name| ((*name).to_owned(), format!("// {MARK} for {name}"))).collect(),
        };
        files(&["src/lib.rs", "build.rs", "src/embedded.c", "src/embedded.rs"]).write(folder.path()).expect("written");
        let plain = files(&["src/lib.rs"]);
        assert_eq!(plain.differences(folder.path()).len(), 3);
        plain.write(folder.path()).expect("written");
        assert!(plain.differences(folder.path()).is_empty() && !folder.path().join("build.rs").exists());
        // A build script of the author stays.
        fs::write(folder.path().join("build.rs"), "fn main() {}").expect("written");
        plain.write(folder.path()).expect("written");
        assert!(folder.path().join("build.rs").exists());
    }

    #[test]
    fn modules_of_an_earlier_runtime_go_and_those_of_others_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = Package::runtime();
        runtime.write(folder.path()).expect("written");
        let old = folder.path().join("src/search/old.rs");
        fs::write(&old, "// from before").expect("written");
        assert_eq!(runtime.differences(folder.path()), [old.display().to_string()]);
        runtime.write(folder.path()).expect("written");
        assert!(!old.exists() && runtime.differences(folder.path()).is_empty());

        let crate_of_another = tempfile::tempdir().expect("a folder");
        let own = crate_of_another.path().join("src/own.rs");
        fs::create_dir_all(crate_of_another.path().join("src")).expect("made");
        fs::write(&own, "// by hand").expect("written");
        let files = vec![("src/lock.rs".to_owned(), "//! Made by pmc".to_owned())];
        Package { files }.write(crate_of_another.path()).expect("written");
        assert!(own.exists());
    }
}
