//! The interface between a model and the algorithms.
//!
//! Generated code implements [`Model`]; a model can also be written by hand (see `examples/peterson.rs`). Everything
//! else in this crate is generic over it and does not know the language that the model was written in. A second trait,
//! [`Independence`](crate::reduction::Independence), has what reductions need to know about a model.
//!
//! A model may borrow its tables: none has to be a constant, and no thread outlives the call that searches the model.
//!
//! # Steps and stored states
//!
//! A step offered by [`Model::offer_steps`] leads to a state without an atomic owner, in which every process may move,
//! or to one with an *atomic owner*: a process inside an atomic sequence, which has exclusive control. States without
//! an atomic owner are stored and counted. From a state with an atomic owner the search continues with the atomic owner
//! alone, through all its nondeterministic choices, until it gives up control, or until it is blocked: then
//! [`Model::release`] takes the control away and that state is stored. A rendezvous is one step; a `d_step` is one
//! step.

use crate::control_flow::ControlFlow;
use crate::fault::Fault;
use crate::pack::Packed;
use crate::step::{ClaimLocation, ClaimMoves, Pid, Steps, TransitionId};
use crate::symmetry::SymmetryInfo;
use std::fmt;
use std::hash::Hash;

/// The semantics of a model.
pub trait Model: Sync {
    /// A state in the form that steps are computed with.
    type State: Clone + Send + Sync;

    /// The same state as few bytes, for storing: [`Words`](crate::pack::Words) when the layout is fixed,
    /// [`Bytes`](crate::pack::Bytes) when it grows.
    type Packed: Packed;

    /// Variables that a step can read but that are not part of a packed state (`hidden` in the model): two states that
    /// differ only here are one state, and the search continues with the values of the first arrival. `()` if there are
    /// none.
    type Hidden: Clone + Default + Eq + Hash + Send + Sync;

    /// The features that a model of this type may have.
    const FEATURES: Features = Features::ALL;

    /// The tables of the model.
    fn info(&self) -> &ModelInfo<'_>;

    /// Whether some step depends on `timeout`. If not, the search expands a deadlocked state only once.
    fn uses_timeout(&self) -> bool;

    /// Whether processes have priorities: only enabled processes with the highest priority may move.
    #[inline]
    fn uses_priorities(&self) -> bool {
        false
    }

    /// Whether there are hidden variables. A model that is made at run time has a [`Hidden`](Self::Hidden) type whether or
    /// not it has such variables.
    #[inline]
    fn has_hidden(&self) -> bool {
        size_of::<Self::Hidden>() > 0
    }

    /// The initial state, without an atomic owner.
    fn initial(&self) -> Result<Self::State, Fault>;

    /// Processes have the pids `0..n_processes`, the youngest has the highest.
    fn n_processes(&self, state: &Self::State) -> usize;

    /// Offers every step that process `me` can take in `now`, options from top to bottom.
    ///
    /// `timeout` is the value of `timeout` in this state: the search calls this with `false` first, and with `true`
    /// only if no process is enabled. The steps are deterministic: a second call offers the same steps in the same
    /// order.
    fn offer_steps(&self, now: &Self::State, me: Pid, timeout: bool, steps: &mut impl Steps<Self::State>);

    /// What time leads to: `now` with every timer that is on lowered by one, those that had run out off. `None` if no
    /// timer is on, or if there are no more than `which` ways for time to pass: usually there is one, number 0.
    ///
    /// The search asks where no process can move, with `timeout` or without it: time has the lowest priority. The state
    /// has no atomic owner. Several ticks may be one where no process can move between them.
    #[inline]
    fn tick(&self, now: &Self::State, which: u32) -> Option<Tick<Self::State>> {
        let _ = (now, which);
        None
    }

    /// Whether searches take time in the abstract: of a timer that runs it is not known how long it still does
    /// (`system/abstract_time.rs` says what follows). Counterexamples are then looked for with exact
    /// time, for which [`tick`](Self::tick) is asked.
    #[inline]
    fn abstracts_time(&self) -> bool {
        false
    }

    /// Replaces the value of every timer that can be on, also those of an array, always in the same order.
    #[inline]
    fn change_timers(&self, state: &mut Self::State, change: &mut dyn FnMut(i32) -> i32) {
        let _ = (state, change);
    }

    /// The process that has exclusive control in this state, being inside an atomic sequence.
    fn atomic_owner(&self, state: &Self::State) -> Option<Pid> {
        let _ = state;
        None
    }

    /// Takes control away from a blocked atomic owner. Afterwards `atomic_owner` is `None`; the location of the process
    /// stays.
    fn release(&self, state: &mut Self::State) {
        let _ = state;
    }

