//! What the models of `expected.csv` must show, whatever engine runs them.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use pmc::driver::{EscapeOrder, Options, Simplify};
use serde_json::Value;

use crate::batch::Member;
use crate::engine::{Engine, Figures};
use crate::expected::{self, Row};
use crate::interpret::{self, read_trail, replay};
use crate::load::load;

/// Rows in which we are right to differ from Spin: what we find (states,
/// transitions, errors), and why Spin says something else.
pub const EXCEPTIONS: &[(&str, [usize; 3], &str)] = &[
    ("err_divide_zero", [2, 2, 2], "pan is killed by the division; we report it, and that the process is stuck"),
    ("err_divide_overflow", [2, 2, 2], "pan is killed by the division; we report it, and that the process is stuck"),
    ("err_modulo_overflow", [3, 3, 4], "pan is killed by the division; we report it, and that the process is stuck"),
    ("err_modulo_zero", [2, 2, 2], "pan is killed by the division; we report it, and that the process is stuck"),
    ("err_len_uninit", [2, 2, 2], "Spin gives `len` of no channel a value and goes on; we do not execute it"),
    ("err_receive_uninit", [2, 2, 2], "Spin complains three times about one receive from no channel"),
    ("misc_stdin", [2, 2, 2], "Spin complains three times about one receive from no channel"),
    ("flow_atomic_infinite", [2, 2, 0], "Spin counts an arrival where it hits its depth limit inside the atomic"),
    ("flow_self_loop", [3, 6, 0], "pan refuses a step that is always executable and leads to itself"),
    ("live_ltl_next", [4, 4, 0], "Debian's Spin is built without the operator X"),
    ("proc_vector_limit", [764, 764, 0], "pan's state vector is too small for the processes"),
];

/// A match hides the value of a hidden variable, so that what is found depends on the order of the search.
const ORDER_MATTERS: &[&str] = &["misc_hidden_match", "type_hidden", "type_hidden_read"];

/// Breadth-first and depth-first search agree, on however many threads.
pub fn searches_agree(engine: &dyn Engine, row: &Row, question: &'static str) -> Result<(), String> {
    let mut flags = flags(row, question);
    let depth_first = engine.report(&row.model, &flags)?;
    flags[2] = "bfs";
    flags.extend(["--threads", "1"]);
    let breadth_first = engine.report(&row.model, &flags)?;
    threads_agree(engine, row, &mut flags, &breadth_first["properties"][0])?;
    let [depth_first, breadth_first] = [depth_first, breadth_first].map(|report| report["properties"][0].clone());
    if depth_first["verdict"] != breadth_first["verdict"] {
        return Err(format!("depth-first {depth_first}, breadth-first {breadth_first}"));
    }
    // A fault that ends the search leaves each order with what it had seen.
    let is_complete = depth_first["search"]["complete"] == true;
    let states = [&depth_first, &breadth_first].map(|property| &property["search"]["states_stored"]);
    if is_complete && states[0] != states[1] && !ORDER_MATTERS.contains(&row.model.as_str()) {
        return Err(format!("depth-first {} states, breadth-first {}", states[0], states[1]));
    }
    Ok(())
}

