//! Insertion of a batch into several shards, which other threads use at the same time.
//!
//! Successors are sorted by shard, so that a thread has to lock each shard for a moment only, and then has some dozens to
//! insert. What the insertion will read is asked for in one visit to a shard and used in the next one. The next one is when
//! the next batch is there: so there is one visit for each batch and shard, and time to fetch all from memory.

use super::batch::Run;
use super::shard::{Shard, owner};
use super::shared::Shared;
use crate::pack::{OutOfMemory, Packed};
use crate::search::patience::Patience;
use crate::store::{StateSet, Visited};
use crate::system::Successors;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// So many successors ahead the sets are told again what comes.
const AHEAD: usize = 16;
/// After one out of so many visits a shard says how large it is. Odd, so that it is each shard's turn.
const REPORTS_IN: u32 = 15;

/// What is known of a batch on its way; kept so that it need not be allocated again.
pub(super) struct Spread<P, K> {
    /// For each successor its shard and its run.
    owners: Vec<u16>,
    runs: Vec<u32>,
    /// The successors of one shard after the other, and where each shard begins.
    order: Vec<u32>,
    begins: Vec<u32>,
    /// In the order of visits, and how many of them have been used.
    keys: Vec<K>,
    n_used: usize,
    /// For each run whether one of its successors is new.
    pub is_fresh: Vec<bool>,
    buffer: P,
    n_visits: u32,
}

impl<P: Packed, K: Copy> Spread<P, K> {
    pub fn new() -> Spread<P, K> {
        Spread {
            owners: Vec::new(),
            runs: Vec::new(),
            order: Vec::new(),
            begins: Vec::new(),
            keys: Vec::new(),
            n_used: 0,
            is_fresh: Vec::new(),
            buffer: P::default(),
            n_visits: 0,
        }
    }

    /// Inserts a batch at once.
    pub fn insert<S: StateSet<P, Key = K>>(
        &mut self,
        successors: &Successors<P>,
        runs: &[Run],
        shards: &[Mutex<Shard<P, S>>],
        shared: &Shared,
    ) -> Result<(), OutOfMemory> {
        self.sort(successors, runs, shards.len());
        for (number, shard) in shards.iter().enumerate() {
            self.announce(successors, number, &mut enter(shard))?;
        }
        let (nothing, nobody) = (&mut Spread::new(), &Successors::new());
        for (number, shard) in shards.iter().enumerate() {
            self.insert_group((successors, runs), (nothing, nobody), number, &mut enter(shard), shared)?;
        }
        Ok(())
    }

    /// Sorts the successors by shard, each shard's in their own order.
    pub fn sort(&mut self, successors: &Successors<P>, runs: &[Run], n_shards: usize) {
        let arrivals = &successors.arrivals;
        self.keys.clear();
        self.n_used = 0;
        self.is_fresh.clear();
        self.is_fresh.resize(runs.len(), false);
        self.runs.clear();
        for (number, run) in runs.iter().enumerate() {
            self.runs.resize(run.end, number as u32);
        }
        self.begins.clear();
        self.begins.resize(n_shards + 1, 0);
        self.owners.clear();
        let begins = &mut self.begins;
        self.owners.extend(arrivals.iter().map(|arrival| {
            let owner = owner(arrival.hash, n_shards);
            begins[owner] += 1;
            owner as u16
        }));
        // Counts become ends, and then, from the last successor to the first, begins.
        let mut end = 0;
        for begin in &mut self.begins {
            end += *begin;
            *begin = end;
        }
        self.order.resize(arrivals.len(), 0);
        for (position, &owner) in self.owners.iter().enumerate().rev() {
            let begin = &mut self.begins[usize::from(owner)];
            *begin -= 1;
            self.order[*begin as usize] = position as u32;
        }
    }

    /// The successors that belong to a shard.
    pub fn group(&self, shard: usize) -> &[u32] {
        group(&self.order, &self.begins, shard)
    }

    /// First part, in a visit to this shard.
    pub fn announce<S: StateSet<P, Key = K>>(
        &mut self,
        successors: &Successors<P>,
        number: usize,
        shard: &mut Shard<P, S>,
    ) -> Result<(), OutOfMemory> {
        let Spread { order, begins, keys, buffer, .. } = self;
        for &position in group(order, begins, number) {
            keys.push(key(successors, position, buffer, shard)?);
        }
        Ok(())
    }

