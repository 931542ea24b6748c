//! Searches on several threads end, whatever ends them, and say what one thread says.
//!
//! Real verifiers run many times, free and pinned to one core, with models whose violations lie near the sizes at which sets
//! grow. A verifier that does not end is killed, and the test fails. How often each case runs is a matter of
//! `PMC_STRESS_ROUNDS`; with some thousands this is a campaign for an idle night, best beside a load of other processes.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use pmc::driver;
use serde_json::Value;
use snapshot_tests::batch::{Batch, Member};

/// No run takes longer, on however busy a machine.
const WATCHDOG: Duration = Duration::from_secs(120);
const THREADS: std::ops::RangeInclusive<usize> = 1..=7;

fn rounds() -> usize {
    std::env::var("PMC_STRESS_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Processes that count up, each count with an assertion behind it: the violation is `total` counts away, and there are
/// (2 `most` + 1)^`n` states, if nothing is left out.
fn counters(n: usize, most: usize, total: usize, extra: &str) -> String {
    format!(
        "byte c[{n}]; int total; {extra}\n\
         active [{n}] proctype P() {{\n\
         end: do :: d_step {{ c[_pid] < {most} -> c[_pid]++; total++; note(_pid) }} assert(total != {total} || is_noted)\n od }}\n"
    )
}

const SHORT: &str = "\n#define is_noted false\ninline note(i) { skip }";
/// More words in each state, but no more states.
const LONG: &str =
    "int z[6];\n#define is_noted (z[0] + z[1] + z[2] == 12345)\ninline note(i) { z[i] = c[i] * 1000003 }";

fn philosophers(n: usize) -> String {
    format!(
        "bool fork[{n}]; active [{n}] proctype P() {{ do :: atomic {{ !fork[_pid] -> fork[_pid] = true }};\n\
         atomic {{ !fork[(_pid + 1) % {n}] -> fork[(_pid + 1) % {n}] = true }};\n\
         fork[_pid] = false; fork[(_pid + 1) % {n}] = false od }}\n"
    )
}

const RING: &str = "#define N 4
byte x[N]; chan c[N] = [2] of { byte, byte }; byte done;
active [N] proctype P() { byte v, w; byte k;
  do
  :: k < 3 -> c[(_pid+1)%N]!_pid,k; k++
  :: c[_pid]?v,w -> x[_pid] = (x[_pid] + w) % 3
  :: k == 3 && empty(c[_pid]) -> done++; break
  od; assert(done <= N) }
";

/// A few levels with thousands of states each.
const WIDE: &str = "byte x, y, z; active proctype P() { select (x : 0 .. 90); select (y : 0 .. 90);
  if :: z = 1 :: z = 2 fi; assert(x * y != 90 * 90 || z == 1) }
";

/// Processes that come and go, and so states that have no fixed size.
const RUNNING: &str = "byte n, done; proctype W(byte k) { byte i; do :: i < k -> i++ :: i == k -> break od; done++;
  assert(done < 5) }
init { do :: n < 5 -> n++; run W(n) :: n == 5 -> break od }
";

/// A formula that fails and one that holds.
const LIVE: &str = "byte c[4]; active [4] proctype P() { do :: d_step { c[_pid] = (c[_pid] + 1) % 8 } od }
ltl fails { [] <> (c[0] == 5 && c[1] == 5) }
ltl holds { [] (c[2] < 9) }
";

/// Nobody waits for its end.
const ENDLESS: &str = "int c[8]; byte last; active [8] proctype P() {
  do :: d_step { c[_pid] < 60 -> c[_pid]++; last = _pid } :: d_step { c[_pid] > 0 -> c[_pid]--; last = _pid } od }
ltl live { [] <> (last < 9) }
";

