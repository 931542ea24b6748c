//! The post between threads, in the orders in which two can run.
//!
//! The searches themselves are tried with many threads and small parcels (`cargo test -p pmc-runtime`), which meets the
//! orders that happen to happen. Here `loom` runs through all in which a thread is interrupted [a few times](INTERRUPTIONS),
//! and through what the memory model lets it see.

#![expect(dead_code, reason = "the searches use more of it")]

#[path = "../../runtime/src/search/breadth_first/post.rs"]
mod post;

/// Stands for the module of that name beside `post.rs`.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicUsize, Ordering};
    pub(super) use loom::sync::{Mutex, MutexGuard};
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

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use post::Post;
use sync::Patience;

/// A thread that waits lets the other one run; beside that it is interrupted at most so often. Few mistakes need more.
const INTERRUPTIONS: usize = 3;

/// What a thread receives in a round in which it sends these to the other one: what the worker of the search does.
fn exchange(post: &Post<u32>, me: usize, n_rounds: usize, parcels: &[u32]) -> Vec<u32> {
    for &parcel in parcels {
        post.send(1 - me, parcel);
    }
    post.end_round();
    let mut received = Vec::new();
    loop {
        let is_all = post.have_all_sent(n_rounds);
        if post.has_come(me) {
            received.extend(post.take(me));
        }
        if is_all {
            return received;
        }
        Patience::default().wait();
    }
}

fn in_every_order(run: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(INTERRUPTIONS);
    builder.check(run);
}

/// Runs `work` as both threads of a team.
fn as_both(work: impl Fn(&Post<u32>, usize) + Copy + Send + Sync + 'static) {
    in_every_order(move || {
        let post = Arc::new(Post::new(2));
        let other = {
            let post = Arc::clone(&post);
            loom::thread::spawn(move || work(&post, 1))
        };
        work(&post, 0);
        other.join().expect("a thread that does not panic");
    });
}

#[test]
fn all_that_is_sent_in_a_round_comes_in_it() {
    as_both(|post, me| {
        let received = exchange(post, me, 1, if me == 0 { &[1, 2] } else { &[3] });
        assert_eq!(received, if me == 0 { vec![3] } else { vec![1, 2] });
    });
}

#[test]
fn rounds_do_not_mix_when_all_gather_between_them() {
    as_both(|post, me| {
        for round in 1..=2 {
            let received = exchange(post, me, round, &[10 * round as u32 + me as u32]);
            assert_eq!(received, [10 * round as u32 + 1 - me as u32]);
            let sums = post.gather([round as u64, me as u64], || false, || ());
            assert_eq!(sums, Some([2 * round as u64, 1]));
        }
    });
}

#[test]
fn what_is_confirmed_before_all_gather_is_there_behind() {
    as_both(|post, me| {
        post.confirm(1 - me as u16, &mut vec![me as u64]);
        assert_eq!(post.gather([1], || false, || ()), Some([2]));
        assert_eq!(post.take_confirmed(me as u16), [1 - me as u64]);
    });
}

#[test]
fn who_waits_for_one_that_is_gone_is_let_go() {
    in_every_order(|| {
        let post = Arc::new(Post::<u32>::new(2));
        let is_over = Arc::new(AtomicBool::new(false));
        let other = {
            let is_over = Arc::clone(&is_over);
            loom::thread::spawn(move || is_over.store(true, Ordering::Relaxed))
        };
        assert_eq!(post.gather([1], || is_over.load(Ordering::Relaxed), || ()), None);
        other.join().expect("a thread that does not panic");
    });
}
