//! The set of states seen so far.
//!
//! One verb is at the heart of each store: [`StateStore::insert`]. A new store is a file here, its row in
//! `sound.rs`, and one line that runs the shared tests on it.

mod exact;

pub use exact::ExactStore;

use crate::pack::{OutOfMemory, Packed};

/// The store's answer to an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visited {
    New,
    Seen,
}

pub trait StateStore<P: Packed>: Default + Send {
    /// How reports call it.
    const NAME: &'static str;

    /// Puts a state in unless it is there. The number is that of the state, 0 for the first; numbers never change.
    /// `hash` is `state.hash()`, which callers know already.
    fn insert(&mut self, state: &P, hash: u64) -> Result<(Visited, usize), OutOfMemory>;

    /// The number of a state that is in the store.
    fn find(&self, state: &P, hash: u64) -> Option<usize>;

    /// Copies a state that is in the store.
    fn read(&self, index: usize, into: &mut P);

    fn n_states(&self) -> usize;

    fn memory_bytes(&self) -> u64;

    /// The store answers `OutOfMemory` rather than grow beyond this.
    fn set_memory_limit(&mut self, bytes: u64);

    /// A state with this hash will be inserted soon: first call, some time before the second.
    fn prefetch(&self, hash: u64);

    /// Second call, which may look at what the first one fetched.
    fn prefetch_candidate(&self, hash: u64);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{Bytes, Keyed, Words, Writer};

    fn packed<P: Packed>(value: u32) -> P {
        let mut packed = P::default();
        let mut writer = packed.writer();
        writer.put(value, 32);
        writer.put(value.wrapping_mul(77), 32);
        writer.finish();
        packed
    }

    /// What every store must do, on states of fixed and of growing size.
    fn check_store<P: Packed, S: StateStore<P>>() {
        numbers_follow_the_order_of_insertion::<P, S>();
        growing_loses_nothing::<P, S>();
        a_memory_limit_is_kept::<P, S>();
    }

    fn numbers_follow_the_order_of_insertion<P: Packed, S: StateStore<P>>() {
        let mut store = S::default();
        let mut insert = |value| {
            let state: P = packed(value);
            store.insert(&state, state.hash())
        };
        assert_eq!(insert(10), Ok((Visited::New, 0)));
        assert_eq!(insert(20), Ok((Visited::New, 1)));
        assert_eq!(insert(10), Ok((Visited::Seen, 0)));
        assert_eq!(store.n_states(), 2);
        let find = |value| {
            let state: P = packed(value);
            store.find(&state, state.hash())
        };
        assert_eq!((find(20), find(30)), (Some(1), None));
    }

    fn growing_loses_nothing<P: Packed, S: StateStore<P>>() {
        let mut store = S::default();
        let n = 20_000;
        for round in [Visited::New, Visited::Seen] {
            for value in 0..n {
                let state: P = packed(value);
                let hash = state.hash();
                store.prefetch(hash);
                store.prefetch_candidate(hash);
                assert_eq!(store.insert(&state, hash), Ok((round, value as usize)));
            }
        }
        let mut out = P::default();
        store.read(n as usize - 1, &mut out);
        assert_eq!(out, packed(n - 1));
    }

    fn a_memory_limit_is_kept<P: Packed, S: StateStore<P>>() {
        let mut store = S::default();
        let limit = 200_000;
        store.set_memory_limit(limit);
        let refused = (0..1_000_000).find(|&value| {
            let state: P = packed(value);
            store.insert(&state, state.hash()).is_err()
        });
        assert!(refused.is_some() && store.memory_bytes() <= limit, "{} bytes", store.memory_bytes());
        // What is in the store is still found.
        let state: P = packed(0);
        assert_eq!(store.insert(&state, state.hash()), Ok((Visited::Seen, 0)));
    }

    #[test]
    fn exact_store_with_words() {
        check_store::<Words<1>, ExactStore<Words<1>>>();
        check_store::<Words<3>, ExactStore<Words<3>>>();
    }

    #[test]
    fn exact_store_with_bytes() {
        check_store::<Bytes, ExactStore<Bytes>>();
    }

    #[test]
    fn exact_store_with_keys() {
        check_store::<Keyed<Words<2>>, ExactStore<Keyed<Words<2>>>>();
        check_store::<Keyed<Bytes>, ExactStore<Keyed<Bytes>>>();
    }
}
