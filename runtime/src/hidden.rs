//! Hidden variables as small numbers.
//!
//! A search keeps the values of hidden variables beside a packed state, as a number that means the same to all systems
//! of one model. Models without such variables pay nothing: there is one number.
//!
//! A search takes two states for one that differ in hidden variables only. Whether that ever happened is noticed here,
//! where all arrivals pass, whatever the search and the store: see [`Known::differs`].

use crate::lock::{Lock, Locked, Rank};
use crate::memory::{OutOfMemory, reserve};
use std::collections::HashMap;
use std::hash::Hash;

/// The values of all hidden variables in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Hidden(u32);

#[cfg(test)]
impl Hidden {
    pub fn numbered(number: u32) -> Hidden {
        Hidden(number)
    }
}

/// Values by number, and numbers by value. Empty if there are no hidden variables; if the type says so already, nothing
/// of it is compiled.
struct Table<H> {
    values: Vec<H>,
    numbers: HashMap<H, Hidden>,
}

impl<H: Clone + Eq + Hash> Table<H> {
    /// Number 0 is the default, which is all there is in a model without hidden variables.
    fn new(value: H, is_used: bool) -> Table<H> {
        if const { size_of::<H>() == 0 } || !is_used {
            return Table { values: Vec::new(), numbers: HashMap::new() };
        }
        Table { values: vec![value.clone()], numbers: HashMap::from([(value, Hidden(0))]) }
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

/// The hidden variables of each state when it was first met, by the state's hash: a part of all states, so that threads
/// seldom wait for each other. A few states with the same hash would only make it err towards a difference.
#[derive(Default)]
struct Met {
    first: HashMap<u64, Hidden>,
    /// Of the first state.
    usual: Option<Hidden>,
}

const N_PARTS: usize = 16;
/// The tables take 36 MB at most.
const MOST_MET: usize = (7 << 18) / N_PARTS;

impl Met {
    /// Whether this state was met with other values. Beyond `most` states, whether these are not the usual values: if
    /// they always are, no state was met with others.
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

/// What all systems of a model share.
pub(crate) struct Shared<H> {
    /// Whether there are hidden variables. If `H` has no size there are none, whatever stands here.
    is_used: bool,
    values: Lock<Table<H>>,
    met: [Lock<Met>; N_PARTS],
}

impl<H: Clone + Default + Eq + Hash> Shared<H> {
    pub fn new(is_used: bool) -> Shared<H> {
        let met = std::array::from_fn(|_| Lock::new(Rank::Hidden, Met::default()));
        Shared { is_used, values: Lock::new(Rank::Hidden, Table::new(H::default(), is_used)), met }
    }

    #[inline]
    fn is_used(&self) -> bool {
        size_of::<H>() > 0 && self.is_used
    }

    /// For callers that ask seldom.
    pub fn number(&self, value: H) -> Option<Hidden> {
        if !self.is_used() {
            return Some(Hidden::default());
        }
        let mut table = self.table();
        match table.numbers.get(&value) {
            Some(&number) => Some(number),
            None => table.push(value).ok(),
        }
    }

    /// A table is complete after each change, so one that was left by a panic is as good as any.
    fn table(&self) -> Locked<'_, Table<H>> {
        self.values.lock()
    }
}

/// What one system knows of it: a part of the beginning, so that it seldom has to ask.
pub(crate) struct Known<'s, H> {
    shared: &'s Shared<H>,
    own: Table<H>,
}

impl<'s, H: Clone + Default + Eq + Hash> Known<'s, H> {
    pub fn new(shared: &'s Shared<H>) -> Known<'s, H> {
        Known { shared, own: Table::new(H::default(), shared.is_used) }
    }

    #[inline]
    pub fn number(&mut self, value: H) -> Result<Hidden, OutOfMemory> {
        if !self.shared.is_used() {
            return Ok(Hidden::default());
        }
        match self.own.numbers.get(&value) {
            Some(&number) => Ok(number),
            None => self.new_number(value),
        }
    }

    /// Notes an arrival at the state of that hash. Whether the state was met with other hidden values before.
    #[inline]
    pub fn differs(&self, hash: u64, hidden: Hidden) -> bool {
        if !self.shared.is_used() {
            return false;
        }
        // The low bits choose the place within a part.
        let part = &self.shared.met[(hash >> 60) as usize % N_PARTS];
        part.lock().differs(hash, hidden, MOST_MET)
    }

    #[inline]
    pub fn value(&mut self, hidden: Hidden) -> H {
        if !self.shared.is_used() {
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
        // Without memory to learn it, it is looked up again next time.
        let _ = learn(&mut self.own, &table);
        table.values[hidden.0 as usize].clone()
    }
}

/// Brings `own` up to date.
fn learn<H: Clone + Eq + Hash>(own: &mut Table<H>, all: &Table<H>) -> Result<(), OutOfMemory> {
    for value in &all.values[own.values.len()..] {
        own.push(value.clone())?;
    }
    Ok(())
}

/// The hidden variables of many states, by the number of the state; takes no room when there are none.
pub(crate) struct HiddenList {
    is_used: bool,
    list: Vec<Hidden>,
}

impl HiddenList {
    pub fn new(is_used: bool) -> HiddenList {
        HiddenList { is_used, list: Vec::new() }
    }

    /// Room for one more, so that the next [`push`](Self::push) cannot fail.
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
        let mut met = Met::default();
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
