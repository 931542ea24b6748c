//! Tree-compressed states for several threads (A. Laarman, J. van de Pol, M. Weber, *Parallel recursive state compression
//! for free*, 2011).
//!
//! Numbers of words are shared, without locks (`numbers.rs`): a thread computes the pair that represents a state beside all
//! others. The pairs stand in shards, each behind a lock: a thread sorts them by shard, locks each briefly, prefetches for
//! some dozens of pairs, and then inserts them.

use super::super::climb::{Climb, Shape};
use super::super::tree::{check_size, state_bits, which_tree};
use super::super::{PairSet, PlainSet, QuotientSet, StoreOptions, Visited, below, spread};
use super::groups::Groups;
use super::numbers::{NumberTable, Reserve, WordsByNumber};
use super::phase::{Inside, PhaseLock};
use super::pool::Slabs;
use super::sync::{AtomicU64, Ordering};
use super::{Arrivals, ConcurrentSet, Growth, Insertion, MOVED_AT_ONCE, Phased};
use crate::lock::{Lock, Rank};
use crate::memory::OutOfMemory;
use crate::options::Store;
use crate::pack::{Packed, mix};
use crate::zeroed;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;

/// With more shards threads contend less often, with fewer there is more to do in each.
const SHARDS_PER_THREAD: usize = 2;
const FIRST_ENTRIES: usize = if cfg!(test) { 1 << 4 } else { 1 << 9 };

pub struct ConcurrentTree<P> {
    /// Trees for states of up to 1, 2, 4, ... words; only one if all states have the same size.
    trees: PhaseLock<Vec<Tree>>,
    /// The number of trees that are needed.
    n_wanted: AtomicUsize,
    /// The size of all states.
    state_bits: Option<usize>,
    is_compact: bool,
    n_shards: usize,
    /// States that each thread has inserted.
    n_states: Vec<Count>,
    table_bytes: AtomicU64,
    root_bytes: AtomicU64,
    memory_limit: AtomicU64,
    states: PhantomData<fn() -> P>,
}

#[derive(Default)]
#[repr(align(128))]
struct Count(AtomicU64);

/// The tables of a tree, and the pairs that represent states.
pub struct Tree {
    shape: Shape,
    interners: Vec<Interner>,
    shards: Vec<Lock<Roots>>,
}

struct Interner {
    table: NumberTable,
    words: Slabs,
    /// The table before a growth, while it is under way.
    old: Vec<AtomicU64>,
}

enum Roots {
    Plain(PlainSet),
    Compact(QuotientSet),
}

/// The same expression for each kind of roots.
macro_rules! with_roots {
    ($roots:expr, $set:ident => $value:expr) => {
        match $roots {
            Roots::Plain($set) => $value,
            Roots::Compact($set) => $value,
        }
    };
}

impl WordsByNumber for Slabs {
    #[inline]
    fn at(&self, number: u32) -> &AtomicU64 {
        &self.from(number as usize, 1)[0]
    }
}

/// What a thread knows of one tree.
struct Ascent {
    climb: Climb,
    nodes: Vec<NodeMemory>,
}

/// Recent words of a node, and the number that is reserved for the next new one.
struct NodeMemory {
    recent: Box<[(u64, Option<u32>); RECENT]>,
    reserve: Reserve,
}

/// A few words recur again and again; they are near while the table is not.
const RECENT: usize = 64;

/// The part of one thread.
pub struct Climber<P> {
    thread: usize,
    ascents: Vec<Ascent>,
    pairs: Vec<Pair>,
    groups: Groups,
    is_new: Vec<bool>,
    buffer: P,
}

/// A state of the batch.
#[derive(Clone, Copy)]
struct Pair {
    pair: u64,
    /// The shard, counted over all trees.
    group: u16,
}

impl Ascent {
    fn new(shape: Shape) -> Ascent {
        let memory = || NodeMemory { recent: Box::new([(0, None); RECENT]), reserve: Reserve::default() };
        Ascent { climb: Climb::new(shape), nodes: (0..shape.n_nodes()).map(|_| memory()).collect() }
    }

    /// The pair of a state. `None`: a table must grow first.
    #[inline]
    fn pair<P: Packed>(&mut self, state: &P, interners: &[Interner]) -> Option<u64> {
        let nodes = &mut self.nodes;
        let number_of = |node: usize, word: u64| {
            let (memory, hash) = (&mut nodes[node], spread(word));
            let place = hash as usize >> 7 & (RECENT - 1);
            if let (met, Some(number)) = memory.recent[place]
                && met == word
            {
                return Some(number);
            }
            let Interner { table, words, .. } = &interners[node];
            let number = table.number(words, word, hash, &mut memory.reserve)?;
            memory.recent[place] = (word, Some(number));
            Some(number)
        };
        self.climb.root(state, number_of).ok()
    }
}

