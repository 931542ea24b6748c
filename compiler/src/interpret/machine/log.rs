//! What happens during a step, beside the change of the state.

use pmc_runtime::fault::Fault;
use pmc_runtime::step::TransitionId;
use smallvec::SmallVec;

use super::super::program::Printed;
use super::super::state::Memory;
use super::Machine;

/// What happened during a step, beside the change of the state.
#[derive(Default)]
pub struct Log {
    /// The assertion of a plain step.
    pub holds: Option<bool>,
    /// The statement inside a `d_step` that was tried last.
    pub here: Option<TransitionId>,
    pub n_statements: u32,
    /// The statements inside a `d_step` that were executed, most of them once.
    pub reached: SmallVec<[TransitionId; 8]>,
    pub violated: SmallVec<[TransitionId; 2]>,
    pub text: String,
}

/// Statements of a `d_step` behind so many are recorded only if they are new.
const RECENT: usize = 32;

/// A `d_step` that executes more statements than this is taken to be endless.
const STATEMENT_LIMIT: u32 = 10_000_000;

/// In the tests of this crate the machine has a fault: it cannot print this.
#[cfg(test)]
pub const FAULT: &str = "the machine cannot print this";

impl<M: Memory> Machine<'_, M> {
    pub(super) fn reach(&mut self, transition: TransitionId) -> Result<(), Fault> {
        let log = &mut self.log;
        log.here = Some(transition);
        if log.reached.len() < RECENT || !log.reached.contains(&transition) {
            log.reached.push(transition);
        }
        log.n_statements += 1;
        if log.n_statements > STATEMENT_LIMIT { Err(Fault::DStepEndless) } else { Ok(()) }
    }

    pub(super) fn print(&mut self, parts: &[Printed]) {
        #[cfg(test)]
        assert!(
            !parts.iter().any(|part| matches!(part, Printed::Text(text) if text == FAULT)),
            "a fault of the machine"
        );
        let n = parts.iter().filter(|part| !matches!(part, Printed::Text(_))).count();
        let first = self.values.len() - n;
        if self.wants_text {
            let mut values = self.values[first..].iter();
            for part in parts {
                if let Printed::Text(text) = part {
                    self.log.text.push_str(text);
                } else if let Some(value) = values.next() {
                    self.log.text.push_str(&self.program.shown(part, *value));
                }
            }
        }
        self.values.truncate(first);
    }
}
