//! A model that cannot be reduced: the attempts to reduce it must not cost much.
//!
//! The test counts attempts, not time: all processes of the model are dependent on each other.

use crate::fault::Fault;
use crate::model::{Describe, Model, ModelInfo};
use crate::options::{Algorithm, Ask, Options, Reduction};
use crate::pack::Bytes;
use crate::reduction::{Independence, NEVER, ReductionInfo, Table, Visibility};
use crate::step::{Pid, Steps};
use crate::toy::{Counters, check};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static ALL_DEPENDENT: ReductionInfo<'static> =
    ReductionInfo { off: None, n_words: 1, acceptance: Visibility::NOTHING, ..ReductionInfo::UNKNOWN };

struct Entangled {
    counters: Counters,
    n_looks: AtomicU64,
    n_closed_looks: AtomicU64,
}

impl Model for Entangled {
    type State = Vec<u8>;
    type Packed = Bytes;
    type Hidden = ();

    fn uses_timeout(&self) -> bool {
        false
    }

    fn info(&self) -> &ModelInfo<'_> {
        self.counters.info()
    }

    fn initial(&self) -> Result<Vec<u8>, Fault> {
        self.counters.initial()
    }

    fn n_processes(&self, state: &Vec<u8>) -> usize {
        self.counters.n_processes(state)
    }

    fn offer_steps(&self, now: &Vec<u8>, me: Pid, timeout: bool, steps: &mut impl Steps<Vec<u8>>) {
        self.counters.offer_steps(now, me, timeout, steps);
    }

    fn atomic_owner(&self, state: &Vec<u8>) -> Option<Pid> {
        self.counters.atomic_owner(state)
    }

    fn release(&self, state: &mut Vec<u8>) {
        self.counters.release(state);
    }

    fn is_valid_end(&self, state: &Vec<u8>, pid: Pid) -> bool {
        self.counters.is_valid_end(state, pid)
    }

    fn has_messages(&self, state: &Vec<u8>) -> bool {
        self.counters.has_messages(state)
    }

    fn pack(&self, state: &Vec<u8>, into: &mut Bytes) {
        self.counters.pack(state, into);
    }

    fn unpack(&self, from: &Bytes) -> Vec<u8> {
        self.counters.unpack(from)
    }

    fn proctype(&self, state: &Vec<u8>, pid: Pid) -> usize {
        self.counters.proctype(state, pid)
    }

    fn location(&self, state: &Vec<u8>, pid: Pid) -> usize {
        self.counters.location(state, pid)
    }

    fn describe(&self, state: &Vec<u8>, to: &mut dyn Describe) {
        self.counters.describe(state, to);
    }
}

impl Independence for Entangled {
    fn reduction(&self) -> &ReductionInfo<'_> {
        &ALL_DEPENDENT
    }

    fn safe_level(&self, _: &Vec<u8>, pid: Pid, _: Table, _: bool) -> u8 {
        self.n_looks.fetch_add(u64::from(pid == Pid(0)), Relaxed);
        NEVER
    }

    fn future(&self, _: &Vec<u8>, pid: Pid) -> &[u64] {
        self.n_closed_looks.fetch_add(u64::from(pid == Pid(0)), Relaxed);
        &[1]
    }
}

/// The states, and the number of attempts to find an ample set in one: any, and stubborn sets.
fn looks(options: &Options) -> (u64, u64, u64) {
    let counters = Counters { n: 3, limit: 20, bad: None };
    let model = Entangled { counters, n_looks: AtomicU64::new(0), n_closed_looks: AtomicU64::new(0) };
    let report = check(&model, options);
    assert!(report.violations().next().is_none() && report.properties[0].statistics.reduction);
    let states = report.properties[0].statistics.states_stored;
    (states, model.n_looks.into_inner(), model.n_closed_looks.into_inner())
}

fn searches(reduction: Reduction) -> Vec<Options> {
    let safety = Options { reduction, threads: 1, ..Options::default() };
    let on_two = Options { threads: 2, ..safety.clone() };
    let depth_first = Options { algorithm: Algorithm::DepthFirst, ..safety.clone() };
    let cycles = Options { ask: Ask::Acceptance, ..safety.clone() };
    vec![safety, on_two, depth_first, cycles]
}

#[test]
fn a_model_that_cannot_be_reduced_is_rarely_looked_at() {
    for options in searches(Reduction::Auto) {
        let (states, looks, closed_looks) = looks(&options);
        assert!(states > 9_000 && looks > 0, "{looks} looks at {states} states, {options:?}");
        assert!(looks < states / 20 && closed_looks < states / 20, "{looks}, {closed_looks} of {states}, {options:?}");
    }
}

#[test]
fn who_asks_for_a_reduction_gets_it_everywhere() {
    for options in searches(Reduction::Stubborn) {
        let (states, looks, closed_looks) = looks(&options);
        // With a single process there is nothing to reduce.
        assert!(
            looks >= states - 25 && closed_looks >= states - 25,
            "{looks}, {closed_looks} of {states}, {options:?}"
        );
    }
}
