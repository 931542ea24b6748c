//! The runtime's `Independence` for a lowered program: tables, and tests of a state.

use pmc_runtime::fault::Fault;
use pmc_runtime::reduction::{Independence, NEVER, ReductionInfo, Table, add, level};
use pmc_runtime::step::{Pid, TransitionId};

use super::model::Interpreter;
use super::packing::Packing;
use super::program::Sequence;
use super::state::State;
use crate::model::Side;

/// What reductions ask about a state.
pub struct Dependence {
    /// By proctype.
    pub levels: Vec<Vec<Shared<Vec<LocationLevels>>>>,
    pub stubborn: Option<Stubborn>,
}

/// An entry for some processes of a proctype.
pub struct Shared<T> {
    /// Nothing if it is for all of them.
    pub pids: Option<Vec<u32>>,
    pub of: T,
}

pub struct LocationLevels {
    pub levels: [u8; 4],
    pub raised: Vec<(Sequence, u8)>,
}

pub struct Stubborn {
    pub future: Vec<Vec<Shared<Vec<Vec<u64>>>>>,
    pub dependencies: Vec<Vec<Shared<Vec<Dependencies>>>>,
    /// The parts of all split processes, each with the pid of its process.
    pub parts: Vec<(Pid, Dependencies)>,
}

pub enum Dependencies {
    Everything,
    Some { always: Vec<u64>, steps: Vec<StepDependencies> },
}

pub struct StepDependencies {
    pub disabled: Vec<(Sequence, Vec<u64>)>,
    pub enabled: Vec<u64>,
}

impl Dependence {
    /// The sequences of all tests.
    pub fn tests(&mut self) -> impl Iterator<Item = &mut Sequence> {
        let locations = self.levels.iter_mut().flatten().flat_map(|shared| &mut shared.of);
        let raised = locations.flat_map(|location| location.raised.iter_mut().map(|(test, _)| test));
        let stubborn = self.stubborn.iter_mut().flat_map(|stubborn| {
            let shared = stubborn.dependencies.iter_mut().flatten().flat_map(|shared| &mut shared.of);
            shared.chain(stubborn.parts.iter_mut().map(|(_, of)| of)).flat_map(Dependencies::tests)
        });
        raised.chain(stubborn)
    }
}

impl Dependencies {
    fn tests(&mut self) -> impl Iterator<Item = &mut Sequence> {
        let steps = match self {
            Self::Everything => &mut [][..],
            Self::Some { steps, .. } => &mut steps[..],
        };
        steps.iter_mut().flat_map(|step| step.disabled.iter_mut().map(|(test, _)| test))
    }
}

/// The entry for a process: the last one is for all that are not named.
fn entry<T>(shared: &[Shared<T>], pid: Pid) -> Option<&T> {
    let (last, named) = shared.split_last()?;
    let is_it = |shared: &&Shared<T>| shared.pids.as_ref().is_some_and(|pids| pids.contains(&u32::from(pid.0)));
    Some(&named.iter().find(is_it).unwrap_or(last).of)
}

impl<M: Packing> Interpreter<'_, M> {
    fn level(&self, state: &State<M>, pid: Pid, table: Table, counts_pids: bool) -> Result<u8, Fault> {
        let Some(dependence) = self.dependence else { return Ok(NEVER) };
        let proctype = self.program.proctype(state.words(), pid);
        let Some(of) = entry(&dependence.levels[proctype], pid) else { return Ok(NEVER) };
        let location = &of[self.program.location_in(state.words(), pid, proctype)];
        let mut least = level(location.levels, table, counts_pids);
        for (test, raised) in &location.raised {
            if self.test(state, pid, test)? {
                least = least.max(*raised);
            }
        }
        Ok(least)
    }

    fn add(&self, state: &State<M>, pid: Pid, dependencies: &Dependencies, bit_set: &mut [u64]) -> Result<(), Fault> {
        match dependencies {
            Dependencies::Everything => bit_set.fill(u64::MAX),
            Dependencies::Some { always, steps } => {
                add(bit_set, always);
                for step in steps {
                    let mut classes = &step.enabled;
                    for (test, disabled) in &step.disabled {
                        if self.test(state, pid, test)? {
                            classes = disabled;
                            break;
                        }
                    }
                    add(bit_set, classes);
                }
            }
        }
        Ok(())
    }

    /// Whether another process has a side of a channel to itself.
    fn has_another(&self, state: &State<M>, me: Pid, side: Side, channel: super::machine::Channel) -> bool {
        let Some(promises) = &self.program.promises else { return false };
        let mut others = self.program.pids(state.words()).filter(|other| *other != me);
        others.any(|other| {
            let declared = &promises.declared[self.program.proctype(state.words(), other)];
            let mut own = declared.iter().filter(|(of, _)| *of == side);
            own.any(|(_, entry)| self.denoted(state, other, *entry) == Some(channel))
        })
    }
}

impl<M: Packing> Independence for Interpreter<'_, M> {
    fn reduction(&self) -> &ReductionInfo<'_> {
        self.reduction
    }

    /// A test that fails says nothing: the process is in no ample set.
    fn safe_level(&self, state: &State<M>, pid: Pid, table: Table, counts_pids: bool) -> u8 {
        self.level(state, pid, table, counts_pids).unwrap_or(NEVER)
    }

    fn future(&self, state: &State<M>, pid: Pid) -> &[u64] {
        let Some(stubborn) = self.dependence.and_then(|dependence| dependence.stubborn.as_ref()) else { return &[] };
        let proctype = self.program.proctype(state.words(), pid);
        let Some(of) = entry(&stubborn.future[proctype], pid) else { return &[] };
        &of[self.program.location_in(state.words(), pid, proctype)]
    }

    fn add_dependencies(&self, state: &State<M>, pid: Pid, bit_set: &mut [u64]) {
        let stubborn = self.dependence.and_then(|dependence| dependence.stubborn.as_ref());
        let proctype = self.program.proctype(state.words(), pid);
        let own = stubborn.and_then(|stubborn| entry(&stubborn.dependencies[proctype], pid));
        let own = own.map(|of| &of[self.program.location_in(state.words(), pid, proctype)]);
        if own.is_none_or(|own| self.add(state, pid, own, bit_set).is_err()) {
            bit_set.fill(u64::MAX);
        }
    }

    fn add_part_dependencies(&self, state: &State<M>, part: u32, bit_set: &mut [u64]) {
        let stubborn = self.dependence.and_then(|dependence| dependence.stubborn.as_ref());
        let part = stubborn.and_then(|stubborn| stubborn.parts.get(part as usize));
        if part.is_none_or(|(pid, of)| self.add(state, *pid, of, bit_set).is_err()) {
            bit_set.fill(u64::MAX);
        }
    }

    fn has_promises(&self) -> bool {
        self.program.promises.is_some()
    }

    fn breach(&self, state: &State<M>, pid: Pid) -> Option<(TransitionId, Fault)> {
        let promises = self.program.promises.as_ref()?;
        let proctype = self.program.proctype(state.words(), pid);
        let (_, location) = self.program.process(state.words(), pid);
        let uses = &promises.uses[proctype];
        for &(number, transition) in &location.leaving {
            for (side, entry) in &uses[number] {
                let is_broken = self
                    .denoted(state, pid, *entry)
                    .is_some_and(|channel| self.has_another(state, pid, *side, channel));
                if is_broken {
                    let fault = match side {
                        Side::Send => Fault::ExclusiveSend,
                        Side::Receive => Fault::ExclusiveReceive,
                    };
                    return Some((transition, fault));
                }
            }
        }
        None
    }
}
