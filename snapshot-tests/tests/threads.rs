//! What threads of a search do with each other, in the orders in which they can run: meeting at the barrier, growing a set,
//! ending a search meanwhile, putting states into the same bucket of a set, and giving numbers to the same words.
//!
//! The searches themselves are tried with many threads and small units (`cargo test -p pmc-runtime`), and as real
//! programs (`stress.rs`), which meets the orders that happen to happen. Here `loom` runs through all in which a thread is
//! interrupted [a few times](INTERRUPTIONS), and through what the memory model lets it see. A wait that never ends is an
//! error there.

#[path = "../../runtime/src/search/breadth_first/barrier.rs"]
mod barrier;
#[path = "../../runtime/src/store/concurrent/bucket.rs"]
mod bucket;
#[path = "../../runtime/src/search/breadth_first/coordinator.rs"]
mod coordinator;
#[path = "../../runtime/src/store/concurrent/level_stamp.rs"]
mod level_stamp;
#[path = "../../runtime/src/store/concurrent/numbers.rs"]
mod numbers;
#[path = "../../runtime/src/store/concurrent/phase.rs"]
mod phase;
#[path = "../../runtime/src/store/tags.rs"]
mod tags;

/// Stands for the modules of that name beside the files above.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
    pub(super) use loom::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
    pub(super) use loom::thread::yield_now as spin;
    pub(super) use std::sync::{PoisonError, TryLockError};

    #[derive(Default)]
    pub(super) struct Backoff(());

    impl Backoff {
        pub(super) fn wait(&mut self) -> bool {
            loom::thread::yield_now();
            false
        }
    }

    /// Ranks are checked where the searches run; here locks are seen to be free.
    pub(super) struct Held;

    pub(super) enum Rank {
        Set,
        Barrier,
    }

    impl Held {
        pub(super) fn new(_: Rank) -> Held {
            Held
        }

        pub(super) fn assert_nothing() {}
    }

    pub struct OutOfMemory;

    pub trait Growth {
        fn begin_growth(&self, is_over: &dyn Fn() -> bool) -> Result<(), OutOfMemory>;
        fn grow_part(&self, part: usize, n_parts: usize, is_over: &mut dyn FnMut() -> bool);
        fn end_growth(&self, is_over: &dyn Fn() -> bool);
    }
}

use barrier::{Barrier, Waiter};
use bucket::{Bucket, BucketSlot};
use coordinator::Coordinator;
use level_stamp::{Level, LevelStamp};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use numbers::{NumberTable, Reserve, WordsByNumber};
use phase::{PhaseLock, Phased, Stay};
use sync::{Growth, OutOfMemory};

/// A thread that waits lets the other one run; beside that it is interrupted at most so often. Few mistakes need more.
const INTERRUPTIONS: usize = 3;

fn in_every_order(run: impl Fn() + Send + Sync + 'static) {
    with_interruptions(INTERRUPTIONS, run);
}

fn with_interruptions(n: usize, run: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(n);
    builder.max_branches = 20_000;
    builder.check(run);
}

/// Runs `work` on two threads.
fn as_both<T: Send + Sync + 'static>(shared: Arc<T>, work: impl Fn(&T, usize) + Copy + Send + Sync + 'static) {
    let other = {
        let shared = Arc::clone(&shared);
        loom::thread::spawn(move || work(&shared, 1))
    };
    work(&shared, 0);
    other.join().expect("a thread that does not panic");
}

/// A worker that only knows whether the search is over.
struct Idle<'o>(&'o AtomicBool);

