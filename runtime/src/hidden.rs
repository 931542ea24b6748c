//! Hidden variables as small numbers.
//!
//! A search keeps the values of hidden variables beside a packed state, as a number that means the same to all systems
//! of one model. Models without such variables pay nothing: there is only one number.
//!
//! A search identifies two states that differ in hidden variables only. [`Known::differs`] detects whether that ever
//! happens, at each arrival, whatever the search and the store.

use crate::lock::{Lock, Locked, Rank};
use crate::memory::{OutOfMemory, reserve};
use std::collections::HashMap;
use std::hash::Hash;

/// The values of all hidden variables in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hidden(u32);

#[cfg(test)]
impl Hidden {
    pub fn numbered(number: u32) -> Hidden {
        Hidden(number)
    }
}

/// Values by number, and numbers by value. Empty if there are no hidden variables; if the type says so already, nothing
/// of it is compiled.
struct ValueTable<H> {
    values: Vec<H>,
    numbers: HashMap<H, Hidden>,
}

impl<H: Clone + Eq + Hash> ValueTable<H> {
    /// Number 0 is the default, the only number in a model without hidden variables.
    fn new(value: H, is_used: bool) -> ValueTable<H> {
        if const { size_of::<H>() == 0 } || !is_used {
            return ValueTable { values: Vec::new(), numbers: HashMap::new() };
        }
        ValueTable { values: vec![value.clone()], numbers: HashMap::from([(value, Hidden(0))]) }
    }

    fn push(&mut self, value: H) -> Result<Hidden, OutOfMemory> {
        let number = Hidden(u32::try_from(self.values.len()).map_err(|_| OutOfMemory)?);
        reserve(&mut self.values)?;
        self.numbers.try_reserve(1)?;
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        Ok(number)
    }
}

/// The hidden variables of each state at its first arrival, by the state's hash. States are divided into parts, so that
/// threads rarely contend. Collisions of hashes only make the answer err towards a difference.
#[derive(Default)]
struct FirstValues {
    first: HashMap<u64, Hidden>,
    /// The values in the first state.
    usual: Option<Hidden>,
}

const N_PARTS: usize = 16;
/// The tables take 36 MB at most.
const MOST_MET: usize = (7 << 18) / N_PARTS;

impl FirstValues {
    /// Whether this state was reached with other values before. Beyond `most` states, whether these differ from the
    /// usual values: if they never do, no state was reached with other values.
    fn differs(&mut self, hash: u64, hidden: Hidden, most: usize) -> bool {
        let usual = *self.usual.get_or_insert(hidden);
        match self.first.get(&hash).copied() {
            Some(first) => first != hidden,
            None if self.first.len() < most && self.first.try_reserve(1).is_ok() => {
                self.first.insert(hash, hidden);
                false
            }
            None => hidden != usual,
        }
    }
}

/// The first values of all states, in parts; empty if there are no hidden variables.
struct Arrivals(Vec<Lock<FirstValues>>);

impl Arrivals {
    fn new(is_used: bool) -> Arrivals {
        let n_parts = if is_used { N_PARTS } else { 0 };
        Arrivals((0..n_parts).map(|_| Lock::new(Rank::Hidden, FirstValues::default())).collect())
    }

    fn differs(&self, hash: u64, hidden: Hidden) -> bool {
        // The low bits select the entry within a part.
        let part = &self.0[(hash >> 60) as usize % N_PARTS];
        part.lock().differs(hash, hidden, MOST_MET)
    }
}

/// The tables that all systems of a model share.
pub(crate) struct Shared<H> {
    /// Whether there are hidden variables. If `H` has no size there are none, whatever stands here.
    is_used: bool,
    values: Lock<ValueTable<H>>,
    arrivals: Arrivals,
}

impl<H: Clone + Default + Eq + Hash> Shared<H> {
    pub fn new(is_used: bool) -> Shared<H> {
        let values = Lock::new(Rank::Hidden, ValueTable::new(H::default(), is_used));
        Shared { is_used, values, arrivals: Arrivals::new(is_used) }
    }

    /// For callers that ask rarely.
    pub fn number(&self, value: H) -> Option<Hidden> {
        if const { size_of::<H>() == 0 } || !self.is_used {
            return Some(Hidden::default());
        }
        let mut table = self.table();
        match table.numbers.get(&value) {
            Some(&number) => Some(number),
            None => table.push(value).ok(),
        }
    }

    /// A table is consistent after each change, so that a panic elsewhere does not invalidate it.
    fn table(&self) -> Locked<'_, ValueTable<H>> {
        self.values.lock()
    }
}

/// A copy of the first numbers in one system, so that it rarely has to lock the shared table.
pub(crate) struct Known<'s, H> {
    shared: &'s Shared<H>,
    own: ValueTable<H>,
}

