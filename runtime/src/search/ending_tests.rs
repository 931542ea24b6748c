//! Every way in which a search on several threads can end, while threads wait for each other at every place.
//!
//! Sets are small in tests and levels are shared from a few states on, so that threads wait often: for a growth of the
//! set, at the end of a level, for the lock of a shard, for the inner search of another thread. The event that ends the
//! search happens in a certain state of the model, on the thread that reaches it first. A search that does not end
//! fails the test.

use crate::fault::Fault;
use crate::limits::{Interrupt, Limits, Stop};
use crate::model::{
    Describe, LocationInfo, Model, ModelInfo, ProctypeInfo, SourcePosition, TransitionInfo, TransitionKind,
};
use crate::monitor::Silent;
use crate::options::{Ask, Options, Store};
use crate::pack::{Packed, Reader, Words, Writer};
use crate::reduction::Independence;
use crate::step::{Pid, Steps, TransitionId};
use crate::toy::check_with;
use crate::verdict::{Report, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::channel;
use std::time::Duration;

const N_COUNTERS: usize = 4;
const MOST: u8 = 5;
const N_STATES: u64 = (MOST as u64 + 1).pow(N_COUNTERS as u32);
const LARGEST_SUM: u32 = MOST as u32 * N_COUNTERS as u32;

/// The event in front of a step that makes the sum of all counters this large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Nothing,
    Violation,
    Panic,
    Interrupt,
    /// The step leads back to the initial state.
    Cycle,
}

/// Processes that count up, each on its own; states have `W` words.
struct Grid<const W: usize> {
    event: Event,
    at: u32,
    interrupt: Interrupt,
}

const PLACE: SourcePosition = SourcePosition { file: 0, line: 1, column: 1 };

const fn transition(text: &'static str) -> TransitionInfo<'static> {
    TransitionInfo { proctype: 0, kind: TransitionKind::Other, place: PLACE, text, from: 0, to: 0, merged: &[] }
}

static INFO: ModelInfo<'static> = ModelInfo {
    name: "grid.pml",
    hash: "9d9d",
    pmc_version: "0.1.0",
    files: &["grid.pml"],
    proctypes: &[ProctypeInfo { name: "counter", place: PLACE }],
    transitions: &[transition("x++"), transition("assert(sum != at)")],
    locations: &[LocationInfo { proctype: 0, place: PLACE, labels: &["accept"] }],
    claims: &[],
    growing: &[],
    control_flow: None,
    story: "",
    n_timers: 0,
    ticks_at_once: false,
    abstract_time: false,
    notes: &[],
    is_interpreted: false,
};