impl Waiter for Idle<'_> {
    fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn tick(&mut self) {}

    fn out_of_memory(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn both_get_the_sums_of_each_meeting() {
    in_every_order(|| {
        as_both(Arc::new((Barrier::new(2), AtomicBool::new(false))), |(barrier, is_over), me| {
            for round in 1..=3 {
                assert_eq!(barrier.wait([round, me as u64], &mut Idle(is_over)), Some([2 * round, 1]));
            }
        });
    });
}

#[test]
fn what_was_done_before_is_seen_behind() {
    in_every_order(|| {
        let numbers = [AtomicUsize::new(0), AtomicUsize::new(0)];
        as_both(Arc::new((Barrier::new(2), AtomicBool::new(false), numbers)), |(barrier, is_over, numbers), me| {
            for round in 1..=2 {
                numbers[me].store(round, Ordering::Relaxed);
                assert!(barrier.wait([0], &mut Idle(is_over)).is_some());
                assert_eq!(numbers[1 - me].load(Ordering::Relaxed), round);
                // Neither goes on before the other one has looked.
                assert!(barrier.wait([0], &mut Idle(is_over)).is_some());
            }
        });
    });
}

#[test]
fn an_end_before_the_meeting_is_seen_by_both() {
    in_every_order(|| {
        as_both(Arc::new((Barrier::new(2), AtomicBool::new(false))), |(barrier, is_over), me| {
            if me == 1 {
                is_over.store(true, Ordering::Relaxed);
            }
            assert_eq!(barrier.wait([1], &mut Idle(is_over)), None);
        });
    });
}

#[test]
fn a_thread_that_waits_for_one_that_is_gone_is_let_go() {
    in_every_order(|| {
        as_both(Arc::new((Barrier::new(2), AtomicBool::new(false))), |(barrier, is_over), me| match me {
            0 => assert_eq!(barrier.wait([1], &mut Idle(is_over)), None),
            _ => is_over.store(true, Ordering::Relaxed),
        });
    });
}

/// A set that counts how it grows. Each thread may put in one state before it has to.
struct Toy {
    form: PhaseLock<Form>,
    leave: [AtomicUsize; 2],
    n_parts: AtomicUsize,
    has_memory: bool,
}

struct Form {
    n_growths: usize,
    is_growing: bool,
}

impl Phased for Toy {
    type Inside<'s> = phase::Inside<'s, Form>;

    fn enter(&self) -> phase::Inside<'_, Form> {
        self.form.enter()
    }
}

impl Growth for Toy {
    fn begin_growth(&self, is_over: &dyn Fn() -> bool) -> Result<(), OutOfMemory> {
        if !self.has_memory {
            return Err(OutOfMemory);
        }
        let Some(mut form) = self.form.between(is_over) else { return Ok(()) };
        form.n_growths += 1;
        form.is_growing = true;
        self.leave.iter().for_each(|leave| leave.store(1, Ordering::Relaxed));
        self.n_parts.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn grow_part(&self, _: usize, n_parts: usize, is_over: &mut dyn FnMut() -> bool) {
        assert_eq!(n_parts, 2);
        let form = self.form.enter();
        assert!(form.is_growing || is_over(), "a part of nothing");
        self.n_parts.fetch_add(1, Ordering::Relaxed);
    }

    fn end_growth(&self, is_over: &dyn Fn() -> bool) {
        let Some(mut form) = self.form.between(is_over) else { return };
        assert!(self.n_parts.load(Ordering::Relaxed) == 2 || is_over(), "a part is missing");
        form.is_growing = false;
    }
}

/// Two threads with a set, in the middle of a search.
struct Search {
    set: Toy,
    coordinator: Coordinator,
    is_over: AtomicBool,
}

impl Search {
    fn new(has_memory: bool) -> Arc<Search> {
        let set = Toy {
            form: PhaseLock::new(Form { n_growths: 0, is_growing: false }),
            leave: [AtomicUsize::new(1), AtomicUsize::new(1)],
            n_parts: AtomicUsize::new(0),
            has_memory,
        };
        let coordinator = Coordinator::new(2);
        coordinator.start_others();
        Arc::new(Search { set, coordinator, is_over: AtomicBool::new(false) })
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// One thread's part of a level: puts in so many states, and has the set grow where that is needed. `ends_at` says in
    /// front of which one it ends the search. Returns what all have put in.
    fn level(&self, me: usize, n_states: usize, ends_at: Option<usize>) -> Option<u64> {
        let mut worker = Idle(&self.is_over);
        let mut n_done = 0;
        {
            let mut stay = Stay::new(&self.set);
            while n_done < n_states && !self.is_over() {
                if ends_at == Some(n_done) {
                    self.is_over.store(true, Ordering::Relaxed);
                    break;
                }
                assert!(!stay.inside().is_growing || self.is_over(), "a set is used while it grows");
                match self.set.leave[me].load(Ordering::Relaxed) {
                    0 => _ = stay.outside(|| self.coordinator.make_room(&self.set, me, &mut worker)),
                    leave => {
                        self.set.leave[me].store(leave - 1, Ordering::Relaxed);
                        n_done += 1;
                    }
                }
                if self.coordinator.wants_room() {
                    stay.outside(|| self.coordinator.make_room(&self.set, me, &mut worker));
                }
            }
        }
        let numbers = [0, n_done as u64];
        let [_, n_all] = self.coordinator.end_level(numbers, &self.set, me, &mut worker)?;
        Some(n_all)
    }
}

#[test]
fn a_set_grows_while_one_thread_is_at_the_end_of_the_level() {
    in_every_order(|| {
        as_both(Search::new(true), |search, me| {
            assert_eq!(search.level(me, 1 + me, None), Some(3));
            assert_eq!(search.set.enter().n_growths, 1);
        });
    });
}

#[test]
fn both_want_room() {
    in_every_order(|| {
        as_both(Search::new(true), |search, me| {
            assert_eq!(search.level(me, 2, None), Some(4));
            assert_eq!(search.set.enter().n_growths, 1);
        });
    });
}

#[test]
fn a_thread_ends_the_search_while_the_other_wants_room() {
    for ender in 0..2 {
        in_every_order(move || {
            as_both(Search::new(true), move |search, me| {
                let ends_at = (me == ender).then_some(1);
                assert_eq!(search.level(me, 2, ends_at), None);
            });
        });
    }
}

#[test]
fn there_is_no_memory_to_grow() {
    in_every_order(|| {
        as_both(Search::new(false), |search, me| assert_eq!(search.level(me, 1 + me, None), None));
    });
}

/// The fault that once made searches hang: a thread went on to wait for the others while it was still inside.
#[test]
fn growth_does_not_wait_for_a_thread_that_stays_inside_when_the_search_is_over() {
    in_every_order(|| {
        let search = Search::new(true);
        let inside = search.set.enter();
        let other = {
            let search = Arc::clone(&search);
            loom::thread::spawn(move || {
                assert!(search.set.form.between(&|| search.is_over()).is_none());
            })
        };
        search.is_over.store(true, Ordering::Relaxed);
        other.join().expect("a thread that does not panic");
        drop(inside);
    });
}

/// What a signal does, or a thread that panics: it comes at any moment.
#[test]
fn the_search_is_ended_from_outside() {
    with_interruptions(1, || {
        let search = Search::new(true);
        let outside = {
            let search = Arc::clone(&search);
            loom::thread::spawn(move || search.is_over.store(true, Ordering::Relaxed))
        };
        as_both(search, |search, me| {
            let n_all = search.level(me, 1 + me, None);
            assert!(n_all == Some(3) || n_all.is_none() && search.is_over());
        });
        outside.join().expect("a thread that does not panic");
    });
}

/// Whether a state is new, and if not, whether it was put in on the present level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Was {
    New,
    Recent,
    Old,
}

struct Stamped {
    bucket: Bucket<2>,
    stamp: LevelStamp,
}

impl Stamped {
    fn new() -> Stamped {
        Stamped { bucket: Bucket::empty(), stamp: LevelStamp::new() }
    }

