//! The steps that a process can take in one state, and the violations in them.
//!
//! Generated code calls [`Steps`]; searches, replay and simulation implement it, each keeping only what it needs. A
//! search keeps packed successors, a replay keeps names and printed text; the model's code is the same for both,
//! compiled once for each.

use crate::fault::{Fault, TraceError};
use std::fmt;

/// The number of a running process: 0 for the oldest. A number is used again after its process is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(pub u8);

impl Pid {
    /// Stands for time where processes are listed. No process has it.
    pub const TIME: Pid = Pid(u8::MAX);

    /// For indexing the arrays of a state.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The process with number `index`. Models have at most 255 processes, so no bits are lost.
    #[inline]
    pub fn from_index(index: usize) -> Pid {
        debug_assert!(index <= 255, "a pid fits in a byte");
        Pid(index as u8)
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of processes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PidSet([u64; 4]);

impl PidSet {
    /// No process.
    pub const EMPTY: PidSet = PidSet([0; 4]);
    /// All processes.
    pub const ALL: PidSet = PidSet([u64::MAX; 4]);

    /// From the words of constants in generated code: bit `pid % 64` of word `pid / 64`.
    pub const fn from_words(words: [u64; 4]) -> PidSet {
        PidSet(words)
    }

    /// This process alone.
    #[inline]
    pub fn only(pid: Pid) -> PidSet {
        // In registers: a load that spans several recent stores stalls the processor.
        PidSet(std::array::from_fn(|word| u64::from(word == pid.index() / 64) << (pid.index() % 64)))
    }

    /// The set with one more process.
    #[inline]
    #[must_use]
    pub fn with(mut self, pid: Pid) -> PidSet {
        self.0[pid.index() / 64] |= 1 << (pid.index() % 64);
        self
    }

    /// Adds a process.
    #[inline]
    pub fn add(&mut self, pid: Pid) {
        self.0[pid.index() / 64] |= 1 << (pid.index() % 64);
    }

    /// The set without a process.
    #[inline]
    #[must_use]
    pub fn without(mut self, pid: Pid) -> PidSet {
        self.0[pid.index() / 64] &= !(1 << (pid.index() % 64));
        self
    }

    /// The processes of both sets.
    #[inline]
    #[must_use]
    pub fn union(self, other: PidSet) -> PidSet {
        PidSet(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// All other processes.
    #[inline]
    #[must_use]
    pub fn complement(self) -> PidSet {
        PidSet(self.0.map(|word| !word))
    }

    /// Whether the process is in the set.
    #[inline]
    pub fn contains(self, pid: Pid) -> bool {
        self.0[pid.index() / 64] >> (pid.index() % 64) & 1 == 1
    }

    /// Whether all of `other` is in this set.
    #[inline]
    pub fn includes(self, other: PidSet) -> bool {
        self.union(other) == self
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self == PidSet::EMPTY
    }

    /// The number of processes in the set.
    pub fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The lowest pid first.
    pub fn iter(self) -> impl Iterator<Item = Pid> {
        (0..=u8::MAX).map(Pid).filter(move |&pid| self.contains(pid))
    }
}

impl FromIterator<Pid> for PidSet {
    fn from_iter<I: IntoIterator<Item = Pid>>(pids: I) -> PidSet {
        pids.into_iter().fold(PidSet::EMPTY, PidSet::with)
    }
}

impl fmt::Debug for PidSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|pid| pid.0)).finish()
    }
}

/// An entry of [`ModelInfo::transitions`](crate::model::ModelInfo::transitions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransitionId(pub u32);

impl TransitionId {
    /// As an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Receives the steps of one process in one state.
///
/// The calls that concern one step come in this order: any number of [`assert`](Steps::assert),
/// [`trace`](Steps::trace), [`reach`](Steps::reach) and [`print`](Steps::print), then one `offer`, `offer_handshake` or
/// `fault`. So a violation or a printed text always belongs to the next offer. Only `reach` may also come after the
/// offer.
pub trait Steps<S> {
    /// The process can take `transition`, which leads to `next`.
    fn offer(&mut self, transition: TransitionId, next: &mut S);

    /// The process can send by `send` what `receiver` receives by `receive`; both together lead to `next`.
    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: &mut S);

    /// The assertion at `transition` was evaluated. If it does not hold, that is a violation; the step is still taken.
    ///
    /// Inside a `d_step`, `transition` is that of the assertion, not that of the whole.
    fn assert(&mut self, transition: TransitionId, holds: bool);

    /// The trace assertion does not allow the message at `transition`. The step is still taken.
    fn trace(&mut self, transition: TransitionId, error: TraceError);

