//! Phases: when a concurrent set keeps its form, and when it may grow.
//!
//! During a phase many threads use the set, and it keeps its form; between two phases it may grow. A thread takes part
//! in a phase as long as it has a [`Stay`], a guard that is a local variable of the function that expands: it ends with
//! that function, even by a panic. A thread may block on others only [outside](Stay::outside).

use super::sync::{Backoff, Held, PoisonError, Rank, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::ops::{Deref, DerefMut};

/// A value that threads enter.
pub trait Phased {
    /// Proves that a thread is inside: the form does not change.
    type Inside<'s>
    where
        Self: 's;

    fn enter(&self) -> Self::Inside<'_>;
}

/// The part of one thread in a phase.
pub(crate) struct Stay<'s, S: Phased> {
    set: &'s S,
    /// `None` only while [`Stay::outside`] runs.
    inside: Option<S::Inside<'s>>,
}

impl<'s, S: Phased> Stay<'s, S> {
    pub fn new(set: &'s S) -> Stay<'s, S> {
        Stay { set, inside: Some(set.enter()) }
    }

    #[inline]
    pub fn inside(&mut self) -> &S::Inside<'s> {
        self.inside.get_or_insert_with(|| self.set.enter())
    }

    /// Leaves the phase, waits, and takes part in the next one.
    pub fn outside<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        self.inside = None;
        let result = wait();
        self.inside = Some(self.set.enter());
        result
    }
}

/// A value that threads share during a phase, and that one of them changes between two phases.
pub(super) struct PhaseLock<T>(RwLock<T>);

pub struct Inside<'l, T> {
    guard: RwLockReadGuard<'l, T>,
    _held: Held,
}

pub(super) struct Between<'l, T> {
    guard: RwLockWriteGuard<'l, T>,
    _held: Held,
}

impl<T> PhaseLock<T> {
    pub fn new(value: T) -> PhaseLock<T> {
        PhaseLock(RwLock::new(value))
    }

    /// For one thread, between two phases. All threads have met at the barrier, so the lock is free; but a thread that
    /// saw the end of the search may have left the barrier early, and then nothing is changed any more.
    pub fn between(&self, is_over: &dyn Fn() -> bool) -> Option<Between<'_, T>> {
        let held = Held::new(Rank::Set);
        let mut backoff = Backoff::default();
        loop {
            match self.0.try_write() {
                Ok(guard) => return Some(Between { guard, _held: held }),
                Err(TryLockError::Poisoned(error)) => return Some(Between { guard: error.into_inner(), _held: held }),
                Err(TryLockError::WouldBlock) if is_over() => return None,
                Err(TryLockError::WouldBlock) => _ = backoff.wait(),
            }
        }
    }
}

impl<T> Phased for PhaseLock<T> {
    type Inside<'s>
        = Inside<'s, T>
    where
        T: 's;

    /// Waits for a thread that is [between](PhaseLock::between) two phases; that thread waits for no other.
    #[inline]
    fn enter(&self) -> Inside<'_, T> {
        let held = Held::new(Rank::Set);
        Inside { guard: self.0.read().unwrap_or_else(PoisonError::into_inner), _held: held }
    }
}

impl<T> Deref for Inside<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> Deref for Between<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Between<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}
