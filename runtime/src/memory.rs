//! Fallible allocation: growing arrays report failure in place of aborting the process.

/// There is no memory for another state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl From<std::collections::TryReserveError> for OutOfMemory {
    fn from(_: std::collections::TryReserveError) -> OutOfMemory {
        OutOfMemory
    }
}

/// How many more elements to ask for when a growing array of `length` elements is full. The system moves large arrays
/// without copying them, so growing by half is cheap, and pages that are not yet used cost no resident memory.
pub(crate) fn growth(length: usize) -> usize {
    (length / 2).max(256)
}

/// Makes room for one more element.
#[inline]
pub(crate) fn reserve<T>(list: &mut Vec<T>) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() {
        list.try_reserve_exact(growth(list.len()))?;
    }
    Ok(())
}
