//! The second opinion on symmetry: orbits by brute force.
//!
//! The tests' interpreter explores a whole model, and every exchange of members that pmc takes to be allowed is applied to
//! every state and every edge. It must be an automorphism of the graph, and the orbits must be as many as pmc stores. What
//! is a member is known by the names of variables ([`exchange`]), so that nothing here depends on what pmc has inferred.

mod exchange;
mod formulas;
mod random;
pub mod rows;

use std::collections::HashMap;

use pmc::driver::Simplify;
use serde_json::Value;

use crate::engine::Engine;
use crate::interpret::{Graph, Options, Program, ViolationKind, explore};
use crate::interpreted_models::{Comparison, NAME, check_trail, with};
use crate::load::{Loaded, load_text};
use exchange::Exchange;
use formulas::check_formulas;
pub use random::random_symmetric_model;

/// A model whose processes `P` may be interchangeable.
pub struct SymmetricModel {
    pub text: String,
    /// The pid of the first `P`.
    pub base: usize,
    /// Processes `P` can end.
    pub ends: bool,
}

/// What came of a comparison, and whether any members were interchangeable.
pub struct Compared {
    pub comparison: Comparison,
    pub is_symmetric: bool,
    pub is_pinned: bool,
    pub is_violated: bool,
    /// How many of its formulas are violated.
    pub n_violated_formulas: usize,
}

/// Compares the states and transitions up to symmetry with orbits, and verdicts of other searches with the whole graph.
pub fn compare_symmetric(model: &SymmetricModel, turn: usize) -> Compared {
    let none = Compared {
        comparison: Comparison::None,
        is_symmetric: false,
        is_pinned: false,
        is_violated: false,
        n_violated_formulas: 0,
    };
    let Ok(loaded) = load_text(&model.text) else { return none };
    let options = Options { max_states: 5_000, max_steps: 60_000, max_depth: 5_000, ..Options::default() };
    let graph = explore(&loaded.model, &options);
    let ends_early = graph.violations.iter().any(|violation| violation.kind.ends_search());
    if !graph.complete || graph.is_open || ends_early {
        return none;
    }
    let expected = Expected {
        is_violated: !graph.violations.is_empty(),
        first: graph.violations.first().map(|violation| violation.kind),
    };
    let (mut classes, mut n_violated_formulas) = (Vec::new(), 0);
    let result = with(&model.text, Simplify::NONE, |engine| {
        classes = classes_of(&report(engine, &[])?);
        Ok(())
    });
    let quotient = result.and_then(|()| match model.ends {
        true => Ok(None),
        false => Quotient::of(&loaded, &graph, &options, model.base, &classes).map(Some),
    });
    // Where members end, states without them stand for several.
    let result = quotient.and_then(|quotient| {
        with(&model.text, Simplify::NONE, |engine| {
            match quotient {
                Some(quotient) => {
                    for search in [["exact", "dfs"], ["full", "bfs"]] {
                        check_counts(engine, search, quotient)?;
                    }
                }
                None => check_simplified(engine)?,
            }
            check_verdicts(engine, expected, turn)?;
            n_violated_formulas += check_formulas(engine, &loaded, &options, turn, true)?;
            if expected.is_violated { check_trails(engine, &loaded, &options) } else { Ok(()) }
        })?;
        let simplified = with(&model.text, Simplify::ALL, |engine| {
            check_simplified(engine)?;
            check_verdicts(engine, expected, turn + 1)?;
            check_formulas(engine, &loaded, &options, turn + 1, false).map(drop)
        });
        simplified.map_err(|why| format!("simplified: {why}"))
    });
    Compared {
        comparison: result.map_or_else(Comparison::Different, |()| Comparison::Same),
        is_symmetric: classes.iter().any(|class| class.len() > 1),
        is_pinned: classes.len() > 1 && classes.iter().any(|class| class.len() > 1),
        is_violated: expected.is_violated,
        n_violated_formulas,
    }
}

/// What the tests' interpreter finds in the whole graph.
#[derive(Clone, Copy)]
struct Expected {
    is_violated: bool,
    first: Option<ViolationKind>,
}

fn report(engine: &dyn Engine, flags: &[&str]) -> Result<Value, String> {
    let flags = [&["--safety", "--no-reduction", "--symmetry", "exact", "--all-errors"], flags].concat();
    engine.report(NAME, &flags)
}

