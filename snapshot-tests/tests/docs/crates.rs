//! What pages say of crates that use pmc.

use std::process::Command;

use super::pages::{read, root};

/// The README shows all of an example's `Cargo.toml`, as it is outside of this repository.
#[test]
fn the_manifest_in_the_readme_is_that_of_the_example() {
    let readme = read("README.md");
    let shown = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a manifest");
    let here = read("examples/ticket_lock/Cargo.toml");
    let elsewhere = here.replace("path = \"../../compiler\"", "version = \"0.1\"");
    assert_ne!(here, elsewhere);
    assert_eq!(shown, elsewhere);
}

/// The test in the README is one of the example, which `cargo test` runs.
#[test]
fn the_test_in_the_readme_is_of_the_example() {
    let readme = read("README.md");
    let shown = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a test");
    let tests = read("examples/ticket_lock/tests/model.rs");
    let name = shown.lines().find(|line| line.starts_with("fn ")).expect("a function");
    assert!(tests.contains(name) && tests.contains("Build::new(\"ticket_lock.pml\")"), "{name}");
}

/// A crate that verifies a model in its tests does not build what only the program needs.
#[test]
fn the_library_does_without_the_packages_of_the_program() {
    let of = |flags: &[&str]| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(root()).args([
            "tree",
            "--locked",
            "--offline",
            "--prefix",
            "none",
            "-e",
            "normal,build,dev",
        ]);
        let output = command.args(flags).output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let has = |tree: &str, name: &str| tree.lines().any(|line| line.split(' ').next() == Some(name));
    let (library, program) = (of(&["-p", "ticket-lock"]), of(&["-p", "pmc", "-e", "normal"]));
    for name in ["clap", "clap_complete", "serde_json", "toml_edit", "which"] {
        assert!(has(&program, name) && !has(&library, name), "{name}");
    }
    assert!(has(&library, "pmc") && has(&library, "pmc-runtime"));
}