fn models() -> Vec<(&'static str, String)> {
    vec![
        ("ring", RING.to_owned()),
        ("early", counters(4, 9, 12, SHORT)),
        ("middle", counters(4, 9, 15, SHORT)),
        ("late", counters(4, 7, 24, SHORT)),
        ("narrow", counters(2, 90, 110, SHORT)),
        ("deep", counters(3, 15, 40, SHORT)),
        ("broad", counters(6, 5, 9, SHORT)),
        ("long_middle", counters(4, 9, 15, LONG)),
        ("long_deep", counters(3, 15, 40, LONG)),
        ("safe", counters(4, 5, 99, SHORT)),
        ("long_safe", counters(4, 5, 99, LONG)),
        ("philosophers", philosophers(7)),
        ("wide", WIDE.to_owned()),
        ("running", RUNNING.to_owned()),
        ("live", LIVE.to_owned()),
        ("endless", ENDLESS.to_owned()),
    ]
}

fn batch() -> &'static Batch {
    static BATCH: OnceLock<Batch> = OnceLock::new();
    BATCH.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stress");
        std::fs::create_dir_all(&dir).expect("a folder for the models");
        let member = |(name, text): (&str, String)| {
            let path = dir.join(format!("{name}.pml"));
            std::fs::write(&path, text).expect("the model can be written");
            Member { name: name.to_owned(), path, options: driver::Options::default() }
        };
        let members: Vec<Member> = models().into_iter().map(member).collect();
        Batch::build_optimised(&dir, &members).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// What a run comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outcome {
    code: i32,
    /// Of the counterexample.
    steps: Option<u64>,
    states: Option<u64>,
}

/// What is compared with the run on one thread.
#[derive(Clone, Copy)]
enum Same {
    Code,
    Steps,
    States,
}

/// A model, how it is searched, what comes out, and what is the same with any number of threads.
struct Case {
    model: &'static str,
    flags: &'static [&'static str],
    code: i32,
    same: Same,
}

const CASES: &[Case] = &[
    Case { model: "ring", flags: &[], code: 1, same: Same::Steps },
    Case { model: "ring", flags: &["--no-reduction"], code: 1, same: Same::Steps },
    Case { model: "early", flags: &[], code: 1, same: Same::Steps },
    Case { model: "middle", flags: &[], code: 1, same: Same::Steps },
    Case { model: "middle", flags: &["--store", "tree"], code: 1, same: Same::Steps },
    Case { model: "middle", flags: &["--store", "compact"], code: 1, same: Same::Steps },
    Case { model: "middle", flags: &["--store", "bitstate", "--memory", "64M"], code: 1, same: Same::Code },
    Case { model: "late", flags: &["--no-reduction"], code: 1, same: Same::Steps },
    Case { model: "late", flags: &["--store", "hash-compact", "--memory", "64M"], code: 1, same: Same::Code },
    Case { model: "narrow", flags: &[], code: 1, same: Same::Steps },
    Case { model: "deep", flags: &[], code: 1, same: Same::Steps },
    Case { model: "broad", flags: &[], code: 1, same: Same::Steps },
    Case { model: "long_middle", flags: &[], code: 1, same: Same::Steps },
    Case { model: "long_deep", flags: &["--no-reduction"], code: 1, same: Same::Steps },
    Case { model: "philosophers", flags: &["--no-reduction"], code: 1, same: Same::Steps },
    Case { model: "wide", flags: &["--no-reduction"], code: 1, same: Same::Steps },
    Case { model: "running", flags: &["--no-reduction"], code: 1, same: Same::Steps },
    // Everything is seen: how much that is does not depend on threads.
    Case { model: "safe", flags: &["--no-reduction"], code: 0, same: Same::States },
    Case { model: "long_safe", flags: &["--no-reduction"], code: 0, same: Same::States },
    Case { model: "safe", flags: &["--no-reduction", "--store", "tree"], code: 0, same: Same::States },
    Case { model: "middle", flags: &["--no-reduction", "--all-errors"], code: 1, same: Same::States },
    // Limits, at sizes near those at which sets grow.
    Case { model: "safe", flags: &["--no-reduction", "--max-states", "7000"], code: 3, same: Same::States },
    Case { model: "long_safe", flags: &["--no-reduction", "--max-states", "13107"], code: 3, same: Same::States },
    Case { model: "safe", flags: &["--no-reduction", "--max-depth", "25"], code: 3, same: Same::States },
    Case { model: "safe", flags: &["--no-reduction", "--memory", "180K"], code: 3, same: Same::Code },
    Case { model: "long_safe", flags: &["--no-reduction", "--memory", "400K"], code: 3, same: Same::Code },
    Case {
        model: "safe",
        flags: &["--no-reduction", "--store", "tree", "--memory", "150K"],
        code: 3,
        same: Same::Code,
    },
    Case { model: "endless", flags: &["--safety", "--max-time", "30ms"], code: 3, same: Same::Code },
    Case { model: "endless", flags: &["--ltl", "live", "--max-time", "30ms"], code: 3, same: Same::Code },
    // Nested depth-first search on several threads.
    Case { model: "live", flags: &["--ltl", "fails"], code: 1, same: Same::Code },
    Case { model: "live", flags: &["--ltl", "holds", "--no-reduction"], code: 0, same: Same::States },
    Case { model: "live", flags: &["--ltl", "holds", "--max-states", "900"], code: 3, same: Same::States },
];

