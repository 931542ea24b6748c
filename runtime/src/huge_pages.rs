//! Asks the system for large pages under large tables.
//!
//! A table of a gigabyte has a quarter of a million small pages, so that nearly every look-up in it would miss the TLB.
//! With large pages (2 MB) the TLB covers nearly all of it. The safe twin is the empty function used on other systems:
//! the advice affects only speed.

/// Smaller tables do not profit.
#[cfg(all(target_os = "linux", not(miri)))]
const WORTH_IT: usize = 4 << 20;

/// Advises the system to hold the memory of `list`, used or not, in large pages. To be called when the list has just
/// grown.
#[cfg(all(target_os = "linux", not(miri)))]
#[allow(unsafe_code)]
pub(crate) fn advise<T>(list: &mut Vec<T>) {
    use std::ffi::{c_int, c_void};
    const PAGE: usize = 4096;
    const MADV_HUGEPAGE: c_int = 14;
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    let n_bytes = list.capacity() * size_of::<T>();
    if n_bytes < WORTH_IT {
        return;
    }
    // Only whole pages inside the allocation of the list.
    let skipped = list.as_ptr().addr().next_multiple_of(PAGE) - list.as_ptr().addr();
    let length = (n_bytes - skipped) / PAGE * PAGE;
    let address = list.as_mut_ptr().cast::<u8>().wrapping_add(skipped);
    // SAFETY: the range lies inside the allocation of `list`, which is borrowed exclusively; this advice neither
    // changes nor frees memory. If the system has no large pages the call fails, and nothing is lost.
    unsafe { madvise(address.cast(), length, MADV_HUGEPAGE) };
}

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) fn advise<T>(_list: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::advise;

    #[test]
    fn advice_changes_nothing() {
        let mut list: Vec<u32> = (0..3_000_000).collect();
        advise(&mut list);
        assert!(list.iter().zip(0..).all(|(&a, b)| a == b));
        advise(&mut Vec::<()>::new());
    }
}