impl Interner {
    fn new() -> Interner {
        Interner { table: NumberTable::none(), words: Slabs::new(), old: Vec::new() }
    }

    fn memory_bytes(&self) -> u64 {
        let words = NumberTable::room(self.table.n_entries());
        (self.table.n_entries() + self.old.len()) as u64 * 8 + words * 8
    }

    /// Takes a larger table. `admit` decides about so many bytes more.
    fn begin_growth(&mut self, admit: impl Fn(u64) -> bool) -> Result<(), OutOfMemory> {
        let n_entries = (self.table.n_entries() * 2).max(FIRST_ENTRIES);
        let n_words = NumberTable::room(n_entries);
        if n_words >= u64::from(u32::MAX) || !admit(n_entries as u64 * 16) {
            return Err(OutOfMemory);
        }
        let entries = zeroed::common_words(n_entries)?;
        self.words.add_up_to(n_words as usize)?;
        self.old = self.table.replace(entries);
        Ok(())
    }
}

impl<P: Packed> ConcurrentTree<P> {
    fn new_tree(&self, number: usize) -> Tree {
        let widest = if self.is_compact { QuotientSet::WIDEST_WHOLE } else { PlainSet::WIDEST_WHOLE };
        let shape = Shape::new(self.state_bits.unwrap_or(64 << number), widest);
        let roots = || match self.is_compact {
            true => Roots::Compact(QuotientSet::default()),
            false => Roots::Plain(PlainSet::default()),
        };
        let tree = Tree {
            shape,
            interners: (0..shape.n_nodes()).map(|_| Interner::new()).collect(),
            shards: (0..self.n_shards).map(|_| Lock::new(Rank::Shard, roots())).collect(),
        };
        for shard in &tree.shards {
            let bytes = with_roots!(&*shard.lock(), set => set.memory_bytes());
            self.root_bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        tree
    }

    /// The shard of a pair; shards use the hash as well, so it is mixed once more.
    #[inline]
    fn shard_of(&self, pair: u64) -> usize {
        below(mix(spread(pair), 0x5851_f42d_4c95_7f2d), self.n_shards)
    }

    /// Inserts the pairs of one shard.
    fn insert_group(&self, trees: &[Tree], number: usize, climber: &mut Climber<P>) -> Result<(), OutOfMemory> {
        let Climber { pairs, groups, is_new, .. } = climber;
        let group = groups.group(number);
        if group.is_empty() {
            return Ok(());
        }
        let roots = &mut *trees[number / self.n_shards].shards[number % self.n_shards].lock();
        let before = with_roots!(&*roots, set => set.memory_bytes());
        let left = self.memory_limit.load(Ordering::Relaxed).saturating_sub(self.bytes());
        let share = left / (trees.len() * self.n_shards) as u64;
        let result = with_roots!(roots, set => {
            set.set_memory_limit(before.saturating_add(share));
            group.iter().for_each(|&place| set.prefetch(pairs[place as usize].pair));
            group.iter().try_for_each(|&place| {
                is_new[place as usize] = set.insert(pairs[place as usize].pair)? == Visited::New;
                Ok(())
            })
        });
        let after = with_roots!(&*roots, set => set.memory_bytes());
        self.root_bytes.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
        result
    }

    fn bytes(&self) -> u64 {
        self.table_bytes.load(Ordering::Relaxed) + self.root_bytes.load(Ordering::Relaxed)
    }
}

impl<P: Packed> ConcurrentSet<P> for ConcurrentTree<P> {
    const BATCH: usize = 512;
    type Hand = Climber<P>;

    fn new(options: &StoreOptions, n_threads: usize) -> Result<ConcurrentTree<P>, OutOfMemory> {
        Ok(ConcurrentTree {
            trees: PhaseLock::new(Vec::new()),
            n_wanted: AtomicUsize::new(1),
            state_bits: state_bits::<P>(options),
            is_compact: options.store == Store::Compact,
            n_shards: (n_threads * SHARDS_PER_THREAD).min(512),
            n_states: (0..n_threads).map(|_| Count::default()).collect(),
            table_bytes: AtomicU64::new(0),
            root_bytes: AtomicU64::new(0),
            memory_limit: AtomicU64::new(options.memory_limit),
            states: PhantomData,
        })
    }

    fn hand(&self, thread: usize) -> Climber<P> {
        let (groups, buffer) = (Groups::default(), P::default());
        Climber { thread, ascents: Vec::new(), pairs: Vec::new(), groups, is_new: Vec::new(), buffer }
    }

