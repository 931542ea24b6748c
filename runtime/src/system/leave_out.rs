//! Leaves out the steps of a run that its violation does not need.
//!
//! The method is that of delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input",
//! TSE 2002): parts of the run are left out, large ones first, and what is left is replayed. A step that is not enabled
//! then is left out as well. The shorter run counts if it leads to the same violation.

use crate::dyn_model::{DynModel, DynState};
use crate::record::{Offer, offers};
use crate::step::Pid;
use crate::trail::Step;
use crate::verdict::{Found, ViolationKind};

/// A shorter run to the same violation, if there is one. At most so many states are passed in all attempts.
pub(super) fn leave_out(
    dyn_model: &dyn DynModel,
    steps: &[Step],
    found: Found,
    n_states: u64,
    is_over: &dyn Fn() -> bool,
) -> Option<Vec<Step>> {
    let mut attempts = Attempts { dyn_model, found, left: n_states, is_over };
    let mut run = steps.to_vec();
    // `None` says that no attempt is left.
    _ = attempts.without_processes(&mut run).and_then(|()| attempts.without_parts(&mut run));
    (run.len() < steps.len()).then_some(run)
}

struct Attempts<'d> {
    dyn_model: &'d dyn DynModel,
    found: Found,
    /// The states that may still be passed.
    left: u64,
    is_over: &'d dyn Fn() -> bool,
}

impl Attempts<'_> {
    /// Leaves out all steps of a process.
    fn without_processes(&mut self, run: &mut Vec<Step>) -> Option<()> {
        let mut pids: Vec<Pid> = run.iter().map(|step| step.pid).collect();
        pids.sort_unstable();
        pids.dedup();
        for pid in pids {
            self.without(run, |_, step| step.pid == pid)?;
        }
        Some(())
    }

    /// Leaves out parts of the run, from halves to single steps.
    fn without_parts(&mut self, run: &mut Vec<Step>) -> Option<()> {
        let mut size = run.len() / 2;
        while size > 0 {
            let mut begin = 0;
            while begin < run.len() {
                if !self.without(run, |number, _| (begin..begin + size).contains(&number))? {
                    begin += size;
                }
            }
            size /= 2;
        }
        Some(())
    }

    /// Replays the run without some steps, and replaces it if that leads to the violation. `None` if no attempt is left.
    fn without(&mut self, run: &mut Vec<Step>, is_out: impl Fn(usize, &Step) -> bool) -> Option<bool> {
        let kept: Vec<Step> =
            run.iter().enumerate().filter(|(number, step)| !is_out(*number, step)).map(|(_, step)| *step).collect();
        if kept.len() as u64 > self.left || (self.is_over)() {
            return None;
        }
        self.left -= kept.len() as u64;
        let shorter = self.replay(&kept).filter(|shorter| shorter.len() < run.len());
        let is_shorter = shorter.is_some();
        if let Some(shorter) = shorter {
            *run = shorter;
        }
        Some(is_shorter)
    }

    /// The steps up to the violation, if they lead to it.
    fn replay(&self, steps: &[Step]) -> Option<Vec<Step>> {
        let mut dyn_state = self.dyn_model.initial().ok()?;
        let mut taken = Vec::new();
        let mut steps = steps.iter();
        loop {
            let mut offers = offers(&mut dyn_state);
            if let Some(offer) = offers.iter().find(|offer| offer.violations.contains(&self.found)) {
                taken.push(offer.step);
                return Some(taken);
            }
            if self.is_end(&dyn_state, &offers) {
                return Some(taken);
            }
            let chosen = loop {
                if let Some(index) = fitting(&offers, steps.next()?) {
                    break offers.swap_remove(index);
                }
            };
            taken.push(chosen.step);
            dyn_state = chosen.next?;
        }
    }

    /// An invalid end state, if the run leads to one.
    fn is_end(&self, dyn_state: &DynState<'_>, offers: &[Offer<'_>]) -> bool {
        self.found.kind == ViolationKind::InvalidEndState && offers.is_empty() && !dyn_state.all_may_end()
    }
}

/// The offer of the same statement, and of the same choice if there are several.
fn fitting(offers: &[Offer<'_>], step: &Step) -> Option<usize> {
    let is_same = |offer: &Offer<'_>| {
        let other = offer.step;
        let is_same_statement =
            (other.pid, other.transition, other.receiver) == (step.pid, step.transition, step.receiver);
        offer.next.is_some() && (is_same_statement || other.is_tick() && step.is_tick())
    };
    let exact = offers.iter().position(|offer| is_same(offer) && offer.step.choice == step.choice);
    exact.or_else(|| offers.iter().position(is_same))
}
