use pmc_runtime::model::{ModelInfo, SourcePosition};
use pmc_runtime::reduction::ReductionInfo;
use pmc_runtime::step::{Pid, PidSet, TransitionId};

use super::{ClaimRow, Tables, claim_locations, claim_moves, class_words, lend_reduction};
use crate::analysis::dependency_classes::{ClassSet, DependencyClass, DependencyClassId};
use crate::driver::{Analysed, Options, Session};

/// Passes the tables of a model to the test, with what they were made from.
fn with_tables<T>(model: &str, look: impl FnOnce(&Tables, &Analysed<'_>) -> T) -> T {
    let name = "a/folder/model.pml";
    let mut session = Session::from_text(name, model.to_owned(), &Options::default()).expect("a short text");
    let model = session.resolve_simplified().unwrap_or_else(|_| panic!("{:?}", session.diagnostics));
    let analysed = session.analyse(&model).expect("small formulas");
    look(&session.tables(&analysed.program, &analysed.facts), &analysed)
}

fn with_reduction(model: &str, mut look: impl FnMut(&ReductionInfo<'_>, &Analysed<'_>)) {
    with_tables(model, |_, analysed| {
        lend_reduction(&analysed.program, &analysed.exec.independence, &mut |info| look(info, analysed));
    });
}

const MODEL: &str = "\
byte x;
chan c = [2] of { byte };
active proctype P() {
  byte i;
  d_step { x == 0; x = 1 };
  c!1;
  i = 2;
  end_loop: do
  :: c!i
  :: x > 1 -> goto end_loop
  od
}
active proctype Q() {
  byte v;
  c?v
}
never bad { accept_x: do :: true :: x == 9 -> break od }
ltl small { [] (x < 9) }
trace { do :: c!_ od }
";

fn at(place: SourcePosition) -> String {
    format!("{}:{}", place.line, place.column)
}

/// The tables of the runtime, a line for each entry.
fn shown(info: &ModelInfo<'_>) -> String {
    let mut lines = vec![format!("{} {:?}", info.name, info.files)];
    lines.extend(info.proctypes.iter().map(|row| format!("proctype {} at {}", row.name, at(row.place))));
    for (number, row) in info.transitions.iter().enumerate() {
        let merged: Vec<String> = row.merged.iter().map(|merged| format!(" with {}", merged.0)).collect();
        let (process, merged) = (info.proctype_name(row.proctype.into()), merged.concat());
        let (place, kind, text) = (at(row.place), row.kind, row.text);
        lines.push(format!("{number} {process} {place} {kind:?} `{text}` {} to {}{merged}", row.from, row.to));
    }
    for (number, row) in info.locations.iter().enumerate() {
        let process = info.proctype_name(row.proctype.into());
        lines.push(format!("location {number} {process} {} {:?}", at(row.place), row.labels));
    }
    for claim in info.claims {
        let (is_closed, is_safety) = (claim.is_stutter_closed, claim.is_safety);
        let facts = format!("closed: {is_closed}, safety: {is_safety}");
        lines.push(format!("{} {} at {}, {facts}", claim.kind.name(), claim.name, at(claim.place)));
        for row in claim.locations {
            lines.push(format!("  location {}, accepting: {}, end: {}", at(row.place), row.is_accepting, row.is_end));
        }
        lines.extend(claim.moves.iter().map(|row| format!("  move {} `{}`", at(row.place), row.text)));
    }
    lines.join("\n")
}

#[test]
fn every_statement_location_and_claim_has_a_row() {
    let expected = "\
model.pml [\"model.pml\"]
proctype P at 3:17
proctype Q at 13:17
0 P 5:3 Other `d_step { x == 0; x = 1 }` 0 to 1
1 P 5:12 Other `x == 0` 0 to 0
2 P 5:20 Other `x = 1` 0 to 0
3 P 6:3 Send `c!1` 1 to 2 with 4
4 P 7:3 Other `i = 2` 1 to 2
5 P 9:6 Send `c!i` 2 to 2
6 P 10:6 Other `x > 1` 2 to 2
7 Q 15:3 Receive `c?v` 3 to 4
8 Q 16:1 End `-end-` 4 to 4
location 0 P 5:3 []
location 1 P 6:3 []
location 2 P 8:13 [\"end_loop\"]
location 3 Q 15:3 []
location 4 Q 16:1 []
never bad at 17:7, closed: false, safety: false
  location 17:23, accepting: true, end: false
  location 17:56, accepting: false, end: true
  move 17:29 `true`
  move 17:37 `x == 9`
ltl small at 18:5, closed: true, safety: true
  location 18:13, accepting: false, end: false
  location 18:13, accepting: true, end: true
  move 18:13 `!(x < 9)`
  move 18:13 `x < 9`
  move 18:13 `true`
trace trace at 19:1, closed: false, safety: true";
    with_tables(MODEL, |tables, _| tables.lend(&mut |info| assert_eq!(shown(info), expected)));
}

#[test]
fn what_is_lent_is_what_is_owned() {
    with_tables(MODEL, |tables, _| {
        tables.lend(&mut |info| {
            assert_eq!((info.name, info.hash, info.pmc_version), (&*tables.name, &*tables.hash, tables.pmc_version));
            assert_eq!(info.files, tables.files);
            assert_eq!(info.proctypes.len(), tables.proctypes.len());
            assert_eq!(info.transitions.len(), tables.transitions.len());
            for (lent, row) in info.transitions.iter().zip(&tables.transitions) {
                assert_eq!((lent.proctype, lent.kind, lent.place), (row.proctype, row.kind, row.place));
                assert_eq!((lent.text, lent.from, lent.to, lent.merged), (&*row.text, row.from, row.to, &*row.merged));
            }
            assert_eq!(info.locations.len(), tables.locations.len());
            for (lent, row) in info.locations.iter().zip(&tables.locations) {
                assert_eq!((lent.proctype, lent.place), (row.proctype, row.place));
                assert_eq!(lent.labels, row.labels);
            }
            assert_eq!(info.claims.len(), tables.claims.len());
            for (lent, row) in info.claims.iter().zip(&tables.claims) {
                assert_eq!((lent.name, lent.kind, lent.locations.len()), (&*row.name, row.kind, row.locations.len()));
                let lent: Vec<_> = lent.moves.iter().map(|one| (one.place, one.text)).collect();
                assert_eq!(lent, row.moves.iter().map(|one| (one.place, &*one.text)).collect::<Vec<_>>());
            }
        });
    });
}

/// Trails and reductions use the numbers of `ir`, and reports look them up in the tables.
#[test]
fn the_number_of_a_transition_is_its_row() {
    with_tables(MODEL, |tables, analysed| {
        let program = &analysed.program;
        for (id, graph) in program.graphs.iter_enumerated() {
            let leaving = graph.locations.iter_enumerated().flat_map(|(at, location)| {
                location.leaving.iter().map(move |transition| (at, *transition)).collect::<Vec<_>>()
            });
            for (at, transition) in leaving {
                let row = &tables.transitions[program.transition_number(id, transition) as usize];
                assert_eq!(u32::from(row.proctype), id.0);
                assert_eq!(row.from, program.first_location(id) + at.0, "{}", row.text);
                assert_eq!(row.merged.len(), graph.transitions[transition].merged.len(), "{}", row.text);
            }
        }
    });
}

#[test]
fn claims_that_finite_runs_violate_are_safety_properties() {
    let claims = "\
ltl always { [] p }
ltl weak { p W q }
ltl next { [] (p -> X q) }
ltl response_in_order { [] (p -> (q W r)) }
ltl either { [] p || [] q }
ltl eventually { <> p }
ltl until { p U q }
ltl response { [] (p -> <> q) }
ltl sometimes { [] p && <> q }
never ends { do :: !p :: p -> break od }
never as_spin_does { T0: if :: p -> goto accept_all :: true -> goto T0 fi; accept_all: skip }
never stays { accept_here: do :: !p od }
";
    let model = |labels: &str| {
        format!("bool p, q, r;\nactive proctype P() {{ {labels} p = true; q = true; r = true }}\n{claims}")
    };
    let safety = |model: &str| {
        let name = |claim: &ClaimRow| claim.is_safety.then(|| claim.name.clone());
        with_tables(model, |tables, _| tables.claims.iter().filter_map(name).collect::<Vec<_>>())
    };
    let formulas = ["always", "weak", "next", "response_in_order", "either"];
    assert_eq!(safety(&model("")), [&["ends", "as_spin_does"], &formulas[..]].concat());
    // Accept labels of the processes count for a never claim.
    assert_eq!(safety(&model("accept_p:")), formulas);
}

/// The claim begins behind its first statement, and its closing brace is no move.
#[test]
fn a_claim_numbers_its_start_first_and_the_inside_of_a_d_step() {
    let model = "\
byte x;
active proctype P() { x = 1 }
never late {
  goto second;
first: d_step { x == 1; x = 2 };
  x == 2;
second: do :: x == 0 -> goto first :: x == 3 -> break od
}";
    with_tables(model, |tables, analysed| {
        let (claim, graph) = (&tables.claims[0], &analysed.program.claims[0]);
        let lines: Vec<u32> = claim.locations.iter().map(|row| row.place.line).collect();
        assert_eq!(lines, [7, 5, 6, 8]);
        assert_eq!(claim.locations.iter().filter(|row| row.is_end).count(), 1);
        let order: Vec<u32> = claim_locations(graph).map(|id| id.0).collect();
        assert_eq!(order, [2, 0, 1, 3]);
        let texts: Vec<&str> = claim.moves.iter().map(|row| &*row.text).collect();
        assert_eq!(texts, ["d_step { x == 1; x = 2 }", "x == 1", "x = 2", "x == 2", "x == 0", "x == 3"]);
        let numbers: Vec<Option<u32>> = claim_moves(graph).iter().copied().collect();
        assert_eq!(numbers, [Some(0), Some(3), Some(4), Some(5), None]);
    });
}

#[test]
fn a_reason_against_reduction_is_lent() {
    with_reduction(MODEL, |info, analysed| {
        assert!(info.off.is_some_and(|reason| reason.contains("has a trace")), "{:?}", info.off);
        assert_eq!(info.off, analysed.exec.independence.as_ref().err().copied());
        assert!(info.levels.is_empty() && info.splits.is_empty() && info.n_words == 0);
    });
}

#[test]
fn clusters_and_parts_have_the_numbers_of_the_runtime() {
    let model = "
byte x;
chan a = [1] of { byte };
chan b = [1] of { byte };
active proctype First() { x = 1; a!1 }
active proctype Second() { x = 2; b!1; b!2 }
active [2] proctype Both() { do :: a?_ :: b?_ od }
ltl small { [] (x < 2) }";
    with_reduction(model, |info, analysed| {
        assert_eq!((info.off, info.n_words), (None, 1));
        // The locations of the proctypes: 0 to 2, 3 to 6, 7.
        assert_eq!(info.sticky, [1 << 7]);
        let visible: Vec<&[u64]> = info.claims.iter().map(|claim| claim.visible).collect();
        assert_eq!(visible, [[1 << 0 | 1 << 3]], "the assignments to x");
        let clusters: Vec<Vec<PidSet>> =
            info.levels.iter().map(|level| level.iter().map(|cluster| cluster.pids).collect()).collect();
        let pids = |pids: [u8; 2]| PidSet::only(Pid(pids[0])).with(Pid(pids[1]));
        assert_eq!(clusters, [[pids([2, 3]), pids([0, 1])]]);
        let stubborn = analysed.facts.reduction.stubborn.as_ref().expect("a small model");
        let classes = stubborn.dependency_classes.list.iter_enumerated();
        let receives = classes.filter(|(_, class)| matches!(class, DependencyClass::Receives(_)));
        let receives: Vec<u64> = receives.map(|(id, _)| 1 << id.0).collect();
        let splits: Vec<(Pid, usize, u32)> =
            info.splits.iter().map(|split| (split.pid, split.location, split.first)).collect();
        assert_eq!(splits, [(Pid(2), 7, 0), (Pid(3), 7, 2)]);
        for split in info.splits {
            let transitions: Vec<&[TransitionId]> = split.parts.iter().map(|part| part.transitions).collect();
            assert_eq!(transitions, [[TransitionId(7)], [TransitionId(8)]]);
            let futures: Vec<&[u64]> = split.parts.iter().map(|part| part.future).collect();
            assert_eq!(futures, [[receives[0]], [receives[1]]]);
        }
    });
}

#[test]
fn processes_that_start_late_are_in_a_cluster_by_their_proctype() {
    let model = "
byte n, v, w;
active proctype Boss() { do :: n < 3 -> n++; run Worker() od }
proctype Worker() { v = 1; v = 2 }
active proctype Other() { w = 1 }";
    with_reduction(model, |info, _| {
        let [level] = info.levels else { panic!("{:?}", info.levels) };
        let clusters: Vec<(PidSet, &[u16])> = level.iter().map(|cluster| (cluster.pids, cluster.proctypes)).collect();
        assert_eq!(clusters, [(PidSet::only(Pid(0)), &[1][..]), (PidSet::only(Pid(1)), &[])]);
    });
}

#[test]
fn a_bit_set_has_all_words_of_the_model() {
    let mut classes = ClassSet::default();
    classes.insert(DependencyClassId(1));
    classes.insert(DependencyClassId(65));
    assert_eq!(class_words(&classes, 3), [2, 2, 0]);
    assert_eq!(class_words(&ClassSet::default(), 2), [0, 0]);
}

/// A process passes what is inside an atomic sequence, an escape leaves all that it covers, and a new process begins where
/// its text does.
#[test]
fn the_control_flow_is_that_of_steps() {
    let model = "byte x; proctype Q() { x = 7; assert(x == 7) } \
        active proctype P() { { x = 1; x = 2 } unless { x == 9; atomic { x = 3; run Q(); x = 4 } }; x = 5 } \
        ltl p { [] (x < 3) }";
    with_tables(model, |tables, _| {
        let rows = &tables.control_flow;
        let text = |number: usize| tables.transitions[number].text.as_str();
        let is_in =
            |words: &[u64], number: usize| words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1);
        let assertions = (0..tables.transitions.len()).filter(|number| is_in(&rows.assertions, *number));
        assert_eq!(assertions.map(text).collect::<Vec<_>>(), ["assert(x == 7)"]);
        let starts: Vec<_> = rows.starts.iter().map(|(by, at)| (text(by.index()), *at)).collect();
        let begin = tables.transitions.iter().find(|row| row.text == "x = 7").map(|row| row.from);
        assert_eq!(starts, [("run Q()", begin.expect("a location"))]);
        let also: Vec<&str> = rows.also_leaves.iter().map(|(_, by)| text(by.index())).collect();
        assert!(also.contains(&"x == 9"), "{also:?}");
        let passed = (0..tables.locations.len()).filter(|number| is_in(&rows.passed, *number)).count();
        assert!(passed > 0, "{rows:?}");
        // The first move of the claim may bring it to its end.
        assert_eq!(rows.claims.iter().map(|claim| claim[0]).collect::<Vec<_>>(), [0]);
    });
}
