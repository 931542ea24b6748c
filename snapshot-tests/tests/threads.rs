//! The gathering of threads at the end of a level, in the orders in which two can run.
//!
//! The searches themselves are tried with many threads and small units (`cargo test -p pmc-runtime`), which meets the
//! orders that happen to happen. Here `loom` runs through all in which a thread is interrupted [a few times](INTERRUPTIONS),
//! and through what the memory model lets it see.

#[path = "../../runtime/src/search/breadth_first/gathering.rs"]
mod gathering;

/// Stands for the module of that name beside `gathering.rs`.
mod sync {
    pub(super) use loom::sync::Mutex;
    pub(super) use loom::sync::atomic::{AtomicUsize, Ordering};
    pub(super) use std::sync::PoisonError;

    #[derive(Default)]
    pub(super) struct Patience(());

    impl Patience {
        pub(super) fn wait(&mut self) -> bool {
            loom::thread::yield_now();
            false
        }
    }
}

use gathering::Gathering;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A thread that waits lets the other one run; beside that it is interrupted at most so often. Few mistakes need more.
const INTERRUPTIONS: usize = 3;

fn in_every_order(run: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(INTERRUPTIONS);
    builder.check(run);
}

/// Runs `work` as both threads of a team. Each has a number that the other one sees.
fn as_both(work: impl Fn(&Gathering, &[AtomicUsize; 2], usize) + Copy + Send + Sync + 'static) {
    in_every_order(move || {
        let shared = Arc::new((Gathering::new(2), [AtomicUsize::new(0), AtomicUsize::new(0)]));
        let other = {
            let shared = Arc::clone(&shared);
            loom::thread::spawn(move || work(&shared.0, &shared.1, 1))
        };
        work(&shared.0, &shared.1, 0);
        other.join().expect("a thread that does not panic");
    });
}

#[test]
fn both_get_the_sums_of_each_time() {
    as_both(|gathering, _, me| {
        for round in 1..=3 {
            let sums = gathering.gather([round, me as u64], || false, || ());
            assert_eq!(sums, Some([2 * round, 1]));
        }
    });
}

#[test]
fn what_was_done_before_is_seen_behind() {
    as_both(|gathering, numbers, me| {
        for round in 1..=2 {
            numbers[me].store(round, Ordering::Relaxed);
            assert!(gathering.gather([0], || false, || ()).is_some());
            assert_eq!(numbers[1 - me].load(Ordering::Relaxed), round);
            // Nobody goes on before the other one has looked.
            assert!(gathering.gather([0], || false, || ()).is_some());
        }
    });
}

#[test]
fn who_waits_for_one_that_is_gone_is_let_go() {
    in_every_order(|| {
        let gathering = Gathering::new(2);
        let is_over = Arc::new(AtomicBool::new(false));
        let other = {
            let is_over = Arc::clone(&is_over);
            loom::thread::spawn(move || is_over.store(true, Ordering::Relaxed))
        };
        assert_eq!(gathering.gather([1], || is_over.load(Ordering::Relaxed), || ()), None);
        other.join().expect("a thread that does not panic");
    });
}
