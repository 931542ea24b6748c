//! What to check and how.

use crate::limits::Limits;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Finds shortest counterexamples.
    #[default]
    BreadthFirst,
    /// Visits states in Spin's order.
    DepthFirst,
}

impl Algorithm {
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::BreadthFirst => "bfs",
            Algorithm::DepthFirst => "dfs",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub algorithm: Algorithm,
    pub limits: Limits,
    /// Leave the model's claims aside, so that a verdict speaks of safety alone.
    pub safety_only: bool,
    /// Go on after a violation and count all of them.
    pub all_errors: bool,
    pub check_assertions: bool,
    /// Report states in which nobody can move and somebody should.
    pub check_end_states: bool,
    /// An end state with a message left in a channel is a violation too.
    pub check_leftover_messages: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            algorithm: Algorithm::default(),
            limits: Limits::default(),
            safety_only: false,
            all_errors: false,
            check_assertions: true,
            check_end_states: true,
            check_leftover_messages: false,
        }
    }
}
