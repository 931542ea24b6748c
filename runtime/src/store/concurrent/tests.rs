//! The contract of every concurrent set, with one thread and with several.

use super::super::TreeSet;
use super::*;
use crate::options::Store;
use crate::pack::{Bytes, Words, Writer};
use crate::toy::Random;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

struct List<P>(Vec<P>);

impl<P: Packed> Arrivals<P> for List<P> {
    fn hash(&self, position: usize) -> u64 {
        self.0[position].hash()
    }

    fn state<'s>(&'s self, position: usize, _: &'s mut P) -> &'s P {
        &self.0[position]
    }
}

fn state<P: Packed>(value: u32) -> P {
    let mut state = P::default();
    let mut writer = state.writer();
    writer.put(value, 32);
    writer.put(value.wrapping_mul(77), 32);
    writer.finish();
    state
}

const N: u32 = 6_000;

/// The same states for each thread, in another order.
fn shuffled(thread: usize) -> Vec<u32> {
    let mut random = Random(thread as u64 + 1);
    let mut values: Vec<u32> = (0..N).collect();
    for place in (1..values.len()).rev() {
        values.swap(place, random.below(place as u64 + 1) as usize);
    }
    values
}

/// What threads need for a barrier.
struct Meeting {
    barrier: Barrier,
    n_threads: usize,
    wants_room: AtomicBool,
    n_busy: AtomicUsize,
}

impl Meeting {
    fn new(n_threads: usize) -> Meeting {
        Meeting {
            barrier: Barrier::new(n_threads),
            n_threads,
            wants_room: AtomicBool::new(false),
            n_busy: AtomicUsize::new(n_threads),
        }
    }

    /// All threads meet; the set grows if one of them needs it. Returns whether any thread has work left.
    fn hold<P: Packed, C: ConcurrentSet<P>>(&self, set: &C, thread: usize) -> bool {
        self.barrier.wait();
        let (must_grow, goes_on) = (self.wants_room.load(Relaxed), self.n_busy.load(Relaxed) > 0);
        self.barrier.wait();
        if must_grow {
            if thread == 0 {
                self.wants_room.store(false, Relaxed);
                set.begin_growth(&|| false).unwrap();
            }
            self.barrier.wait();
            set.grow_part(thread, self.n_threads, &mut || false);
            self.barrier.wait();
            if thread == 0 {
                set.end_growth(&|| false);
            }
            self.barrier.wait();
        }
        goes_on
    }
}

/// Inserts all states, some at a time.
fn insert_all<P: Packed, C: ConcurrentSet<P>>(
    set: &C,
    thread: usize,
    meeting: &Meeting,
    list: &List<P>,
    mut on_fresh: impl FnMut(usize, Freshness),
) {
    let mut hand = set.hand(thread);
    let mut n_done = 0;
    while meeting.hold(set, thread) {
        let end = (n_done + 37).min(list.0.len());
        if n_done == end {
            continue;
        }
        let inside = set.enter();
        (n_done..end).for_each(|position| set.announce(&inside, list.hash(position)));
        let on_fresh = |position: usize, freshness| {
            on_fresh(position, freshness);
            Ok(())
        };
        match set.insert_on_level(&inside, &mut hand, list, n_done..end, on_fresh).unwrap() {
            Insertion::Done => n_done = end,
            Insertion::NoRoomFor(position) => {
                n_done = position;
                meeting.wants_room.store(true, Relaxed);
            }
        }
        if n_done == list.0.len() {
            meeting.n_busy.fetch_sub(1, Relaxed);
        }
    }
}

/// Each state must be new exactly once, for one of the threads.
fn threads_agree<P: Packed, C: ConcurrentSet<P>>(n_threads: usize) {
    threads_agree_with::<P, C>(&StoreOptions::default(), n_threads);
}

fn threads_agree_with<P: Packed, C: ConcurrentSet<P>>(options: &StoreOptions, n_threads: usize) {
    let set = C::new(options, n_threads).unwrap();
    set.begin_growth(&|| false).unwrap();
    set.end_growth(&|| false);
    let news: Vec<AtomicUsize> = (0..N).map(|_| AtomicUsize::new(0)).collect();
    let meeting = Meeting::new(n_threads);
    std::thread::scope(|scope| {
        for thread in 0..n_threads {
            let (set, meeting, news) = (&set, &meeting, &news);
            scope.spawn(move || {
                let values = shuffled(thread);
                let list = List(values.iter().map(|&value| state::<P>(value)).collect());
                insert_all::<P, C>(set, thread, meeting, &list, |position, freshness| {
                    assert_eq!(freshness, Freshness::New, "no reduction asks for levels");
                    news[values[position] as usize].fetch_add(1, Relaxed);
                });
            });
        }
    });
    assert!(news.iter().all(|n| n.load(Relaxed) == 1), "each state is new for one thread");
    assert_eq!(set.n_states(), u64::from(N));
    let inside = set.enter();
    let has = |value| {
        let state: P = state(value);
        set.contains(&inside, &state, state.hash())
    };
    assert!((0..N).all(has) && !has(N));
}