    /// The step failed at `transition` (which, inside a `d_step`, is the inner one), and is not taken.
    fn fault(&mut self, transition: TransitionId, fault: Fault);

    /// A statement inside a larger step (a `d_step`, a merged chain) was executed; counts for unreached statements. An
    /// offered transition counts without this call.
    #[inline]
    fn reach(&mut self, transition: TransitionId) {
        let _ = transition;
    }

    /// The same for several statements, as bits by the distance from `first`.
    #[inline]
    fn reach_all(&mut self, first: TransitionId, mut bits: u64) {
        while bits != 0 {
            self.reach(TransitionId(first.0.wrapping_add(bits.trailing_zeros())));
            bits &= bits - 1;
        }
    }

    /// The output of a `printf`, newline included if the model has one. Searches ignore it.
    #[inline]
    fn print(&mut self, text: fmt::Arguments<'_>) {
        let _ = text;
    }

    /// Whether printed text is used. If not, it need not be formatted.
    #[inline]
    fn wants_text(&self) -> bool {
        false
    }
}

/// A receiver of any type.
impl<S> Steps<S> for &mut (dyn Steps<S> + '_) {
    fn offer(&mut self, transition: TransitionId, next: &mut S) {
        (**self).offer(transition, next);
    }

    fn offer_handshake(&mut self, send: TransitionId, receiver: Pid, receive: TransitionId, next: &mut S) {
        (**self).offer_handshake(send, receiver, receive, next);
    }

    fn assert(&mut self, transition: TransitionId, holds: bool) {
        (**self).assert(transition, holds);
    }

    fn trace(&mut self, transition: TransitionId, error: TraceError) {
        (**self).trace(transition, error);
    }

    fn fault(&mut self, transition: TransitionId, fault: Fault) {
        (**self).fault(transition, fault);
    }

    fn reach(&mut self, transition: TransitionId) {
        (**self).reach(transition);
    }

    fn reach_all(&mut self, first: TransitionId, bits: u64) {
        (**self).reach_all(first, bits);
    }

    fn print(&mut self, text: fmt::Arguments<'_>) {
        (**self).print(text);
    }

    fn wants_text(&self) -> bool {
        (**self).wants_text()
    }
}

/// The location of a claim: an index into [`ClaimInfo::locations`](crate::model::ClaimInfo::locations).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimLocation(pub u16);

impl ClaimLocation {
    /// As an index.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// An index into [`ClaimInfo::moves`](crate::model::ClaimInfo::moves).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimMoveId(pub u16);

impl ClaimMoveId {
    /// As an index.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The processes that move after a move of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The system moves next.
    System,
    /// The claim is inside an atomic sequence of its own and moves again.
    Claim,
}

/// Receives the moves of a claim in one state. As with [`Steps`], an [`assert`](ClaimMoves::assert) belongs to the next
/// move.
pub trait ClaimMoves<S> {
    /// The claim can move to `to`.
    fn go(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After);

    /// The same for a claim that changes a variable (its own, most likely) when it moves.
    fn go_changing(&mut self, by: ClaimMoveId, to: ClaimLocation, after: After, next: S);

    /// The assertion at `by` was evaluated. If it does not hold, that is a violation; the move is still made.
    fn assert(&mut self, by: ClaimMoveId, holds: bool);

    /// The move failed and is not made.
    fn fault(&mut self, by: ClaimMoveId, fault: Fault);
}

/// Accepts every step and keeps none, to find out whether there is one (`enabled()`).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSteps;

impl<S> Steps<S> for NoSteps {
    fn offer(&mut self, _: TransitionId, _: &mut S) {}
    fn offer_handshake(&mut self, _: TransitionId, _: Pid, _: TransitionId, _: &mut S) {}
    fn assert(&mut self, _: TransitionId, _: bool) {}
    fn trace(&mut self, _: TransitionId, _: TraceError) {}
    fn fault(&mut self, _: TransitionId, _: Fault) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_pids_holds_any_of_them() {
        let set: PidSet = [0, 63, 64, 255].map(Pid).into_iter().collect();
        assert_eq!(format!("{set:?}"), "{0, 63, 64, 255}");
        assert!(set.contains(Pid(64)) && !set.contains(Pid(65)));
        assert_eq!(PidSet::only(Pid(64)), PidSet::EMPTY.with(Pid(64)));
        assert!(set.includes(PidSet::only(Pid(255))) && !set.includes(set.with(Pid(1))));
        assert!(PidSet::EMPTY.is_empty() && !set.is_empty());
        assert_eq!(set.len(), 4);
        assert!(set.union(set.complement()) == PidSet::ALL && !set.complement().contains(Pid(63)));
        assert!(PidSet::ALL.without(Pid::TIME).complement() == PidSet::only(Pid::TIME));
    }
}