    /// The exchanges of members that leave the model as it is, if any are known. The packed states of such a model have a
    /// fixed layout, and no variables are hidden.
    #[inline]
    fn symmetry(&self) -> Option<&SymmetryInfo<'_>> {
        None
    }

    /// Called only if [`uses_priorities`](Self::uses_priorities); a higher number goes first.
    fn priority(&self, state: &Self::State, pid: Pid) -> i32 {
        let _ = (state, pid);
        1
    }

    /// Whether process `pid` may stay at its location forever: it is at its end or at an end label.
    fn is_valid_end(&self, state: &Self::State, pid: Pid) -> bool;

    /// Whether process `pid` is at an accept label.
    fn is_accepting(&self, state: &Self::State, pid: Pid) -> bool {
        let _ = (state, pid);
        false
    }

    /// Whether process `pid` is at a progress label.
    fn is_progress(&self, state: &Self::State, pid: Pid) -> bool {
        let _ = (state, pid);
        false
    }

    /// Offers every move that a claim, an index into [`ModelInfo::claims`], can make from `at` while the system is in
    /// `now`, options from top to bottom. A trace assertion observes steps and not states, and makes no moves.
    ///
    /// A claim moves first, before each step of the system, and sees only states without an atomic owner. `timeout` is as in
    /// [`offer_steps`](Self::offer_steps): only the claim can move in `now`.
    fn offer_claim_moves(
        &self,
        claim: usize,
        at: ClaimLocation,
        now: &Self::State,
        timeout: bool,
        moves: &mut impl ClaimMoves<Self::State>,
    ) {
        let _ = (claim, at, now, timeout, moves);
    }

    /// Whether the trace assertion, if there is one, accepts a run that ends here.
    fn trace_may_end(&self, state: &Self::State) -> bool {
        let _ = state;
        true
    }

    /// Whether some channel holds a message.
    fn has_messages(&self, state: &Self::State) -> bool;

    /// Packs all of `state` but the atomic owner. Two states without an atomic owner are the same state if and only if
    /// they are packed into the same value. The old value of `into` has no influence.
    fn pack(&self, state: &Self::State, into: &mut Self::Packed);

    /// The packed form of `state`: in `buffer` or, if the state contains that form, a reference to it.
    #[inline]
    fn packed<'s>(&self, state: &'s Self::State, buffer: &'s mut Self::Packed) -> &'s Self::Packed {
        self.pack(state, buffer);
        buffer
    }

    /// The inverse of [`pack`](Self::pack); the result has no atomic owner, and hidden variables have any value.
    fn unpack(&self, from: &Self::Packed) -> Self::State;

    /// The hidden variables of `state`.
    fn hidden(&self, state: &Self::State) -> Self::Hidden {
        let _ = state;
        Self::Hidden::default()
    }

    /// Stores the hidden variables in an unpacked state.
    fn set_hidden(&self, state: &mut Self::State, hidden: Self::Hidden) {
        let _ = (state, hidden);
    }

    /// The type of process `pid`: an index into [`ModelInfo::proctypes`].
    fn proctype(&self, state: &Self::State, pid: Pid) -> usize;

    /// The location of process `pid`: an index into [`ModelInfo::locations`].
    fn location(&self, state: &Self::State, pid: Pid) -> usize;

    /// Describes every variable and every channel for simulation and replay, globals first.
    fn describe(&self, state: &Self::State, to: &mut dyn Describe);
}

/// Time that passed.
#[derive(Clone, Debug)]
pub struct Tick<S> {
    /// The state then.
    pub next: S,
    /// How many ticks it took.
    pub n_ticks: u32,
}

/// The features that the models of one type may have. The code for all others is left out of the expansion of states,
/// which every build of a verifier compiles anew.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// Some state may have an [atomic owner](Model::atomic_owner).
    pub atomic: bool,
    /// Processes may have [priorities](Model::uses_priorities).
    pub priorities: bool,
}

impl Features {
    /// What is known of a model that is made at run time.
    pub const ALL: Features = Features { atomic: true, priorities: true };
}

/// Receives the values of a state, one by one, for simulation and replay. Not called during a search.
pub trait Describe {
    /// A variable, or an element or field of one: `variable(None, format_args!("turn"), format_args!("{}", 1))`.
    /// `owner` is the process of a local variable. The value is shown as it is given (a number, an mtype's name).
    fn variable(&mut self, owner: Option<Pid>, name: fmt::Arguments<'_>, value: fmt::Arguments<'_>);

