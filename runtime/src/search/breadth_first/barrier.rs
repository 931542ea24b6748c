//! A barrier that sums up numbers of all threads. No thread waits at it once the search is over.

use super::sync::{AtomicUsize, Backoff, Held, Mutex, Ordering, PoisonError, Rank};

/// What the barrier needs to know of a worker.
pub(super) trait Waiter {
    /// Whether the search is over. Called all the time, so it only reads a flag.
    fn is_over(&self) -> bool;

    /// Checks limits and signals, if that is the task of this worker. Called now and then.
    fn tick(&mut self);

    /// Ends the search for lack of memory.
    fn out_of_memory(&mut self);
}

pub(super) struct Barrier {
    n_threads: usize,
    state: Mutex<State>,
    /// The number of completed meetings.
    n_meetings: AtomicUsize,
}

#[derive(Default)]
struct State {
    n_here: usize,
    sums: Sums,
    /// The sums of the last meeting. They stay until all threads have come again, so that no thread can miss them.
    last_sums: Sums,
}

/// The most numbers that are summed up at once.
type Sums = [u64; 10];

impl Barrier {
    pub fn new(n_threads: usize) -> Barrier {
        Barrier { n_threads, state: Mutex::new(State::default()), n_meetings: AtomicUsize::new(0) }
    }

    /// Adds the numbers of this thread, and waits until all threads have done so. Returns the sums, or `None` if the
    /// search is over: then some threads may not have come, and others may have gone on.
    ///
    /// What a thread did before it came happens before all threads go on. That holds for the end of the search, too: if
    /// one thread has ended it before it came, all threads get `None`.
    pub fn wait<const N: usize>(&self, numbers: [u64; N], worker: &mut impl Waiter) -> Option<[u64; N]> {
        const { assert!(N <= size_of::<Sums>() / 8) };
        Held::assert_nothing();
        let before = self.n_meetings.load(Ordering::Acquire);
        if !self.add(&numbers) {
            let mut backoff = Backoff::default();
            while self.n_meetings.load(Ordering::Acquire) == before {
                if worker.is_over() {
                    return None;
                }
                if backoff.wait() {
                    worker.tick();
                }
            }
        }
        let sums = self.with_state(|state| state.last_sums);
        (!worker.is_over()).then(|| std::array::from_fn(|place| sums[place]))
    }

    /// Returns whether this thread is the last to come.
    fn add(&self, numbers: &[u64]) -> bool {
        self.with_state(|state| {
            state.n_here += 1;
            state.sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            let are_all_here = state.n_here == self.n_threads;
            if are_all_here {
                *state = State { last_sums: state.sums, ..State::default() };
                self.n_meetings.fetch_add(1, Ordering::AcqRel);
            }
            are_all_here
        })
    }

    /// A lock that a panic poisoned is taken all the same: the search is over then.
    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let _held = Held::new(Rank::Barrier);
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
