//! `pmc verify --engine compiled`: what is built once is not built again, and needs no cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn pmc() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_pmc-under-test"))
}

fn folder(model: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("model.pml"), model).expect("a file in it");
    dir
}

/// A cache inside of a project whose settings no build could survive. The runtime is built in it once, for all tests.
fn cache() -> PathBuf {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("project");
    let cache = project.join("cache");
    fs::create_dir_all(project.join(".cargo")).expect("a folder");
    let config = "[build]\ntarget = \"no-such-target\"\nrustflags = [\"--no-such-flag\"]\n";
    let manifest = "[workspace]\nmembers = [\"no-such-member\"]\n";
    let toolchain = "[toolchain]\nchannel = \"no-such-channel\"\n";
    for (name, text) in [(".cargo/config.toml", config), ("Cargo.toml", manifest), ("rust-toolchain.toml", toolchain)] {
        let path = project.join(name);
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(path, text).expect("a file");
        }
    }
    cache
}

/// The variables would break, or displace, what is built.
fn run(program: &Path, arguments: &[&str], dir: &Path, cache: &Path) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(dir)
        .env("PMC_CACHE", cache)
        .env("CARGO_TARGET_DIR", dir.join("elsewhere"))
        .env("CARGO_BUILD_TARGET_DIR", dir.join("elsewhere"))
        .env("CARGO_BUILD_TARGET", "no-such-target")
        .env("CARGO_ENCODED_RUSTFLAGS", "--no-such-flag")
        .env("CARGO_PROFILE_RELEASE_PANIC", "no-such-strategy")
        .env("RUSTFLAGS", "--no-such-flag")
        .env("RUSTC_WRAPPER", "no-such-program")
        .env("RUSTC_WORKSPACE_WRAPPER", "no-such-program")
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .expect("it runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

const BAD: &str = "byte critical;
active [2] proctype worker() {
  critical++; assert(critical == 1); critical--
}
";

#[test]
fn verify_passes_the_verdict_on_and_builds_once() {
    let cache = cache();
    let dir = folder(BAD);
    let program = pmc();
    let output = run(program, &["verify", "--engine", "compiled", "model.pml"], dir.path(), &cache);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("assertion violated: assert(critical == 1)"), "{}", text(&output));
    assert!(dir.path().join("model.trail.json").exists(), "the trail is where the user is");

    // Built already: cargo is not needed any more.
    let output = Command::new(program)
        .args(["verify", "--engine", "compiled", "model.pml", "--", "--all-errors", "--format", "json"])
        .current_dir(dir.path())
        .env("PMC_CACHE", &cache)
        .env("PATH", dir.path())
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"verdict\": \"violated\""), "{}", text(&output));

    // A format in front of `--` is the verifier's, too; what is said of the model goes elsewhere.
    let output = run(program, &["verify", "--format", "json", "model.pml"], dir.path(), &cache);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!((&report["schema"], &report["verdict"]), (&"pmc-report/1".into(), &"violated".into()));
    let messages: serde_json::Value = serde_json::from_slice(&output.stderr).expect("JSON and nothing else");
    assert_eq!(messages["schema"], "pmc-diagnostics/1");
    let output =
        run(program, &["verify", "--format", "json", "model.pml", "--", "--format", "pan"], dir.path(), &cache);
    assert!(String::from_utf8_lossy(&output.stdout).contains("errors: 1"), "{}", text(&output));

    // Without cargo a verifier that is not built is answered with one sentence.
    let output = Command::new(program)
        .args(["verify", "--engine", "compiled", "model.pml"])
        .current_dir(dir.path())
        .env("PMC_CACHE", dir.path().join("empty"))
        .env("PATH", dir.path())
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(101));
    assert!(text(&output).contains("cannot find `cargo`: install Rust"), "{}", text(&output));
}

/// A crash of the machine can leave an empty program in the cache. A shell takes it for a script that succeeds, so that it
/// ended with 0, as if the model were verified.
#[cfg(unix)]
#[test]
fn a_program_that_is_another_gives_no_verdict() {
    let cache = cache();
    let dir = folder(&BAD.replace("worker", "often_built"));
    let program = pmc();
    let arguments = ["verify", "--engine", "compiled", "model.pml"];
    let check = || {
        let output = run(program, &arguments, dir.path(), &cache);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        assert!(text(&output).contains("assertion violated"), "{}", text(&output));
    };
    check();
    let below = |dir: &Path| fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    let entries: Vec<PathBuf> = below(&cache)
        .filter(|generation| generation.is_dir())
        .flat_map(|generation| below(&generation))
        .filter(|dir| dir.join("src/often_built.rs").exists() && dir.join("verifier").exists())
        .collect();
    assert!(!entries.is_empty());
    for entry in &entries {
        fs::write(entry.join("verifier"), "").expect("a shorter file");
    }
    check();
    // One that has the seal of a verifier: it is run, and built anew when it says nothing.
    let script = "#!/bin/sh\nexit 0\n";
    let mut hash = pmc::collections::Fnv::default();
    hash.add(script.as_bytes());
    for entry in &entries {
        fs::write(entry.join("verifier"), script).expect("a file");
        fs::write(entry.join("seal"), format!("{} {hash}", script.len())).expect("a file");
    }
    check();
    check();
}

/// A cargo that fails, saying this, is the only program that can be found.
#[cfg(unix)]
fn with_failing_cargo(arguments: &[&str], dir: &Path, says: &str) -> Output {
    use std::os::unix::fs::PermissionsExt;
    let tools = dir.join("tools");
    fs::create_dir_all(&tools).expect("a folder for a program");
    let cargo = tools.join("cargo");
    fs::write(&cargo, format!("#!/bin/sh\necho '{says}' >&2\nexit 101\n")).expect("a program");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let mut command = Command::new(pmc());
    let command = command.args(arguments).current_dir(dir).env("PATH", &tools).env("PMC_CACHE", dir.join("cache"));
    command.output().expect("it runs")
}

/// It ended with 2, as if the model were wrong.
#[cfg(unix)]
#[test]
fn a_verifier_that_does_not_build_is_our_fault() {
    let dir = folder(BAD);
    let arguments = ["verify", "--engine", "compiled", "model.pml"];
    let output = with_failing_cargo(&arguments, dir.path(), "error[E0425]: cannot find value `channel`");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(101), "{said}");
    assert!(said.contains("mistake in pmc") && said.contains("please report it"), "{said}");
    assert!(!said.contains("E0425"), "rustc speaks to the log: {said}");
    let log = said.split('`').find(|part| part.ends_with("build.log")).expect("it says where the log is");
    assert!(fs::read_to_string(log).expect("the log is kept").contains("E0425"));
    // What the machine lacks is no mistake of ours, but tells nothing about the model either.
    let output = with_failing_cargo(&arguments, dir.path(), "error: linker `cc` not found");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(101), "{said}");
    assert!(
        said.contains("comes with a C compiler")
            && said.contains("\n    error: linker `cc` not found\n")
            && !said.contains("mistake"),
        "{said}"
    );
}
