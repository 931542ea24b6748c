//! What the interpreter tells beside the figures: what steps read and write,
//! and whether a run is real.

use pmc::source::Position;
use snapshot_tests::expected;
use snapshot_tests::interpret::{
    Access, Claimed, Graph, Instruction, Object, Options, ReplayError, ViolationKind, explore, replay,
};
use snapshot_tests::load::{Loaded, load, load_text};

fn explored(text: &str, options: &Options) -> (Loaded, Graph) {
    let loaded = load_text(text).expect("the model is well-formed");
    let graph = explore(&loaded.model, options);
    (loaded, graph)
}

fn instructions(loaded: &Loaded, graph: &Graph, violation: usize) -> Vec<Instruction> {
    let trail = graph.trail(&graph.violations[violation]);
    let line = |step: &snapshot_tests::interpret::Taken| Instruction {
        pid: step.pid,
        line: Some(loaded.sources.position(step.span).line),
        column: Some(loaded.sources.position(step.span).column),
        receiver: step.receiver.map(|(pid, _)| pid),
    };
    trail.iter().map(line).collect()
}

#[test]
fn a_step_tells_what_it_reads_and_writes() {
    let options = Options { accesses: true, ..Options::default() };
    let (loaded, graph) = explored("byte x, y; active proctype P() { x = y }", &options);
    let id = |name: &str| {
        let mut all = loaded.model.variables.iter_enumerated();
        all.find(|(_, variable)| &*variable.name == name).map(|(id, _)| id).expect("it was declared")
    };
    let accesses = &graph.edges[0].steps[0].accesses;
    assert!(accesses.contains(&Access::Read(Object::Global(id("y"), 0))));
    assert!(accesses.contains(&Access::Write(Object::Global(id("x"), 0))));
    assert!(!accesses.contains(&Access::Read(Object::Global(id("x"), 0))));
}

#[test]
fn a_violation_names_its_place() {
    let (loaded, graph) = explored("byte x;\nactive proctype P() { x = 1;\n  assert(x == 2) }", &Options::default());
    assert_eq!(graph.violations.len(), 1);
    assert_eq!(graph.violations[0].kind, ViolationKind::Assertion);
    assert_eq!(loaded.sources.position(graph.violations[0].fault.span), Position { line: 3, column: 3 });
}

#[test]
fn a_division_by_zero_is_found_and_is_no_step() {
    let (_, graph) = explored("int d, x; active proctype P() { x = 10 / d; assert(false) }", &Options::default());
    let kinds: Vec<ViolationKind> = graph.violations.iter().map(|violation| violation.kind).collect();
    assert_eq!(kinds, [ViolationKind::DivideByZero, ViolationKind::InvalidEndState]);
}

#[test]
fn an_endless_d_step_is_found() {
    let text = "byte x; active proctype P() { d_step { x = 1; do :: x < 5 -> x = 1 :: x == 9 -> break od } }";
    let (_, graph) = explored(text, &Options::default());
    assert_eq!(graph.violations[0].kind, ViolationKind::EndlessDStep);
}

#[test]
fn every_violation_of_every_model_can_be_replayed() {
    let options = Options { max_states: 20_000, ..Options::default() };
    let mut replayed = 0;
    for row in expected::rows("exact") {
        let Ok(loaded) = load(&expected::folder().join(format!("{}.pml", row.model))) else { continue };
        let graph = explore(&loaded.model, &options);
        for number in 0..graph.violations.len() {
            let run = instructions(&loaded, &graph, number);
            let claimed = Claimed { kinds: vec![graph.violations[number].kind] };
            let answer = replay(&loaded.model, &loaded.sources, &run, &claimed, &options);
            assert_eq!(answer, Ok(()), "{}: {:?}", row.model, graph.violations[number]);
            replayed += 1;
        }
    }
    assert!(replayed > 80, "only {replayed} violations were replayed");
}

#[test]
fn a_run_that_is_not_possible_is_refused() {
    let text = "byte x;\nactive proctype P() {\n  x == 1;\n  assert(false) }\nactive proctype Q() {\n  x = 1 }";
    let (loaded, graph) = explored(text, &Options::default());
    let claimed = Claimed { kinds: vec![ViolationKind::Assertion] };
    let check = |run: &[Instruction]| replay(&loaded.model, &loaded.sources, run, &claimed, &Options::default());
    let run = instructions(&loaded, &graph, 0);
    assert_eq!(check(&run), Ok(()));
    assert_eq!(check(&run[1..]), Err(ReplayError::Impossible(0)), "P cannot pass before Q has set x");
    assert_eq!(check(&run[..run.len() - 1]), Err(ReplayError::NoViolation));
    let at_wrong_place = Instruction { line: Some(4), ..run[0].clone() };
    assert_eq!(check(&[at_wrong_place]), Err(ReplayError::Impossible(0)));
}
