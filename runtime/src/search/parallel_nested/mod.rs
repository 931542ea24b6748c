//! Nested depth-first search on several threads (Evangelista, Laarman, Petrucci, van de Pol, "Improved multi-core nested
//! depth-first search", 2012).
//!
//! Every thread makes the whole search, each beginning with another successor of a state, and the threads share two colours:
//! a state is *blue* when some thread has backtracked from it, and no other thread enters it any more; it is *red* when some
//! inner search has passed it in vain. The path of a thread, and what its inner search has visited, are its own. An inner
//! search may reach accepting states that other threads have not finished. The order in which those are finished is no
//! thread's post-order, so a thread waits until they are red before its own states become red. No two threads wait for
//! each other: each would have reached the other's state, and so its own path.
//!
//! Fairness is left to searches on one thread. With a reduction the ample set of a state must not depend on which thread
//! reaches it, and when: the cycle proviso is the static one.

mod shared;
mod worker;

use super::control::Control;
use super::lasso::Lasso;
use super::liveness::Question;
use super::{Counts, Searched};
use crate::monitor::Progress;
use crate::options::Liveness;
use crate::pack::Packed;
use crate::search::SearchKind;
use crate::store::{ExactStore, StateStore};
use crate::system::{Product, ProductSystems, ReductionConfig, Tally};
use shared::{Discovery, SharedProduct};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;
use worker::Worker;

/// The time between two checks of the limits.
const TICK: Duration = Duration::from_millis(20);
/// Stack size of a thread: more than usual, since packed states are on it.
const STACK_BYTES: usize = 16 << 20;

/// `None` if the system grants no threads; then nothing has happened.
pub(crate) fn search<'s, P: Packed>(
    systems: &'s dyn ProductSystems<P>,
    config: Option<ReductionConfig<'s>>,
    question: &mut Question<'_, P>,
    n_threads: usize,
    control: &mut Control<'_>,
) -> Option<Searched<'static>> {
    let mut shared = SharedProduct::new(n_threads, question.has_hidden, control.max_states, control.max_depth);
    shared.begin(&question.initial);
    let (shared, wants, observer) = (&shared, control.wants, question.observer);
    let n_at_work = AtomicUsize::new(0);
    let mut tally = Tally::default();
    let n_started = std::thread::scope(|scope| {
        let boss = std::thread::current();
        let _end = EndOnPanic(shared);
        let mut threads = Vec::new();
        for number in 0..n_threads {
            let (boss, n_at_work) = (boss.clone(), &n_at_work);
            let work = move || {
                let _leaving = Leaving { shared, n_at_work, boss };
                let mut worker = Worker::new(
                    number,
                    shared,
                    Box::new(Product::new(systems.product_system(config), observer, wants)),
                );
                worker.run();
                worker.product.tally()
            };
            n_at_work.fetch_add(1, Ordering::Relaxed);
            match start(scope, Box::new(work)) {
                Ok(thread) => threads.push(thread),
                Err(_) => {
                    n_at_work.fetch_sub(1, Ordering::Relaxed);
                    break;
                }
            }
        }
        while n_at_work.load(Ordering::Acquire) > 0 {
            if tick(shared, control) {
                shared.end(None, None);
            }
            std::thread::park_timeout(TICK);
        }
        let n_started = threads.len();
        for thread in threads {
            match thread.join() {
                Ok(noticed) => tally.add(noticed),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        n_started
    });
    if n_started == 0 {
        return None;
    }
    tick(shared, control);
    report(shared, question, control);
    let counts = Counts {
        threads: n_started,
        states_stored: shared.n_states(),
        transitions: shared.transitions.load(Ordering::Relaxed),
        depth: shared.depth.load(Ordering::Relaxed),
        state_bytes: shared.state_bytes() as u64,
        memory_bytes: shared.memory_bytes(),
        omissions: None,
        storage_note: None,
        tally,
    };
    Some(Searched {
        kind: SearchKind::Cycles(Liveness::Nested),
        storage: <ExactStore<P> as StateStore<P>>::NAME,
        storage_reason: None,
        reduction: false,
        unreduced: None,
        is_assumed: false,
        symmetry: None,
        unsymmetric: None,
        probe: None,
        remark: None,
        counts,
    })
}

/// Starts a thread. The call is not generic, so that what the standard library does in it is compiled once.
fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: Box<dyn FnOnce() -> Tally + Send + 'scope>,
) -> io::Result<ScopedJoinHandle<'scope, Tally>> {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)
}

/// Reports the progress of the threads. Returns whether they must end.
fn tick<P: Packed>(shared: &SharedProduct<P>, control: &mut Control<'_>) -> bool {
    control.tick(Progress {
        states_stored: shared.n_states(),
        transitions: shared.transitions.load(Ordering::Relaxed),
        depth: shared.depth.load(Ordering::Relaxed),
        memory_bytes: shared.memory_bytes(),
        ..Progress::default()
    })
}

/// Reports the finding, and why the search ended.
fn report<P: Packed>(shared: &SharedProduct<P>, question: &mut Question<'_, P>, control: &mut Control<'_>) {
    let (product, observer) = (&mut *question.product, question.observer);
    let (sighting, stop) = shared.ending();
    match sighting {
        Some(Discovery::Cycle(seed)) => control.meet(observer.cycle(), || {
            Lasso::new(product, observer, shared).run_into_component(seed as usize, |_| true)
        }),
        Some(Discovery::Wrong(at, found)) => {
            control.meet(found, || Lasso::new(product, observer, shared).run_to_violation(at as usize, found));
        }
        None => {}
    }
    if let Some(stop) = stop {
        control.stop.get_or_insert(stop);
    }
    if shared.was_cut.load(Ordering::Relaxed) {
        control.cut();
    }
}

/// Reports the end of a thread; after a panic, the others must not wait for it.
struct Leaving<'t, P: Packed> {
    shared: &'t SharedProduct<P>,
    n_at_work: &'t AtomicUsize,
    boss: std::thread::Thread,
}

/// Ends the search for all threads when this one panics, since their work would be in vain.
struct EndOnPanic<'t, P: Packed>(&'t SharedProduct<P>);

impl<P: Packed> Drop for EndOnPanic<'_, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(None, None);
        }
    }
}

impl<P: Packed> Drop for Leaving<'_, P> {
    fn drop(&mut self) {
        drop(EndOnPanic(self.shared));
        self.n_at_work.fetch_sub(1, Ordering::Release);
        self.boss.unpark();
    }
}
