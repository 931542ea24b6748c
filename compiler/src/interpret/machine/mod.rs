//! The machine: registers, a state before and after a step, and the loop over operations.

mod channel;
mod execute;
mod log;
mod start;
mod trace;

use pmc_runtime::step::{Pid, TransitionId};
use smallvec::SmallVec;

use super::code::{N_REGISTERS, Register, Target};
use super::layout::{Base, Queue};
use super::program::{ChannelPart, Program};
use super::state::{Memory, State};
pub use execute::binary;
#[cfg(test)]
pub use log::FAULT;
pub use log::Log;

/// A channel: that of a site and, if it belongs to a process, of that process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    pub part: ChannelPart,
    /// 0 for a channel of a global.
    pub owner: Pid,
}

/// The message that a sender offers in a rendezvous, or that a trace observes.
#[derive(Clone, Debug)]
pub struct Offer {
    pub sender: Pid,
    pub channel: Channel,
    pub message: SmallVec<[i32; 8]>,
    pub transition: TransitionId,
}

/// Says whether a process has a step, without computing its successors.
pub type CanMove<'a, M> = &'a dyn Fn(&State<M>, Pid) -> bool;

pub struct Machine<'a, M> {
    program: &'a Program,
    /// The state before the step, for the few sequences that read it while they change the next one.
    now: &'a State<M>,
    pub next: State<M>,
    /// A step was made: `next` is no copy of the state before any more.
    is_changed: bool,
    me: Pid,
    timeout: bool,
    wants_text: bool,
    bases: [usize; Base::N],
    found: Pid,
    registers: [i32; N_REGISTERS],
    channel: Channel,
    /// The number by which the current channel was found.
    channel_number: i32,
    /// Its queue, if it has one, and where that is.
    queue: Option<&'a Queue>,
    queue_at: usize,
    /// The current message.
    position: usize,
    /// Where a fault leads, if it is none.
    catch: Option<Target>,
    pub values: SmallVec<[i32; 8]>,
    pub offer: Option<&'a Offer>,
    pub log: Log,
    can_move: CanMove<'a, M>,
}

impl<'a, M: Memory> Machine<'a, M> {
    pub fn new(
        program: &'a Program,
        now: &'a State<M>,
        next: State<M>,
        me: Pid,
        timeout: bool,
        can_move: CanMove<'a, M>,
    ) -> Self {
        let mut machine = Self {
            program,
            now,
            next,
            is_changed: false,
            me,
            timeout,
            wants_text: false,
            bases: [0; Base::N],
            found: Pid(0),
            registers: [0; N_REGISTERS],
            channel: Channel { part: ChannelPart { site: 0, element: 0 }, owner: Pid(0) },
            channel_number: 0,
            queue: None,
            queue_at: 0,
            position: 0,
            catch: None,
            values: SmallVec::new(),
            offer: None,
            log: Log::default(),
            can_move,
        };
        machine.set_process(me);
        machine
    }

    pub fn with_text(mut self, wants_text: bool) -> Self {
        self.wants_text = wants_text;
        self
    }

    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// The process that executes.
    fn set_process(&mut self, me: Pid) {
        self.me = me;
        self.bases = self.program.bases(me);
    }

    /// Makes `next` a copy of the state before the step, unless it is one.
    #[inline]
    pub fn begin(&mut self) {
        if self.is_changed {
            self.next.become_copy(self.now);
            self.is_changed = false;
        }
    }

    /// The step is made or given up.
    #[inline]
    pub fn end(&mut self) {
        self.is_changed = true;
    }

    /// The state that expressions read.
    #[inline(always)]
    fn read<const APART: bool>(&self) -> &State<M> {
        if APART { self.now } else { &self.next }
    }

    #[inline(always)]
    fn register(&self, register: Register) -> i32 {
        self.registers[usize::from(register) % N_REGISTERS]
    }

    #[inline(always)]
    fn set(&mut self, register: Register, value: i32) {
        self.registers[usize::from(register) % N_REGISTERS] = value;
    }

    #[inline(always)]
    fn address(&self, base: Base, at: u32) -> usize {
        self.bases[base as usize] + at as usize
    }
}
