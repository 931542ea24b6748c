//! How threads work together: mail, and waiting for each other.
//!
//! Everything is made of locks and counters of the standard library. Locks are held for a moment only, to hand over a
//! parcel of a few hundred states.

use super::shared::Shared;
use crate::pack::{OutOfMemory, Packed, Pool};
use crate::search::patience::Patience;
use crate::system::{Hidden, reserve};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// States in a parcel; few in tests, so that there are many parcels.
const PARCEL: usize = if cfg!(test) { 8 } else { 512 };
/// Who has so many parcels to open gets no more until it has opened some.
const MOST_PARCELS: usize = if cfg!(test) { 2 } else { 64 };
const MOST_SPARE: usize = 16;

/// States that belong to another shard.
pub(super) struct Parcel<P: Packed> {
    /// The shard of their parents.
    pub from: u16,
    pub states: P::Pool,
    pub notes: Vec<Note>,
}

/// What comes with each of them.
#[derive(Clone, Copy)]
pub(super) struct Note {
    pub hash: u64,
    /// Twice the number of the parent, and one more if it asks whether the state is in the next level.
    parent: u64,
    pub ordinal: u32,
    pub hidden: Hidden,
}

impl Note {
    pub fn new(hash: u64, parent: u64, asks: bool, ordinal: u32, hidden: Hidden) -> Note {
        Note { hash, parent: parent << 1 | u64::from(asks), ordinal, hidden }
    }

    pub fn parent(&self) -> u64 {
        self.parent >> 1
    }

    pub fn asks(&self) -> bool {
        self.parent & 1 != 0
    }
}

impl<P: Packed> Parcel<P> {
    fn new(from: u16) -> Parcel<P> {
        Parcel { from, states: P::Pool::default(), notes: Vec::new() }
    }

    fn push(&mut self, state: &P, note: Note) -> Result<(), OutOfMemory> {
        reserve(&mut self.notes)?;
        self.states.push(state)?;
        self.notes.push(note);
        Ok(())
    }
}

/// What the threads share while they work on the same levels.
pub(super) struct Team<P: Packed> {
    desks: Vec<Desk<P>>,
    /// How often somebody has sent all that there was to send in a round.
    n_sent_all: AtomicUsize,
    gathering: Gathering,
}

/// What others leave for a thread.
struct Desk<P: Packed> {
    parcels: Mutex<Vec<Parcel<P>>>,
    n_parcels: AtomicUsize,
    /// Numbers of states of this thread's shard that have a successor in the next level.
    confirmed: Mutex<Vec<u64>>,
}

/// A lock that was left by a panic: the search is over anyway, and a list is always in order.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Packed> Team<P> {
    pub fn new(n_threads: usize) -> Team<P> {
        let desk =
            |_| Desk { parcels: Mutex::new(Vec::new()), n_parcels: AtomicUsize::new(0), confirmed: Mutex::default() };
        Team {
            desks: (0..n_threads).map(desk).collect(),
            n_sent_all: AtomicUsize::new(0),
            gathering: Gathering::default(),
        }
    }

    fn n_threads(&self) -> usize {
        self.desks.len()
    }

    pub fn confirm(&self, shard: u16, numbers: &mut Vec<u64>) {
        lock(&self.desks[usize::from(shard)].confirmed).append(numbers);
    }

    pub fn take_confirmed(&self, shard: u16) -> Vec<u64> {
        std::mem::take(&mut *lock(&self.desks[usize::from(shard)].confirmed))
    }

    /// Adds this thread's numbers, and waits until all have done so: their sums, or nothing if the search is over.
    /// `meanwhile` is called now and then.
    pub fn gather<const N: usize>(
        &self,
        numbers: [u64; N],
        shared: &Shared,
        meanwhile: impl FnMut(),
    ) -> Option<[u64; N]> {
        self.gathering.gather(numbers, self.n_threads(), shared, meanwhile)
    }
}

/// The post of one thread.
pub(super) struct Mail<'t, P: Packed> {
    pub team: &'t Team<P>,
    me: u16,
    outboxes: Vec<Parcel<P>>,
    spare: Vec<Parcel<P>>,
    n_rounds: usize,
}

