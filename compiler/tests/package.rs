//! What `pmc compile` writes, and what it leaves alone.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const MODEL: &str = "byte x;\nactive proctype p() { x = 1; assert(x == 1) }\n";

/// A folder that holds only `model.pml`.
fn folder(model: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("model.pml"), model).expect("a file in it");
    dir
}

fn pmc(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pmc")).args(arguments).current_dir(dir).output().expect("pmc runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every file below a folder, with its bytes.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(next) = dirs.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                let name = path.strip_prefix(dir).expect("below it").display().to_string();
                files.push((name, fs::read(path).expect("a file")));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let (one, other) = (folder(MODEL), folder(MODEL));
    assert!(pmc(one.path(), &["compile", "model.pml"]).status.success());
    assert!(pmc(other.path(), &["compile", "./model.pml", "-o", "."]).status.success());
    assert_eq!(contents(one.path()), contents(other.path()));
    let names: Vec<String> = contents(one.path()).into_iter().map(|(name, _)| name).collect();
    for expected in ["Cargo.lock", "Cargo.toml", "src/main.rs", "src/p.rs", "runtime/src/lib.rs"] {
        assert!(names.iter().any(|name| name == expected), "{expected} is missing in {names:?}");
    }
}

#[test]
fn what_pmc_did_not_write_is_left_alone() {
    for foreign in ["Cargo.toml", "src/main.rs", "src/p.rs", "runtime/Cargo.toml"] {
        let dir = folder(MODEL);
        let path = dir.path().join(foreign);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(&path, "# mine\n").expect("a file");
        let before = contents(dir.path());
        let output = pmc(dir.path(), &["compile", "model.pml"]);
        assert_eq!(output.status.code(), Some(2), "{foreign}");
        assert!(errors(&output).contains("was not written by pmc; use `-o DIR`"), "{}", errors(&output));
        assert_eq!(contents(dir.path()), before, "nothing was written beside {foreign}");
    }
}

#[test]
fn check_tells_whether_the_model_has_changed() {
    let dir = folder(MODEL);
    assert_eq!(pmc(dir.path(), &["compile", "model.pml", "--check"]).status.code(), Some(1), "nothing is there yet");
    assert!(pmc(dir.path(), &["compile", "model.pml"]).status.success());
    assert!(pmc(dir.path(), &["compile", "model.pml", "--check"]).status.success());
    fs::write(dir.path().join("model.pml"), MODEL.replace("proctype p", "proctype q")).expect("a file");
    let output = pmc(dir.path(), &["compile", "model.pml", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("`src/q.rs` is not what would be written"), "{}", errors(&output));
    assert!(!dir.path().join("src/q.rs").exists(), "check writes nothing");
    assert!(pmc(dir.path(), &["compile", "model.pml"]).status.success());
    assert!(!dir.path().join("src/p.rs").exists(), "the module of a proctype that is gone is gone");
    assert!(pmc(dir.path(), &["compile", "model.pml", "--check"]).status.success());
}

#[test]
fn a_model_with_a_mistake_leaves_no_crate_behind() {
    let dir = folder("active proctype p() { y = 1 }\n");
    let output = pmc(dir.path(), &["compile", "model.pml"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(contents(dir.path()).len(), 1);
}

/// A repository has a `.gitignore` of its own.
#[test]
fn a_foreign_gitignore_stays_as_it_is() {
    let dir = folder(MODEL);
    let own = dir.path().join(".gitignore");
    assert!(pmc(dir.path(), &["compile", "model.pml"]).status.success());
    assert!(fs::read_to_string(&own).expect("a file").contains("/target/"));
    fs::write(&own, "/elsewhere/\n").expect("a file");
    for arguments in [&["compile", "model.pml"][..], &["compile", "--check", "model.pml"]] {
        let output = pmc(dir.path(), arguments);
        assert!(output.status.success(), "{}", errors(&output));
        assert_eq!(fs::read_to_string(&own).expect("a file"), "/elsewhere/\n");
    }
}