impl<'s, H: Clone + Default + Eq + Hash> Known<'s, H> {
    pub fn new(shared: &'s Shared<H>) -> Known<'s, H> {
        Known { shared, own: ValueTable::new(H::default(), shared.is_used) }
    }

    #[inline]
    pub fn number(&mut self, value: H) -> Result<Hidden, OutOfMemory> {
        if const { size_of::<H>() == 0 } || !self.shared.is_used {
            return Ok(Hidden::default());
        }
        match self.own.numbers.get(&value) {
            Some(&number) => Ok(number),
            None => self.new_number(value),
        }
    }

    /// Records an arrival at the state with that hash. Returns whether the state was reached with other hidden values
    /// before.
    #[inline]
    pub fn differs(&self, hash: u64, hidden: Hidden) -> bool {
        if const { size_of::<H>() == 0 } || !self.shared.is_used {
            return false;
        }
        self.shared.arrivals.differs(hash, hidden)
    }

    #[inline]
    pub fn value(&mut self, hidden: Hidden) -> H {
        if const { size_of::<H>() == 0 } || !self.shared.is_used {
            return H::default();
        }
        match self.own.values.get(hidden.0 as usize) {
            Some(value) => value.clone(),
            None => self.new_value(hidden),
        }
    }

    #[cold]
    fn new_number(&mut self, value: H) -> Result<Hidden, OutOfMemory> {
        let mut table = self.shared.table();
        let number = match table.numbers.get(&value) {
            Some(&number) => number,
            None => table.push(value)?,
        };
        learn(&mut self.own, &table)?;
        Ok(number)
    }

    #[cold]
    fn new_value(&mut self, hidden: Hidden) -> H {
        let table = self.shared.table();
        // Without memory to copy it, the number is looked up again next time.
        let _ = learn(&mut self.own, &table);
        table.values[hidden.0 as usize].clone()
    }
}

/// Brings `own` up to date.
fn learn<H: Clone + Eq + Hash>(own: &mut ValueTable<H>, all: &ValueTable<H>) -> Result<(), OutOfMemory> {
    for value in &all.values[own.values.len()..] {
        own.push(value.clone())?;
    }
    Ok(())
}

/// The hidden variables of many states, by the number of the state; takes no memory if there are none.
pub(crate) struct HiddenList {
    is_used: bool,
    list: Vec<Hidden>,
}

impl HiddenList {
    pub fn new(is_used: bool) -> HiddenList {
        HiddenList { is_used, list: Vec::new() }
    }

    /// Reserves one more entry, so that the next [`push`](Self::push) cannot fail.
    #[inline]
    pub fn reserve(&mut self) -> Result<(), OutOfMemory> {
        if self.is_used { reserve(&mut self.list) } else { Ok(()) }
    }

    #[inline]
    pub fn push(&mut self, hidden: Hidden) {
        if self.is_used {
            self.list.push(hidden);
        }
    }

    #[inline]
    pub fn get(&self, index: usize) -> Hidden {
        if self.is_used { self.list[index] } else { Hidden::default() }
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.list.capacity() * size_of::<Hidden>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_means_the_same_to_every_system() {
        let shared = Shared::<[i32; 2]>::new(true);
        let (mut one, mut other) = (Known::new(&shared), Known::new(&shared));
        assert_eq!(one.number([0, 0]), Ok(Hidden(0)));
        assert_eq!(one.number([1, 2]), Ok(Hidden(1)));
        assert_eq!(other.number([3, 4]), Ok(Hidden(2)));
        assert_eq!(other.number([1, 2]), Ok(Hidden(1)));
        assert_eq!((one.value(Hidden(2)), other.value(Hidden(1))), ([3, 4], [1, 2]));
    }

    #[test]
    fn a_state_that_is_met_with_other_values_is_noticed_by_any_system() {
        let shared = Shared::<i32>::new(true);
        let (one, other) = (Known::new(&shared), Known::new(&shared));
        assert!(!one.differs(1, Hidden(0)) && !one.differs(2, Hidden(1)) && !one.differs(3 << 60, Hidden(2)));
        assert!(!other.differs(1, Hidden(0)) && !other.differs(2, Hidden(1)));
        assert!(other.differs(1, Hidden(1)) && other.differs(3 << 60, Hidden(0)));
    }

    #[test]
    fn without_room_unusual_values_count_as_different() {
        let mut met = FirstValues::default();
        assert!(!met.differs(1, Hidden(4), 2) && !met.differs(2, Hidden(5), 2));
        assert!(!met.differs(3, Hidden(4), 2) && !met.differs(2, Hidden(5), 2));
        assert!(met.differs(3, Hidden(5), 2) && met.differs(2, Hidden(4), 2));
    }

    #[test]
    fn nothing_hidden_takes_no_room() {
        let shared = Shared::<()>::new(false);
        assert_eq!(Known::new(&shared).number(()), Ok(Hidden::default()));
        // A model that is made at run time has a type for hidden variables also if it has none.
        let shared = Shared::<Vec<u8>>::new(false);
        let mut known = Known::new(&shared);
        assert_eq!((known.number(vec![7]), shared.number(vec![8])), (Ok(Hidden(0)), Some(Hidden(0))));
        assert!(known.value(Hidden(0)).is_empty() && !known.differs(1, Hidden(0)) && !known.differs(1, Hidden(1)));
        assert!(known.own.values.is_empty() && shared.table().values.is_empty());
        let mut list = HiddenList::new(false);
        list.push(Hidden(0));
        assert_eq!((list.get(7), list.memory_bytes()), (Hidden(0), 0));
    }
}
