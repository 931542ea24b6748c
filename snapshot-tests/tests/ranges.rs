//! The ranges against the interpreter: no variable or message ever holds a value outside of its range.
//!
//! Every model of the conformance set and many random ones are explored, and each value in each state is looked up. What
//! verifiers pack is checked once more by the verifiers themselves, which the other tests build with debug assertions.

use pmc::analysis::ranges::{Range, Ranges, of_type};
use pmc::analysis::{Facts, Simplify, analyze};
use pmc::ir;
use pmc::model::{Model, RecordId, Type, VariableId};
use snapshot_tests::expected;
use snapshot_tests::interpret::program::elements;
use snapshot_tests::interpret::{Options, Program, State, explore};
use snapshot_tests::load::{load, load_text};
use snapshot_tests::random_model::{RandomModel, random_model, shrink};

/// How many models are looked at. `RANDOM_MODELS=first..end` looks at others.
const SEEDS: std::ops::Range<u64> = 0..60;

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("RANDOM_MODELS").ok();
    let range = given.as_deref().and_then(|given| given.split_once(".."));
    match range.map(|(first, end)| (first.parse(), end.parse())) {
        Some((Ok(first), Ok(end))) => first..end,
        _ => SEEDS,
    }
}

/// The range of each scalar of a variable, in the order in which the interpreter keeps them, with its path.
struct Scalars<'a> {
    model: &'a Model,
    ranges: &'a Ranges,
    variable: VariableId,
    found: Vec<(Range, Vec<u32>)>,
}

impl<'a> Scalars<'a> {
    fn of(model: &'a Model, ranges: &'a Ranges, variable: VariableId) -> Vec<(Range, Vec<u32>)> {
        let declared = &model.variables[variable];
        let mut scalars = Scalars { model, ranges, variable, found: Vec::new() };
        scalars.elements(declared.ty, declared.length, &mut Vec::new());
        scalars.found
    }

    fn elements(&mut self, ty: Type, length: Option<u32>, path: &mut Vec<u32>) {
        for _ in 0..elements(length) {
            match ty {
                Type::Record(record) => self.record(record, path),
                _ => self.found.push((self.ranges.variable(self.model, self.variable, path), path.clone())),
            }
        }
    }

    fn record(&mut self, record: RecordId, path: &mut Vec<u32>) {
        for (number, field) in (0..).zip(&self.model.records[record].fields) {
            path.push(number);
            self.elements(field.ty, field.length, path);
            path.pop();
        }
    }
}

struct Checker<'a> {
    program: Program<'a>,
    facts: &'a Facts,
    scalars: Vec<Vec<(Range, Vec<u32>)>>,
    n_checked: usize,
}

impl<'a> Checker<'a> {
    fn new(model: &'a Model, facts: &'a Facts, options: &Options) -> Self {
        let scalars = model.variables.ids().map(|id| Scalars::of(model, &facts.ranges, id)).collect();
        Self { program: Program::new(model, options), facts, scalars, n_checked: 0 }
    }

    /// A value that is not where it should be.
    fn lie(&mut self, state: &State) -> Option<String> {
        let model = self.program.model;
        let globals = model.globals.iter().map(|id| (*id, &state.globals[..]));
        let locals = state.processes.iter().flat_map(|process| {
            let declared = &model.proctypes[process.proctype];
            declared.parameters.iter().chain(&declared.locals).map(|id| (*id, &process.locals[..]))
        });
        let all: Vec<(VariableId, &[i32])> = globals.chain(locals).collect();
        for (id, values) in all {
            let scalars = &self.scalars[id.0 as usize];
            for (value, (range, path)) in values[self.program.offsets[id]..].iter().zip(scalars) {
                self.n_checked += 1;
                if !range.contains((*value).into()) {
                    let name = &model.variables[id].name;
                    return Some(format!("{name}, field {path:?}, is {value}, not in {range:?}"));
                }
            }
        }
        for channel in &state.channels {
            for (value, number) in channel.messages.iter().flat_map(|message| message.iter().zip(0..)) {
                self.n_checked += 1;
                let range = self.facts.ranges.message(channel.site, number);
                if !range.contains((*value).into()) {
                    let name = model.site_name(&model.sites[channel.site], ".");
                    return Some(format!("field {number} of a message in {name} is {value}, not in {range:?}"));
                }
            }
        }
        None
    }
}

