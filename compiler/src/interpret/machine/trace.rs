//! The trace assertion, which observes messages.

use pmc_runtime::step::TransitionId;
use smallvec::SmallVec;

use super::super::state::{Memory, get, set_number};
use super::{Machine, Offer};
use crate::model::Side;

impl<M: Memory> Machine<'_, M> {
    /// The trace assertion moves on a message to or from the current channel.
    pub(super) fn observe(&mut self, side: Side, message: SmallVec<[i32; 8]>) {
        let program = self.program;
        let (Some(trace), Some(bits)) = (&program.trace, program.layout.trace) else { return };
        let observed = Offer { sender: self.me, channel: self.channel, message, transition: TransitionId(0) };
        // The code of the trace is that of no process.
        let mut watch: Machine<'_, M> =
            Machine::new(program, self.now, self.next.clone(), self.me, false, self.can_move);
        watch.offer = Some(&observed);
        let mut is_named = trace.named.iter().filter(|(of, _)| *of == side);
        if !is_named.any(|(_, entry)| watch.run(*entry, false) == Ok(true)) {
            return;
        }
        let at = if bits.bits == 0 { 0 } else { get(self.next.words(), bits.at, bits.bits) as usize };
        let events = trace.locations.get(at).map_or(&[][..], |location| &location.events);
        let mut fitting = events.iter().filter(|event| event.side == side);
        let to = fitting.find(|event| watch.run(event.entry, false) == Ok(true)).map(|event| event.to);
        let objections = &mut self.next.objections;
        let count = match side {
            Side::Send => &mut objections.to_sends,
            Side::Receive => &mut objections.to_receives,
        };
        let to = if trace.is_negated {
            // Only the first attempt counts: an automaton that gives up goes to the location of one that has succeeded.
            if to == Some(trace.end) {
                *count = count.saturating_add(1);
            }
            Some(to.unwrap_or(trace.end))
        } else {
            if to.is_none() {
                *count = count.saturating_add(1);
            }
            to
        };
        if let (Some(to), true) = (to, bits.bits > 0) {
            set_number(self.next.words_mut(), 0, bits, to);
        }
    }
}
