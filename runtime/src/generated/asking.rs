//! `enabled(pid)`: a process asks whether another one is enabled, which may ask in turn.

use crate::fault::Fault;
use crate::step::{Pid, PidSet};
use std::cell::Cell;

thread_local! {
    /// The processes whose guards are being evaluated for an `enabled` of this thread.
    static ASKED: Cell<PidSet> = const { Cell::new(PidSet::EMPTY) };
    /// Whether one of them was asked again.
    static IS_CIRCULAR: Cell<bool> = const { Cell::new(false) };
}

/// Process `me` asks whether process `pid` is enabled, which `can_move` finds out. An answer that depends on itself,
/// directly or through other processes, is a fault of the process that asked first.
pub fn ask_enabled(pid: i32, me: Pid, can_move: impl FnOnce() -> bool) -> Result<bool, Fault> {
    let before = ASKED.get();
    let asked = before.with(me);
    let answer = if u8::try_from(pid).is_ok_and(|pid| asked.contains(Pid(pid))) {
        IS_CIRCULAR.set(true);
        false
    } else {
        ASKED.set(asked);
        let answer = can_move();
        ASKED.set(before);
        answer
    };
    let is_circular = if before.is_empty() { IS_CIRCULAR.replace(false) } else { IS_CIRCULAR.get() };
    if is_circular { Err(Fault::EnabledSelf) } else { Ok(answer) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_comes_back_is_a_fault() {
        assert_eq!(ask_enabled(1, Pid(1), || true), Err(Fault::EnabledSelf));
        assert_eq!(ask_enabled(-1, Pid(1), || false), Ok(false));
        let through = |asked: i32| ask_enabled(2, Pid(1), || ask_enabled(asked, Pid(2), || true).unwrap_or(true));
        assert_eq!((through(1), through(3)), (Err(Fault::EnabledSelf), Ok(true)));
        assert_eq!(ask_enabled(1, Pid(2), || true), Ok(true), "all questions are answered");
    }
}
