use super::effects::Executable;
use super::{Body, Guard, Step};
use crate::driver::{Analysed, Options, Session, Simplify};

/// Builds the executable form of a model, which also validates it, and passes it to the test.
fn executed<T>(model: &str, look: impl FnOnce(&Analysed<'_>, &Session) -> T) -> T {
    let options = Options { simplify: Simplify::NONE, ..Options::default() };
    let mut session = Session::from_text("model.pml", model.to_owned(), &options).expect("a small model");
    let model = session.resolve_simplified().expect("a good model");
    let analysed = session.analyse(&model).expect("small formulas");
    look(&analysed, &session)
}

fn printed(model: &str) -> String {
    executed(model, |analysed, session| super::print::print(&analysed.exec, &analysed.program, &session.sources))
}

#[test]
fn guards_operations_and_arrivals_are_told() {
    let model = "\
byte a[3]; int i;
chan q = [1] of { byte };
active proctype P() {
  atomic { a[i] > 0 -> i = i + 1 };
  q!a[i % 3] + 300
}";
    let expected = "\
globals
  q starts as its own channel
process P
  at 0 (start)
    a[i] > 0
      when a[i] > 0
      then at 1, take control
  at 1
    i = i + 1
      do   i = (i + 1)
      then at 2, release control
  at 2
    q!a[i % 3] + 300
      when room in q
      do   send (byte((a[(i % 3)] + 300))) to q
      then at 3
  at 3
    }
      when youngest
      then end
";
    assert_eq!(printed(model), expected);
}

#[test]
fn an_index_that_is_certain_to_be_inside_is_not_checked() {
    let text = printed("byte a[2]; active [2] proctype P() { a[_pid] = 1; a[1 - _pid] = 2 }");
    assert!(text.contains("a[_pid] = 1") && text.contains("a[(1 - _pid)] = 2"), "{text}");
    let text = printed("byte a[2]; active [3] proctype P() { a[_pid] = 1 }");
    assert!(text.contains("a[_pid?] = 1"), "{text}");
}

/// The values that a receive compares with are computed before any comparison, so an earlier field bounds nothing.
#[test]
fn an_earlier_field_does_not_bound_the_index_of_a_later_one() {
    let model = "
byte i; byte a[2]; chan q = [2] of { byte, byte };
active proctype S() { q!1,0; q!0,0 }
active proctype R() { do :: i++ :: q?eval(i),eval(a[i]) od }";
    assert!(printed(model).contains("a[i?]"), "{}", printed(model));
}

#[test]
fn a_rendezvous_is_an_offer_and_an_answer_and_never_a_step_alone() {
    let model = "chan c = [0] of { byte }; active proctype S() { c!7 } active proctype R() { byte x; c?x }";
    executed(model, |analysed, _| {
        let first = |process: usize| {
            let process = analysed.exec.processes.iter().nth(process).expect("two processes");
            process.transitions.iter().next().cloned().expect("a statement")
        };
        let (send, receive) = (first(0), first(1));
        assert!(send.step.is_none() && send.offer.is_some() && send.answer.is_none());
        assert!(receive.step.is_none() && receive.offer.is_none() && receive.answer.is_some());
    });
}

#[test]
fn a_statement_that_no_channel_fits_never_comes_to_its_end() {
    let model = "chan c = [0] of { bit }; byte x; active proctype P() { d_step { c!1; x = 1 } }";
    executed(model, |analysed, _| {
        let process = analysed.exec.processes.iter().next().expect("a process");
        let transition = process.transitions.iter().next().expect("a statement");
        let Some(Step { body: Body::DStep(d_step), .. }) = &transition.step else { panic!("a d_step") };
        let (_, statement) = &d_step.blocks[0].rows[0].statements[0];
        assert!(statement.is_stuck() && matches!(statement.guard, Guard::NoQueue { .. }));
        assert!(statement.effects().can_fail);
    });
}
