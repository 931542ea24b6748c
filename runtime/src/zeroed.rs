//! Large tables full of zeros.
//!
//! The system hands out zeroed memory, page by page when it is first used. Writing zeros into it would use all of it at
//! once, including parts that a search never reaches: a set of fixed size has 256 MB and more. The safe twin does that.

use crate::huge_pages;
use crate::memory::OutOfMemory;
use std::sync::atomic::AtomicU64;

/// A word of 64 bits: all bits 0 are one.
trait Word: Default {}

impl Word for u64 {}
impl Word for AtomicU64 {}

/// So many words, all 0, in large pages if there are many.
pub(crate) fn words(n: usize) -> Result<Vec<u64>, OutOfMemory> {
    zeros(n).map(in_large_pages)
}

/// The same for words that several threads use.
pub(crate) fn common_words(n: usize) -> Result<Vec<AtomicU64>, OutOfMemory> {
    zeros(n).map(in_large_pages)
}

/// The same in pages of the usual size: that takes less memory if few of the words are used.
pub(crate) fn words_in_small_pages(n: usize) -> Result<Vec<u64>, OutOfMemory> {
    zeros(n)
}

fn in_large_pages<W: Word>(mut words: Vec<W>) -> Vec<W> {
    huge_pages::advise(&mut words);
    words
}

#[cfg(not(miri))]
#[allow(unsafe_code)]
fn zeros<W: Word>(n: usize) -> Result<Vec<W>, OutOfMemory> {
    use std::alloc::{Layout, alloc_zeroed};
    let layout = Layout::array::<W>(n).map_err(|_| OutOfMemory)?;
    if n == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the size of the layout is not 0.
    let first = unsafe { alloc_zeroed(layout) }.cast::<W>();
    if first.is_null() {
        return Err(OutOfMemory);
    }
    // SAFETY: the memory comes from the allocator of vectors, with the layout of a vector of that capacity, and belongs to
    // no other owner; all bits 0 are a word (`Word` is private, both of its kinds are 64 plain bits), so all `n` are there.
    Ok(unsafe { Vec::from_raw_parts(first, n, n) })
}

#[cfg(miri)]
fn zeros<W: Word>(n: usize) -> Result<Vec<W>, OutOfMemory> {
    let mut words = Vec::new();
    words.try_reserve_exact(n)?;
    words.resize_with(n, W::default);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_are_there_and_are_zero() {
        for n in [0, 1, 3, 1 << 20] {
            let mut words = words(n).unwrap();
            assert!(words.len() == n && words.iter().all(|&word| word == 0), "{n} words");
            words.push(7);
            assert_eq!((words.len(), words[n]), (n + 1, 7));
        }
    }

    #[test]
    fn too_many_are_refused() {
        assert_eq!(words(usize::MAX / 4), Err(OutOfMemory));
        assert_eq!(words(isize::MAX as usize / 8), Err(OutOfMemory));
    }
}
