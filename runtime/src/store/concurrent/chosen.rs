//! Any of the sets for several threads beside the uncompressed one, chosen when a search begins, as `store/chosen.rs`.

use super::super::{ChosenSet, StoreOptions};
use super::{Arrivals, ConcurrentSet, ConcurrentTree, Growth, Insertion, Phased, ShardedSet};
use crate::memory::OutOfMemory;
use crate::omission::Omissions;
use crate::options::Store;
use crate::pack::Packed;
use std::ops::Range;

pub enum ConcurrentChosen<P: Packed> {
    Tree(ConcurrentTree<P>),
    Sharded(ShardedSet<ChosenSet<P>>),
}

pub enum InsideChosen<'s, P: Packed> {
    Tree(<ConcurrentTree<P> as Phased>::Inside<'s>),
    Sharded,
}

pub enum ChosenHand<P: Packed> {
    Tree(<ConcurrentTree<P> as ConcurrentSet<P>>::Hand),
    Sharded(<ShardedSet<ChosenSet<P>> as ConcurrentSet<P>>::Hand),
}

const MIXED_UP: &str = "a set is used by a thread that has entered it";

/// The same expression for each kind of set.
macro_rules! with_set {
    ($chosen:expr, $set:ident => $value:expr) => {
        match $chosen {
            ConcurrentChosen::Tree($set) => $value,
            ConcurrentChosen::Sharded($set) => $value,
        }
    };
}

impl<P: Packed> ConcurrentSet<P> for ConcurrentChosen<P> {
    const BATCH: usize = 512;
    type Hand = ChosenHand<P>;

    fn new(options: &StoreOptions, n_threads: usize) -> Result<ConcurrentChosen<P>, OutOfMemory> {
        match options.store {
            Store::Tree | Store::Compact => ConcurrentTree::new(options, n_threads).map(ConcurrentChosen::Tree),
            _ => ShardedSet::new(options, n_threads).map(ConcurrentChosen::Sharded),
        }
    }

    fn hand(&self, thread: usize) -> ChosenHand<P> {
        match self {
            ConcurrentChosen::Tree(set) => ChosenHand::Tree(set.hand(thread)),
            ConcurrentChosen::Sharded(set) => ChosenHand::Sharded(set.hand(thread)),
        }
    }

    /// None of them prefetches before an insertion.
    fn announce(&self, _: &InsideChosen<'_, P>, _: u64) {}

    fn insert(
        &self,
        inside: &InsideChosen<'_, P>,
        hand: &mut ChosenHand<P>,
        arrivals: &impl Arrivals<P>,
        positions: Range<usize>,
        on_new: impl FnMut(usize) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        match (self, inside, hand) {
            (ConcurrentChosen::Tree(set), InsideChosen::Tree(inside), ChosenHand::Tree(hand)) => {
                set.insert(inside, hand, arrivals, positions, on_new)
            }
            (ConcurrentChosen::Sharded(set), InsideChosen::Sharded, ChosenHand::Sharded(hand)) => {
                set.insert(&(), hand, arrivals, positions, on_new)
            }
            _ => unreachable!("{MIXED_UP}"),
        }
    }

    fn contains(&self, inside: &InsideChosen<'_, P>, state: &P, hash: u64) -> bool {
        match (self, inside) {
            (ConcurrentChosen::Tree(set), InsideChosen::Tree(inside)) => set.contains(inside, state, hash),
            (ConcurrentChosen::Sharded(set), InsideChosen::Sharded) => set.contains(&(), state, hash),
            _ => unreachable!("{MIXED_UP}"),
        }
    }

    fn n_states(&self) -> u64 {
        with_set!(self, set => ConcurrentSet::<P>::n_states(set))
    }

    fn memory_bytes(&self) -> u64 {
        with_set!(self, set => ConcurrentSet::<P>::memory_bytes(set))
    }

    fn set_memory_limit(&self, bytes: u64) {
        with_set!(self, set => ConcurrentSet::<P>::set_memory_limit(set, bytes));
    }

    fn omissions(&self) -> Option<Omissions> {
        with_set!(self, set => ConcurrentSet::<P>::omissions(set))
    }

    fn describe(&self) -> Option<String> {
        with_set!(self, set => ConcurrentSet::<P>::describe(set))
    }
}

impl<P: Packed> Phased for ConcurrentChosen<P> {
    type Inside<'s>
        = InsideChosen<'s, P>
    where
        P: 's;

    fn enter(&self) -> InsideChosen<'_, P> {
        match self {
            ConcurrentChosen::Tree(set) => InsideChosen::Tree(set.enter()),
            ConcurrentChosen::Sharded(_) => InsideChosen::Sharded,
        }
    }
}

impl<P: Packed> Growth for ConcurrentChosen<P> {
    fn begin_growth(&self, is_over: &dyn Fn() -> bool) -> Result<(), OutOfMemory> {
        with_set!(self, set => set.begin_growth(is_over))
    }

    fn grow_part(&self, part: usize, n_parts: usize, is_over: &mut dyn FnMut() -> bool) {
        with_set!(self, set => set.grow_part(part, n_parts, is_over));
    }

    fn end_growth(&self, is_over: &dyn Fn() -> bool) {
        with_set!(self, set => set.end_growth(is_over));
    }
}
