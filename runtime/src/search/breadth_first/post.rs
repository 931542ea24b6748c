//! The post between threads, and waiting until all have come as far.
//!
//! Everything is made of locks and counters. Locks are held for a moment only, to hand over a parcel of a few hundred
//! states.

use super::sync::{AtomicUsize, Mutex, MutexGuard, Ordering, Patience, PoisonError};

/// What the threads share while they work on the same levels.
pub(super) struct Post<T> {
    desks: Vec<Desk<T>>,
    /// How often somebody has sent all that there was to send in a round.
    n_sent_all: AtomicUsize,
    gathering: Gathering,
}

/// What others leave for a thread.
struct Desk<T> {
    parcels: Mutex<Vec<T>>,
    n_parcels: AtomicUsize,
    /// Numbers of states of this thread's shard that have a successor in the next level.
    confirmed: Mutex<Vec<u64>>,
}

/// A lock that was left by a panic: the search is over anyway, and a list is always in order.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Post<T> {
    pub fn new(n_threads: usize) -> Post<T> {
        let desk = |_| Desk {
            parcels: Mutex::new(Vec::new()),
            n_parcels: AtomicUsize::new(0),
            confirmed: Mutex::new(Vec::new()),
        };
        Post {
            desks: (0..n_threads).map(desk).collect(),
            n_sent_all: AtomicUsize::new(0),
            gathering: Gathering { state: Mutex::new(Gathered::default()), n_times: AtomicUsize::new(0) },
        }
    }

    pub fn n_threads(&self) -> usize {
        self.desks.len()
    }

    pub fn send(&self, owner: usize, parcel: T) {
        let desk = &self.desks[owner];
        let mut parcels = lock(&desk.parcels);
        parcels.push(parcel);
        desk.n_parcels.fetch_add(1, Ordering::Release);
    }

    /// Whether there is something for a thread.
    #[inline]
    pub fn has_come(&self, me: usize) -> bool {
        self.desks[me].n_parcels.load(Ordering::Acquire) > 0
    }

    /// Roughly how many parcels a thread has to open.
    pub fn n_waiting(&self, owner: usize) -> usize {
        self.desks[owner].n_parcels.load(Ordering::Relaxed)
    }

    pub fn take(&self, me: usize) -> Vec<T> {
        let desk = &self.desks[me];
        let mut parcels = lock(&desk.parcels);
        desk.n_parcels.store(0, Ordering::Release);
        std::mem::take(&mut *parcels)
    }

    /// A thread has sent everything of its round.
    pub fn end_round(&self) {
        self.n_sent_all.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether all threads have done so in so many rounds: what has come then is all that comes.
    pub fn have_all_sent(&self, n_rounds: usize) -> bool {
        self.n_sent_all.load(Ordering::Acquire) >= n_rounds * self.n_threads()
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
        is_over: impl Fn() -> bool,
        meanwhile: impl FnMut(),
    ) -> Option<[u64; N]> {
        self.gathering.gather(numbers, self.n_threads(), is_over, meanwhile)
    }
}

/// A barrier that adds up numbers.
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
        is_over: impl Fn() -> bool,
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
            if is_over() {
                return None;
            }
            if patience.wait() {
                meanwhile();
            }
        }
        Some(first(&lock(&self.state).last_sums))
    }
}
