//! pmc as its users run it: from a model to a verdict, with cargo in between.
//!
//! All verifiers are built in one cache, so that the runtime is compiled once,
//! and what an earlier run of the tests built is not built again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const CORRECT: &str = "\
byte turn, critical;

active [2] proctype worker() {
  do
  :: turn == _pid ->
       critical++;
       assert(critical == 1);
       critical--;
       turn = 1 - _pid
  od
}
";

/// Everyone may enter.
fn violated() -> String {
    CORRECT.replace("turn == _pid", "true")
}

/// A folder of its own, with a model in it.
struct Folder(TempDir);

impl Folder {
    fn with(model: &str) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder for temporary files"));
        folder.write("model.pml", model);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a temporary file can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs `pmc` with arguments that hold no spaces.
    #[track_caller]
    fn pmc(&self, arguments: &str) -> Run {
        self.run(Command::new(env!("CARGO_BIN_EXE_pmc-under-test")).args(arguments.split(' ')))
    }

    #[track_caller]
    fn run(&self, command: &mut Command) -> Run {
        Run::of(&self.prepared(command).output().expect("the program can be started"))
    }

    /// The command, to be run in this folder as a user would.
    fn prepared<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("end_to_end");
        // What the tests were started with must not reach the cargo that the user starts.
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_") && name != "CARGO_HOME") {
            command.env_remove(name);
        }
        command.current_dir(self.0.path()).env_remove("RUSTFLAGS").env("CARGO_TERM_COLOR", "never");
        command.env("PMC_CACHE", shared).stdin(Stdio::null())
    }
}

/// What came of a program.
#[derive(Debug, PartialEq)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    fn of(output: &Output) -> Run {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("we write UTF-8");
        Run { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// The exit code is `code`, and `words` are in the output.
    #[track_caller]
    fn expect(self, code: i32, words: &str) -> Run {
        assert!(self.code == Some(code) && self.out.contains(words), "not {code} with {words:?}: {self:#?}");
        self
    }

    /// The command line or the model is wrong, and a message says so.
    #[track_caller]
    fn expect_refusal(self, words: &str) {
        assert!(self.code == Some(2) && self.err.contains(words) && self.out.is_empty(), "{words:?}: {self:#?}");
    }
}

/// Every file below a folder, with its text.
fn tree(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(inner) = dirs.pop() {
        for entry in fs::read_dir(&inner).expect("a folder that was just written") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                let name = path.strip_prefix(dir).expect("found below it").to_owned();
                files.insert(name, fs::read(&path).expect("it can be read"));
            }
        }
    }
    files
}

#[test]
fn compile_and_cargo_run_give_the_verdict() {
    let folder = Folder::with(CORRECT);
    let cargo_run = || folder.run(Command::new(env!("CARGO")).args(["run", "--release"]));
    folder.pmc("compile model.pml").expect(0, "`cargo run --release`");
    folder.pmc("compile model.pml --check").expect(0, "");
    cargo_run().expect(0, "model.pml: verified");
    let cargo = |arguments: &str| folder.run(Command::new(env!("CARGO")).args(arguments.split(' ')));
    cargo("test --release --quiet").expect(0, "1 passed");
    let clippy = Command::new(env!("CARGO")).args(["clippy", "--version"]).output();
    if clippy.is_ok_and(|output| output.status.success()) {
        cargo("clippy --release --quiet --all-targets -- -D warnings").expect(0, "");
    }
    // Building has put nothing there that pmc minds.
    folder.pmc("compile model.pml --check").expect(0, "");

    folder.write("model.pml", &violated());
    let check = folder.pmc("compile model.pml --check").expect(1, "");
    assert!(check.err.contains("`src/worker.rs` is not what would be written"), "{check:?}");
    folder.pmc("compile model.pml").expect(0, "");
    folder.pmc("compile model.pml --check").expect(0, "");
    cargo_run().expect(1, "assertion violated: assert(critical == 1)");
    cargo("test --release --quiet").expect(101, "assertion violated: assert(critical == 1)");
    let replay = folder.run(Command::new(env!("CARGO")).args(["run", "--release", "--quiet", "--", "replay"]));
    replay.expect(1, "assert(critical == 1)  critical = 2  <- here");
}

#[test]
fn the_same_model_gives_the_same_bytes_wherever_it_is_put() {
    let folder = Folder::with(CORRECT);
    folder.pmc("compile model.pml -o one").expect(0, "--manifest-path one/Cargo.toml");
    folder.pmc("compile ./model.pml -o deep/two").expect(0, "");
    let one = tree(&folder.path("one"));
    assert_eq!(one, tree(&folder.path("deep/two")));
    assert!(one.contains_key(Path::new("src/worker.rs")) && one.contains_key(Path::new("Cargo.toml")));
    folder.pmc("compile model.pml -o one").expect(0, "");
    assert_eq!(one, tree(&folder.path("one")));
    folder.pmc("compile model.pml -o one --check").expect(0, "");
    folder.pmc("compile model.pml --check").expect(1, "");
}

