//! Models with timers in the interpreter of pmc, and in that of the tests: figures, verdicts, reductions, counterexamples.
//! `timed_verifiers.rs` builds them.

use pmc::driver::{Simplification, Simplify};
use snapshot_tests::engine::Engine;
use snapshot_tests::interpreted::{Interpreted, on_all_cores};
use snapshot_tests::plain_models::{Compared, check_counts_in_spin, figures, plain_file, plain_text};
use snapshot_tests::random_model::random_clock_model;
use snapshot_tests::spin;
use snapshot_tests::timed::{
    Question, TimedRow, agrees, divergent_runs_are_decided, infinite_runs_are_decided, is_refused, rows,
    searches_agree, tests_interpreter_agrees,
};

/// Checks some rows, and names all that fail.
fn check_all(
    is_meant: impl Fn(&TimedRow) -> bool,
    simplify: Simplify,
    check: impl Fn(&dyn Engine, &TimedRow) -> Result<(), String> + Sync,
) {
    let rows: Vec<TimedRow> = rows().into_iter().filter(is_meant).collect();
    let checked = on_all_cores(&rows, |row| Interpreted::with(&row.member(simplify), |engine| check(engine, row)));
    let failed = rows.iter().zip(checked).filter_map(|(row, checked)| Some((row, checked.err()?)));
    let wrong: Vec<String> = failed.map(|(row, why)| format!("{} {:?}: {why}", row.name(), row.question)).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert!(rows.len() >= 4, "only {} rows", rows.len());
}

/// All that the definition of timers says of models, in the interpreter of pmc; `timed_verifiers.rs` builds them.
#[test]
fn every_row_agrees() {
    check_rows(&rows());
    assert_eq!(rows().len(), 199);
}

