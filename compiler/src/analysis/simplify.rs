//! Simplifications for smaller and fewer states, before a search starts.
//!
//! Each of them preserves every verdict, and each can be switched off by itself, to measure it or to compare counts
//! with those of another tool.

/// A simplification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simplification {
    Constants,
    Unread,
    Dead,
    Merge,
    Ticks,
}

impl Simplification {
    pub const ALL: [Self; 5] = [Self::Constants, Self::Unread, Self::Dead, Self::Merge, Self::Ticks];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constants => "constants",
            Self::Unread => "unread",
            Self::Dead => "dead",
            Self::Merge => "merge",
            Self::Ticks => "ticks",
        }
    }

    /// The word that switches it off.
    pub fn opposite(self) -> &'static str {
        match self {
            Self::Constants => "no-constants",
            Self::Unread => "no-unread",
            Self::Dead => "no-dead",
            Self::Merge => "no-merge",
            Self::Ticks => "no-ticks",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Self::Constants => "variables that never change are replaced by their values",
            Self::Unread => "variables on which nothing depends are not stored",
            Self::Dead => "local variables that are not read again are set to 0, timers off",
            Self::Merge => "local steps that no other process observes are merged with the step before",
            Self::Ticks => "ticks up to the next one in which a timer runs out are one step",
        }
    }
}

/// The simplifications that are on; by default all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simplify {
    is_off: [bool; 5],
}

impl Simplify {
    pub const ALL: Self = Self { is_off: [false; 5] };
    /// Every step and every variable stays as it is: counts are those of `spin -o1 -o2 -o3`.
    pub const NONE: Self = Self { is_off: [true; 5] };

    #[must_use]
    pub fn with(mut self, one: Simplification, is_wanted: bool) -> Self {
        self.is_off[one as usize] = !is_wanted;
        self
    }

    pub fn does(self, one: Simplification) -> bool {
        !self.is_off[one as usize]
    }
}

impl Default for Simplify {
    fn default() -> Self {
        Self::ALL
    }
}
