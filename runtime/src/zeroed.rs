//! Large tables full of zeros.
//!
//! The system hands out memory that is zero already, page by page when it is used. Writing zeros into it would take all of
//! it at once, also what a search never comes to: a set of fixed size has 256 MB and more. The safe twin does that.

use crate::huge_pages;
use crate::pack::OutOfMemory;

/// So many words, all 0, in large pages where there are many.
pub(crate) fn words(n: usize) -> Result<Vec<u64>, OutOfMemory> {
    let mut words = words_in_small_pages(n)?;
    huge_pages::advise(&mut words);
    Ok(words)
}

/// The same in pages of the usual size: less is taken where few of the words are used.
#[cfg(not(miri))]
#[allow(unsafe_code)]
pub(crate) fn words_in_small_pages(n: usize) -> Result<Vec<u64>, OutOfMemory> {
    use std::alloc::{Layout, alloc_zeroed};
    let layout = Layout::array::<u64>(n).map_err(|_| OutOfMemory)?;
    if n == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the size of the layout is not 0.
    let first = unsafe { alloc_zeroed(layout) }.cast::<u64>();
    if first.is_null() {
        return Err(OutOfMemory);
    }
    // SAFETY: the memory comes from the allocator of vectors, with the layout of a vector of that capacity, and belongs to
    // nobody else; all bits 0 are a word, so all `n` are there.
    Ok(unsafe { Vec::from_raw_parts(first, n, n) })
}

#[cfg(miri)]
pub(crate) fn words_in_small_pages(n: usize) -> Result<Vec<u64>, OutOfMemory> {
    let mut words = Vec::new();
    words.try_reserve_exact(n)?;
    words.resize(n, 0);
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
