//! The synchronisation primitives of concurrent sets.
//!
//! They are apart from their users, so that a test can replace them: `snapshot-tests/tests/threads.rs` runs `bucket.rs`,
//! `level_stamp.rs`, `numbers.rs` and `phase.rs` in every order that two threads can run in.

pub(super) use crate::backoff::Backoff;
pub(super) use crate::lock::{Held, Rank};
pub(super) use std::hint::spin_loop as spin;
pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
pub(super) use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
