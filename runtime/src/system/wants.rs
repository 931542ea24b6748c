//! Which violations a search reports.

use crate::options::{Options, Reduction};
use crate::verdict::ViolationKind;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Wants {
    assertions: bool,
    end_states: bool,
    leftover_messages: bool,
    traces: bool,
    /// A process is at a statement that uses a channel of which another process has exclusive use (`xr`, `xs`). A
    /// search with a reduction must check it; without a reduction nothing relies on it and, as in Spin, it is not
    /// checked.
    pub promises: bool,
    /// Faults, and violations that only certain searches look for.
    others: bool,
}

impl Wants {
    /// Only faults, which end a run.
    pub const FAULTS: Wants = Wants {
        assertions: false,
        end_states: false,
        leftover_messages: false,
        traces: false,
        promises: false,
        others: true,
    };

    /// Only the trace assertion, which no other property depends on.
    pub const TRACE: Wants = Wants { traces: true, others: false, ..Wants::FAULTS };

    /// Nothing that the system itself finds.
    pub const NOTHING: Wants = Wants { others: false, ..Wants::FAULTS };

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
            | ViolationKind::ZeroTimeCycle
            | ViolationKind::ClaimEnd
            | ViolationKind::Fault(_) => self.others,
            ViolationKind::Trace(_) => self.traces,
            // Only the system with a goal finds it.
            ViolationKind::Goal => true,
        }
    }
}