#[test]
fn what_pmc_did_not_write_is_not_overwritten() {
    let folder = Folder::with(CORRECT);
    folder.write("Cargo.toml", "[package]\nname = \"mine\"\n");
    let before = tree(folder.0.path());
    folder.pmc("compile model.pml").expect_refusal("`Cargo.toml` was not written by pmc; use `-o DIR`");
    assert_eq!(before, tree(folder.0.path()));
    folder.pmc("compile model.pml -o verifier").expect(0, "");
}

#[test]
fn the_verdict_is_the_exit_code() {
    let folder = Folder::with(CORRECT);
    folder.pmc("verify model.pml").expect(0, "model.pml: verified");
    folder.pmc("verify model.pml -- --max-states 2").expect(3, "model.pml: incomplete");
    folder.pmc("verify model.pml -- --no-such-flag").expect_refusal("there is no flag `--no-such-flag`");
    folder.write("wrong.pml", "active proctype p() { x = 1 }\n");
    folder.pmc("verify wrong.pml").expect_refusal("error[P0");
    folder.pmc("verify missing.pml").expect_refusal("cannot read `missing.pml`");
    assert!(!folder.path("model.trail.json").exists());
    folder.write("model.pml", &violated());
    folder.pmc("verify model.pml").expect(1, "assertion violated");
}

/// `pmc verify` waits for the verifier, and tells it of a signal; the interpreter is pmc itself. A verifier whose pmc is gone
/// ends as well.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_to_pmc_ends_the_search() {
    let endless = "int a, b, c; active proctype P() { do :: a++ :: b++ :: c++ od }";
    let reader = "active proctype Q() { a < 0 && b < 0 && c < 0; assert(false) }";
    let folder = Folder::with(&format!("{endless}\n{reader}"));
    // The build is not what is interrupted.
    folder.pmc("verify --engine compiled model.pml -- --max-states 1000").expect(3, "incomplete");
    for (signal, engine) in
        [("TERM", "compiled"), ("INT", "compiled"), ("KILL", "compiled"), ("TERM", "interpret"), ("INT", "interpret")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
        let arguments = ["verify", "--engine", engine, "model.pml", "--", "--memory", "2G"];
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = folder.prepared(&mut command).spawn().expect("pmc can be started");
        let id = child.id().to_string();
        let searching = || match engine {
            "interpret" => Some(id.clone()),
            _ => children(&id).into_iter().find(|id| executes(id, "verifier")),
        };
        let searching = loop {
            match searching() {
                Some(found) if catches_signals(&found) => break found,
                Some(_) | None => std::thread::yield_now(),
            }
        };
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.is_ok_and(|status| status.success()), "the verifier was gone");
        let output = child.wait_with_output().expect("it ends");
        if signal == "KILL" {
            // Its output was that of pmc, so that it has ended, or is about to.
            assert_eq!(output.status.code(), None);
            while is_running(&searching) {
                std::thread::yield_now();
            }
        } else {
            Run::of(&output).expect(3, "interrupted");
        }
    }
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn children(id: &str) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let of_thread = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children")).unwrap_or_default();
    threads.map(of_thread).flat_map(|all| all.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// While `pmc verify` waits for cargo, a signal ends both, and what cargo has started. This cargo builds forever.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_to_pmc_ends_the_build() {
    use std::os::unix::fs::PermissionsExt;
    for signal in ["TERM", "INT"] {
        let folder = Folder::with(CORRECT);
        let started = folder.path("started");
        fs::create_dir(folder.path("bin")).expect("a folder can be made");
        let (all, name) = (started.display(), "bin/cargo");
        folder.write(name, &format!("#!/bin/sh\nsleep 1000000 &\necho $$ $! > {all}.new\nmv {all}.new {all}\nwait\n"));
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(name), executable).expect("a file of ours");
        let mut command = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
        command.args(["verify", "--engine", "compiled", "model.pml"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        // Nothing that was built before.
        let prepared = folder.prepared(&mut command).env("PATH", path).env("PMC_CACHE", folder.path("cache"));
        let mut child = prepared.spawn().expect("pmc can be started");
        while !started.exists() {
            assert!(child.try_wait().is_ok_and(|ended| ended.is_none()), "pmc waits for cargo");
            std::thread::yield_now();
        }
        let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "pmc was gone");
        let run = Run::of(&child.wait_with_output().expect("it ends")).expect(3, "");
        assert!(run.err.contains("interrupted before there was a report"), "{run:?}");
        for id in folder.read("started").split_whitespace() {
            while is_running(id) {
                std::thread::yield_now();
            }
        }
    }
}

