//! Waiting until all threads have come as far.

use super::sync::{AtomicUsize, Mutex, Ordering, Patience, PoisonError};

/// A barrier that adds up numbers.
pub(super) struct Gathering {
    n_threads: usize,
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
type Sums = [u64; 10];

impl Gathering {
    pub fn new(n_threads: usize) -> Gathering {
        Gathering { n_threads, state: Mutex::new(Gathered::default()), n_times: AtomicUsize::new(0) }
    }

    /// Adds this thread's numbers, and waits until all have done so: their sums, or nothing if the search is over.
    /// `meanwhile` is called now and then. What others did before they came is seen behind it.
    pub fn gather<const N: usize>(
        &self,
        numbers: [u64; N],
        is_over: impl Fn() -> bool,
        mut meanwhile: impl FnMut(),
    ) -> Option<[u64; N]> {
        const { assert!(N <= size_of::<Sums>() / 8) };
        let first = |sums: &Sums| std::array::from_fn(|place| sums[place]);
        // A lock that was left by a panic: the search is over anyway.
        let lock = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.n_times.load(Ordering::Acquire);
        {
            let mut state = lock();
            state.n_here += 1;
            state.sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            if state.n_here == self.n_threads {
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
        let state = lock();
        Some(first(&state.last_sums))
    }
}