    /// A channel with all its messages, in Spin's form: `[data,1][ack,0]`.
    fn channel(&mut self, owner: Option<Pid>, name: fmt::Arguments<'_>, messages: fmt::Arguments<'_>);
}

/// The static information about a model: tables that a generated crate has as constants, and that a model made at run
/// time borrows.
#[derive(Clone, Debug)]
pub struct ModelInfo<'m> {
    /// The file name of the model, as given to the compiler, without directories: `model.pml`.
    pub name: &'m str,
    /// A hash of all sources and compile flags, in hex. A trail belongs to the model with the same hash.
    pub hash: &'m str,
    /// The version of the compiler that made the verifier.
    pub pmc_version: &'m str,
    /// The source files, as seen from the folder of the model; places refer to them.
    pub files: &'m [&'m str],
    /// The proctypes; `init` is one of them.
    pub proctypes: &'m [ProctypeInfo<'m>],
    /// The statements of all proctypes.
    pub transitions: &'m [TransitionInfo<'m>],
    /// The locations of all proctypes.
    pub locations: &'m [LocationInfo<'m>],
    /// The claims of the model, which it has beside assertions and end states.
    pub claims: &'m [ClaimInfo<'m>],
    /// The variables that grow without bound, as far as that is known: why a search may not come to its end.
    pub growing: &'m [GrowingInfo<'m>],
    /// The control flow, for the distance to a target. Without it guided searches have no direction.
    pub control_flow: Option<ControlFlow<'m>>,
    /// The meaning of the statements as JSON, from which reports show the values in a run: the compiler's, or empty.
    pub story: &'m str,
    /// How many timers it declares, arrays counting as one: without any no time passes.
    pub n_timers: usize,
    /// Ticks up to the next one in which a timer runs out are one step.
    pub ticks_at_once: bool,
    /// Searches take time in the abstract, as [`Model::abstracts_time`] says.
    pub abstract_time: bool,
    /// Remarks of the compiler on this model, for `info`: layout, analyses, what is off and why.
    pub notes: &'m [&'m str],
    /// The model is executed by an interpreter, not by generated code.
    pub is_interpreted: bool,
}

/// A place in the source text. Lines and columns start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourcePosition {
    /// An index into [`ModelInfo::files`].
    pub file: u16,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A variable that grows without bound, and the statement that makes it grow.
#[derive(Clone, Copy, Debug)]
pub struct GrowingInfo<'m> {
    /// Its name, with `[]` for all elements of an array: `table[].size`.
    pub variable: &'m str,
    /// The proctype of a local variable.
    pub proctype: Option<&'m str>,
    /// Where the statement is in the source text.
    pub place: SourcePosition,
    /// The statement as the author wrote it, on one line.
    pub text: &'m str,
}

/// A property that the model states: a formula, a never claim, a trace.
#[derive(Clone, Copy, Debug)]
pub struct ClaimInfo<'m> {
    /// The name of the formula, or of the claim.
    pub name: &'m str,
    /// What kind of claim it is.
    pub kind: ClaimKind,
    /// Where it is declared.
    pub place: SourcePosition,
    /// The automaton of the violating runs; its first location is initial. Empty for a trace.
    pub locations: &'m [ClaimLocationInfo],
    /// The moves of the automaton, as text.
    pub moves: &'m [ClaimMoveInfo<'m>],
    /// The claim is closed under stuttering, so that reductions preserve its verdict.
    pub is_stutter_closed: bool,
    /// Only finite runs violate it, those that reach a location with [`is_end`](ClaimLocationInfo::is_end): no cycle of
    /// the automaton is accepting, and for a never claim the processes have no accept labels.
    pub is_safety: bool,
}

/// A location of the automaton of a claim.
#[derive(Clone, Copy, Debug)]
pub struct ClaimLocationInfo {
    /// Where it is in the source text.
    pub place: SourcePosition,
    /// A run that visits it infinitely often violates the claim.
    pub is_accepting: bool,
    /// A run that reaches it violates the claim, whatever follows.
    pub is_end: bool,
}

/// A move of a claim: a statement of a never claim, or the condition on an edge of a formula's automaton.
#[derive(Clone, Copy, Debug)]
pub struct ClaimMoveInfo<'m> {
    /// Where it is in the source text.
    pub place: SourcePosition,
    /// The statement or condition, on one line.
    pub text: &'m str,
}

/// The syntactic form of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// A never claim.
    Never,
    /// An LTL formula.
    Ltl,
    /// A trace assertion.
    Trace,
}

