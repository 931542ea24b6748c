//! What threads of a search do with each other, in the orders in which two can run: gathering at the end of a level, and
//! putting states into the same bucket of a set.
//!
//! The searches themselves are tried with many threads and small units (`cargo test -p pmc-runtime`), which meets the
//! orders that happen to happen. Here `loom` runs through all in which a thread is interrupted [a few times](INTERRUPTIONS),
//! and through what the memory model lets it see.

#[path = "../../runtime/src/store/common/bucket.rs"]
mod bucket;
#[path = "../../runtime/src/search/breadth_first/gathering.rs"]
mod gathering;
#[path = "../../runtime/src/store/tags.rs"]
mod tags;

/// Stands for the modules of that name beside `gathering.rs` and `bucket.rs`.
mod sync {
    pub(super) use loom::sync::Mutex;
    pub(super) use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    pub(super) use loom::thread::yield_now as spin;
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

use bucket::{Bucket, Found};
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

/// Puts a state in unless it is there. Returns whether it is new.
fn insert(bucket: &Bucket<2>, value: u64) -> bool {
    let state = [value, value * 3];
    loop {
        // The same byte of the hash for all, so that all are compared.
        match bucket.look_up(&state, tags::tag(0x77)) {
            Found::Seen => return false,
            Found::Room(tags, slot) if bucket.put(&state, tags::tag(0x77), tags, slot) => return true,
            Found::Room(..) => {}
            Found::Full => unreachable!("there are seven places for three states"),
        }
    }
}

#[test]
fn a_state_that_both_put_in_is_new_for_one_of_them() {
    in_every_order(|| {
        let shared = Arc::new((Bucket::<2>::empty(), AtomicUsize::new(0)));
        let work = |own: u64, (bucket, n_new): &(Bucket<2>, AtomicUsize)| {
            for value in [5, own] {
                if insert(bucket, value) {
                    n_new.fetch_add(1, Ordering::Relaxed);
                }
            }
        };
        let other = {
            let shared = Arc::clone(&shared);
            loom::thread::spawn(move || work(6, &shared))
        };
        work(7, &shared);
        other.join().expect("a thread that does not panic");
        assert_eq!(shared.1.load(Ordering::Relaxed), 3);
        let mut states: Vec<[u64; 2]> = shared.0.states().collect();
        states.sort_unstable();
        assert_eq!(states, [[5, 15], [6, 18], [7, 21]]);
        assert_eq!(shared.0.tags() >> 56, 0, "nobody writes");
    });
}
