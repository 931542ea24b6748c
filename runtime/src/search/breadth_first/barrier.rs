//! A barrier that adds up numbers. No thread waits at it once the search is over.

use super::sync::{AtomicUsize, Backoff, Held, Mutex, Ordering, PoisonError, Rank};

/// A worker, as far as waiting is concerned.
pub(super) trait Waiter {
    /// Whether the search is over. Asked all the time, so it only looks at a flag.
    fn is_over(&self) -> bool;

    /// Looks at limits and signals, if that is this worker's task. Called now and then.
    fn tick(&mut self);

    /// Ends the search for lack of memory.
    fn out_of_memory(&mut self);
}

pub(super) struct Barrier {
    n_threads: usize,
    state: Mutex<State>,
    /// How often all have met.
    n_meetings: AtomicUsize,
}

#[derive(Default)]
struct State {
    n_here: usize,
    sums: Sums,
    /// Of the last meeting. They stay until all have come again, which no thread can miss.
    last_sums: Sums,
}

/// As many as are added up at once.
type Sums = [u64; 10];

impl Barrier {
    pub fn new(n_threads: usize) -> Barrier {
        Barrier { n_threads, state: Mutex::new(State::default()), n_meetings: AtomicUsize::new(0) }
    }

    /// Adds this thread's numbers, and waits until all threads have done so. Returns the sums, or nothing if the search is
    /// over: then some threads may not have come, and others may have gone on.
    ///
    /// What a thread did before it came is seen by all when they go on. That holds for the end of the search, too: if one
    /// thread has ended it before it came, all get nothing.
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

    /// Returns whether all have come with this thread.
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

    /// A lock that a panic left behind is taken all the same: the search is over then.
    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let _held = Held::new(Rank::Barrier);
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
