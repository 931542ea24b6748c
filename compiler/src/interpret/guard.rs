//! The tests that a sequence begins with. Most transitions are disabled, and most of these by the value of a scalar, by
//! an empty or a full channel, or by the first message of one: to find that out takes no machine.

use super::code::{ChannelOwner, Element, Op, RawField, StateTest, Target};
use super::compare::Interval;
use super::layout::{Base, Layout, Queue};
use super::program::{Sequence, Site};
use super::state::get;
use crate::analysis::places::Bits;
use crate::exec::Comparison;
use crate::model::SiteId;

/// Holds if a scalar is stored as one of some values.
#[derive(Clone, Copy, Debug)]
pub struct FieldTest {
    pub field: RawField,
    pub values: Interval,
}

impl FieldTest {
    /// The bases are those of the process whose sequence it is.
    #[inline(always)]
    pub fn holds(self, words: &[u64], bases: &[usize; Base::N]) -> bool {
        let RawField { at, bits, base } = self.field;
        self.values.contains(get(words, bases[base as usize] + at as usize, u32::from(bits)))
    }
}

/// Finds the tests of sequences.
pub struct Guards<'p> {
    pub ops: &'p [Op],
    pub layout: &'p Layout,
    pub sites: &'p [Site],
    pub tests: Vec<FieldTest>,
}

/// The queue of a channel that is known, and its position.
#[derive(Clone, Copy)]
struct KnownQueue<'p> {
    queue: &'p Queue,
    base: Base,
    at: usize,
}

impl<'p> Guards<'p> {
    /// Finds the tests that a sequence begins with. Tests of scalars at its very beginning are not executed again: it
    /// enters behind them, in the same state.
    pub fn find(&mut self, sequence: &mut Sequence) {
        let first = self.tests.len();
        let mut at = sequence.entry;
        let mut is_beginning = true;
        let mut queue: Option<KnownQueue<'p>> = None;
        loop {
            let op = self.ops[at as usize];
            let next = if let Op::Jump(target) = op { target } else { at + 1 };
            let test = match (op, queue) {
                (Op::Jump(_), _) => None,
                // A fault behind it belongs to the statement that it names, so that it must be executed.
                (Op::At(_), _) => {
                    is_beginning = false;
                    None
                }
                (Op::JumpField { field, values, target }, _) if self.is_end(target) && is_own(field.base) => {
                    Some(FieldTest { field, values })
                }
                (Op::Channel { site, owner, element: Element::Constant(element) }, _) => {
                    is_beginning = false;
                    queue = self.queue(site, owner, element);
                    None
                }
                (Op::FirstMessage { target }, Some(queue)) if self.is_end(target) => {
                    Interval::of(Comparison::Equal, 0).and_then(|values| queue.test_length(values))
                }
                (Op::JumpState { test: StateTest::IsFull, holds: true, target }, Some(queue))
                    if self.is_end(target) =>
                {
                    let capacity = i32::try_from(queue.queue.capacity).expect("a queue is shorter than 2^31");
                    Interval::of(Comparison::GreaterEqual, capacity).and_then(|values| queue.test_length(values))
                }
                (Op::JumpMessageField { number, values, target }, Some(queue)) if self.is_end(target) => {
                    match queue.test_first_message(number as usize, values) {
                        Some(test) => Some(test),
                        None => break,
                    }
                }
                (op, _) => {
                    sequence.is_decided = matches!(op, Op::Done);
                    break;
                }
            };
            self.tests.extend(test);
            at = next;
            if is_beginning {
                sequence.entry = at;
            }
        }
        let count = |n: usize| u32::try_from(n).expect("fewer than 2^32");
        sequence.blocked_if = (count(first), count(self.tests.len() - first));
    }

    fn queue(&self, site: u32, owner: ChannelOwner, element: u32) -> Option<KnownQueue<'p>> {
        let base = match (self.sites[site as usize].is_local, owner) {
            (false, _) => Base::State,
            (true, ChannelOwner::Own) => Base::Own,
            (true, ChannelOwner::State | ChannelOwner::Found) => return None,
        };
        let placed = self.layout.queues[SiteId(site)].as_ref()?;
        Some(KnownQueue { queue: &placed.queue, base, at: placed.at + placed.spacing.of(element as usize) })
    }

    /// Whether a sequence is blocked here.
    fn is_end(&self, mut at: Target) -> bool {
        while let Op::Jump(target) = self.ops[at as usize] {
            at = target;
        }
        matches!(self.ops[at as usize], Op::Blocked | Op::DStepBlocked)
    }
}

impl KnownQueue<'_> {
    fn test_length(self, values: Interval) -> Option<FieldTest> {
        self.test(self.queue.length, values)
    }

    /// Of a queue that holds a message.
    fn test_first_message(self, number: usize, values: Interval) -> Option<FieldTest> {
        let field = self.queue.fields.get(number)?;
        let at = self.queue.messages + field.at;
        self.test(Bits { at, bits: field.scalar.bits }, values.stored_from(field.scalar.low))
    }

    /// Nothing for a scalar that takes no bits.
    fn test(self, Bits { at, bits }: Bits, values: Interval) -> Option<FieldTest> {
        let at = u32::try_from(self.at + at).expect("a state has fewer than 2^32 bits");
        let field = RawField { at, bits: u8::try_from(bits).expect("at most 32"), base: self.base };
        (bits > 0).then_some(FieldTest { field, values })
    }
}

/// Whether an address is known without looking for another process.
fn is_own(base: Base) -> bool {
    matches!(base, Base::State | Base::Own | Base::OwnBeside)
}
