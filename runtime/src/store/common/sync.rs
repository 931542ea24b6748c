//! What threads share states with.
//!
//! Apart from who uses it, so that others can be put in its place: `snapshot-tests/tests/threads.rs` has `bucket.rs` filled in
//! every order that two threads can run in.

pub(super) use std::hint::spin_loop as spin;
pub(super) use std::sync::atomic::{AtomicU64, Ordering};
