//! Counterexamples with claims and cycles: a replay shows them and believes nothing that it has not seen.

mod lamp;

use lamp::Lamp;
use pmc_runtime::model::Model;
use pmc_runtime::replay::replay;
use pmc_runtime::show::Show;
use pmc_runtime::step::{ClaimLocation, ClaimMoveId, Pid, TransitionId};
use pmc_runtime::trail::{Move, Step, Trail};

const LAMP: Lamp = Lamp { breaks: false, scribbles: false, bright: false, progress: false };

/// Step `transition` of the process that has it.
fn step(transition: u32) -> Move {
    let pid = Pid(u8::from(transition == 2));
    Move::System(Step { pid, transition: TransitionId(transition), choice: 0, receiver: None })
}

fn claim(by: u16, choice: u32, to: u16) -> Move {
    Move::Claim { by: ClaimMoveId(by), choice, to: ClaimLocation(to) }
}

const ON: u32 = 0;
const OFF: u32 = 1;
const READ: u32 = 2;

fn trail(claim: Option<&str>, kind: &str, moves: Vec<Move>, cycle_start: Option<usize>) -> Trail {
    Trail {
        model_hash: "1a3b".into(),
        moves,
        cycle_start,
        claim: claim.map(str::to_owned),
        kind: kind.into(),
        message: "as claimed".into(),
        ..Trail::default()
    }
}

/// What a replay says, and why it does not believe it.
fn replayed(model: &Lamp, trail: &Trail) -> (String, Option<String>) {
    // The way through a file is part of it.
    let json = trail.to_json(model.info()).to_string();
    let read = Trail::from_json(&json, model.info()).expect("it was written right now");
    assert_eq!(read, *trail);
    let mut out = Vec::new();
    let show = Show { steps: true, globals: true, ..Show::default() };
    let error = replay(model, &read, show, &mut out).err().map(|error| error.to_string());
    (String::from_utf8(out).unwrap(), error)
}

#[track_caller]
fn check_refused(model: &Lamp, trail: &Trail, error: &str) {
    assert_eq!(replayed(model, trail).1.as_deref(), Some(error));
}

/// The lamp goes on and off, and nobody ever reads.
fn nobody_reads() -> Trail {
    let wait = claim(0, 0, 0);
    let moves = vec![wait, step(ON), wait, step(OFF), wait, step(ON), wait, step(OFF)];
    trail(Some("read"), "acceptance-cycle", moves, Some(4))
}

#[test]
fn a_lasso_is_shown_with_prefix_and_cycle_apart() {
    let (text, error) = replayed(&LAMP, &nobody_reads());
    assert_eq!(error, None);
    let expected = "     claim read  lamp.pml:11  !seen
  1  switch  lamp.pml:4  lit = true   lit: 0 -> 1
  2  switch  lamp.pml:4  lit = false  lit: 1 -> 0
  <<<<< start of cycle >>>>>
     claim read  lamp.pml:11  !seen
  3  switch  lamp.pml:4  lit = true   lit: 0 -> 1
  4  switch  lamp.pml:4  lit = false  lit: 1 -> 0
     and so on from 3, forever
as claimed
";
    assert!(text.starts_with(expected), "{text}");
}

/// The lamp goes on and off so often, and then in a cycle.
fn long(times: usize, in_cycle: usize) -> Trail {
    let wait = claim(0, 0, 0);
    let moves = (0..times + in_cycle).flat_map(|_| [wait, step(ON), wait, step(OFF)]);
    trail(Some("read"), "acceptance-cycle", moves.collect(), Some(4 * times))
}

#[test]
fn of_a_long_run_the_ends_are_shown_unless_all_is_asked_for() {
    let numbers = |text: &str| -> Vec<usize> {
        text.lines().filter_map(|line| line.split_once("  switch  ")?.0.trim().parse().ok()).collect()
    };
    let (text, error) = replayed(&LAMP, &long(200, 151));
    assert_eq!(error, None);
    assert_eq!(text.matches("     ... 200 more steps (--all shows them)\n").count(), 1, "{text}");
    assert_eq!(text.matches("     ... 102 more steps (--all shows them)\n").count(), 1, "{text}");
    let shown: Vec<usize> = (1..=100).chain(301..=400).chain(401..=500).chain(603..=702).collect();
    assert_eq!(numbers(&text), shown);
    assert!(text.contains("<<<<< start of cycle >>>>>\n     claim read  lamp.pml:11  !seen\n401  switch"), "{text}");
    let mut out = Vec::new();
    let show = Show { steps: true, globals: true, all: true, ..Show::default() };
    replay(&LAMP, &long(200, 151), show, &mut out).unwrap();
    let whole = numbers(&String::from_utf8(out).unwrap());
    assert_eq!(whole, (1..=702).collect::<Vec<usize>>());
    assert!(!replayed(&LAMP, &long(150, 150)).0.contains("more steps"));
}

