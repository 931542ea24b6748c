//! The concurrent set for states of fixed size: short ones stand in the table itself, long ones beside it, as in
//! `store/words_set.rs`.

use super::super::{StoreOptions, WordsSet};
use super::{Arrivals, ConcurrentExact, ConcurrentInline, ConcurrentSet, Freshness, Growth, Insertion, Phased};
use crate::memory::OutOfMemory;
use crate::pack::Words;
use std::ops::Range;

pub enum ConcurrentWords<const N: usize> {
    Short(ConcurrentInline<N>),
    Long(ConcurrentExact<Words<N>>),
}

pub enum InsideWords<'s, const N: usize> {
    Short(<ConcurrentInline<N> as Phased>::Inside<'s>),
    Long(<ConcurrentExact<Words<N>> as Phased>::Inside<'s>),
}

/// The same expression for each kind of set.
macro_rules! with_set {
    ($words:expr, $set:ident => $value:expr) => {
        match $words {
            ConcurrentWords::Short($set) => $value,
            ConcurrentWords::Long($set) => $value,
        }
    };
}

/// The same for a set and a guard of it.
macro_rules! with_inside {
    ($words:expr, $inside:expr, ($set:ident, $own:ident) => $value:expr) => {
        match ($words, $inside) {
            (ConcurrentWords::Short($set), InsideWords::Short($own)) => $value,
            (ConcurrentWords::Long($set), InsideWords::Long($own)) => $value,
            (ConcurrentWords::Short(_) | ConcurrentWords::Long(_), _) => {
                unreachable!("a set is used by a thread that has entered it")
            }
        }
    };
}

impl<const N: usize> ConcurrentSet<Words<N>> for ConcurrentWords<N> {
    const BATCH: usize = 64;
    const KEEPS_STATES: bool = !WordsSet::<N>::IS_SHORT;
    const KNOWS_LEVELS: bool = true;
    type Hand = (usize, Words<N>);

    fn new(options: &StoreOptions, n_threads: usize) -> Result<ConcurrentWords<N>, OutOfMemory> {
        if WordsSet::<N>::IS_SHORT {
            ConcurrentInline::new(options, n_threads).map(ConcurrentWords::Short)
        } else {
            ConcurrentExact::new(options, n_threads).map(ConcurrentWords::Long)
        }
    }

    fn hand(&self, thread: usize) -> (usize, Words<N>) {
        (thread, Words::default())
    }

    fn begin_level(&self, thread: usize, depth: Option<u64>) {
        with_set!(self, set => set.begin_level(thread, depth));
    }

    #[inline]
    fn announce(&self, inside: &InsideWords<'_, N>, hash: u64) {
        with_inside!(self, inside, (set, inside) => set.announce(inside, hash));
    }

    #[inline]
    fn insert(
        &self,
        inside: &InsideWords<'_, N>,
        hand: &mut (usize, Words<N>),
        arrivals: &impl Arrivals<Words<N>>,
        positions: Range<usize>,
        on_new: impl FnMut(usize) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        match (self, inside) {
            (ConcurrentWords::Short(set), InsideWords::Short(inside)) if WordsSet::<N>::IS_SHORT => {
                set.insert(inside, &mut hand.0, arrivals, positions, on_new)
            }
            (ConcurrentWords::Long(set), InsideWords::Long(inside)) if !WordsSet::<N>::IS_SHORT => {
                set.insert(inside, hand, arrivals, positions, on_new)
            }
            (ConcurrentWords::Short(_) | ConcurrentWords::Long(_), _) => {
                unreachable!("a set is used by a thread that has entered it")
            }
        }
    }

    #[inline]
    fn insert_on_level(
        &self,
        inside: &InsideWords<'_, N>,
        hand: &mut (usize, Words<N>),
        arrivals: &impl Arrivals<Words<N>>,
        positions: Range<usize>,
        on_fresh: impl FnMut(usize, Freshness) -> Result<(), OutOfMemory>,
    ) -> Result<Insertion, OutOfMemory> {
        match (self, inside) {
            (ConcurrentWords::Short(set), InsideWords::Short(inside)) if WordsSet::<N>::IS_SHORT => {
                set.insert_on_level(inside, &mut hand.0, arrivals, positions, on_fresh)
            }
            (ConcurrentWords::Long(set), InsideWords::Long(inside)) if !WordsSet::<N>::IS_SHORT => {
                set.insert_on_level(inside, hand, arrivals, positions, on_fresh)
            }
            (ConcurrentWords::Short(_) | ConcurrentWords::Long(_), _) => {
                unreachable!("a set is used by a thread that has entered it")
            }
        }
    }

    fn contains(&self, inside: &InsideWords<'_, N>, state: &Words<N>, hash: u64) -> bool {
        with_inside!(self, inside, (set, inside) => set.contains(inside, state, hash))
    }

    #[inline]
    fn read(&self, thread: usize, number: u64, into: &mut Words<N>) {
        with_set!(self, set => set.read(thread, number, into));
    }

    #[inline]
    fn is_equal(&self, thread: usize, number: u64, state: &Words<N>) -> bool {
        with_set!(self, set => set.is_equal(thread, number, state))
    }

    fn n_states(&self) -> u64 {
        with_set!(self, set => set.n_states())
    }

    fn memory_bytes(&self) -> u64 {
        with_set!(self, set => set.memory_bytes())
    }

    fn set_memory_limit(&self, bytes: u64) {
        with_set!(self, set => set.set_memory_limit(bytes));
    }
}

impl<const N: usize> Phased for ConcurrentWords<N> {
    type Inside<'s> = InsideWords<'s, N>;

    #[inline]
    fn enter(&self) -> InsideWords<'_, N> {
        match self {
            ConcurrentWords::Short(set) => InsideWords::Short(set.enter()),
            ConcurrentWords::Long(set) => InsideWords::Long(set.enter()),
        }
    }
}

impl<const N: usize> Growth for ConcurrentWords<N> {
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