fn check_rows(rows: &[TimedRow]) {
    let checked = on_all_cores(rows, |row| match row.question {
        Question::Refused { .. } => is_refused(row),
        _ => Interpreted::with(&row.member(row.simplify()), |engine| agrees(engine, row)),
    });
    let n_right = checked.iter().filter(|checked| checked.is_ok()).count();
    println!("{n_right} of {} rows agree", rows.len());
    let failed = rows.iter().zip(checked).filter_map(|(row, checked)| Some((row, checked.err()?)));
    let wrong: Vec<String> = failed.map(|(row, why)| format!("{} {:?}: {why}", row.name(), row.question)).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn is_safety(row: &TimedRow) -> bool {
    row.question == Question::Safety
}

#[test]
fn ticks_at_once_leave_out_states_alone() {
    let simplify = Simplify::NONE.with(Simplification::Ticks, true);
    check_all(|row| row.question == Question::Ticks, simplify, searches_agree);
}

#[test]
fn the_interpreter_of_the_tests_agrees() {
    check_all(is_safety, Simplify::NONE, |_, row| tests_interpreter_agrees(row));
}

#[test]
fn every_search_and_reduction_agrees() {
    check_all(is_safety, Simplify::NONE, searches_agree);
}

#[test]
fn simplified_models_have_the_same_verdicts() {
    check_all(is_safety, Simplify::ALL, |engine, row| {
        let row = TimedRow { figures: None, ..row.clone() };
        searches_agree(engine, &row)
    });
}

#[test]
fn infinite_runs_are_decided_with_and_without_fairness() {
    let is_infinite = |row: &TimedRow| matches!(row.question, Question::Formula { .. } | Question::Zeno);
    for simplify in [Simplify::NONE, Simplify::ALL] {
        check_all(is_infinite, simplify, infinite_runs_are_decided);
    }
}

#[test]
fn runs_in_which_time_passes_are_decided() {
    let is_divergent = |row: &TimedRow| matches!(row.question, Question::TimePasses { .. });
    for simplify in [Simplify::NONE, Simplify::ALL] {
        check_all(is_divergent, simplify, |engine, row| match &row.question {
            Question::TimePasses { name } => divergent_runs_are_decided(engine, row, name),
            _ => Ok(()),
        });
    }
}

#[test]
fn time_passes_is_refused_where_it_says_nothing() {
    let refusal = |model: &str, flags: &[&str]| {
        let row = rows().into_iter().find(|row| row.model == model).expect("the model");
        Interpreted::with(&row.member(Simplify::NONE), |engine| engine.run(&row.name(), flags)).expect_err("refused")
    };
    let none = refusal("t38_formula", &["--ltl=p", "--time-passes"]);
    assert!(none.contains("--time-passes is about models with timers, and t38_formula.pml has none"), "{none}");
    let nested = refusal("t34_divergent", &["--ltl=p", "--time-passes", "--search", "nested"]);
    assert!(nested.contains("--time-passes needs --search scc"), "{nested}");
    let zeno = refusal("t34_divergent", &["--zeno", "--time-passes"]);
    assert!(zeno.contains("leaves out the runs that --zeno looks for"), "{zeno}");
    let safety = refusal("t34_divergent", &["--safety", "--time-passes"]);
    assert!(safety.contains("--time-passes has no meaning here"), "{safety}");
}

#[test]
fn a_model_without_timers_is_not_asked_whether_time_passes() {
    let row = rows().into_iter().find(|row| row.model == "t31_plain").expect("a model that is not timed");
    let asked = Interpreted::with(&row.member(Simplify::NONE), |engine| engine.run(&row.name(), &["--zeno"]));
    let refusal = asked.expect_err("it has no timers");
    assert!(refusal.contains("--zeno asks whether time passes, and t31_plain.pml has no timers"), "{refusal}");
}

/// The models that have no plain version, with a part of the message: they use `timeout`, or their timers end with
/// processes.
const NOT_PLAIN: [(&str, &str); 3] = [
    ("t11_timeout", "`timeout` comes before a tick"),
    ("t23_dynamic", "may be on where `Job` ends"),
    ("t35_vanish", "may be on where `P` ends"),
];

#[test]
fn plain_versions_count_the_same() {
    let rows: Vec<TimedRow> = rows().into_iter().filter(is_safety).collect();
    let wrong = on_all_cores(&rows, |row| {
        let plain = plain_file(&row.member(Simplify::NONE).path, &row.defines);
        let refusal = NOT_PLAIN.iter().find(|(name, _)| *name == row.model);
        match (plain, refusal) {
            (Ok(plain), None) => {
                let found = figures(&plain).map_err(|why| format!("{why}\n{plain}"))?;
                let is_right = Some((found.states, found.transitions)) == row.figures
                    && (found.errors > 0) == row.violation.is_some();
                if is_right { Ok(()) } else { Err(format!("{row:?}: the plain version has {found:?}\n{plain}")) }
            }
            (Err(message), Some((_, part))) if message.contains(part) => Ok(()),
            (plain, _) => Err(format!("{row:?}: {plain:?}")),
        }
    });
    let wrong: Vec<String> = wrong.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn plain_versions_of_random_models_count_the_same() {
    let seeds: Vec<u64> = (0..120).collect();
    let compared = on_all_cores(&seeds, |seed| {
        let text = random_clock_model(*seed, 0).to_string();
        let compared = Compared::of(&text)?;
        Some(compared.check_in_pmc().map_err(|why| format!("seed {seed}: {why}\n{text}\n{}", compared.plain)))
    });
    let compared: Vec<Result<(), String>> = compared.into_iter().flatten().collect();
    let wrong: Vec<&String> = compared.iter().filter_map(|compared| compared.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(compared.len() * 2 > seeds.len(), "only {} models are compared", compared.len());
}

/// `spin-timed` compares all models, and thousands of random ones.
#[test]
fn spin_counts_the_same_in_plain_versions() {
    if !spin::is_installed() {
        eprintln!("skipped: spin or gcc is not installed");
        return;
    }
    let row = rows().into_iter().find(|row| row.model == "t22_local").expect("three local timers");
    let timed = std::fs::read_to_string(row.member(Simplify::NONE).path).expect("the model is there");
    let plain = plain_file(&row.member(Simplify::NONE).path, &row.defines).expect("a plain version");
    check_counts_in_spin(&plain, figures(&timed).expect("counts")).expect("Spin agrees");
    let random = (0..20).find_map(|seed| Compared::of(&random_clock_model(seed, 1).to_string()));
    let n_questions = random.expect("a model that is small enough").check_in_spin().expect("Spin agrees");
    assert_eq!(n_questions, Some(4), "a formula and the passing of time, with fairness and without");
}

#[test]
fn plain_versions_keep_pids_and_names() {
    let models = [
        // The clock is process 0.
        "timer t; byte n, who; chan q = [1] of { pid };
         proctype Q(pid parent) { timer own; here: delay(own, 2); who = parent; reset(own); assert(_nr_pr >= 2) }
         active proctype Clock() { pid child; child = run Q(_pid); q!child; Q[child]@here; set(t, 1); expire(t);
           assert(child == 1 && n == 0); q?eval(child); (_nr_pr == 1); n = n + _pid + 1 }
         ltl f { [] (n < 2) }",
        // Blocks beside each other use a name twice; a declaration behind a statement is a step.
        "byte timers_of_P;
         active [2] proctype P() { byte x; { timer t; set(t, x + 1); expire(t); reset(t) };
           if :: timer s = 2; expire(s); reset(s) :: byte s = 3; x = s fi;
           { timer t[2], u = 3; set(t[1], 1); expire(t[1]); reset(t[1]); reset(t[0]); reset(u) } unless { x == 9 };
           false }",
        // Records, and a timer that is set to what may be negative.
        "typedef Inner { timer t[2]; byte v }; typedef Outer { Inner in[2]; short d = -2 }; Outer g;
         active [2] proctype P() { Outer o; set(o.in[1].t[_pid], o.d + 3); o.in[0].v = 1; expire(o.in[1].t[_pid]);
           set(g.in[o.in[0].v].t[0], o.d); assert(!on(g.in[1].t[0])); false }",
    ];
    for model in models {
        let plain = plain_text(model).expect("a plain version");
        assert_eq!(figures(&plain), figures(model), "{model}\n{plain}");
    }
    let refused = [
        ("active proctype P() { timer t; delay(t, 1); reset(t) } ltl f { [] (P[0]:t < 2) }", "of another process"),
        ("timer t; active proctype P() { set(t, 1); _last == 0 }", "`_last` is not changed by a tick"),
        ("proctype P() { timer t = 1; reset(t) } init { run P() }", "`t` is on at first in a process"),
        ("timer t[2001]; active proctype P() { set(t[0], 1) }", "more than 2000 timers"),
    ];
    for (model, part) in refused {
        let message = plain_text(model).expect_err("it is refused");
        assert!(message.contains("P0903") && message.contains(part), "{message}");
    }
}
