//! A second opinion: slow, obvious semantics over the resolved model.
//!
//! It shares nothing with lowering, code generation or the runtime, so that a mistake in one of them shows as a
//! difference. There is no control-flow graph: a process is at a [`program::Point`], a statement of the tree that it is
//! about to execute, and each step derives the next statements from the tree again. States are plain values, compared
//! as a whole.
//!
//! - [`program`] numbers the statements and says what follows what, `escapes` what an `unless` adds to it;
//! - [`state`] is a state of a model;
//! - [`moment`] is a state during a step: what the step reads and writes;
//! - [`expressions`], [`channels`], [`statements`] and [`processes`] change it;
//! - [`steps`] finds all steps out of a state, and [`ticks`] what happens where there is none;
//! - [`explore`] explores the whole graph as Spin does, [`replay`] follows one run of it;
//! - [`product`] decides claims on the graph of [`system`], with the moves of a
//!   claim from [`never`], the truth of a formula from [`formulas`], and cycles
//!   from [`components`]; [`lasso`] follows one run that is said to violate a claim.

pub mod channels;
pub mod components;
mod escapes;
pub mod explore;
pub mod expressions;
pub mod formulas;
pub mod lasso;
mod mentions;
pub mod moment;
pub mod never;
pub mod processes;
pub mod product;
pub mod program;
pub mod replay;
pub mod state;
pub mod statements;
pub mod steps;
pub mod system;
pub mod ticks;
pub mod traces;
pub mod trail;

use pmc::source::Span;

pub use explore::{Edge, Graph, explore};
pub use lasso::{Lasso, LassoError, replay_lasso};
pub use moment::{Access, Object};
pub use product::{How, Property, Runs, Verdict, decide};
pub use program::{Point, Program};
pub use replay::{Claimed, Instruction, ReplayError, replay};
pub use state::State;
pub use steps::Taken;
pub use system::{NoAnswer, System};
pub use trail::{read_lasso, read_trail};

/// The options of a run, and the limits of the exploration. The defaults are those of `pan -c0`.
#[derive(Clone, Debug)]
pub struct Options {
    /// A longer run is not followed; the graph is then incomplete.
    pub max_depth: usize,
    /// No more states are stored; the graph is then incomplete.
    pub max_states: usize,
    /// No more steps are taken; the graph is then incomplete. An `atomic` with a
    /// loop in it can have endlessly many without a state being stored.
    pub max_steps: usize,
    /// Stop at the first violation.
    pub first_error: bool,
    /// A send to a full channel is executable and the message lost (`spin -m`).
    pub lossy: bool,
    /// Of nested escapes the inner one wins (`pan -J`).
    pub inner_escape_first: bool,
    /// A message left in a channel makes an end state invalid (`pan -q`).
    pub empty_channels: bool,
    /// Report invalid end states (not with `pan -E`).
    pub end_states: bool,
    /// Report violated assertions (not with `pan -A`).
    pub assertions: bool,
    /// Report a breach of `xr` and `xs` (Spin does so only with reduction).
    pub exclusive_use: bool,
    /// Record what each step read and wrote.
    pub accesses: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_depth: 100_000,
            max_states: 1_000_000,
            max_steps: 10_000_000,
            first_error: false,
            lossy: false,
            inner_escape_first: false,
            empty_channels: false,
            end_states: true,
            assertions: true,
            exclusive_use: false,
            accesses: false,
        }
    }
}

/// The kinds of violations and faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViolationKind {
    Assertion,
    InvalidEndState,
    ArrayIndex,
    DivideByZero,
    /// The least number divided by -1.
    DivideOverflow,
    /// A channel variable that was never set.
    NoChannel,
    /// A channel of a process that has ended.
    DeadChannel,
    PollOfRendezvous,
    /// A message with another number of fields than those of the channel.
    MessageShape,
    /// A variable of a process of another type than the reference names.
    RemoteReference,
    BlockedDStep,
    /// A rendezvous send inside a `d_step`.
    RendezvousInDStep,
    /// A `d_step` that does not end.
    EndlessDStep,
    TooManyProcesses,
    EnabledOfSelf,
    /// A process used a channel of which another has exclusive use by `xr` or `xs`.
    ExclusiveUse,
    /// An event that the `trace` does not allow.
    TraceMismatch,
    /// A `notrace` was matched to its end.
    NotraceMatched,
    /// The run ends, every process may stop, and the `trace` waits for an event.
    TraceUnfinished,
}

impl ViolationKind {
    /// Whether the violation is a state in which the run ends, and no statement.
    pub fn is_of_end(self) -> bool {
        matches!(self, Self::InvalidEndState | Self::TraceUnfinished)
    }

    /// Whether a `trace` or `notrace` is violated.
    pub fn is_of_trace(self) -> bool {
        matches!(self, Self::TraceMismatch | Self::NotraceMatched | Self::TraceUnfinished)
    }

    /// Whether Spin's search ends here even with `-c0`.
    pub fn ends_search(self) -> bool {
        matches!(
            self,
            Self::DeadChannel
                | Self::MessageShape
                | Self::BlockedDStep
                | Self::RendezvousInDStep
                | Self::EndlessDStep
                | Self::TooManyProcesses
                | Self::EnabledOfSelf
        )
    }
}

/// A statement with a violation, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    pub kind: ViolationKind,
    pub span: Span,
}