/// The members by class; none if there is no symmetry.
fn classes_of(report: &Value) -> Vec<Vec<usize>> {
    let classes = &report["properties"][0]["search"]["symmetry"]["families"][0]["classes"];
    let member = |member: &Value| usize::try_from(member.as_u64().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let class = |class: &Value| class.as_array().into_iter().flatten().map(member).collect();
    classes.as_array().into_iter().flatten().map(class).collect()
}

/// The orbits of a graph.
#[derive(Clone, Copy)]
struct Quotient {
    /// Of the whole graph.
    n_states: usize,
    states: u64,
    transitions: u64,
}

impl Quotient {
    /// The error says which exchange is no automorphism.
    fn of(
        loaded: &Loaded,
        graph: &Graph,
        options: &Options,
        base: usize,
        classes: &[Vec<usize>],
    ) -> Result<Self, String> {
        let program = Program::new(&loaded.model, options);
        let keys = graph.states.iter().enumerate().map(|(number, state)| (state.key(&program), number));
        let numbers: HashMap<Vec<i32>, usize> = keys.collect();
        let size = classes.iter().map(Vec::len).sum();
        let mut orbits: Vec<usize> = (0..graph.states.len()).collect();
        for pair in classes.iter().flat_map(|class| class.windows(2)) {
            let exchange = Exchange { program: &program, base, size, pair: (pair[0], pair[1]) };
            let image = |state| numbers.get(&exchange.state(state).key(&program)).copied();
            let images: Option<Vec<usize>> = graph.states.iter().map(image).collect();
            let images = images.ok_or_else(|| format!("{pair:?}: the image of a state is not reachable"))?;
            check_automorphism(graph, &images).map_err(|why| format!("{pair:?}: {why}"))?;
            for (state, image) in images.into_iter().enumerate() {
                let (one, other) = (root(&orbits, state), root(&orbits, image));
                orbits[one.max(other)] = one.min(other);
            }
        }
        let mut degrees = vec![0; graph.states.len()];
        graph.edges.iter().for_each(|edge| degrees[edge.from] += 1);
        let representatives = || (0..graph.states.len()).filter(|state| orbits[*state] == *state);
        Ok(Self {
            n_states: graph.states.len(),
            states: representatives().count() as u64,
            transitions: representatives().map(|state| degrees[state]).sum::<u64>() + 1,
        })
    }
}

fn root(orbits: &[usize], mut state: usize) -> usize {
    while orbits[state] != state {
        state = orbits[state];
    }
    state
}

fn check_automorphism(graph: &Graph, images: &[usize]) -> Result<(), String> {
    if images[0] != 0 {
        return Err("the initial state is not its own image".to_owned());
    }
    let mut edges: Vec<(usize, usize)> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let mut mapped: Vec<(usize, usize)> = edges.iter().map(|(from, to)| (images[*from], images[*to])).collect();
    edges.sort_unstable();
    mapped.sort_unstable();
    if edges != mapped {
        return Err("the image of a step is no step".to_owned());
    }
    let violations = graph.violations.iter();
    let mut found: Vec<(ViolationKind, usize)> = violations.clone().map(|it| (it.kind, it.state)).collect();
    let mut mapped: Vec<(ViolationKind, usize)> = violations.map(|it| (it.kind, images[it.state])).collect();
    found.sort_unstable();
    mapped.sort_unstable();
    if found == mapped { Ok(()) } else { Err("the image of a violation is none".to_owned()) }
}

fn check_counts(engine: &dyn Engine, [how, search]: [&str; 2], quotient: Quotient) -> Result<(), String> {
    let found = report(engine, &["--symmetry", how, "--search", search, "--threads", "1"])?;
    let search = &found["properties"][0]["search"];
    let counts = (search["states_stored"].as_u64(), search["transitions"].as_u64());
    let Quotient { n_states, states, transitions } = quotient;
    if counts == (Some(states), Some(transitions)) {
        return Ok(());
    }
    Err(format!("{how}: found {counts:?}, brute force {states} and {transitions}, of {n_states} states"))
}

/// Sorting, reductions, stores and threads come to the verdict of the whole graph. In most turns a few of them are asked.
fn check_verdicts(engine: &dyn Engine, expected: Expected, turn: usize) -> Result<(), String> {
    const SEARCHES: [&[&str]; 6] = [
        &["--search", "dfs", "--store", "tree"],
        &["--search", "bfs", "--threads", "1"],
        &["--search", "bfs", "--threads", "2"],
        &["--search", "auto", "--threads", "1"],
        &["--search", "guided"],
        &["--search", "bfs", "--threads", "1", "--shortest"],
    ];
    let verdict = if expected.is_violated { "violated" } else { "verified" };
    let is_asked = |number: usize| turn.is_multiple_of(8) || number == turn % 5;
    for (number, reduction) in ["none", "ample", "cluster", "stubborn", "auto"].into_iter().enumerate() {
        let search = SEARCHES[(turn + number) % SEARCHES.len()];
        for how in ["exact", "sort"].into_iter().filter(|_| is_asked(number)) {
            let flags = [&["--safety", "--reduction", reduction, "--symmetry", how], search].concat();
            let found = engine.report(NAME, &flags)?;
            if found["properties"][0]["verdict"] != verdict {
                return Err(format!("{flags:?}: {found}, the tests' interpreter {:?}", expected.first));
            }
        }
    }
    Ok(())
}

/// Each way to find representatives has the same orbits, also where variables are reset that are not read again.
fn check_simplified(engine: &dyn Engine) -> Result<(), String> {
    let counts = |flags: &[&str]| {
        let found = report(engine, flags)?;
        let search = &found["properties"][0]["search"];
        Ok::<_, String>((search["states_stored"].clone(), search["transitions"].clone()))
    };
    let (exact, full) = (counts(&["--symmetry", "exact"])?, counts(&["--symmetry", "full"])?);
    if exact == full { Ok(()) } else { Err(format!("exact: {exact:?}, full: {full:?}")) }
}

/// The counterexamples are runs of the model.
fn check_trails(engine: &dyn Engine, loaded: &Loaded, options: &Options) -> Result<(), String> {
    for flags in [
        ["--symmetry", "exact", "--search", "dfs", "--reduction", "none"],
        ["--symmetry", "sort", "--search", "bfs", "--reduction", "none"],
        ["--symmetry", "exact", "--search", "auto", "--reduction", "auto"],
    ] {
        let flags = [&["--safety", "--threads", "1"], &flags[..]].concat();
        check_trail(engine, &flags, loaded, options).map_err(|why| format!("{flags:?}: {why}"))?;
    }
    Ok(())
}
