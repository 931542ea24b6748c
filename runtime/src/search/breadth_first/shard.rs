//! A part of the states, chosen by their hash: what is known of them, those that are to be expanded, and where all came
//! from.

use super::shared::Shared;
use super::unit::Unit;
use crate::pack::{OutOfMemory, Packed, mix};
use crate::search::ancestry::{Ancestry, Origin, StateId};
use crate::search::frontier::Frontier;
use crate::store::{StateSet, StoreOptions, Visited};
use crate::system::Hidden;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// The shard that a state belongs to. Sets use the hash as well, so it is mixed once more.
#[inline]
pub(super) fn owner(hash: u64, n_shards: usize) -> usize {
    if n_shards == 1 {
        return 0;
    }
    let mixed = mix(hash, 0x5851_f42d_4c95_7f2d);
    ((u128::from(mixed) * n_shards as u128) >> 64) as usize
}

/// What comes with a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub origin: Origin,
    pub hidden: Hidden,
}

pub(super) struct Shard<P: Packed, S> {
    pub number: u16,
    pub set: S,
    pub frontier: Frontier<P>,
    pub ancestry: Ancestry,
    /// The states that are expanded now, without those that a thread has claimed; those behind them are the next level.
    pub level: Range<u64>,
    pub transitions: u64,
    pub state_bytes: usize,
}

impl<P: Packed, S: StateSet<P>> Shard<P, S> {
    pub fn new(
        number: u16,
        (n_threads, n_shards): (u16, u16),
        store: &StoreOptions,
        has_hidden: bool,
        is_reduced: bool,
    ) -> Result<Shard<P, S>, OutOfMemory> {
        Ok(Shard {
            number,
            set: S::new(&store.share(u64::from(n_shards)))?,
            frontier: Frontier::new(has_hidden, is_reduced, S::KEEPS_STATES),
            ancestry: Ancestry::new(n_threads, n_shards),
            level: 0..0,
            transitions: 0,
            state_bytes: 0,
        })
    }

    /// Puts a state in unless it is there. Nothing is said if it may not, for then the search is over.
    #[inline(always)]
    pub fn insert(
        &mut self,
        state: &P,
        key: S::Key,
        letter: impl FnOnce() -> Letter,
        shared: &Shared,
    ) -> Result<Option<Visited>, OutOfMemory> {
        if shared.limits_states(self.set.n_states())
            && !self.set.contains(state, key)
            && !shared.admits_state(self.set.n_states())
        {
            return Ok(None);
        }
        let visited = self.set.insert(state, key)?;
        self.transitions += 1;
        if visited == Visited::New {
            self.add(state, letter())?;
        }
        Ok(Some(visited))
    }

    /// What there is to do for a state that is new.
    fn add(&mut self, state: &P, letter: Letter) -> Result<(), OutOfMemory> {
        self.ancestry.push(letter.origin)?;
        self.frontier.push(state, letter.hidden)?;
        self.state_bytes = self.state_bytes.max(state.n_bytes());
        Ok(())
    }

    /// Whether a state is in the queue, with this number or a higher one.
    pub fn is_queued(&mut self, state: &P, hash: u64, from: u64) -> bool {
        self.frontier.find(state, hash, self.set.states()).is_some_and(|number| number >= from)
    }

    /// Copies a state that is in the queue.
    #[inline]
    pub fn read(&self, number: u64, into: &mut P) -> Hidden {
        self.frontier.read(number, self.set.states(), into)
    }

    /// The states before this one are done.
    #[inline]
    pub fn release_before(&mut self, number: u64) {
        self.frontier.release_before(number);
    }

    pub fn id(&self, number: u64) -> StateId {
        StateId { number, shard: self.number }
    }

    /// Moves up to so many states of the level into `unit`, from where one thread expands them. Returns whether there are
    /// any.
    pub fn claim(&mut self, n_most: u64, unit: &mut Unit<P>) -> Result<bool, OutOfMemory> {
        let end = self.level.end.min(self.level.start + n_most);
        unit.clear(self.id(self.level.start));
        for number in self.level.start..end {
            let hidden = self.frontier.read(number, self.set.states(), &mut unit.buffer);
            unit.push(hidden)?;
        }
        self.level.start = end;
        self.release_before(end);
        Ok(unit.n_states() > 0)
    }

    /// What has been found while this level was expanded is the next one. Returns how many states that is.
    pub fn advance(&mut self) -> u64 {
        self.release_before(self.level.end);
        self.level = self.level.end..self.frontier.end();
        self.level.end - self.level.start
    }

    fn memory_beside(&self) -> u64 {
        self.frontier.memory_bytes() + self.ancestry.memory_bytes()
    }

    /// Says how large the shard is, and hears how large its set may become.
    pub fn report(&mut self, shared: &Shared) {
        let gauge = shared.gauge(usize::from(self.number));
        gauge.states.store(self.set.n_states(), Relaxed);
        gauge.transitions.store(self.transitions, Relaxed);
        gauge.memory_bytes.store(self.set.memory_bytes() + self.memory_beside(), Relaxed);
        // What is left is shared by all.
        let left = shared.memory_limit.saturating_sub(shared.memory_bytes()) / shared.n_shards() as u64;
        self.set.set_memory_limit(self.set.memory_bytes().saturating_add(left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Words;

    #[test]
    fn states_are_spread_over_the_shards() {
        for n_shards in [1, 2, 3, 5] {
            let mut counts = vec![0; n_shards];
            for value in 0..3_000 {
                counts[owner(Words([value]).hash(), n_shards)] += 1;
            }
            let expected = 3_000 / n_shards;
            assert!(counts.iter().all(|count| (expected * 9 / 10..=expected * 11 / 10).contains(count)), "{counts:?}");
        }
    }
}