    /// Second part, in a later one, and the first part for the batch behind. They take turns, since a processor that is asked
    /// for too much at once forgets some of it. Shards are visited in the same order both times.
    pub fn insert_group<S: StateSet<P, Key = K>>(
        &mut self,
        (successors, runs): (&Successors<P>, &[Run]),
        (behind, next): (&mut Spread<P, K>, &Successors<P>),
        number: usize,
        shard: &mut Shard<P, S>,
        shared: &Shared,
    ) -> Result<(), OutOfMemory> {
        let Spread { order, begins, keys: next_keys, buffer, .. } = behind;
        let mut next_group = group(order, begins, number).iter();
        let group = group(&self.order, &self.begins, number);
        let keys = &self.keys[self.n_used..self.n_used + group.len()];
        self.n_used += group.len();
        keys.iter().take(AHEAD).for_each(|&key| shard.set.approach(key));
        for (place, (&position, &own_key)) in group.iter().zip(keys).enumerate() {
            if let Some(&key) = keys.get(place + AHEAD) {
                shard.set.approach(key);
            }
            if let Some(&position) = next_group.next() {
                next_keys.push(key(next, position, buffer, shard)?);
            }
            let position = position as usize;
            let run_number = self.runs[position] as usize;
            let letter = || {
                let run = &runs[run_number];
                run.letter(position - run.begin, successors.arrivals[position].hidden)
            };
            let state = successors.get(position, &mut self.buffer);
            match shard.insert(state, own_key, letter, shared)? {
                Some(Visited::New) => self.is_fresh[run_number] = true,
                Some(Visited::Seen) => {}
                None => break,
            }
        }
        for &position in next_group {
            next_keys.push(key(next, position, buffer, shard)?);
        }
        self.n_visits = self.n_visits.wrapping_add(1);
        if self.n_visits.is_multiple_of(REPORTS_IN) {
            shard.report(shared);
        }
        Ok(())
    }
}

/// Begins the insertion of a successor.
#[inline]
fn key<P: Packed, S: StateSet<P>>(
    successors: &Successors<P>,
    position: u32,
    buffer: &mut P,
    shard: &mut Shard<P, S>,
) -> Result<S::Key, OutOfMemory> {
    let position = position as usize;
    let hash = successors.arrivals[position].hash;
    if shard.set.key_reads_state() {
        shard.set.key(successors.get(position, buffer), hash)
    } else {
        shard.set.key(buffer, hash)
    }
}

/// Nothing as long as nothing was sorted.
fn group<'s>(order: &'s [u32], begins: &[u32], shard: usize) -> &'s [u32] {
    match begins.get(shard..shard + 2) {
        Some(&[begin, end]) => &order[begin as usize..end as usize],
        _ => &[],
    }
}

/// Locks a shard. Others are in it for a moment only.
pub(super) fn enter<T>(shard: &Mutex<T>) -> MutexGuard<'_, T> {
    let mut patience = Patience::default();
    loop {
        match shard.try_lock() {
            Ok(guard) => return guard,
            // Who panicked there has ended the search.
            Err(TryLockError::Poisoned(error)) => return error.into_inner(),
            Err(TryLockError::WouldBlock) => _ = patience.wait(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Words;
    use crate::search::ancestry::Turn;
    use crate::system::Hidden;

    #[test]
    fn each_shard_gets_its_own_in_their_order() {
        let mut successors = Successors::new();
        for value in 0..500 {
            successors.push(&Words([value]), 1, Ok(Hidden::default()));
        }
        let run = |number: usize| {
            let parent = Turn { number: number as u64, thread: 0 };
            Run { parent, begin: number * 5, end: number * 5 + 5, n_before: 0, has_choice: false }
        };
        let runs: Vec<Run> = (0..100).map(run).collect();
        let mut spread = Spread::<Words<1>, u64>::new();
        for n_shards in [2, 4, 7] {
            spread.sort(&successors, &runs, n_shards);
            assert!((0..500).all(|position| spread.runs[position] as usize == position / 5));
            let mut n_all = 0;
            for shard in 0..n_shards {
                let group = spread.group(shard);
                let is_own = |&position: &u32| owner(successors.arrivals[position as usize].hash, n_shards) == shard;
                assert!(group.is_sorted() && group.iter().all(is_own), "shard {shard} of {n_shards}");
                n_all += group.len();
            }
            assert_eq!(n_all, 500);
        }
    }
}