impl<const W: usize> Model for Grid<W>
where
    Words<W>: Packed,
{
    type State = [u8; N_COUNTERS];
    type Packed = Words<W>;
    type Hidden = ();

    fn uses_timeout(&self) -> bool {
        false
    }

    fn info(&self) -> &ModelInfo<'_> {
        &INFO
    }

    fn initial(&self) -> Result<[u8; N_COUNTERS], Fault> {
        Ok([0; N_COUNTERS])
    }

    fn n_processes(&self, _: &[u8; N_COUNTERS]) -> usize {
        N_COUNTERS
    }

    fn offer_steps(&self, now: &[u8; N_COUNTERS], me: Pid, _: bool, steps: &mut impl Steps<[u8; N_COUNTERS]>) {
        if now[me.index()] == MOST {
            return;
        }
        let mut next = *now;
        next[me.index()] += 1;
        // In one state of its level, so that the other threads are busy elsewhere.
        let is_it = |(place, &x): (usize, &u8)| u32::from(x) == (self.at + place as u32) / N_COUNTERS as u32;
        if self.at > 0 && next.iter().enumerate().all(is_it) {
            match self.event {
                Event::Nothing => {}
                Event::Violation => steps.assert(TransitionId(1), false),
                // Without output on the terminal.
                Event::Panic => resume_unwind(Box::new("as the test wants")),
                Event::Interrupt => self.interrupt.set(),
                Event::Cycle => next = [0; N_COUNTERS],
            }
        }
        steps.offer(TransitionId(0), &mut next);
    }

    fn atomic_owner(&self, _: &[u8; N_COUNTERS]) -> Option<Pid> {
        None
    }

    fn release(&self, _: &mut [u8; N_COUNTERS]) {}

    fn is_valid_end(&self, _: &[u8; N_COUNTERS], _: Pid) -> bool {
        true
    }

    /// Many accepting states, so that inner searches of several threads meet; but not the last state, where a run
    /// stays.
    fn is_accepting(&self, state: &[u8; N_COUNTERS], pid: Pid) -> bool {
        pid == Pid(0) && state.iter().sum::<u8>() % 3 == 1
    }

    fn has_messages(&self, _: &[u8; N_COUNTERS]) -> bool {
        false
    }

    fn pack(&self, state: &[u8; N_COUNTERS], into: &mut Words<W>) {
        let mut writer = into.writer();
        state.iter().for_each(|&x| writer.put(u32::from(x), 8));
        writer.finish();
    }

    fn unpack(&self, from: &Words<W>) -> [u8; N_COUNTERS] {
        let mut reader = from.reader();
        [0; N_COUNTERS].map(|_: u8| reader.take(8) as u8)
    }

    fn proctype(&self, _: &[u8; N_COUNTERS], _: Pid) -> usize {
        0
    }

    fn location(&self, _: &[u8; N_COUNTERS], _: Pid) -> usize {
        0
    }

    fn describe(&self, _: &[u8; N_COUNTERS], _: &mut dyn Describe) {}
}

impl<const W: usize> Independence for Grid<W> where Words<W>: Packed {}

/// No test may take longer, even on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

/// One search; `None` if it panicked.
fn run<const W: usize>(event: Event, at: u32, options: &Options) -> Option<Report>
where
    Words<W>: Packed,
{
    let (done, result) = channel();
    let own = options.clone();
    // Not joined if it hangs, so that the test can fail.
    std::thread::spawn(move || {
        let grid = Grid::<W> { event, at, interrupt: Interrupt::new() };
        let report = catch_unwind(AssertUnwindSafe(|| check_with(&grid, &own, &grid.interrupt, &mut Silent)));
        let _ = done.send(report.ok());
    });
    let what = format!("{event:?} at {at}, {W} words, {options:?}");
    result.recv_timeout(WATCHDOG).unwrap_or_else(|_| panic!("no end: {what}"))
}

/// With each kind of concurrent set, on so many threads.
fn with_every_set(act: impl Fn(&dyn Fn(Event, u32, Limits) -> Option<Report>, &str)) {
    for threads in [2, 4] {
        for (n_words, store) in [(1, Store::Exact), (3, Store::Exact), (1, Store::Tree), (1, Store::Compact)] {
            let run_one = |event, at, limits| {
                let options = Options { threads, store, limits, ask: Ask::Safety, ..Options::default() };
                if n_words == 1 { run::<1>(event, at, &options) } else { run::<3>(event, at, &options) }
            };
            act(&run_one, &format!("{threads} threads, {n_words} words, {store:?}"));
        }
    }
}

#[test]
fn a_violation_ends_a_search_and_is_the_nearest() {
    with_every_set(|run, what| {
        for at in (2..=LARGEST_SUM).step_by(2) {
            let report = run(Event::Violation, at, Limits::default()).expect("no panic");
            let violations: Vec<usize> = report.violations().map(|violation| violation.trail.moves.len()).collect();
            assert_eq!((report.verdict, violations), (Verdict::Violated, vec![at as usize]), "{what}");
        }
    });
}

