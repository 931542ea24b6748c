//! Asks the processor to fetch memory that will be read soon.
//!
//! A look-up in a large table waits for main memory; prefetching sixteen places before reading them waits about once.
//! The safe twin is the empty function used on other processors: a prefetch affects only speed.

/// Prefetches element `index` of `slice`. Any index is fine.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let address = slice.as_ptr().wrapping_add(index).cast::<i8>();
    // SAFETY: the instruction is part of every x86-64 and never faults, whatever the address; nothing is read.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
}

#[cfg(any(not(target_arch = "x86_64"), miri))]
#[inline]
pub(crate) fn prefetch<T>(_slice: &[T], _index: usize) {}
