//! Widening: makes ranges stop growing.
//!
//! A range that grows in each iteration of a loop would do so forever, or as often as a 32-bit number can. So it grows
//! freely a few times, then to the next constant of the model, since a guard is likely to compare with that, and
//! finally to all values of its type.

use super::cells::{CellContent, Cells};
use super::environment::{Environment, EnvironmentSlot, Slots};
use super::interval::{Range, of_type};

/// Thresholds for a cell's range that keeps growing: the constants of the model, and their neighbours.
pub(super) struct Thresholds(Vec<i64>);

impl Thresholds {
    pub fn new(constants: impl IntoIterator<Item = i64>) -> Self {
        let mut list: Vec<i64> = constants.into_iter().flat_map(|value| [value - 1, value, value + 1]).collect();
        list.sort_unstable();
        list.dedup();
        Self(list)
    }

    /// A range that contains both and does not grow often: after a few times it grows to the next threshold, and then
    /// to all values of the type.
    pub fn widen(&self, old: Range, new: Range, times: u8, all: Range) -> Range {
        let joined = old.join(new);
        if times < JOINS || joined == old {
            return joined;
        }
        let is_last = times >= JOINS + JUMPS;
        let low = if joined.low == old.low {
            old.low
        } else {
            let next = self.0.partition_point(|value| *value <= joined.low).checked_sub(1).map(|n| self.0[n]);
            if is_last { all.low } else { next.unwrap_or(all.low).max(all.low) }
        };
        let high = if joined.high == old.high {
            old.high
        } else {
            let next = self.0.get(self.0.partition_point(|value| *value < joined.high)).copied();
            if is_last { all.high } else { next.unwrap_or(all.high).min(all.high) }
        };
        Range { low, high }
    }
}

/// So often a range grows freely, and then so often to the next threshold.
const JOINS: u8 = 4;
const JUMPS: u8 = 12;

/// The abstract state at one location, and how often each part of it grew.
pub(super) struct JoinPoint<'m> {
    pub environment: Environment<'m>,
    growth: Vec<u8>,
}

impl<'m> JoinPoint<'m> {
    pub fn new(environment: Environment<'m>) -> Self {
        let growth = vec![0; environment.slots.len()];
        Self { environment, growth }
    }

    /// Joins another abstract state. Returns whether the result changed.
    pub fn add(&mut self, other: &Environment<'m>, slots: &Slots, cells: &Cells, thresholds: &Thresholds) -> bool {
        let mut is_news = false;
        let known = &mut self.environment;
        for (n, other) in other.slots.iter().enumerate() {
            if other.is_within(known.slots[n]) {
                continue;
            }
            let all = whole(cells, slots.list[n]);
            known.slots[n] = thresholds.widen(known.slots[n], *other, self.growth[n], all);
            self.growth[n] = self.growth[n].saturating_add(1);
            is_news = true;
        }
        known.elements.retain_mut(|element| {
            let Some(range) = other.element(element.place) else {
                is_news = true;
                return false;
            };
            if range.is_within(element.range) {
                return true;
            }
            is_news = true;
            let all = of_type(cells.list[element.cell].ty);
            element.range = thresholds.widen(element.range, range, element.growth, all);
            element.growth = element.growth.saturating_add(1);
            element.range != all
        });
        is_news
    }
}

/// All that a slot can hold.
fn whole(cells: &Cells, slot: EnvironmentSlot) -> Range {
    if slot.is_shared || cells.list[slot.cell].content == CellContent::Contribution {
        return Range::ANY;
    }
    of_type(cells.list[slot.cell].ty)
}