impl<'t, P: Packed> Mail<'t, P> {
    pub fn new(team: &'t Team<P>, me: u16) -> Mail<'t, P> {
        let outboxes = (0..team.n_threads()).map(|_| Parcel::new(me)).collect();
        Mail { team, me, outboxes, spare: Vec::new(), n_rounds: 0 }
    }

    /// Puts a state into the parcel for its owner. Returns whether the parcel should be sent.
    #[inline]
    pub fn add(&mut self, owner: usize, state: &P, note: Note) -> Result<bool, OutOfMemory> {
        let parcel = &mut self.outboxes[owner];
        parcel.push(state, note)?;
        Ok(parcel.notes.len() >= PARCEL)
    }

    /// Whether there is something for this thread.
    #[inline]
    pub fn has_come(&self) -> bool {
        self.team.desks[usize::from(self.me)].n_parcels.load(Ordering::Acquire) > 0
    }

    pub fn take(&mut self) -> Vec<Parcel<P>> {
        let desk = &self.team.desks[usize::from(self.me)];
        let mut parcels = lock(&desk.parcels);
        desk.n_parcels.store(0, Ordering::Release);
        std::mem::take(&mut *parcels)
    }

    /// A parcel that was opened is used again.
    pub fn keep(&mut self, mut parcel: Parcel<P>) {
        if self.spare.len() < MOST_SPARE {
            parcel.states.truncate(0);
            parcel.notes.clear();
            parcel.from = self.me;
            self.spare.push(parcel);
        }
    }

    /// Whether the owner has enough to do at the moment.
    pub fn is_busy(&self, owner: usize) -> bool {
        self.team.desks[owner].n_parcels.load(Ordering::Relaxed) >= MOST_PARCELS
    }

    pub fn n_threads(&self) -> usize {
        self.outboxes.len()
    }

    /// Sends the parcel for this owner, if there is something in it.
    pub fn send(&mut self, owner: usize) {
        if self.outboxes[owner].notes.is_empty() {
            return;
        }
        let empty = self.spare.pop().unwrap_or_else(|| Parcel::new(self.me));
        let parcel = std::mem::replace(&mut self.outboxes[owner], empty);
        let desk = &self.team.desks[owner];
        let mut parcels = lock(&desk.parcels);
        parcels.push(parcel);
        desk.n_parcels.fetch_add(1, Ordering::Release);
    }

    /// Everything of this round has been sent.
    pub fn end_round(&mut self) {
        self.n_rounds += 1;
        self.team.n_sent_all.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether that is so for all threads: what has come then is all that comes.
    pub fn have_all_sent(&self) -> bool {
        self.team.n_sent_all.load(Ordering::Acquire) >= self.n_rounds * self.outboxes.len()
    }
}

/// A barrier that adds up numbers.
#[derive(Default)]
struct Gathering {
    state: Mutex<Gathered>,
    /// How often all have come together.
    n_times: AtomicUsize,
}

#[derive(Default)]
struct Gathered {
    n_here: usize,
    sums: Sums,
    /// Of the last time. They stay until all have come again, which nobody can miss.
    last_sums: Sums,
}

/// As many as are gathered at once.
type Sums = [u64; 8];

impl Gathering {
    fn gather<const N: usize>(
        &self,
        numbers: [u64; N],
        n_threads: usize,
        shared: &Shared,
        mut meanwhile: impl FnMut(),
    ) -> Option<[u64; N]> {
        const { assert!(N <= size_of::<Sums>() / 8) };
        let first = |sums: &Sums| std::array::from_fn(|place| sums[place]);
        let before = self.n_times.load(Ordering::Acquire);
        {
            let mut state = lock(&self.state);
            state.n_here += 1;
            state.sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            if state.n_here == n_threads {
                let last_sums = state.sums;
                *state = Gathered { last_sums, ..Gathered::default() };
                self.n_times.fetch_add(1, Ordering::AcqRel);
                return Some(first(&last_sums));
            }
        }
        let mut patience = Patience::default();
        while self.n_times.load(Ordering::Acquire) == before {
            if shared.is_over() {
                return None;
            }
            if patience.wait() {
                meanwhile();
            }
        }
        Some(first(&lock(&self.state).last_sums))
    }
}

/// Ends the search for all when a thread panics, since the others would wait for it.
pub(super) struct Watchman<'t>(pub &'t Shared);

impl Drop for Watchman<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Stop;

    #[test]
    fn a_gathering_adds_up_what_each_brings_again_and_again() {
        let shared = Shared::new(4, u64::MAX, u64::MAX, false);
        let gathering = Gathering::default();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (shared, gathering) = (&shared, &gathering);
                scope.spawn(move || {
                    for round in 0..300 {
                        let sums = gathering.gather([round * thread, 1], 4, shared, || ());
                        assert_eq!(sums, Some([round * 6, 4]));
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_when_the_search_is_over() {
        let shared = Shared::new(2, u64::MAX, u64::MAX, false);
        shared.end(Stop::Interrupted);
        assert_eq!(Gathering::default().gather([1], 2, &shared, || ()), None);
    }

    #[test]
    fn a_panic_ends_the_search_for_all() {
        let shared = Shared::new(2, u64::MAX, u64::MAX, false);
        let result = std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _watchman = Watchman(&shared);
                panic!("as the test wants");
            });
            assert_eq!(Gathering::default().gather([1], 2, &shared, || ()), None);
            panics.join()
        });
        assert!(result.is_err() && shared.is_over() && shared.reason().is_none());
    }
}
