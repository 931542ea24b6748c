//! Which states of a bucket were inserted on the present level of a breadth-first search.
//!
//! The slots of a bucket are filled in order, so those that were filled on the present level are the last ones. A stamp is a
//! level and the first slot that was filled on it. The thread that has locked the bucket writes the stamp before it
//! publishes its state, so a thread that sees the state sees its stamp, or one of the same level.

use super::sync::{AtomicU32, Ordering};

/// The low bits are the slot.
const SLOT_BITS: u32 = 3;

pub(super) struct LevelStamp(AtomicU32);

/// A level of the search. The states of no level at all are never on the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level(pub u32);

impl Level {
    pub const NONE: Level = Level(0);

    /// That of the states at this depth. Beyond some hundred million levels nothing is known, which is a safe answer.
    pub fn new(depth: u64) -> Level {
        Level(u32::try_from(depth + 1).ok().filter(|level| *level < 1 << (32 - SLOT_BITS)).unwrap_or(0))
    }
}

impl LevelStamp {
    pub fn new() -> LevelStamp {
        LevelStamp(AtomicU32::new(0))
    }

    /// A state is about to be published in this slot, by the thread that has locked the bucket.
    #[inline]
    pub fn note(&self, level: Level, slot: usize) {
        if self.0.load(Ordering::Relaxed) >> SLOT_BITS != level.0 {
            self.0.store(level.0 << SLOT_BITS | slot as u32, Ordering::Relaxed);
        }
    }

    /// Whether the state in this slot, which the caller has seen there, was inserted on this level, the present one.
    #[inline]
    pub fn has(&self, level: Level, slot: usize) -> bool {
        let stamp = self.0.load(Ordering::Relaxed);
        level != Level::NONE && stamp >> SLOT_BITS == level.0 && slot as u32 >= stamp & ((1 << SLOT_BITS) - 1)
    }
}