/// On each level all threads insert the states of the level and of the two before it. Only the former are new or recent, for
/// each thread.
fn threads_agree_on_levels<P: Packed, C: ConcurrentSet<P>>(n_threads: usize) {
    const N_LEVELS: u32 = 40;
    const WIDTH: u32 = N / N_LEVELS;
    let set = C::new(&StoreOptions { notes_levels: true, ..StoreOptions::default() }, n_threads).unwrap();
    set.begin_growth(&|| false).unwrap();
    set.end_growth(&|| false);
    let meetings: Vec<Meeting> = (0..N_LEVELS).map(|_| Meeting::new(n_threads)).collect();
    let n_new = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..n_threads {
            let (set, meetings, n_new) = (&set, &meetings, &n_new);
            scope.spawn(move || {
                for (depth, meeting) in (0..).zip(meetings) {
                    // On one level in seven no reduction asks.
                    let is_asked = depth % 7 != 5;
                    set.begin_level(thread, is_asked.then_some(u64::from(depth)));
                    let (begin, end) = (depth * WIDTH, (depth + 1) * WIDTH);
                    let mut values = shuffled(thread);
                    values.retain(|&value| (begin.saturating_sub(2 * WIDTH)..end).contains(&value));
                    let list = List(values.iter().map(|&value| state::<P>(value)).collect());
                    let mut fresh = vec![false; values.len()];
                    insert_all::<P, C>(set, thread, meeting, &list, |position, freshness| {
                        n_new.fetch_add(usize::from(freshness == Freshness::New), Relaxed);
                        fresh[position] = true;
                    });
                    for (&value, is_fresh) in values.iter().zip(fresh) {
                        let is_right =
                            if is_asked { is_fresh == (value >= begin) } else { !is_fresh || value >= begin };
                        assert!(is_right, "{value} on level {depth} of thread {thread}");
                    }
                }
            });
        }
    });
    assert_eq!(n_new.load(Relaxed), N as usize, "each state is new once");
}

/// A set without memory says so, and keeps its limit.
fn memory_is_limited<P: Packed, C: ConcurrentSet<P>>() {
    let limit = 400_000;
    let set = C::new(&StoreOptions { memory_limit: limit, ..StoreOptions::default() }, 2).unwrap();
    set.begin_growth(&|| false).unwrap();
    set.end_growth(&|| false);
    let mut hand = set.hand(0);
    let list = List((0..300_000).map(state::<P>).collect());
    let mut n_done = 0;
    let is_refused = loop {
        match set.insert(&set.enter(), &mut hand, &list, n_done..list.0.len(), |_| Ok(())) {
            Ok(Insertion::Done) => break false,
            Err(OutOfMemory) => break true,
            Ok(Insertion::NoRoomFor(position)) => n_done = position,
        }
        if set.begin_growth(&|| false).is_err() {
            break true;
        }
        set.grow_part(0, 1, &mut || false);
        set.end_growth(&|| false);
    };
    assert!(is_refused && set.memory_bytes() <= limit, "{} bytes", set.memory_bytes());
}

fn check<P: Packed, C: ConcurrentSet<P>>() {
    for n_threads in [1, 2, 3, 7] {
        threads_agree::<P, C>(n_threads);
        if C::KNOWS_LEVELS {
            threads_agree_on_levels::<P, C>(n_threads);
        }
    }
    memory_is_limited::<P, C>();
}

#[test]
fn short_states() {
    check::<Words<1>, ConcurrentWords<1>>();
    check::<Words<2>, ConcurrentWords<2>>();
}

#[test]
fn long_states() {
    check::<Words<3>, ConcurrentWords<3>>();
    check::<Words<9>, ConcurrentWords<9>>();
}

#[test]
fn states_that_grow() {
    check::<Bytes, ConcurrentExact<Bytes>>();
}

#[test]
fn trees() {
    check::<Words<3>, ConcurrentTree<Words<3>>>();
    check::<Words<1>, ConcurrentTree<Words<1>>>();
    check::<Words<9>, ConcurrentTree<Words<9>>>();
    check::<Bytes, ConcurrentTree<Bytes>>();
}

/// The same with the smaller pairs.
#[test]
fn compact_trees() {
    for n_threads in [1, 2, 7] {
        let options = StoreOptions { store: Store::Compact, ..StoreOptions::default() };
        threads_agree_with::<Words<1>, ConcurrentChosen<Words<1>>>(&options, n_threads);
        threads_agree_with::<Words<3>, ConcurrentChosen<Words<3>>>(&options, n_threads);
        threads_agree_with::<Bytes, ConcurrentChosen<Bytes>>(&options, n_threads);
    }
}

#[test]
fn sharded_sets() {
    check::<Words<3>, ShardedSet<TreeSet<Words<3>>>>();
    check::<Words<3>, ConcurrentChosen<Words<3>>>();
    check::<Bytes, ShardedSet<TreeSet<Bytes>>>();
}