#[test]
fn a_step_that_is_not_shown_is_checked() {
    let mut wrong = long(200, 151);
    wrong.moves[4 * 90 + 1] = step(OFF);
    check_refused(&LAMP, &wrong, "step 181 of the trail cannot be taken");
}

#[test]
fn a_trail_is_readable_without_a_tool() {
    let text = nobody_reads().to_json(LAMP.info()).to_string();
    for part in [
        r#""cycle_start": 4"#,
        r#""claim": "read""#,
        r#"{"claim_move": 0, "choice": 0, "to": 0, "line": "lamp.pml:11", "text": "!seen"}"#,
        r#"{"pid": 0, "transition": 1, "choice": 0, "line": "lamp.pml:4", "text": "lit = false"}"#,
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

#[test]
fn a_cycle_that_does_not_close_is_refused() {
    let mut open = nobody_reads();
    open.cycle_start = Some(2);
    let start = "the cycle of the trail does not close: ";
    check_refused(&LAMP, &open, &format!("{start}the state is not the same at its end as at its start"));
    let hidden = Lamp { scribbles: true, ..LAMP };
    let error = format!(
        "{start}hidden variables have other values at its end than at its start; the search treats states that differ only \
         there as equal, so that this run need not go on forever; a variable that decides how it goes on \
         should not be hidden"
    );
    check_refused(&hidden, &nobody_reads(), &error);
    open.cycle_start = Some(5);
    check_refused(
        &LAMP,
        &open,
        &format!("{start}the turn (claim or system) is not the same at its end as at its start"),
    );
}

#[test]
fn a_cycle_without_an_accepting_state_is_refused() {
    let wait = claim(0, 0, 0);
    let moves = vec![wait, step(ON), wait, step(OFF)];
    let error = "no state on the cycle of the trail is accepting";
    check_refused(&LAMP, &trail(Some("dark"), "acceptance-cycle", moves, Some(0)), error);
    // Without a claim it is the labels of the processes that count.
    let seen = vec![step(ON), step(READ), step(OFF), step(ON)];
    check_refused(&LAMP, &trail(None, "acceptance-cycle", seen, Some(2)), error);
    let unseen = vec![step(ON), step(OFF)];
    assert_eq!(replayed(&LAMP, &trail(None, "acceptance-cycle", unseen, Some(0))).1, None);
}

#[test]
fn accept_labels_of_processes_count_beside_a_never_claim_and_not_beside_a_formula() {
    let (skip, check) = (claim(0, 0, 1), claim(1, 0, 0));
    let moves = vec![skip, check, step(ON), skip, check, step(OFF)];
    assert_eq!(replayed(&LAMP, &trail(Some("off"), "acceptance-cycle", moves, Some(0))).1, None);
    let go = claim(0, 0, 0);
    let formula = trail(Some("dark"), "acceptance-cycle", vec![go, step(ON), go, step(OFF)], Some(0));
    check_refused(&LAMP, &formula, "no state on the cycle of the trail is accepting");
}

#[test]
fn a_cycle_that_is_called_fair_must_be() {
    // The reader can read while the lamp is on only, so that weak fairness does not help it.
    let fair = Trail { fair: true, ..nobody_reads() };
    assert_eq!(replayed(&LAMP, &fair).1, None);
    // The claim asks that a lamp that stays on is read. The system stutters although the reader is enabled.
    let wait = claim(0, 0, 0);
    let stays = vec![wait, step(ON), wait, Move::Stutter];
    let stays = Trail { fair: true, ..trail(Some("read"), "acceptance-cycle", stays, Some(2)) };
    check_refused(&Lamp { breaks: true, ..LAMP }, &stays, "step 2 of the trail cannot be taken");
}

#[test]
fn a_process_that_can_always_move_and_never_does_makes_a_cycle_unfair() {
    // Once the lamp was read only the switch moves, which is fair to the reader, who is done.
    let after = vec![step(ON), step(READ), step(OFF), step(ON)];
    let after = Trail { fair: true, ..trail(None, "non-progress-cycle", after, Some(2)) };
    assert_eq!(replayed(&LAMP, &after).1, None);
    let bright = Lamp { bright: true, ..LAMP };
    let error = "the cycle of the trail is not fair: process 1 can move in each of its states and never does";
    check_refused(&bright, &Trail { fair: true, ..nobody_reads() }, error);
    assert_eq!(replayed(&bright, &nobody_reads()).1, None);
}

#[test]
fn a_run_that_stops_goes_on_with_the_claim_alone() {
    let broken = Lamp { breaks: true, ..LAMP };
    let (go, stay) = (claim(0, 0, 0), Move::Stutter);
    let moves = vec![go, step(ON), go, step(READ), go, stay];
    let stopped = trail(Some("dark"), "acceptance-cycle", moves, Some(4));
    let (text, error) = replayed(&broken, &stopped);
    assert!(text.contains("\n  3  no process can move: the state stays as it is\n"), "{text}");
    assert_eq!(error.as_deref(), Some("no state on the cycle of the trail is accepting"));
}

#[test]
fn a_cycle_without_progress_has_none_and_does_not_stop() {
    let moves = vec![step(ON), step(OFF)];
    let cycle = trail(None, "non-progress-cycle", moves, Some(0));
    assert_eq!(replayed(&LAMP, &cycle).1, None);
    let error = "process 0 makes progress on the cycle of the trail, which should have none";
    check_refused(&Lamp { progress: true, ..LAMP }, &cycle, error);
    let stops = trail(None, "non-progress-cycle", vec![step(ON), step(READ), Move::Stutter], Some(2));
    let error = "the run of the trail stops, which is no cycle without progress";
    check_refused(&Lamp { breaks: true, ..LAMP }, &stops, error);
}

#[test]
fn a_claim_that_comes_to_its_end_is_a_violation() {
    let moves = vec![claim(0, 0, 0), step(ON), claim(1, 1, 1)];
    let mut ends = trail(Some("dark"), "claim", moves, None);
    ends.claim_move = Some(ClaimMoveId(1));
    assert_eq!(replayed(&LAMP, &ends).1, None);
    ends.moves.truncate(2);
    check_refused(&LAMP, &ends, "the trail does not end in the violation it claims (claim)");
}

#[test]
fn an_assertion_of_a_claim_is_one_of_its_moves() {
    // Inside its own atomic sequence the claim moves twice in a row.
    let mut moves = vec![claim(0, 0, 1), claim(1, 0, 0), step(ON), claim(0, 0, 1), claim(1, 0, 0)];
    let mut fails = trail(Some("off"), "assertion", moves.clone(), None);
    fails.claim_move = Some(ClaimMoveId(1));
    assert_eq!(replayed(&LAMP, &fails).1, None);
    fails.moves.truncate(2);
    check_refused(&LAMP, &fails, "the trail does not end in the violation it claims (assertion)");
    moves.remove(1);
    fails.moves = moves;
    check_refused(&LAMP, &fails, "step 1 of the trail cannot be taken");
}

#[test]
fn moves_that_cannot_be_made_are_refused() {
    let wait = claim(0, 0, 0);
    let lasso = |moves| trail(Some("read"), "acceptance-cycle", moves, Some(0));
    check_refused(&LAMP, &lasso(vec![step(ON)]), "step 1 of the trail cannot be taken");
    check_refused(&LAMP, &lasso(vec![wait, wait]), "the claim cannot move as the trail says before step 1");
    check_refused(&LAMP, &lasso(vec![claim(0, 1, 0)]), "the claim cannot move as the trail says before step 1");
    check_refused(&LAMP, &lasso(vec![claim(7, 0, 0)]), "the claim cannot move as the trail says before step 1");
    // Once the lamp was seen the claim cannot go on: such a run is none of its business.
    let seen = vec![wait, step(ON), wait, step(READ), wait];
    check_refused(&LAMP, &lasso(seen), "the claim cannot move as the trail says before step 3");
    let other = trail(Some("other"), "claim", vec![], None);
    check_refused(&LAMP, &other, "the trail is for the claim `other`, which the model does not have");
    let no_claim = trail(None, "acceptance-cycle", vec![wait], Some(0));
    check_refused(&LAMP, &no_claim, "the claim cannot move as the trail says before step 1");
}

#[test]
fn a_kind_that_is_no_cycle_has_none() {
    let kind = "invalid-end-state";
    let error = format!("the trail does not end in the violation it claims ({kind})");
    check_refused(&LAMP, &trail(None, kind, vec![step(ON), step(OFF)], Some(0)), &error);
    let error = "the trail does not end in the violation it claims (acceptance-cycle)";
    check_refused(&LAMP, &trail(None, "acceptance-cycle", vec![step(ON), step(OFF)], None), error);
}

#[test]
fn a_damaged_lasso_is_refused() {
    let text = nobody_reads().to_json(LAMP.info()).to_string();
    for (from, to, error) in [
        (r#""cycle_start": 4"#, r#""cycle_start": 8"#, "the cycle starts behind its end"),
        (r#""claim_move": 0, "choice""#, r#""claim_move": 99999, "choice""#, "no claim has a move or a location 99999"),
        (r#""choice": 0, "to": 0, "#, r#""choice": 0, "#, "a move of the claim without `to`"),
        (r#""pid": 0, "#, "", "a step without `pid`"),
    ] {
        let damaged = text.replace(from, to);
        assert_ne!(text, damaged);
        let read = Trail::from_json(&damaged, LAMP.info()).map_err(|error| error.to_string());
        assert_eq!(read.err(), Some(format!("the trail is damaged: {error}")));
    }
}