/// Whether there is such a process, and it has not ended.
#[cfg(target_os = "linux")]
fn is_running(id: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

/// Whether a process runs a program of this name.
#[cfg(target_os = "linux")]
fn executes(id: &str, name: &str) -> bool {
    fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|program| program.ends_with(name))
}

/// Whether a process has handlers for SIGINT and SIGTERM, or is gone.
#[cfg(target_os = "linux")]
fn catches_signals(id: &str) -> bool {
    const WANTED: u64 = 1 << (2 - 1) | 1 << (15 - 1);
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & WANTED == WANTED)
}

/// One verdict each, and the worst of them for all. The counterexample of each has a file of its own.
#[test]
fn every_claim_has_a_verdict() {
    let claims =
        "ltl calm { [] (critical < 2) }\nltl busy { [] <> (critical == 1) }\nltl idle { <> [] (critical == 0) }\n";
    let folder = Folder::with(&format!("{CORRECT}{claims}"));
    let all = folder.pmc("verify model.pml").expect(1, "model.pml: violated\n  safety    verified ");
    for line in
        ["  ltl calm  verified ", "  ltl busy  verified ", "  ltl idle  violated ", "<<<<< start of cycle >>>>>"]
    {
        assert!(all.out.contains(line), "no {line}: {all:#?}");
    }
    folder.pmc("replay model.pml").expect(1, "\n  `idle` is `<> [] (critical == 0)`\n");
    folder.pmc("replay --all model.pml").expect(1, "<<<<< start of cycle >>>>>\n     claim idle  model.pml:14  ");
    let both = folder.pmc("verify model.pml -- --ltl idle --non-progress").expect(1, "  non-progress  violated ");
    assert!(both.out.contains("    trail: model.non-progress.trail.json\n"), "{both:#?}");
    folder.pmc("replay model.pml model.non-progress.trail.json").expect(1, "non-progress cycle: ");
    folder.pmc("verify model.pml -- --ltl busy --safety").expect(0, "model.pml: verified");
    folder.pmc("verify model.pml -- --ltl calm --max-states 2").expect(3, "NOT a proof");
    folder.pmc("verify model.pml -- --ltl bussy").expect_refusal("it has ltl `calm`, ltl `busy`, ltl `idle`");
    let json = folder.pmc("verify model.pml -- --format json").expect(1, r#""name": "busy""#);
    assert!(json.out.contains(r#""kind": "acceptance-cycle""#), "{json:#?}");
}

#[test]
fn a_report_is_alone_on_standard_output() {
    let folder = Folder::with(&violated());
    let run = folder.pmc("verify --engine compiled model.pml -- --format json").expect(1, "");
    assert_eq!(run.err, "");
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON and nothing else");
    assert_eq!((&report["schema"], &report["verdict"]), (&"pmc-report/1".into(), &"violated".into()));
    let violation = &report["properties"][0]["violation"];
    assert_eq!((&violation["kind"], &violation["location"]["line"]), (&"assertion".into(), &7.into()));
    assert_eq!(violation["trail"], "model.trail.json");
    let run = folder.pmc("explain --format json model.pml").expect(0, "");
    let explanation: serde_json::Value = serde_json::from_str(&run.out).expect("JSON and nothing else");
    assert_eq!(explanation["state"]["bytes"], report["properties"][0]["search"]["state_bytes"]);
    // Warnings about the model go elsewhere.
    folder.write("model.pml", &format!("byte unused;\n{}", violated()));
    let run = folder.pmc("verify model.pml -- --format json");
    assert!(serde_json::from_str::<serde_json::Value>(&run.out).is_ok(), "{run:?}");
    assert!(run.err.starts_with("warning[unused-variable]"), "{run:?}");
}

#[test]
fn a_trail_replays_until_the_model_changes() {
    let folder = Folder::with(&violated());
    folder.pmc("replay model.pml").expect_refusal("`model.trail.json`: there is no such trail");
    folder.pmc("verify model.pml").expect(1, "trail: model.trail.json");
    let replay = folder.pmc("replay model.pml").expect(1, "critical = 2");
    assert!(replay.out.contains("assertion violated: assert(critical == 1)"), "{replay:?}");
    assert_eq!(replay, folder.pmc("replay model.pml model.trail.json"));
    // Only sends and receives: there are none, but the end is shown.
    let short = folder.pmc("replay -s -r model.pml").expect(1, "assertion violated");
    assert!(!short.out.contains("critical++"), "{short:?}");

    folder.write("other.json", &folder.read("model.trail.json").replace("\"transition\": ", "\"transition\": 9"));
    folder.pmc("replay model.pml other.json").expect(2, "");
    folder.write("model.pml", &format!("// Unlike before.\n{}", violated()));
    folder.pmc("replay model.pml").expect_refusal("`model.trail.json`: the trail was made for another model");
}

#[test]
fn a_seed_names_a_run() {
    let folder = Folder::with(&violated());
    let run = |seed: u32| folder.pmc(&format!("simulate --seed {seed} --steps 9 -g model.pml"));
    let first = run(3);
    assert!(first.out.contains("critical++") && first.out.contains("  critical: 0 -> 1\n"), "{first:?}");
    assert_eq!(first, run(3));
    assert!((0..20).map(run).any(|other| other != first));
    // Some run goes wrong.
    assert!((0..20).map(run).any(|run| run.code == Some(1) && run.out.contains("error: assertion violated")));
    folder.pmc("simulate --interactive -").expect_refusal("put the model in a file");
    // Nobody chooses.
    folder
        .pmc("simulate --interactive model.pml")
        .expect(0, "choose 1-2 (Enter: any, u: undo, s: show the state, q: stop)");
}

/// Names that Rust keeps for itself, and a use of most of what is generated.
const INCLUDED: &str = "\
mtype = { data };
chan link = [1] of { mtype, byte };
byte crate;

active proctype loop() { byte n; d_step { n = LIMIT; crate = n }; link!data(n) }
active proctype match() { byte got; link?data(got); assert(got == crate) }
";

#[test]
fn a_build_script_can_include_a_verifier() {
    let folder = Folder::with(INCLUDED);
    let build = pmc::Build::new(folder.path("model.pml")).define("LIMIT", "3");
    let module = build.clone().out_dir(folder.0.path()).compile().expect("a good model");
    assert_eq!(module, folder.path("model.rs"));
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime");
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [[bin]]\nname = \"user\"\npath = \"main.rs\"\n\n\
         [dependencies]\npmc-runtime = {{ path = {:?} }}\n\n[workspace]\n",
        runtime.display().to_string()
    );
    folder.write("Cargo.toml", &manifest);
    let main = "#![deny(warnings)]\nmod deep { pub mod model { include!(\"model.rs\"); } }\n\
                fn main() { println!(\"{} errors\", deep::model::check().errors()) }\n";
    folder.write("main.rs", main);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("end_to_end/included");
    let mut cargo = Command::new(env!("CARGO"));
    folder.run(cargo.args(["run", "--quiet", "--offline", "--target-dir"]).arg(target)).expect(0, "0 errors\n");

    let crate_dir = folder.path("crate");
    build.write_crate(&crate_dir).expect("a good model");
    assert!(build.differences(&crate_dir).expect("a good model").is_empty());
    assert!(!build.define("EXTRA", "1").differences(&crate_dir).expect("a good model").is_empty());
}

#[test]
fn a_build_script_is_told_what_is_wrong() {
    let folder = Folder::with("init { y = LIMIT }\n");
    let build = pmc::Build::new(folder.path("model.pml")).out_dir(folder.0.path());
    let text = build.clone().define("LIMIT", "3").compile().expect_err("there is no `y`").to_string();
    assert!(text.contains("model.pml:1:8: error[P02"), "{text}");
    let text = build.clone().define("no name", "3").compile().expect_err("a space in a name").to_string();
    assert_eq!(text, "`no name` is not the name of a macro");
    let text = pmc::Build::new("no/such.pml").out_dir(folder.0.path()).compile().expect_err("no file").to_string();
    assert_eq!(text, "cannot read `no/such.pml`");
}

/// The C of a model is compiled and run on request only; then it is verified, simulated and replayed as any other.
#[test]
#[cfg(unix)]
fn a_model_with_c_is_built_and_run_on_request() {
    let model = "byte level;\nc_code { int up(int n) { return n + 2; } }\n\
                 active proctype P() { do :: level < 9 -> c_code { now.level = up(now.level); } :: else -> break od;\n\
                 assert(level == 9) }\n";
    let folder = Folder::with(model);
    folder.pmc("verify model.pml").expect_refusal("--allow-c");
    let found = folder.pmc("verify --allow-c model.pml").expect(1, "assertion");
    assert!(found.out.contains("pmc replay --allow-c model.pml"), "{found:#?}");
    folder.pmc("replay model.pml").expect_refusal("--allow-c");
    folder.pmc("replay --allow-c model.pml").expect(1, "level");
    folder.pmc("simulate --allow-c model.pml").expect(1, "level");
    folder.pmc("replay --allow-c --html run.html model.pml");
    assert!(!folder.path("run.html").exists(), "nothing is drawn of a run that cannot be interpreted");
    folder.write("pmc.toml", "[[model]]\npath = \"model.pml\"\nallow-c = true\nexpect = \"violated\"\n");
    folder.pmc("verify").expect(0, "");
    folder.write("pmc.toml", "[[model]]\npath = \"model.pml\"\nallow-c = 1\nexpect = \"violated\"\n");
    folder.pmc("verify").expect_refusal("`allow-c` is true or false");
}
