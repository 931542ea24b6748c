//! The word in front of a bucket of states: a tag for each state, one byte of its hash, so that a look-up rarely
//! compares other states; 0 marks a free slot.

/// States in a bucket: with a tag for each and one spare byte, the smallest bucket is a cache line.
pub(super) const SLOTS: usize = 7;

pub(super) const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = ONES << 7;

/// The high bit of each byte that is 0. Bytes above the first such one may be marked by mistake.
#[inline]
pub(super) fn zero_bytes(bytes: u64) -> u64 {
    bytes.wrapping_sub(ONES) & !bytes & HIGHS
}

#[inline]
pub(super) fn tag(hash: u64) -> u8 {
    (hash as u8).max(1)
}
