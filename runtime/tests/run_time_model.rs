//! Models that are made at run time: every table, name and text is owned by the test, and dropped before it ends.

mod script;

use pmc_runtime::limits::Interrupt;
use pmc_runtime::monitor::{Monitor, Progress, Silent};
use pmc_runtime::options::{Algorithm, Ask, Options, Reduction};
use pmc_runtime::pack::Bytes;
use pmc_runtime::verdict::{ExitCode, Report, Verdict};
use pmc_runtime::{Environment, Searches};
use script::{Op, Script, with_model};

/// Makes a model, checks it, and drops it: a report borrows nothing of it.
fn check(script: &Script, options: &Options) -> Report {
    with_model(script, |model| pmc_runtime::check(model, Searches::<Bytes>::new(), options))
}

/// The same by arguments: exit code, standard output, standard error.
fn run(script: &Script, args: &[&str]) -> (ExitCode, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    let searches = Searches::<Bytes>::new();
    let code = with_model(script, |model| pmc_runtime::run(model, searches, &args, &mut out, &mut err));
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

/// `n` processes, each with a variable of its own that it counts up to `length`.
fn counters(n: usize, length: usize) -> Script {
    Script { processes: (0..n).map(|pid| vec![Op::Add(pid); length]).collect(), ..Script::new(format!("count{n}"), n) }
}

fn states(report: &Report) -> u64 {
    report.properties[0].statistics.states_stored
}

fn safety(algorithm: Algorithm, reduction: Reduction, threads: usize) -> Options {
    Options { ask: Ask::Safety, algorithm, reduction, threads, ..Options::default() }
}

#[test]
fn models_of_several_sizes_after_one_another() {
    for (n, length) in [(1, 3), (4, 2), (2, 9), (3, 4), (5, 1)] {
        let script = counters(n, length);
        for algorithm in [Algorithm::BreadthFirst, Algorithm::DepthFirst] {
            let full = check(&script, &safety(algorithm, Reduction::Off, 1));
            assert_eq!((full.verdict, states(&full)), (Verdict::Verified, (length as u64 + 1).pow(n as u32)));
            // One interleaving is enough for processes that share nothing.
            for reduction in [Reduction::Ample, Reduction::Auto] {
                let reduced = check(&script, &safety(algorithm, reduction, 1));
                assert_eq!((reduced.verdict, states(&reduced)), (Verdict::Verified, (n * length) as u64 + 1));
            }
        }
    }
}

/// Pairs of processes share variables, so that no process is safe alone, but each pair is a stubborn set.
#[test]
fn stubborn_sets_come_from_borrowed_tables() {
    let mut script = counters(4, 3);
    for (pid, program) in script.processes.iter_mut().enumerate() {
        program.push(Op::Add(pid ^ 1));
    }
    let full = check(&script, &safety(Algorithm::DepthFirst, Reduction::Off, 1));
    let reduced = check(&script, &safety(Algorithm::DepthFirst, Reduction::Stubborn, 1));
    assert_eq!((full.verdict, reduced.verdict), (Verdict::Verified, Verdict::Verified));
    assert!(reduced.properties[0].statistics.reduction && states(&reduced) < states(&full) / 4);
}

#[test]
fn a_violation_tells_the_texts_of_its_model_and_is_replayed() {
    let path = std::env::temp_dir().join(format!("pmc-run-time-model-{}.trail.json", std::process::id()));
    let trail = path.to_str().unwrap();
    for (limit, is_violated) in [(2, true), (3, false), (1, true)] {
        let mut script = counters(2, 2);
        script.processes[1].push(Op::AssertBelow(1, limit));
        let (code, out, err) = run(&script, &["--trail", trail, "--no-progress"]);
        assert_eq!((code == ExitCode::Violated, err.as_str()), (is_violated, ""));
        assert_eq!(code == ExitCode::Verified, !is_violated);
        if is_violated {
            let said = format!("assertion violated: assert(v1 < {limit})");
            assert!(out.contains(&said) && !out.contains('\x1b'), "{out}");
            let (code, out, _) = run(&script, &["replay", trail]);
            assert!(code == ExitCode::Violated && out.contains(&said) && out.contains("v1 = v1 + 1"), "{out}");
            // The trail of another model is refused.
            let (code, _, err) = run(&counters(3, 1), &["replay", trail]);
            assert!(code == ExitCode::Usage && !err.is_empty(), "{err}");
            std::fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn claims_have_names_and_automata_of_the_run() {
    for (value, verdict) in [(2, Verdict::Verified), (3, Verdict::Violated)] {
        let name = format!("reaches_{value}");
        let script = Script { claim: Some((name.clone(), 0, value)), ..counters(2, 2) };
        for reduction in [Reduction::Off, Reduction::Auto] {
            let options = Options { ask: Ask::Claim(name.clone()), reduction, ..Options::default() };
            let report = check(&script, &options);
            assert_eq!((report.verdict, report.properties[0].name.as_str()), (verdict, name.as_str()));
        }
    }
}

/// One type for models with and without hidden variables.
#[test]
fn hidden_variables_are_those_of_the_model() {
    let report = |n_hidden| {
        let script = Script { n_hidden, ..counters(2, 2) };
        check(&script, &Options { all_errors: true, ..safety(Algorithm::DepthFirst, Reduction::Off, 1) })
    };
    let (plain, hidden) = (report(0), report(1));
    assert_eq!((states(&plain), plain.hidden_differed()), (9, false));
    // Each state comes with one value of the hidden variable, because locations tell how often it was counted up.
    assert_eq!((states(&hidden), hidden.hidden_differed()), (9, false));
    // A loop comes back to the same state with another value.
    let mut script = Script { n_hidden: 1, ..Script::new("loop".to_owned(), 1) };
    script.processes = vec![vec![Op::Add(0), Op::Restart]];
    let looping = check(&script, &safety(Algorithm::DepthFirst, Reduction::Off, 1));
    assert_eq!((states(&looping), looping.hidden_differed()), (2, true));
}

#[test]
fn two_models_side_by_side() {
    let scripts = [counters(3, 7), counters(4, 5)];
    std::thread::scope(|scope| {
        let runs: Vec<_> = scripts
            .iter()
            .map(|script| {
                scope.spawn(move || {
                    for threads in [1, 3] {
                        let report = check(script, &safety(Algorithm::BreadthFirst, Reduction::Off, threads));
                        let length = script.processes[0].len() as u64;
                        assert_eq!(states(&report), (length + 1).pow(script.processes.len() as u32));
                        let (code, out, _) = run(script, &["--safety", "--threads", "2"]);
                        assert!(code == ExitCode::Verified && out.starts_with(&script.name), "{out}");
                    }
                })
            })
            .collect();
        for run in runs {
            run.join().expect("no panic");
        }
    });
}

/// Counts how often the searches end.
#[derive(Default)]
struct Watch {
    ends: usize,
}

impl Monitor for Watch {
    fn progress(&mut self, _: &Progress) {}

    fn end(&mut self) {
        self.ends += 1;
    }
}

#[test]
fn an_environment_interrupts_its_own_run_only() {
    let script = counters(3, 3);
    let interrupt = Interrupt::new();
    interrupt.set();
    let mut watch = Watch::default();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let environment = Environment {
        input: &mut std::io::empty(),
        out: &mut out,
        err: &mut err,
        use_colors: true,
        monitor: &mut watch,
        interrupt: &interrupt,
    };
    let code = with_model(&script, |model| pmc_runtime::run_in(model, Searches::<Bytes>::new(), &[], environment));
    assert_eq!((code, watch.ends), (ExitCode::Incomplete, 1));
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("interrupted") && out.contains('\x1b'), "{out}");
    let (code, ..) = run(&script, &[]);
    assert_eq!(code, ExitCode::Verified);
    let report = with_model(&script, |model| {
        pmc_runtime::check_with(model, Searches::<Bytes>::new(), &Options::default(), &interrupt, &mut Silent)
    });
    assert_eq!(report.verdict, Verdict::Incomplete);
}

#[test]
fn a_simulation_reads_the_input_of_its_caller() {
    let script = counters(2, 1);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let environment = Environment {
        input: &mut &b"1\n1\n"[..],
        out: &mut out,
        err: &mut err,
        use_colors: false,
        monitor: &mut Silent,
        interrupt: &Interrupt::new(),
    };
    let args = ["simulate", "--interactive"].map(str::to_owned);
    let code = with_model(&script, |model| pmc_runtime::run_in(model, Searches::<Bytes>::new(), &args, environment));
    let (out, err) = (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap());
    assert_eq!((code, err.as_str()), (ExitCode::Verified, ""));
    assert!(out.contains("v0 = v0 + 1") && out.contains("v1 = v1 + 1"), "{out}");
}