    /// Puts a state in unless it is there.
    fn insert(&self, value: u64, level: Level) -> Was {
        let state = [value, value * 3];
        loop {
            // The same byte of the hash for all, so that all are compared.
            match self.bucket.look_up(&state, tags::tag(0x77)) {
                BucketSlot::Seen(slot) if self.stamp.has(level, slot) => return Was::Recent,
                BucketSlot::Seen(_) => return Was::Old,
                BucketSlot::Room(tags, slot) => {
                    let note = || self.stamp.note(level, slot);
                    if self.bucket.put(&state, tags::tag(0x77), (tags, slot), note) {
                        return Was::New;
                    }
                }
                BucketSlot::Full => unreachable!("there are seven places for five states"),
            }
        }
    }
}

#[test]
fn a_state_that_both_put_in_is_new_for_one_of_them() {
    in_every_order(|| {
        let shared = Arc::new((Stamped::new(), AtomicUsize::new(0)));
        let work = |own: u64, (stamped, n_new): &(Stamped, AtomicUsize)| {
            for value in [5, own] {
                if stamped.insert(value, Level::NONE) == Was::New {
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
        let mut states: Vec<[u64; 2]> = shared.0.bucket.states().collect();
        states.sort_unstable();
        assert_eq!(states, [[5, 15], [6, 18], [7, 21]]);
        assert_eq!(shared.0.bucket.tags() >> 56, 0, "nobody writes");
    });
}

#[test]
fn both_know_which_states_are_of_the_present_level() {
    in_every_order(|| {
        let stamped = Stamped::new();
        let [before, now] = [0, 1].map(Level::new);
        assert_eq!([1, 2].map(|value| stamped.insert(value, before)), [Was::New; 2]);
        assert_eq!(stamped.insert(1, before), Was::Recent);
        let both = move |stamped: &Stamped, own: u64| {
            assert_eq!(stamped.insert(2, now), Was::Old);
            assert_ne!(stamped.insert(5, now), Was::Old);
            assert_eq!(stamped.insert(own, now), Was::New);
            assert_eq!([5, own].map(|value| stamped.insert(value, now)), [Was::Recent; 2]);
            assert_eq!(stamped.insert(1, now), Was::Old);
        };
        as_both(Arc::new(stamped), move |stamped, me| both(stamped, 6 + me as u64));
    });
}

/// Words by number, and the numbers that two threads got.
struct Numbered {
    table: NumberTable,
    words: Page,
}

struct Page(Vec<AtomicU64>);

impl WordsByNumber for Page {
    fn at(&self, number: u32) -> &AtomicU64 {
        &self.0[number as usize]
    }
}

/// Similar hashes, so that all words are compared.
fn hash_of(word: u64) -> u64 {
    (1 << 32) | (word / 100)
}

fn free(n: usize) -> Vec<AtomicU64> {
    (0..n).map(|_| AtomicU64::new(0)).collect()
}

impl Numbered {
    fn new(n_entries: usize) -> Numbered {
        let mut table = NumberTable::none();
        assert!(table.is_nearly_full() && table.find(&Page(Vec::new()), 1, 1).is_none());
        assert!(table.replace(free(n_entries)).is_empty());
        Numbered { table, words: Page(free(n_entries)) }
    }

    fn number(&self, word: u64, reserve: &mut Reserve) -> Option<u32> {
        self.table.number(&self.words, word, hash_of(word), reserve)
    }

    fn find(&self, word: u64) -> Option<u32> {
        self.table.find(&self.words, word, hash_of(word))
    }
}

/// Both threads number these words, each in its order; returns what each got.
fn both_number(shared: &Arc<Numbered>, words: [[u64; 2]; 2]) -> [[Option<u32>; 2]; 2] {
    let work = |shared: &Numbered, words: [u64; 2]| {
        let mut reserve = Reserve::default();
        words.map(|word| shared.number(word, &mut reserve))
    };
    let other = {
        let shared = Arc::clone(shared);
        loom::thread::spawn(move || work(&shared, words[1]))
    };
    [work(shared, words[0]), other.join().expect("a thread that does not panic")]
}

#[test]
fn equal_words_get_equal_numbers_from_both() {
    in_every_order(|| {
        let shared = Arc::new(Numbered::new(8));
        let [[five, six], [other_five, seven]] = both_number(&shared, [[5, 6], [5, 7]]);
        assert!(five.is_some() && five == other_five);
        assert!(six.is_some() && seven.is_some() && six != seven && six != five && seven != five);
        for (word, number) in [(5, five), (6, six), (7, seven)] {
            assert_eq!(shared.find(word), number);
        }
        assert_eq!(shared.find(8), None);
        assert!(shared.table.n_numbers() <= 4, "three, and one that a thread reserved");
    });
}

#[test]
fn both_meet_in_opposite_orders() {
    in_every_order(|| {
        let shared = Arc::new(Numbered::new(4));
        let [[five, six], [other_six, other_five]] = both_number(&shared, [[5, 6], [6, 5]]);
        // There are three numbers, of which each thread may reserve one.
        assert!(five.is_some() && five == other_five);
        assert!(six.is_some() && six == other_six && six != five);
    });
}

#[test]
fn without_room_one_of_both_is_told_so() {
    in_every_order(|| {
        let shared = Arc::new(Numbered::new(4));
        assert_eq!([5, 6].map(|word| shared.number(word, &mut Reserve::default())), [Some(0), Some(1)]);
        // One number is left, and each thread brings a new word.
        let [[five, seven], [six, eight]] = both_number(&shared, [[5, 7], [6, 8]]);
        assert_eq!((five, six), (Some(0), Some(1)));
        assert!([seven, eight] == [Some(2), None] || [seven, eight] == [None, Some(2)]);
        assert_eq!((shared.find(7), shared.find(8)), (seven, eight));
        assert!(shared.table.is_nearly_full() && shared.table.n_numbers() == 3);
    });
}

#[test]
fn both_move_their_parts_into_a_larger_table() {
    in_every_order(|| {
        let mut shared = Numbered::new(4);
        let mut reserve = Reserve::default();
        let words = [5, 6, 7];
        let numbers = words.map(|word| shared.number(word, &mut reserve));
        assert_eq!(shared.number(8, &mut reserve), None);
        let old = shared.table.replace(free(8));
        shared.words.0.extend(free(4));
        assert_eq!((shared.table.n_entries(), old.len(), shared.table.n_numbers()), (8, 4, 3));
        let shared = Arc::new((shared, old));
        as_both(Arc::clone(&shared), |(shared, old), me| {
            let half = if me == 0 { &old[..2] } else { &old[2..] };
            shared.table.take_over(half, &shared.words, hash_of);
        });
        assert_eq!(words.map(|word| shared.0.find(word)), numbers);
        assert_eq!(shared.0.number(8, &mut Reserve::default()), Some(3));
    });
}