impl ClaimKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ClaimKind::Never => "never",
            ClaimKind::Ltl => "ltl",
            ClaimKind::Trace => "trace",
        }
    }
}

/// A proctype.
#[derive(Clone, Copy, Debug)]
pub struct ProctypeInfo<'m> {
    /// Its name.
    pub name: &'m str,
    /// Where it is declared.
    pub place: SourcePosition,
}

/// The kind of a transition, for the output of simulation and the list of unreached statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransitionKind {
    /// A send statement.
    Send,
    /// A receive statement.
    Receive,
    /// The closing brace: the process ends.
    End,
    /// Inserted by the compiler (a jump, for instance): not listed when unreached.
    Internal,
    /// Any other statement.
    Other,
}

/// A statement of a proctype.
#[derive(Clone, Copy, Debug)]
pub struct TransitionInfo<'m> {
    /// An index into [`ModelInfo::proctypes`].
    pub proctype: u16,
    /// What it does.
    pub kind: TransitionKind,
    /// Where it is in the source text.
    pub place: SourcePosition,
    /// The statement as the author wrote it, on one line.
    pub text: &'m str,
    /// The location that it leaves and the one that it leads to: indices into [`ModelInfo::locations`].
    pub from: u32,
    /// The location that it leads to.
    pub to: u32,
    /// Statements of the same process that are executed in the same step, after this one.
    pub merged: &'m [TransitionId],
}

/// A location of a proctype.
#[derive(Clone, Copy, Debug)]
pub struct LocationInfo<'m> {
    /// An index into [`ModelInfo::proctypes`].
    pub proctype: u16,
    /// Where it is in the source text.
    pub place: SourcePosition,
    /// The labels at this location: `&["end", "L1"]`.
    pub labels: &'m [&'m str],
}

impl<'m> ModelInfo<'m> {
    /// `None` for a number that is not in the table, which a damaged trail may contain.
    pub fn transition(&self, id: TransitionId) -> Option<&'m TransitionInfo<'m>> {
        self.transitions.get(id.index())
    }

    /// The name of a proctype, `?` if there is no such one.
    pub fn proctype_name(&self, index: usize) -> &'m str {
        self.proctypes.get(index).map_or("?", |proctype| proctype.name)
    }

    /// What executes the model, as reports name it.
    pub fn engine(&self) -> &'static str {
        if self.is_interpreted { "interpreted" } else { "compiled" }
    }

    /// The file of a position.
    pub fn file(&self, place: SourcePosition) -> &'m str {
        self.files.get(usize::from(place.file)).copied().unwrap_or(self.name)
    }

    /// One line for each variable that grows without bound.
    pub fn growth(&self) -> impl Iterator<Item = String> {
        self.growing.iter().map(|growing| {
            let GrowingInfo { variable, proctype, place, text } = *growing;
            let of = proctype.map(|proctype| format!(" of `{proctype}`")).unwrap_or_default();
            let line = self.line(place);
            format!("`{variable}`{of} grows without bound at {line}: `{text}`; give it a limit, or a smaller type")
        })
    }

    /// `model.pml:3`
    pub fn line(&self, place: SourcePosition) -> String {
        format!("{}:{}", self.file(place), place.line)
    }
}

/// A file as seen from the working folder, if it is known how it is seen from a folder: `models/a.h` from `models` and
/// `a.h`, and from `models/deep` and `../a.h`. Names in angle brackets are no files.
pub fn located(folder: &str, file: &str) -> String {
    let is_absolute = |path: &str| path.starts_with(['/', '\\']) || path.get(1..2) == Some(":");
    if folder.is_empty() || file.starts_with('<') || is_absolute(file) {
        return file.to_owned();
    }
    let root = if folder.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(file.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if !root.is_empty() => {}
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::located;

    #[test]
    fn a_file_is_located_by_the_folder_of_the_model() {
        for (folder, file, expected) in [
            ("", "m.pml", "m.pml"),
            (".", "m.pml", "m.pml"),
            ("models", "m.pml", "models/m.pml"),
            ("./models/", "lib/a.h", "models/lib/a.h"),
            ("models/deep", "../a.h", "models/a.h"),
            ("models", "../../a.h", "../a.h"),
            ("../models", "a.h", "../models/a.h"),
            ("..", "../a.h", "../../a.h"),
            ("/models", "../../a.h", "/a.h"),
            ("models", "/lib/a.h", "/lib/a.h"),
            ("models", "C:/lib/a.h", "C:/lib/a.h"),
            ("models", "<formula>", "<formula>"),
        ] {
            assert_eq!(located(folder, file), expected, "{folder} {file}");
        }
    }
}
