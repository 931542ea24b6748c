//! States that a thread has taken out of a shard, and their successors on the way into all.
//!
//! There are two for each thread: while the states of one are expanded, what the successors of the other will meet in the
//! shards is fetched from memory.

use super::batch::Batch;
use super::spread::Spread;
use super::unit::Unit;
use crate::pack::Packed;

pub(super) struct Flight<P: Packed, K> {
    pub unit: Unit<P>,
    pub batch: Batch<P, K>,
    pub spread: Spread<P, K>,
}

pub(super) struct Flights<P: Packed, K> {
    /// Whose states are expanded.
    pub departing: Flight<P, K>,
    /// Whose successors are announced, and inserted next. Empty at the beginning and the end of a level.
    pub arriving: Flight<P, K>,
}

impl<P: Packed, K: Copy> Flights<P, K> {
    pub fn new() -> Flights<P, K> {
        let flight = || Flight { unit: Unit::new(), batch: Batch::new(), spread: Spread::new() };
        Flights { departing: flight(), arriving: flight() }
    }
}