/// However many threads there are, they find the same as one. `flags` end with their number.
fn threads_agree(engine: &dyn Engine, row: &Row, flags: &mut [&'static str], alone: &Value) -> Result<(), String> {
    for threads in ["2", "3"] {
        if let Some(last) = flags.last_mut() {
            *last = threads;
        }
        let together = engine.report(&row.model, flags)?["properties"][0].clone();
        let has_ended_early = alone["search"]["complete"] != true;
        let figures = ["states_stored", "transitions", "depth"].map(|name| {
            let [one, other] = [alone, &together].map(|property| property["search"][name].clone());
            one == other || has_ended_early || ORDER_MATTERS.contains(&row.model.as_str())
        });
        let errors_agree = alone["errors"] == together["errors"] || has_ended_early;
        if alone["verdict"] != together["verdict"] || !errors_agree || figures.contains(&false) {
            return Err(format!("{threads} threads: {together}, one: {alone}"));
        }
    }
    Ok(())
}

/// Stores that lose nothing find the same to the digit; others find no more, and give the odds.
pub fn stores_agree(engine: &dyn Engine, row: &Row, question: &'static str) -> Result<(), String> {
    let flags = flags(row, question);
    let exact = engine.report(&row.model, &[&flags[..], &["--store", "exact"]].concat())?["properties"][0].clone();
    for store in ["tree", "compact", "hash-compact", "hash-compact=20", "bitstate", "bitstate=9"] {
        let is_lossy = store.starts_with("hash") || store.starts_with("bit");
        // Tables that do not grow take what they may.
        let memory: &[&str] = if is_lossy { &["--memory", "16M"] } else { &[] };
        let store_flags = [&flags[..], &["--store", store], memory].concat();
        let other = engine.report(&row.model, &store_flags)?["properties"][0].clone();
        let counts = ["states_stored", "transitions", "depth"];
        let count = |property: &Value, name: &str| property["search"][name].as_u64();
        let is_right = match is_lossy {
            false => {
                counts.iter().all(|name| count(&exact, name) == count(&other, name))
                    && exact["errors"] == other["errors"]
                    && exact["verdict"] == other["verdict"]
                    && other["search"]["omission_probability"].is_null()
            }
            true => {
                count(&other, "states_stored") <= count(&exact, "states_stored")
                    && other["search"]["omission_probability"].is_f64()
                    && other["search"]["complete"] == false
            }
        };
        if !is_right {
            return Err(format!("{store}: {other}, exact: {exact}"));
        }
    }
    Ok(())
}

/// Every counterexample replays, in the engine and in the interpreter of the tests, which shares no code with it.
pub fn counterexamples_replay(engine: &dyn Engine, row: &Row, question: &'static str) -> Result<(), String> {
    for search in ["auto", "bfs", "dfs"] {
        let mut flags: Vec<&str> = flags(row, question).into_iter().filter(|flag| *flag != "--all-errors").collect();
        flags[2] = search;
        let file = format!("{}.replayed.json", row.model);
        let report = engine.report_and_trail(&row.model, &flags, &file)?;
        if report["properties"][0]["errors"] == 0 {
            continue;
        }
        // By the verifier itself, and by the interpreter, which shares no code with it.
        let (code, said) = engine.run(&row.model, &["replay", &file])?;
        if code != 1 {
            return Err(format!("{search}: replay says {said}"));
        }
        let trail = engine.trail(&file)?;
        let loaded = load(&expected::folder().join(format!("{}.pml", row.model)))?;
        let (instructions, claimed) = read_trail(&trail)?;
        let options = interpreter_options(row);
        replay(&loaded.model, &loaded.sources, &instructions, &claimed, &options)
            .map_err(|error| format!("{search}: the trail is no counterexample ({error:?}): {trail}"))?;
    }
    Ok(())
}

/// Whatever a search leaves out, it comes to the same verdict, and never stores more states. Promises are checked
/// only when steps are left out: see [`promises_are_checked`].
pub fn reductions_keep_verdicts(engine: &dyn Engine, row: &Row, question: &'static str) -> Result<(), String> {
    if promise_breakers().contains(&row.model) {
        return Ok(());
    }
    for extra in [&[][..], &["--no-assert"]] {
        let own: Vec<&str> = flags(row, question).into_iter().skip(5).chain(extra.iter().copied()).collect();
        let report = |reduction: &'static str, search: &'static str| {
            let flags = [question, "--reduction", reduction, "--search", search, "--all-errors"];
            let flags: Vec<&str> = flags.into_iter().chain(own.iter().copied()).collect();
            Ok::<_, String>(engine.report(&row.model, &flags)?["properties"][0].clone())
        };
        let full = report("none", "dfs")?;
        for reduction in ["ample", "cluster", "stubborn"] {
            for search in ["dfs", "bfs"] {
                let reduced = report(reduction, search)?;
                let n_states = [&full, &reduced].map(|property| property["search"]["states_stored"].as_u64());
                let is_complete = full["search"]["complete"] == true && reduced["search"]["complete"] == true;
                if reduced["verdict"] != full["verdict"] || is_complete && n_states[0] < n_states[1] {
                    return Err(format!("{reduction}, {search}, {own:?}: {reduced}\nfull: {full}"));
                }
            }
        }
    }
    Ok(())
}

pub fn breaks_promise(row: &Row) -> bool {
    row.first_error.contains("partial order reduction invalid")
}

/// The models that break a promise.
fn promise_breakers() -> &'static BTreeSet<String> {
    static MODELS: OnceLock<BTreeSet<String>> = OnceLock::new();
    MODELS.get_or_init(|| expected::rows("first").into_iter().filter(breaks_promise).map(|row| row.model).collect())
}

