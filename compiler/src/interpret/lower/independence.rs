//! The tests that reductions ask.

use pmc_runtime::step::Pid;

use super::super::independence::{Dependence, Dependencies, LocationLevels, Shared, StepDependencies, Stubborn};
use super::super::program::Sequence;
use super::Lowering;
use crate::analysis::dependency_classes::ClassSet;
use crate::exec::independence;

impl Lowering<'_> {
    /// Nothing if every state must be fully expanded.
    pub fn dependence(&mut self) -> Option<Dependence> {
        let independence = self.exec.independence.as_ref().ok()?;
        let levels = independence.levels.iter().map(|shared| self.shared(shared, Self::levels)).collect();
        let stubborn = independence.stubborn.as_ref().map(|stubborn| {
            let n_words = stubborn.n_words;
            let future = stubborn
                .future
                .iter()
                .map(|shared| self.shared(shared, |_, of| of.iter().map(|classes| words(classes, n_words)).collect()));
            let future = future.collect();
            let dependencies = stubborn.dependencies.iter().map(|shared| {
                self.shared(shared, |lowering, of| of.iter().map(|it| lowering.dependencies(it, n_words)).collect())
            });
            let dependencies = dependencies.collect();
            let parts = stubborn.splits.iter().flat_map(|split| split.parts.iter().map(move |part| (split.pid, part)));
            let parts = parts.map(|(pid, part)| {
                let pid = Pid(u8::try_from(pid).expect("a pid has eight bits"));
                (pid, self.dependencies(&part.dependencies, n_words))
            });
            Stubborn { future, dependencies, parts: parts.collect() }
        });
        Some(Dependence { levels, stubborn })
    }

    fn shared<T, U>(
        &mut self,
        shared: &[independence::Shared<T>],
        mut lower: impl FnMut(&mut Self, &T) -> U,
    ) -> Vec<Shared<U>> {
        shared.iter().map(|shared| Shared { pids: shared.pids.clone(), of: lower(self, &shared.of) }).collect()
    }

    fn levels(&mut self, levels: &independence::Levels) -> Vec<LocationLevels> {
        let location = |location: &independence::LocationLevels| LocationLevels {
            levels: location.levels,
            raised: location.raised.iter().map(|(test, level)| (Sequence::new(self.test(test)), *level)).collect(),
        };
        levels.locations.iter().map(location).collect()
    }

    fn dependencies(&mut self, of: &independence::Dependencies, n_words: usize) -> Dependencies {
        match of {
            independence::Dependencies::Everything => Dependencies::Everything,
            independence::Dependencies::Some { always, steps } => {
                let step = |step: &independence::StepDependencies| StepDependencies {
                    disabled: step
                        .disabled
                        .iter()
                        .map(|(test, set)| (Sequence::new(self.test(test)), words(set, n_words)))
                        .collect(),
                    enabled: words(&step.enabled, n_words),
                };
                Dependencies::Some { always: words(always, n_words), steps: steps.iter().map(step).collect() }
            }
        }
    }
}

fn words(classes: &ClassSet, n_words: usize) -> Vec<u64> {
    let mut words = classes.words().to_vec();
    words.resize(n_words, 0);
    words
}
