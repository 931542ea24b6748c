//! What pages say of crates that use pmc, and what its own packages contain.

use std::process::Command;

use super::pages::{files, read, root};

/// The README shows all of an example's `Cargo.toml`, as it is outside of this repository.
#[test]
fn the_manifest_in_the_readme_is_that_of_the_example() {
    let readme = read("README.md");
    let shown = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a manifest");
    let here = read("examples/ticket_lock/Cargo.toml");
    let elsewhere = here.replace("path = \"../../compiler\"", "path = \"../pmc/compiler\"");
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

/// The files of a package, as cargo would publish it.
fn packaged(name: &str) -> Vec<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(["package", "--list", "--allow-dirty", "--offline", "-p", name]);
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").lines().map(|line| line.replace('\\', "/")).collect()
}

/// A package has all that it is built from: what lies elsewhere in the repository is behind links, which cargo follows.
#[test]
fn a_package_can_be_built_from_a_registry() {
    for (name, wanted) in [
        ("pmc-core", &["src/core.rs", "src/search/mod.rs"][..]),
        ("pmc-runtime", &["src/lib.rs", "src/story/mod.rs"]),
        ("pmc-searches", &["src/lib.rs"]),
        (
            "pmc",
            &[
                "README.md",
                "build.rs",
                "src/syntax/grammar.lalrpop",
                "src/diagnostic/explanations/P0203.md",
                "embedded/runtime/core.rs",
                "embedded/runtime/search/mod.rs",
                "embedded/searches.rs",
                "embedded/templates/verifier-Cargo.toml",
                "embedded/templates/init/pmc.toml",
                "embedded/templates/page/page.html",
            ],
        ),
    ] {
        let files = packaged(name);
        for file in wanted {
            assert!(files.iter().any(|known| known == file), "{name} has no {file}: {files:?}");
        }
    }
    let sources = files(&["rs"]).into_iter().filter(|name| name.starts_with("compiler/src/"));
    for source in sources {
        let text = read(&source);
        // Tests may look elsewhere.
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let depth = source.matches('/').count() - 1;
        let outside = format!("include_str!(\"{}", "../".repeat(depth + 1));
        assert!(!code.contains(&outside), "{source} includes what is not in the package");
    }
}
