//! A packed state with a small number beside it, such as the location of a claim.

use super::{OutOfMemory, Packed, Pool, mix};
use crate::memory::growth;

/// The key takes two bytes beside the state, and stores of states without a key do not pay for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyed<P> {
    /// The state.
    pub packed: P,
    /// The key.
    pub key: u16,
}

impl<P: Packed> Keyed<P> {
    /// The hash of a keyed state, from that of the state alone, so that a state that comes with several keys is hashed
    /// once.
    #[inline]
    pub fn hash_of(hash: u64, key: u16) -> u64 {
        mix(hash, u64::from(key) + 1)
    }
}

/// Writer and reader are those of the state; the key is set apart.
impl<P: Packed> Packed for Keyed<P> {
    type Writer<'a> = P::Writer<'a>;
    type Reader<'a> = P::Reader<'a>;
    type Pool = KeyedPool<P>;

    fn writer(&mut self) -> P::Writer<'_> {
        self.packed.writer()
    }

    fn reader(&self) -> P::Reader<'_> {
        self.packed.reader()
    }

    #[inline]
    fn hash(&self) -> u64 {
        Keyed::<P>::hash_of(self.packed.hash(), self.key)
    }

    fn n_bytes(&self) -> usize {
        self.packed.n_bytes() + size_of::<u16>()
    }

    const WORDS: Option<usize> = match P::WORDS {
        Some(n_words) => Some(n_words + 1),
        None => None,
    };

    fn n_words(&self) -> usize {
        self.packed.n_words() + 1
    }

    /// The key comes first.
    #[inline]
    fn word(&self, index: usize) -> u64 {
        if index == 0 { u64::from(self.key) } else { self.packed.word(index - 1) }
    }

    fn set_words(&mut self, n_words: usize, word: impl Fn(usize) -> u64) {
        self.key = word(0) as u16;
        self.packed.set_words(n_words - 1, |index| word(index + 1));
    }
}

/// Many keyed states, numbered.
pub struct KeyedPool<P: Packed> {
    states: P::Pool,
    keys: Vec<u16>,
}

impl<P: Packed> Default for KeyedPool<P> {
    fn default() -> KeyedPool<P> {
        KeyedPool { states: P::Pool::default(), keys: Vec::new() }
    }
}

impl<P: Packed> Pool<Keyed<P>> for KeyedPool<P> {
    #[inline]
    fn n_states(&self) -> usize {
        self.keys.len()
    }

    #[inline]
    fn push(&mut self, state: &Keyed<P>) -> Result<(), OutOfMemory> {
        if self.keys.len() == self.keys.capacity() {
            self.keys.try_reserve_exact(growth(self.keys.len()))?;
        }
        self.states.push(&state.packed)?;
        self.keys.push(state.key);
        Ok(())
    }

    #[inline]
    fn read(&self, index: usize, into: &mut Keyed<P>) {
        self.states.read(index, &mut into.packed);
        into.key = self.keys[index];
    }

    #[inline]
    fn is_equal(&self, index: usize, state: &Keyed<P>) -> bool {
        self.states.is_equal(index, &state.packed) && self.keys[index] == state.key
    }

    fn truncate(&mut self, n_states: usize) {
        self.states.truncate(n_states);
        self.keys.truncate(n_states);
    }

    fn memory_bytes(&self) -> u64 {
        self.states.memory_bytes() + (self.keys.capacity() * size_of::<u16>()) as u64
    }

    #[inline]
    fn growth_bytes(&self) -> u64 {
        let keys = if self.keys.len() < self.keys.capacity() { 0 } else { growth(self.keys.len()) * size_of::<u16>() };
        self.states.growth_bytes() + keys as u64
    }

    #[inline]
    fn prefetch(&self, index: usize) {
        self.states.prefetch(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Words;

    #[test]
    fn states_with_different_keys_are_different() {
        let [a, b] = [1, 2].map(|key| Keyed { packed: Words([7]), key });
        assert!(a != b && a.hash() != b.hash());
        assert_eq!(a.hash(), Keyed::<Words<1>>::hash_of(a.packed.hash(), 1));
        let mut pool = KeyedPool::default();
        pool.push(&a).unwrap();
        assert!(pool.is_equal(0, &a) && !pool.is_equal(0, &b));
        let mut out = Keyed::default();
        pool.read(0, &mut out);
        assert_eq!((out, pool.n_states()), (a, 1));
    }
}