#[test]
fn an_interrupt_ends_a_search_at_any_level() {
    with_every_set(|run, what| {
        for at in (2..=LARGEST_SUM).step_by(2) {
            let report = run(Event::Interrupt, at, Limits::default()).expect("no panic");
            let stop = report.properties[0].stop;
            assert_eq!((report.verdict, stop), (Verdict::Incomplete, Some(Stop::Interrupted)), "{what}, at {at}");
        }
    });
}

#[test]
fn a_panic_of_a_thread_is_a_panic_of_the_search() {
    with_every_set(|run, what| {
        for at in (2..=LARGEST_SUM).step_by(2) {
            assert!(run(Event::Panic, at, Limits::default()).is_none(), "a verdict: {what}, at {at}");
        }
    });
}

#[test]
fn limits_end_a_search_at_any_level() {
    with_every_set(|run, what| {
        let whole = run(Event::Nothing, 0, Limits::default()).expect("no panic");
        let n_states = whole.properties[0].statistics.states_stored;
        assert_eq!((whole.verdict, n_states), (Verdict::Verified, N_STATES), "{what}");
        for n in (1..LARGEST_SUM).step_by(3) {
            let max_states = u64::from(n) * N_STATES / u64::from(LARGEST_SUM);
            let report = run(Event::Nothing, 0, Limits { max_states: Some(max_states), ..Limits::default() });
            let [property] = &report.expect("no panic").properties[..] else { panic!("one property") };
            assert_eq!(property.stop, Some(Stop::MaxStates(max_states)), "{what}");
            assert_eq!(property.statistics.states_stored, max_states, "{what}");
            let report = run(Event::Nothing, 0, Limits { max_depth: Some(u64::from(n)), ..Limits::default() });
            let stop = report.expect("no panic").properties[0].stop;
            assert_eq!(stop, Some(Stop::MaxDepth(u64::from(n))), "{what}");
            let report = run(Event::Nothing, 0, Limits { memory: Some(u64::from(n) * 4_000), ..Limits::default() });
            let stop = report.expect("no panic").properties[0].stop;
            assert!(matches!(stop, None | Some(Stop::Memory(_))), "{what}: {stop:?}");
        }
    });
}

#[test]
fn nested_searches_end_whatever_ends_them() {
    for threads in 2..=4 {
        let options = Options { threads, ask: Ask::Acceptance, ..Options::default() };
        let holds = run::<1>(Event::Nothing, 0, &options).expect("no panic");
        assert_eq!(holds.verdict, Verdict::Verified);
        for at in (2..=LARGEST_SUM).step_by(2) {
            let report = run::<1>(Event::Cycle, at, &options).expect("no panic");
            assert_eq!(report.verdict, Verdict::Violated, "{threads} threads, at {at}");
            let report = run::<1>(Event::Interrupt, at, &options).expect("no panic");
            let stop = report.properties[0].stop;
            assert_eq!((report.verdict, stop), (Verdict::Incomplete, Some(Stop::Interrupted)), "{threads}, at {at}");
            assert!(run::<1>(Event::Panic, at, &options).is_none(), "a verdict: {threads} threads, at {at}");
            let max_states = Some(u64::from(at) * 20);
            let limited = Options { limits: Limits { max_states, ..Limits::default() }, ..options.clone() };
            let report = run::<1>(Event::Nothing, 0, &limited).expect("no panic");
            assert_eq!(report.verdict, Verdict::Incomplete, "{threads} threads, {max_states:?}");
        }
    }
}

/// A search once hung when the first thread found a violation while another one waited for the set to grow.
#[test]
fn a_violation_is_found_while_another_thread_wants_room() {
    let options = Options { threads: 2, store: Store::Exact, ask: Ask::Safety, ..Options::default() };
    for at in (4..=16).cycle().take(400) {
        for report in [run::<1>(Event::Violation, at, &options), run::<3>(Event::Violation, at, &options)] {
            assert_eq!(report.expect("no panic").verdict, Verdict::Violated);
        }
    }
}
