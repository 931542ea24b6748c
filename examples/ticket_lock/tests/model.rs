//! The model of the lock, verified with each `cargo test`.

use pmc::{Build, Verdict};

fn lock(threads: &str) -> Build {
    Build::new("ticket_lock.pml").define("N", threads)
}

#[test]
fn one_thread_is_inside_at_a_time() {
    lock("2").assert_verified();
    lock("3").assert_verified();
}

/// The model would show a lock with too few numbers.
#[test]
fn fewer_numbers_than_threads_are_too_few() -> Result<(), pmc::Error> {
    let report = lock("3").define("TICKETS", "2").check()?;
    assert_eq!(report.verdict, Verdict::Violated);
    Ok(())
}

/// The lock itself does what the model says, in this one run.
#[test]
fn threads_count_without_losing_any() {
    let (lock, counter) = (ticket_lock::TicketLock::default(), std::sync::atomic::AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let _inside = lock.enter();
                    let seen = counter.load(std::sync::atomic::Ordering::Relaxed);
                    counter.store(seen + 1, std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(counter.into_inner(), 400);
}