/// A verifier, pinned to one core or not.
fn command(model: &str, flags: &[&str], threads: usize, is_pinned: bool) -> Command {
    let (program, arguments) = batch().program(model).expect("a model of the list");
    let mut command = if is_pinned { Command::new("taskset") } else { Command::new(&program) };
    if is_pinned {
        command.args(["-c", "0"]).arg(&program);
    }
    command.args(arguments).args(flags).args(["--threads", &threads.to_string()]);
    command.current_dir(batch().work()).stdin(Stdio::null());
    command
}

/// Waits for the end of a process, and kills it if that does not come. Returns its exit code, if it was not killed.
fn wait(child: &mut Child, what: &str) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code();
        }
        if start.elapsed() > WATCHDOG {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{what} does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn run(case: &Case, threads: usize, is_pinned: bool) -> Outcome {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let what = format!("{} {:?} on {threads} threads, pinned: {is_pinned}", case.model, case.flags);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let (trail, output) = (format!("stress_{number}.trail"), batch().work().join(format!("stress_{number}.json")));
    let mut child = command(case.model, case.flags, threads, is_pinned)
        .args(["--format", "json", "--trail", &trail])
        .stdout(std::fs::File::create(&output).expect("a file for the report"))
        .spawn()
        .expect("the verifier runs");
    let code = wait(&mut child, &what).unwrap_or_else(|| panic!("{what} was killed"));
    let text = std::fs::read_to_string(&output).expect("a report");
    let _ = std::fs::remove_file(&output);
    let _ = std::fs::remove_file(batch().work().join(&trail));
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{what}: {error}: {code} {text}"));
    let property = &report["properties"][0];
    let outcome = Outcome {
        code,
        steps: property["violation"]["steps"].as_u64(),
        states: property["search"]["states_stored"].as_u64(),
    };
    assert_eq!(code, case.code, "{what}: {text}");
    outcome
}

fn has_taskset() -> bool {
    let is_there = Command::new("taskset").args(["-c", "0", "true"]).status().is_ok_and(|status| status.success());
    if !is_there {
        eprintln!("taskset is missing: nothing is pinned to one core");
    }
    is_there
}

#[test]
fn every_search_ends_and_says_what_one_thread_says() {
    fs_ready();
    let pins: &[bool] = if has_taskset() { &[false, true] } else { &[false] };
    let alone: Vec<Outcome> = CASES.iter().map(|case| run(case, 1, false)).collect();
    let steps = |model: &str| {
        let place = CASES.iter().position(|case| case.model == model).expect("a model of the cases");
        alone[place].steps
    };
    // By construction: all take their first fork, in two steps; and all assertions but the last lie behind the count.
    assert_eq!((steps("philosophers"), steps("narrow")), (Some(14), Some(219)));
    let jobs: Vec<(usize, usize, bool)> = (0..rounds())
        .flat_map(|_| THREADS.flat_map(|threads| pins.iter().map(move |&is_pinned| (threads, is_pinned))))
        .flat_map(|(threads, is_pinned)| (0..CASES.len()).map(move |case| (case, threads, is_pinned)))
        .collect();
    let (next, n_runs) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(&(place, threads, is_pinned)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (case, alone) = (&CASES[place], &alone[place]);
                    let outcome = run(case, threads, is_pinned);
                    let is_same = match case.same {
                        Same::Code => true,
                        Same::Steps => outcome.steps == alone.steps,
                        Same::States => outcome.states == alone.states,
                    };
                    let (model, flags) = (case.model, case.flags);
                    assert!(is_same, "{model} {flags:?} on {threads} threads: {outcome:?}, alone {alone:?}");
                    let n_runs = n_runs.fetch_add(1, Ordering::Relaxed) + 1;
                    if n_runs.is_multiple_of(100) {
                        eprintln!("{n_runs} of {} runs", jobs.len());
                    }
                }
            });
        }
    });
    eprintln!("{} runs", n_runs.into_inner());
}

