//! The synchronisation primitives of the search.
//!
//! They are apart from their users, so that a test can replace them: `snapshot-tests/tests/threads.rs` runs
//! `barrier.rs` and `coordinator.rs` in every order that two threads can run in.

pub(super) use crate::backoff::Backoff;
pub(super) use crate::lock::{Held, Rank};
pub(super) use crate::store::concurrent::Growth;
pub(super) use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
pub(super) use std::sync::{Mutex, PoisonError};
