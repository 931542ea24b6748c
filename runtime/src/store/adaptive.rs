//! Long states uncompressed while memory allows, and then tree-compressed.
//!
//! An uncompressed insertion takes a third of the time of one into a tree, but for states of hundreds of bytes twenty
//! times the memory. The number of states is not known in advance. So this set begins uncompressed; when the states
//! take a quarter of the available memory, it moves all of them into a tree, once, and inserts later ones there.
//!
//! With [`Store::Exact`] it stays uncompressed.

use super::tree::Root;
use super::{ExactStore, StateSet, StateStore, StoreOptions, TreeSet, Visited};
use crate::memory::OutOfMemory;
use crate::options::Store;
use crate::pack::{Packed, Pool};

pub struct AdaptiveSet<P: Packed> {
    /// `None` once all states are in the tree.
    exact: Option<ExactStore<P>>,
    tree: TreeSet<P>,
    /// The memory that uncompressed states may take before they move; `None` if they never do.
    exact_limit: Option<u64>,
    memory_limit: u64,
    state: P,
}

/// A key that was made before the move holds less than one that was made after it.
#[derive(Clone, Copy)]
pub enum AdaptiveKey {
    Hash(u64),
    Root(Root),
}

impl<P: Packed> AdaptiveSet<P> {
    #[cold]
    fn move_to_tree(&mut self) -> Result<(), OutOfMemory> {
        let Some(exact) = &self.exact else { return Ok(()) };
        self.tree.set_memory_limit(self.memory_limit.saturating_sub(StateStore::memory_bytes(exact)));
        let states = StateSet::states(exact).into_iter();
        for (pool, number) in states.flat_map(|pool| (0..pool.n_states()).map(move |number| (pool, number))) {
            let state = pool.get(number, &mut self.state);
            let key = self.tree.key(state, 0)?;
            self.tree.insert(state, key)?;
        }
        self.exact = None;
        self.tree.set_memory_limit(self.memory_limit);
        Ok(())
    }

    /// The key in the tree, once all states are there.
    fn root(&mut self, state: &P, key: AdaptiveKey) -> Result<Root, OutOfMemory> {
        match key {
            AdaptiveKey::Root(root) => Ok(root),
            AdaptiveKey::Hash(hash) => self.tree.key(state, hash),
        }
    }
}

impl<P: Packed> StateSet<P> for AdaptiveSet<P> {
    const NAME: &'static str = "adaptive";
    const IS_LOSSY: bool = false;
    type Key = AdaptiveKey;

    fn new(options: &StoreOptions) -> Result<Self, OutOfMemory> {
        let memory_limit = options.memory_limit;
        let exact_limit = (options.store != Store::Exact).then_some(memory_limit / 4);
        let exact = StateSet::new(&StoreOptions { memory_limit: exact_limit.unwrap_or(memory_limit), ..*options })?;
        let tree = TreeSet::new(options)?;
        Ok(AdaptiveSet { exact: Some(exact), tree, exact_limit, memory_limit, state: P::default() })
    }

    #[inline]
    fn key(&mut self, state: &P, hash: u64) -> Result<AdaptiveKey, OutOfMemory> {
        match &mut self.exact {
            Some(exact) => StateSet::key(exact, state, hash).map(AdaptiveKey::Hash),
            None => self.tree.key(state, hash).map(AdaptiveKey::Root),
        }
    }

    #[inline]
    fn approach(&self, key: AdaptiveKey) {
        if let (Some(exact), AdaptiveKey::Hash(hash)) = (&self.exact, key) {
            exact.approach(hash);
        }
    }

    #[inline]
    fn insert(&mut self, state: &P, key: AdaptiveKey) -> Result<Visited, OutOfMemory> {
        if let (Some(exact), AdaptiveKey::Hash(hash)) = (&mut self.exact, key) {
            match StateSet::insert(exact, state, hash) {
                Ok(visited) => return Ok(visited),
                Err(OutOfMemory) if self.exact_limit.is_none() => return Err(OutOfMemory),
                Err(OutOfMemory) => self.move_to_tree()?,
            }
        }
        let root = self.root(state, key)?;
        self.tree.insert(state, root)
    }

    fn contains(&mut self, state: &P, key: AdaptiveKey) -> bool {
        if let (Some(exact), AdaptiveKey::Hash(hash)) = (&self.exact, key) {
            return exact.find(state, hash).is_some();
        }
        self.root(state, key).is_ok_and(|root| self.tree.contains(state, root))
    }

    fn n_states(&self) -> u64 {
        self.exact.as_ref().map_or_else(|| self.tree.n_states(), StateSet::n_states)
    }

    fn memory_bytes(&self) -> u64 {
        self.tree.memory_bytes() + self.exact.as_ref().map_or(0, StateStore::memory_bytes)
    }

    fn set_memory_limit(&mut self, bytes: u64) {
        self.memory_limit = bytes;
        match &mut self.exact {
            // Both sets hold states while the move is under way.
            Some(exact) => {
                let limit = self.exact_limit.map_or(bytes, |exact_limit| exact_limit.min(bytes / 2));
                StateStore::set_memory_limit(exact, limit);
            }
            None => self.tree.set_memory_limit(bytes),
        }
    }

    fn describe(&self) -> Option<String> {
        let exact_limit = self.exact_limit.filter(|_| self.exact.is_none())?;
        Some(format!("states moved there when the uncompressed ones took {} MB", exact_limit >> 20))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Words;

    #[test]
    fn nothing_is_lost_when_states_move() {
        let options = StoreOptions { memory_limit: 2 << 20, ..StoreOptions::default() };
        let mut set = AdaptiveSet::<Words<20>>::new(&options).unwrap();
        let state = |value: u64| Words(std::array::from_fn(|word| if word % 7 == 0 { value } else { value % 5 }));
        let waiting: Vec<_> = (0..100).map(|value| set.key(&state(value), state(value).hash()).unwrap()).collect();
        for value in 0..6_000 {
            let key = set.key(&state(value), state(value).hash()).unwrap();
            assert_eq!(set.insert(&state(value), key), Ok(Visited::New));
            assert_eq!(set.n_states(), value + 1);
        }
        assert!(set.describe().is_some() && set.memory_bytes() < 2 << 20, "{}", set.memory_bytes());
        for value in 0..6_000 {
            let key = set.key(&state(value), state(value).hash()).unwrap();
            assert!(set.contains(&state(value), key));
            assert_eq!(set.insert(&state(value), key), Ok(Visited::Seen));
        }
        // Keys that were made before the move.
        for (value, key) in (0..).zip(waiting) {
            assert!(set.contains(&state(value), key));
            assert_eq!(set.insert(&state(value), key), Ok(Visited::Seen));
        }
        assert_eq!(set.n_states(), 6_000);
    }

    #[test]
    fn what_is_to_be_exact_never_moves() {
        let options = StoreOptions { memory_limit: 2 << 20, store: Store::Exact, ..StoreOptions::default() };
        let mut set = AdaptiveSet::<Words<20>>::new(&options).unwrap();
        let mut insert = |value| {
            let state = Words([value; 20]);
            set.key(&state, state.hash()).and_then(|key| set.insert(&state, key))
        };
        let n_fitting = (0..1 << 20).take_while(|&value| insert(value) == Ok(Visited::New)).count();
        assert_eq!((insert(0), insert(1 << 20)), (Ok(Visited::Seen), Err(OutOfMemory)));
        assert!(n_fitting > 4_000 && set.describe().is_none() && set.memory_bytes() <= 2 << 20, "{n_fitting} states");
    }
}
