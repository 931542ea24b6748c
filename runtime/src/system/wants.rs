//! Which violations a search reports.

use crate::options::{Options, Reduction};
use crate::verdict::ViolationKind;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Wants {
    assertions: bool,
    end_states: bool,
    leftover_messages: bool,
    traces: bool,
    /// Where a process is about to use a channel that another has for itself (`xr`, `xs`). A search that leaves out steps
    /// must check it; without a reduction nothing relies on it, and as in Spin it is not checked.
    pub promises: bool,
    /// Faults, and what only certain searches look for.
    others: bool,
}

impl Wants {
    /// A run that fails does not go on. Nothing else is of interest.
    pub const FAULTS: Wants = Wants {
        assertions: false,
        end_states: false,
        leftover_messages: false,
        traces: false,
        promises: false,
        others: true,
    };

    /// Only the trace assertion, which no other property minds.
    pub const TRACE: Wants = Wants { traces: true, others: false, ..Wants::FAULTS };

    pub fn new(options: &Options) -> Wants {
        Wants {
            assertions: options.check_assertions,
            end_states: options.check_end_states,
            leftover_messages: options.check_leftover_messages,
            traces: false,
            promises: options.reduction != Reduction::Off,
            others: true,
        }
    }

    pub fn wants(self, kind: ViolationKind) -> bool {
        match kind {
            ViolationKind::Assertion => self.assertions,
            ViolationKind::InvalidEndState => self.end_states,
            ViolationKind::LeftoverMessages => self.leftover_messages,
            ViolationKind::AcceptanceCycle
            | ViolationKind::NonProgressCycle
            | ViolationKind::ClaimEnd
            | ViolationKind::Fault(_) => self.others,
            ViolationKind::Trace(_) => self.traces,
        }
    }
}