/// When Spin leaves out steps it checks promises (`xr`, `xs`), and so do we. For the rest the verdict is that of a
/// search that leaves out nothing: Spin's reduction hides some errors.
pub fn promises_are_checked(engine: &dyn Engine, row: &Row, search: &str) -> Result<(), String> {
    let own = flags(row, "--safety").into_iter().skip(5);
    let flags: Vec<&str> = ["--reduction", "auto", "--search", search].into_iter().chain(own).collect();
    let mut violations = Vec::new();
    for question in questions(row) {
        let file = format!("{}.reduced.json", row.model);
        let flags: Vec<&str> = flags.iter().copied().chain([question]).collect();
        let report = engine.report_and_trail(&row.model, &flags, &file)?;
        let property = &report["properties"][0];
        if property["verdict"] == "violated" {
            violations.push(property["violation"]["kind"].as_str().unwrap_or_default().to_owned());
            let (code, said) = engine.run(&row.model, &["replay", &file])?;
            if code != 1 {
                return Err(format!("replay says {said}"));
            }
        }
    }
    let exact = expected::rows("exact");
    let exact = exact.iter().find(|exact| exact.model == row.model).and_then(|exact| exact.figures);
    let expected = exact.map(|[_, _, errors]| errors > 0 || breaks_promise(row));
    let is_told = violations.iter().any(|kind| kind == "xr-xs");
    if Some(!violations.is_empty()) == expected && (is_told || !breaks_promise(row)) {
        Ok(())
    } else {
        Err(format!("found {violations:?}, Spin {:?} {}", row.figures, row.first_error))
    }
}

/// The counts are those of Spin, or those of the exception.
pub fn figures_are_right(engine: &dyn Engine, row: &Row) -> Result<(), String> {
    let exception = EXCEPTIONS.iter().find(|(model, ..)| *model == row.model).map(|(_, figures, _)| *figures);
    let expected = exception.or(row.figures).map(|figures| figures.map(|figure| figure as u64));
    let expected = expected.map(|[states, transitions, errors]| Figures { states, transitions, errors });
    let found = figures(engine, row);
    if found.as_ref().ok() == expected.as_ref() {
        return Ok(());
    }
    Err(format!("found {found:?}, Spin {expected:?} {}", row.first_error))
}

/// The figures of all that is asked about a row: the search is the same, only what is wrong is told apart.
fn figures(engine: &dyn Engine, row: &Row) -> Result<Figures, String> {
    let mut all: Option<Figures> = None;
    for question in questions(row) {
        let found = engine.figures(&row.model, &flags(row, question))?;
        let errors = all.map_or(0, |all| all.errors) + found.errors;
        if all.is_some_and(|all| (all.states, all.transitions) != (found.states, found.transitions)) {
            return Err(format!("{question} finds {found:?}, the others {all:?}"));
        }
        all = Some(Figures { errors, ..found });
    }
    all.ok_or_else(|| "nothing was asked".to_owned())
}

/// Spin checks a trace along with the rest; here it has a search and a verdict of its own.
pub fn questions(row: &Row) -> Vec<&'static str> {
    let asks_trace = row.model.starts_with("live_trace") || row.model.starts_with("live_notrace");
    if asks_trace { vec!["--safety", "--trace"] } else { vec!["--safety"] }
}

pub fn member(row: &Row) -> Member {
    let loses_messages = row.spin_flags.split_whitespace().any(|flag| flag == "-m");
    let is_reversed = row.pan_flags.split_whitespace().any(|flag| flag == "-J");
    let escapes = if is_reversed { EscapeOrder::InnerFirst } else { EscapeOrder::OuterFirst };
    Member {
        name: row.model.clone(),
        path: expected::folder().join(format!("{}.pml", row.model)),
        options: Options { loses_messages, escapes, simplify: Simplify::NONE, ..Options::default() },
    }
}

fn interpreter_options(row: &Row) -> interpret::Options {
    let pan = |flag: &str| row.pan_flags.split_whitespace().any(|word| word == flag);
    interpret::Options {
        lossy: row.spin_flags.split_whitespace().any(|word| word == "-m"),
        inner_escape_first: pan("-J"),
        empty_channels: pan("-q"),
        end_states: !pan("-E"),
        assertions: !pan("-A"),
        ..interpret::Options::default()
    }
}

pub fn flags(row: &Row, question: &'static str) -> Vec<&'static str> {
    let mut flags = vec!["--no-reduction", "--search", "dfs", "--all-errors", question];
    for flag in row.pan_flags.split_whitespace() {
        match flag {
            "-q" => flags.push("--leftover-messages"),
            "-E" => flags.push("--no-deadlock"),
            "-A" => flags.push("--no-assert"),
            _ => {}
        }
    }
    flags
}
