//! Times `pmc check` and `spin -a` side by side on a generated model.
//!
//! `cargo run --release -p snapshot-tests --bin check-speed [LINES]`
//!
//! Prints the ratio, and never fails because of it. This program runs itself
//! for our side, so that both sides pay for starting a process.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use pmc::driver::{Options, Session, on_large_stack};

const ROUNDS: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, path] = &arguments[..]
        && flag == "--check"
    {
        return check(Path::new(path));
    }
    let n_lines = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let model = model(n_lines);
    std::fs::write(folder.path().join("model.pml"), &model).expect("a temporary file can be written");
    println!("{} lines, {} bytes, best of {ROUNDS}", model.lines().count(), model.len());

    let ours = std::env::current_exe().expect("this program has a path");
    let (mut best_pmc, mut best_spin) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        best_pmc = best_pmc.min(time(folder.path(), &ours.to_string_lossy(), &["--check", "model.pml"]));
        best_spin = best_spin.min(time(folder.path(), "spin", &["-a", "model.pml"]));
    }
    println!("pmc check  {:8.1} ms", best_pmc.as_secs_f64() * 1e3);
    if best_spin == Duration::MAX {
        println!("spin -a    failed, or is not installed");
    } else {
        println!("spin -a    {:8.1} ms", best_spin.as_secs_f64() * 1e3);
        println!("ratio      {:8.2}  (below 1 pmc is faster)", best_pmc.as_secs_f64() / best_spin.as_secs_f64());
    }
    ExitCode::SUCCESS
}

/// The work of `pmc check`, without output.
fn check(path: &Path) -> ExitCode {
    let is_fine = on_large_stack(|| Session::open(path, &Options::default()).is_ok_and(|mut it| it.resolve().is_ok()));
    if is_fine.unwrap_or(false) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The time that a command takes; infinite if it fails.
fn time(folder: &Path, program: &str, arguments: &[&str]) -> Duration {
    let start = Instant::now();
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => start.elapsed(),
        Ok(status) => {
            println!("{program} {}: {status}", arguments.join(" "));
            Duration::MAX
        }
        Err(_) => Duration::MAX,
    }
}

/// A model of about so many lines, with the mix of statements that models have.
/// Spin has room for 255 proctypes only, so these grow with the model.
fn model(n_lines: usize) -> String {
    const N_PROCTYPES: usize = 100;
    const LINES_OF_A_ROUND: usize = 15;
    let n_rounds = (n_lines / N_PROCTYPES / LINES_OF_A_ROUND).max(1);
    let mut text = String::from("#define LIMIT 10\nmtype = { request, answer };\nbyte shared;\n");
    text += "inline step(v) {\n  v++;\n  assert(v <= LIMIT)\n}\n";
    for number in 0..N_PROCTYPES {
        let _ = write!(
            text,
            "chan c{number} = [2] of {{ mtype, byte }};\nproctype p{number}(byte start) {{\n  byte x = start, y;\n"
        );
        for round in 0..n_rounds {
            let _ = write!(
                text,
                "  do
  :: x < LIMIT && shared == {0} ->
     step(x);
     c{number}!request(x)
  :: c{number}?request(y) ->
     if
     :: y > 3 -> atomic {{ shared = y; x = x - 1 }}
     :: y == 3 -> c{number}!answer(x + y * 2)
     :: else -> goto done{round}
     fi
  :: c{number}?answer(_) -> shared = (shared + 1) % LIMIT
  :: timeout -> break
  od;
done{round}:
  printf(\"%d is done\\n\", x);
",
                (number + round) % 10
            );
        }
        text += "  skip\n}\n";
    }
    text += "init {\n  atomic {\n";
    for process in 0..N_PROCTYPES {
        let _ = writeln!(text, "    run p{process}({});", process % 7);
    }
    text + "    skip\n  }\n}\n"
}
