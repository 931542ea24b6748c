//! What threads share and wait with.
//!
//! Apart from who uses it, so that others can be put in its place: `snapshot-tests/tests/threads.rs` has `gathering.rs` run
//! in every order that the threads can run in.

pub(super) use crate::patience::Patience;
pub(super) use std::sync::atomic::{AtomicUsize, Ordering};
pub(super) use std::sync::{Mutex, PoisonError};