fn fs_ready() {
    std::fs::create_dir_all(batch().work()).expect("a folder to run in");
}

fn send(signal: &str, child: &Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", signal, &id]).status().is_ok_and(|status| status.success()));
}

/// Waits until a verifier would answer a signal: before, it is killed by one, or, if it was started so, ignores it. Returns
/// whether that is known.
fn await_handlers(child: &mut Child) -> bool {
    const SIGNALS: u64 = 1 << (2 - 1) | 1 << (15 - 1);
    let path = format!("/proc/{}/status", child.id());
    let start = Instant::now();
    while start.elapsed() < WATCHDOG {
        let Ok(status) = std::fs::read_to_string(&path) else { return false };
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        if caught & SIGNALS == SIGNALS {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Searches that do not end by themselves.
const ENDLESS_FLAGS: &[&[&str]] = &[
    &["--safety"],
    &["--safety", "--no-reduction", "--store", "tree"],
    &["--safety", "--store", "compact"],
    &["--safety", "--store", "bitstate"],
    &["--ltl", "live", "--search", "nested"],
    &["--ltl", "live", "--search", "scc"],
    &["--ltl", "live", "--fair"],
    &["--ltl", "live", "--shortest"],
];

/// For one thread.
const DEPTH_FIRST: &[&str] = &["--safety", "--search", "dfs"];

#[test]
fn a_signal_ends_every_search_at_any_moment() {
    fs_ready();
    let n_runs = AtomicUsize::new(0);
    let n_reports = AtomicUsize::new(0);
    let slowest = Mutex::new(Duration::ZERO);
    let mut seed: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut jobs = Vec::new();
    for _ in 0..rounds() {
        for (flags, most_threads) in ENDLESS_FLAGS.iter().map(|flags| (flags, 4)).chain([(&DEPTH_FIRST, 1)]) {
            for threads in 1..=most_threads {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                jobs.push((*flags, threads, seed >> 40));
            }
        }
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(&(flags, threads, random)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let what = format!("{flags:?} on {threads} threads");
                    let mut command = command("endless", flags, threads, random % 3 == 0 && has_taskset());
                    command.args(["--memory", "600M", "--trail", "/dev/null"]);
                    let mut child =
                        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the verifier runs");
                    let listens = await_handlers(&mut child);
                    std::thread::sleep(Duration::from_millis(random % 600));
                    let start = Instant::now();
                    send(if random % 2 == 0 { "TERM" } else { "INT" }, &child);
                    let is_doubled = random % 16 == 5;
                    if is_doubled {
                        send("TERM", &child);
                    }
                    let code = wait(&mut child, &what);
                    let took = start.elapsed();
                    let mut text = String::new();
                    let mut stdout = child.stdout.take().expect("it is piped");
                    std::io::Read::read_to_string(&mut stdout, &mut text).expect("text");
                    // The second signal kills, if the first has not done its work by then.
                    let may_be_killed = is_doubled || !listens;
                    assert!(code == Some(3) || code.is_none() && may_be_killed, "{what}: {code:?} {text}");
                    if code.is_some() && text.contains("interrupted") {
                        n_reports.fetch_add(1, Ordering::Relaxed);
                    }
                    n_runs.fetch_add(1, Ordering::Relaxed);
                    let mut slowest = slowest.lock().expect("no panic");
                    *slowest = took.max(*slowest);
                }
            });
        }
    });
    let (n_runs, n_reports) = (n_runs.into_inner(), n_reports.into_inner());
    eprintln!("{n_runs} runs, {n_reports} with a report; the slowest end took {:?}", slowest.into_inner());
    assert!(n_reports > 0, "no run had a report");
}