/// How many values were looked at, and what was a lie.
fn check(model: &Model, options: &Options) -> (usize, Option<String>) {
    let lowered = ir::lower(model, Vec::new());
    let facts = analyze(&lowered, Simplify::NONE);
    let mut checker = Checker::new(model, &facts, options);
    let graph = explore(model, options);
    let lie = graph.states.iter().find_map(|state| checker.lie(state));
    (checker.n_checked, lie)
}

#[test]
fn values_are_in_their_ranges_in_the_conformance_models() {
    let mut lies = Vec::new();
    let mut n_checked = 0;
    for row in expected::rows("exact") {
        let Ok(loaded) = load(&expected::folder().join(format!("{}.pml", row.model))) else { continue };
        let lossy = row.spin_flags.split_whitespace().any(|word| word == "-m");
        let options = Options { lossy, max_states: 3_000, max_steps: 40_000, ..Options::default() };
        let mut folded = loaded.model.clone();
        pmc::model::constants::fold(&mut folded);
        for model in [&loaded.model, &folded] {
            let (n, lie) = check(model, &options);
            n_checked += n;
            lies.extend(lie.map(|lie| format!("{}: {lie}", row.model)));
        }
    }
    assert!(lies.is_empty(), "{} lies:\n{}", lies.len(), lies.join("\n"));
    assert!(n_checked > 100_000, "only {n_checked} values were looked at");
}

fn check_random(model: &RandomModel) -> (usize, Option<String>) {
    let Ok(loaded) = load_text(&model.to_string()) else { return (0, None) };
    let options = Options { max_states: 500, max_steps: 15_000, max_depth: 2_000, ..Options::default() };
    check(&loaded.model, &options)
}

#[test]
fn values_are_in_their_ranges_in_random_models() {
    let mut n_checked = 0;
    for seed in seeds() {
        let model = random_model(seed);
        let (n, lie) = check_random(&model);
        n_checked += n;
        if lie.is_some() {
            let small = shrink(&model, |model| check_random(model).1.is_some());
            panic!("seed {seed}: {}\n{small}", check_random(&small).1.unwrap_or_default());
        }
    }
    assert!(n_checked > 10_000, "only {n_checked} values were looked at");
}