    fn announce(&self, _: &Inside<'_, Vec<Tree>>, _: u64) {}

    fn insert(
        &self,
        trees: &Inside<'_, Vec<Tree>>,
        climber: &mut Climber<P>,
        arrivals: &impl Arrivals<P>,
        positions: Range<usize>,
        mut on_new: impl FnMut(usize) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        let trees: &[Tree] = trees;
        climber.pairs.clear();
        for position in positions.clone() {
            let state = arrivals.state(position, &mut climber.buffer);
            check_size(state, self.state_bits);
            let which = which_tree(state);
            let Some(tree) = trees.get(which) else {
                self.n_wanted.fetch_max(which + 1, Ordering::Relaxed);
                break;
            };
            while climber.ascents.len() <= which {
                climber.ascents.push(Ascent::new(trees[climber.ascents.len()].shape));
            }
            let Some(pair) = climber.ascents[which].pair(state, &tree.interners) else { break };
            climber.pairs.push(Pair { pair, group: (which * self.n_shards + self.shard_of(pair)) as u16 });
        }
        let n_groups = trees.len() * self.n_shards;
        climber.is_new.clear();
        climber.is_new.resize(climber.pairs.len(), false);
        climber.groups.sort(climber.pairs.iter().map(|pair| pair.group), n_groups);
        // Threads begin at different shards, so that they seldom meet.
        let first = climber.thread * SHARDS_PER_THREAD;
        for number in 0..n_groups {
            self.insert_group(trees, (first + number) % n_groups, climber)?;
        }
        let n_new = climber.is_new.iter().filter(|&&is_new| is_new).count() as u64;
        let count = &self.n_states[climber.thread].0;
        count.store(count.load(Ordering::Relaxed) + n_new, Ordering::Relaxed);
        for (position, &is_new) in positions.clone().zip(&climber.is_new) {
            if is_new {
                on_new(position)?;
            }
        }
        let end = positions.start + climber.pairs.len();
        Ok(if end == positions.end { Insertion::Done } else { Insertion::NoRoomFor(end) })
    }

    fn contains(&self, trees: &Inside<'_, Vec<Tree>>, state: &P, _: u64) -> bool {
        let Some(tree) = trees.get(which_tree(state)) else { return false };
        let number_of = |node: usize, word: u64| {
            let Interner { table, words, .. } = &tree.interners[node];
            table.find(words, word, spread(word))
        };
        let Some(pair) = tree.shape.find(state, number_of) else { return false };
        with_roots!(&*tree.shards[self.shard_of(pair)].lock(), set => set.contains(pair))
    }

    fn n_states(&self) -> u64 {
        self.n_states.iter().map(|count| count.0.load(Ordering::Relaxed)).sum()
    }

    fn memory_bytes(&self) -> u64 {
        self.bytes()
    }

    fn set_memory_limit(&self, bytes: u64) {
        self.memory_limit.store(bytes, Ordering::Relaxed);
    }
}

impl<P: Packed> Phased for ConcurrentTree<P> {
    type Inside<'s>
        = Inside<'s, Vec<Tree>>
    where
        P: 's;

    fn enter(&self) -> Inside<'_, Vec<Tree>> {
        self.trees.enter()
    }
}

impl<P: Packed> Growth for ConcurrentTree<P> {
    /// Tables that would be full soon grow now, since all threads have to stop for a growth.
    fn begin_growth(&self, is_over: &dyn Fn() -> bool) -> Result<(), OutOfMemory> {
        let Some(mut trees) = self.trees.between(is_over) else { return Ok(()) };
        while trees.len() < self.n_wanted.load(Ordering::Relaxed) {
            let number = trees.len();
            trees.push(self.new_tree(number));
        }
        if trees.len() * self.n_shards > usize::from(u16::MAX) {
            return Err(OutOfMemory);
        }
        let admit = |n_bytes: u64| self.bytes() + n_bytes <= self.memory_limit.load(Ordering::Relaxed);
        // Places 0 and 1 are no nodes with numbers.
        for interner in trees.iter_mut().flat_map(|tree| tree.interners.iter_mut().skip(2)) {
            if interner.table.is_nearly_full() {
                let before = interner.memory_bytes();
                interner.begin_growth(admit)?;
                self.table_bytes.fetch_add(interner.memory_bytes() - before, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Each thread takes over some parts of each old table.
    fn grow_part(&self, part: usize, n_parts: usize, is_over: &mut dyn FnMut() -> bool) {
        let trees = self.trees.enter();
        for Interner { table, words, old } in trees.iter().flat_map(|tree| &tree.interners) {
            for some in old.chunks(MOVED_AT_ONCE).skip(part).step_by(n_parts) {
                if is_over() {
                    return;
                }
                table.take_over(some, words, spread);
            }
        }
    }

    fn end_growth(&self, is_over: &dyn Fn() -> bool) {
        let Some(mut trees) = self.trees.between(is_over) else { return };
        for interner in trees.iter_mut().flat_map(|tree| &mut tree.interners) {
            self.table_bytes.fetch_sub(interner.old.len() as u64 * 8, Ordering::Relaxed);
            interner.old = Vec::new();
        }
    }
}