/// Where a range could easily be too narrow: control is lost, or values take an unusual way.
const TRICKY: &[&str] = &[
    // A partner moves on between two statements of an atomic sequence.
    "byte x; chan c = [0] of { bit };
     active proctype p() { do :: atomic { x < 3 -> c!1; x = x + 1 } od }
     active proctype q() { bit b; do :: atomic { c?b; x = 7 } :: x = 0 od }",
    "byte x; chan c = [0] of { bit };
     active proctype p() { bit b; do :: atomic { x < 3 -> c?b; x = x + 1 } od }
     active proctype q() { do :: x = 7; c!1 :: x = 0 od }",
    // It blocks inside, or may.
    "byte x, y; active proctype p() { do :: atomic { x < 2 -> y == 1; x = x + 1 } od }
     active proctype q() { do :: x = 5; y = 1 :: x = 0; y = 0 od }",
    "byte x, y; active proctype p() { do :: atomic { x < 2 -> if :: y == 1 :: else fi; x = x + 1 } od }
     active proctype q() { do :: x = 5; y = 1 :: x = 0; y = 0 od }",
    // An escape is taken from anywhere.
    "byte x, y; active proctype p() { do :: { x = 1; x = x + y; x = 0 } unless { y == 2 -> y = 0; x = x + 5 } od }
     active proctype q() { do :: y < 2 -> y++ od }",
    // The order of messages and of their fields.
    "chan c = [2] of { byte, byte }; byte a[4];
     active proctype p() { byte i; do :: i < 3 -> c!i, i + 1; i++ :: else -> i = 0 od }
     active proctype q() { byte i; do :: c?i, a[i] :: c??2, i od }",
    // Numbers of channels, and one that goes away with its process.
    "chan keep; byte got;
     proctype p(byte n) { chan own = [2] of { byte }; keep = own; own!n; own!n + 1 }
     proctype q() { chan mine = [2] of { byte }; mine!7; if :: mine?got :: skip fi }
     init { run p(3); _nr_pr == 1; run q(); if :: keep?got :: skip fi }",
    // Arguments and pids.
    "byte x; proctype p(byte n; pid by) { x = n + _pid + by; if :: n > 0 -> run p(n - 1, _pid) :: else fi }
     init { run p(3, _pid) }",
    // Wrap-around, at both ends and in all widths.
    "byte b; short s = 32767; int i = 2147483647; unsigned u : 3; bit t;
     active proctype p() { do :: b--; b = b - 200 :: s++; u = u + 5 :: i = i + 1 :: t++; i = -i :: u = u << 2 od }",
    // What counters count, with processes that end.
    "byte n = 1; proctype p() { n++; if :: n-- :: skip fi } init { run p(); run p(); n-- ; n == 0 }",
    "byte n; active [3] proctype p() { do :: atomic { n < 2 -> n++ }; n-- od }",
    // Jumps into and out of atomic sequences and d_steps.
    "byte x; active [2] proctype p() { again: atomic { x < 3 -> x = x + 1; if :: goto again :: skip fi; x = x + 1 };
       d_step { x > 2; do :: x > 0 -> x-- :: else -> break od; x = 1 } }",
    // Elements with the same name for different elements.
    "byte a[3]; active [2] proctype p() { byte i; do :: atomic { a[i] < 2 -> i = (i + 1) % 3; a[i] = a[i] + 1 }
       :: atomic { a[_pid] < 4 -> a[_pid]++ } :: a[i] = 0 od }",
    "typedef inner { byte v[2] } typedef outer { inner in[2]; short k = 3 } outer o;
     active proctype p() { byte i; do :: o.in[i].v[1 - i] < 5 -> o.in[i].v[1 - i]++ :: o.k = o.in[0].v[1] - 4
       :: i = 1 - i od }",
];

#[test]
fn values_are_in_their_ranges_where_it_is_tricky() {
    for text in TRICKY {
        let loaded = load_text(text).unwrap_or_else(|error| panic!("{error}"));
        let options = Options { max_states: 5_000, max_steps: 50_000, ..Options::default() };
        let (n, lie) = check(&loaded.model, &options);
        assert!(n > 0 && lie.is_none(), "{}\n{text}", lie.unwrap_or_default());
    }
}

/// Ranges that say nothing would pass the tests above.
#[test]
fn most_ranges_are_narrower_than_their_types() {
    let (mut n_narrow, mut n_all) = (0, 0);
    for row in expected::rows("exact") {
        let Ok(loaded) = load(&expected::folder().join(format!("{}.pml", row.model))) else { continue };
        let lowered = ir::lower(&loaded.model, Vec::new());
        let facts = analyze(&lowered, Simplify::NONE);
        for (id, variable) in loaded.model.variables.iter_enumerated() {
            if matches!(variable.ty, Type::Byte | Type::Short | Type::Int | Type::Mtype(_)) {
                n_all += 1;
                n_narrow += usize::from(facts.ranges.variable(&loaded.model, id, &[]) != of_type(variable.ty));
            }
        }
    }
    assert!(n_narrow * 4 > n_all * 3, "{n_narrow} of {n_all}");
}
