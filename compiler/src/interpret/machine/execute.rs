//! The loop over operations.

use pmc_runtime::fault::Fault;
use pmc_runtime::generated::{ask_enabled, divide, index, remainder, shift_left, shift_right};
use smallvec::SmallVec;

use super::super::code::{AtRendezvous, Binary, Element, Op, RawField, Register, StateTest, Target};
use super::super::layout::Base;
use super::super::program::ChannelPart;
use super::super::state::{Memory, State, get, set, set_number, set_value, value};
use super::{Channel, Machine};
use crate::model::Side;

impl<M: Memory> Machine<'_, M> {
    /// Executes a sequence. Returns whether it was executable.
    pub fn run(&mut self, entry: Target, is_apart: bool) -> Result<bool, Fault> {
        self.values.clear();
        if is_apart { self.execute::<true>(entry) } else { self.execute::<false>(entry) }
    }

    pub(super) fn execute<const APART: bool>(&mut self, mut entry: Target) -> Result<bool, Fault> {
        loop {
            let result = self.execute_from::<APART>(entry);
            match (result, self.catch.take()) {
                (Err(_), Some(target)) => entry = target,
                (result, _) => return result,
            }
        }
    }

    /// Evaluates a test in the state before the step.
    pub fn test(&mut self, entry: Target) -> Result<bool, Fault> {
        self.run(entry, true)
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    fn execute_from<const APART: bool>(&mut self, entry: Target) -> Result<bool, Fault> {
        let program = self.program;
        let mut at = entry as usize;
        loop {
            let op = &program.ops[at];
            at += 1;
            match *op {
                Op::Constant { to, value } => self.set(to, value),
                Op::Load { to, field } => {
                    let loaded = value(self.read::<APART>().words(), self.address(field.base, field.at), field);
                    self.set(to, loaded);
                }
                Op::LoadRow { to, index, row } => {
                    let row = &program.rows[row as usize];
                    let element = self.element(index, row.length, row.is_checked)?;
                    let place = self.address(row.field.base, row.field.at) + row.spacing.of(element);
                    let loaded = value(self.read::<APART>().words(), place, row.field);
                    self.set(to, loaded);
                }
                Op::LoadTable { to, index, table, is_checked } => {
                    let table = &program.tables[table as usize];
                    let element = self.element(index, length(table), is_checked)?;
                    self.set(to, table[element]);
                }
                Op::Offset { to, index, row, is_first } => {
                    let row = &program.rows[row as usize];
                    let element = self.element(index, row.length, row.is_checked)?;
                    let before = if is_first { 0 } else { self.register(to) };
                    let offset = i32::try_from(row.spacing.of(element)).expect("a state has fewer than 2^31 bits");
                    self.set(to, before + offset);
                }
                Op::LoadOffset { to, offset, field } => {
                    let place = self.address(field.base, field.at) + self.offset(offset);
                    let loaded = value(self.read::<APART>().words(), place, field);
                    self.set(to, loaded);
                }
                Op::StoreOffset { from, offset, field, truncation } => {
                    let place = self.address(field.base, field.at) + self.offset(offset);
                    let stored = truncation.apply(self.register(from));
                    set_value(self.next.words_mut(), place, field, stored);
                }
                Op::Put { field, raw } => {
                    let place = self.address(field.base, field.at);
                    set(self.next.words_mut(), place, u32::from(field.bits), raw);
                }
                Op::Store { field, from, truncation } => {
                    let place = self.address(field.base, field.at);
                    let stored = truncation.apply(self.register(from));
                    set_value(self.next.words_mut(), place, field, stored);
                }
                Op::StoreRow { row, index, from, truncation } => {
                    let row = &program.rows[row as usize];
                    let element = self.element(index, row.length, row.is_checked)?;
                    let place = self.address(row.field.base, row.field.at) + row.spacing.of(element);
                    let stored = truncation.apply(self.register(from));
                    set_value(self.next.words_mut(), place, row.field, stored);
                }
                Op::Add { field, right, truncation } => {
                    let place = self.address(field.base, field.at);
                    let before = value(self.read::<APART>().words(), place, field);
                    let stored = truncation.apply(before.wrapping_add(right));
                    set_value(self.next.words_mut(), place, field, stored);
                }
                Op::Binary { op, to, left, right } => {
                    let result = binary(op, self.register(left), self.register(right))?;
                    self.set(to, result);
                }
                Op::BinaryConstant { op, to, left, right } => {
                    let result = binary(op, self.register(left), right)?;
                    self.set(to, result);
                }
                Op::Negate { register } => self.set(register, self.register(register).wrapping_neg()),
                Op::Complement { register } => self.set(register, !self.register(register)),

                Op::Jump(target) => at = target as usize,
                Op::JumpCompare { orders, left, right, target } => {
                    if orders.contains(self.register(left), self.register(right)) {
                        at = target as usize;
                    }
                }
                Op::JumpValue { value, values, target } => {
                    if values.contains(self.register(value).cast_unsigned()) {
                        at = target as usize;
                    }
                }
                Op::JumpField { field: RawField { at: field, bits, base }, values, target } => {
                    let words = self.read::<APART>().words();
                    if values.contains(get(words, self.address(base, field), u32::from(bits))) {
                        at = target as usize;
                    }
                }
                Op::JumpMessageField { number, values, target } => {
                    let words = self.read::<APART>().words();
                    let field = self.queue().field(words, self.queue_at, self.position, number as usize);
                    if values.contains(field.cast_unsigned()) {
                        at = target as usize;
                    }
                }
                Op::JumpState { test, holds, target } => {
                    if self.state_test::<APART>(test)? == holds {
                        at = target as usize;
                    }
                }

                Op::Pid { to } => self.set(to, i32::from(self.me.0)),
                Op::PriorityOf { to, pid } => {
                    let priority = program.priority(self.read::<APART>().words(), self.register(pid));
                    self.set(to, priority);
                }
                Op::OwnPriority { to } => {
                    let priority = program.priority_in_slot(self.read::<APART>().words(), self.me);
                    self.set(to, priority);
                }
                Op::SetPriority { pid, priority } => {
                    let (pid, priority) = (self.register(pid), self.register(priority));
                    program.set_priority(self.next.words_mut(), pid, priority);
                }
                Op::SetOwnPriority { from } => {
                    let priority = self.register(from);
                    program.set_priority(self.next.words_mut(), i32::from(self.me.0), priority);
                }
                Op::LocationNumber { to, pid } => {
                    let words = self.read::<APART>().words();
                    let number = program.find(words, self.register(pid)).map(|pid| program.location_number(words, pid));
                    self.set(to, number.unwrap_or(0));
                }
                Op::FindProcess { proctype, pid, target } => {
                    let words = self.read::<APART>().words();
                    let found = match pid {
                        Some(pid) => program.find_of_type(words, self.register(pid), usize::from(proctype))?,
                        None => program.oldest(words, usize::from(proctype)),
                    };
                    match found {
                        Some(pid) => {
                            let slot = program.layout.slots[pid.index()];
                            self.found = pid;
                            self.bases[Base::Found as usize] = slot.at;
                            self.bases[Base::FoundBeside as usize] = slot.beside;
                        }
                        None => at = target as usize,
                    }
                }
                Op::FoundLocationNumber { to } => {
                    let number = program.location_number(self.read::<APART>().words(), self.found);
                    self.set(to, number);
                }

                Op::CheckIndex { index, length } => {
                    self.element(index, length, true)?;
                }
                Op::Channel { site, owner, element } => {
                    let owner = self.channel_owner(owner);
                    let element = match element {
                        Element::Constant(element) => element,
                        Element::Register(element) => self.register(element).cast_unsigned(),
                    };
                    self.set_channel(Channel { part: ChannelPart { site, element }, owner });
                }
                Op::FindChannel { number } => {
                    let number = self.register(number);
                    let channel = program.channel(self.read::<APART>().words(), number)?;
                    self.channel_number = number;
                    self.set_channel(channel);
                }
                Op::Catch { target } => self.catch = Some(target),
                Op::EndCatch => self.catch = None,
                Op::CheckKind { sites, at_rendezvous } => {
                    let (set, site) = (&program.site_sets[sites as usize], self.channel.part.site);
                    if set.rendezvous.contains(&site) {
                        match at_rendezvous {
                            AtRendezvous::Jump(target) => at = target as usize,
                            AtRendezvous::Fail(fault) => return Err(fault),
                        }
                    } else if !set.queues.contains(&site) {
                        return Err(Fault::BadChannel { channel: self.channel_number });
                    }
                }
                Op::JumpUnlessKind { sites, target } => {
                    let (set, site) = (&program.site_sets[sites as usize], self.channel.part.site);
                    if !set.queues.contains(&site) && !set.rendezvous.contains(&site) {
                        at = target as usize;
                    }
                }
                Op::ChannelNumber { to, owner, offset } => {
                    let owner = self.channel_owner(owner);
                    let first = program.first_channel(self.read::<APART>().words(), owner);
                    self.set(to, (first + offset.cast_signed()) & 0xff);
                }
                Op::ChannelElement { to, element } => {
                    self.set(to, (self.register(to) + self.register(element)) & 0xff);
                }
                Op::Length { to } => {
                    let length = self.length::<APART>();
                    self.set(to, i32::try_from(length).expect("a queue is shorter than 2^31"));
                }
                Op::FirstMessage { target } => {
                    if self.length::<APART>() == 0 {
                        at = target as usize;
                    }
                    self.position = 0;
                }
                Op::FindMessage { pattern, target } => {
                    match self.find_message::<APART>(&program.patterns[pattern as usize]) {
                        Some(position) => self.position = position,
                        None => at = target as usize,
                    }
                }
                Op::MessageField { to, field } => {
                    let words = self.read::<APART>().words();
                    let field = self.queue().field(words, self.queue_at, self.position, field as usize);
                    self.set(to, field);
                }
                Op::StoreMessageField { number, field, truncation } => {
                    let words = self.read::<APART>().words();
                    let received = self.queue().field(words, self.queue_at, self.position, number as usize);
                    let place = self.address(field.base, field.at);
                    set_value(self.next.words_mut(), place, field, truncation.apply(received));
                }
                Op::TraceReceived => {
                    let queue = self.queue();
                    let words = self.next.words();
                    let fields = 0..queue.fields.len();
                    let message = fields.map(|field| queue.field(words, self.queue_at, self.position, field));
                    self.observe(Side::Receive, message.collect());
                }
                Op::Take => {
                    let (queue, queue_at, position) = (self.queue(), self.queue_at, self.position);
                    queue.remove(self.next.words_mut(), queue_at, position);
                }
                Op::Push { from, truncation } => self.values.push(truncation.apply(self.register(from))),
                Op::PushConstant(value) => self.values.push(value),
                Op::PushField { field, truncation } => {
                    let words = self.read::<APART>().words();
                    let loaded = value(words, self.address(field.base, field.at), field);
                    self.values.push(truncation.apply(loaded));
                }
                Op::Pop { to } => {
                    let popped = self.values.pop().expect("a value was appended");
                    self.set(to, popped);
                }
                Op::Send { n, is_sorted, is_traced } => {
                    let first = self.values.len() - n as usize;
                    if is_traced {
                        let message = SmallVec::from_slice(&self.values[first..]);
                        self.observe(Side::Send, message);
                    }
                    let (queue, queue_at) = (self.queue(), self.queue_at);
                    let words = self.next.memory.words_mut();
                    if is_sorted {
                        queue.send_sorted(words, queue_at, &self.values[first..]);
                    } else {
                        queue.send(words, queue_at, &self.values[first..]);
                    }
                    self.values.truncate(first);
                }

                Op::JumpUnlessOffered { target } => {
                    if self.offer.is_none_or(|offer| offer.channel != self.channel) {
                        at = target as usize;
                    }
                }
                Op::OfferedField { to, field } => {
                    let offer = self.offer.expect("that there is one was checked");
                    self.set(to, offer.message[field as usize]);
                }
                Op::MatchOffered { pattern, target } => {
                    if !self.matches_offered(&program.patterns[pattern as usize]) {
                        at = target as usize;
                    }
                }
                Op::TraceOffered { send, receive } => {
                    if let Some(offer) = self.offer {
                        let channel = std::mem::replace(&mut self.channel, offer.channel);
                        if send {
                            self.observe(Side::Send, offer.message.clone());
                        }
                        if receive {
                            self.observe(Side::Receive, offer.message.clone());
                        }
                        self.channel = channel;
                    }
                }

                Op::Run { to, proctype, priority } => {
                    let pid = self.start(usize::from(proctype), priority)?;
                    self.set(to, i32::from(pid.0));
                }
                Op::End => program.remove_youngest(&mut self.next),
                Op::TakeControl => self.next.atomic_owner = Some(self.me),
                Op::ReleaseControl => self.next.atomic_owner = None,
                Op::NoteLast => {
                    if let Some(last) = program.layout.last {
                        set_number(self.next.words_mut(), 0, last, self.me.index());
                    }
                }

                Op::Assert { holds } => self.log.holds = Some(self.register(holds) != 0),
                Op::Print { text } => self.print(&program.texts[text as usize]),
                Op::At(transition) => self.log.here = Some(transition),
                Op::Reach(transition) => self.reach(transition)?,
                Op::AssertInside { transition, holds } => {
                    if self.register(holds) == 0 {
                        self.log.violated.push(transition);
                    }
                }
                Op::DStepBlocked => {
                    return if self.log.n_statements > 0 { Err(Fault::DStepBlocks) } else { Ok(false) };
                }

                Op::Done => return Ok(true),
                Op::Blocked => return Ok(false),
                Op::Fail(fault) => return Err(fault),
            }
        }
    }

    /// An index that is in a register.
    #[inline(always)]
    fn element(&self, register: Register, length: u32, is_checked: bool) -> Result<usize, Fault> {
        let value = self.register(register);
        if is_checked {
            return index(value, length as usize);
        }
        debug_assert!(value >= 0 && value.cast_unsigned() < length, "an index that is always inside");
        Ok(value.cast_unsigned() as usize)
    }

    #[inline(always)]
    fn offset(&self, register: Register) -> usize {
        self.register(register).cast_unsigned() as usize
    }

    fn state_test<const APART: bool>(&self, test: StateTest) -> Result<bool, Fault> {
        let state = self.read::<APART>();
        Ok(match test {
            StateTest::Timeout => self.timeout,
            StateTest::IsYoungest => self.me.index() + 1 == self.program.n_processes(state.words()),
            StateTest::NonProgress => !self.program.is_progress(state.words()),
            StateTest::IsEmpty => self.length::<APART>() == 0,
            StateTest::IsFull => {
                self.queue.is_some_and(|queue| queue.len(state.words(), self.queue_at) >= queue.capacity)
            }
            StateTest::Enabled(pid) => {
                let pid = self.register(pid);
                return ask_enabled(pid, self.me, || self.can_move(state, pid));
            }
            StateTest::CanMove(pid) => self.can_move(state, self.register(pid)),
        })
    }

    fn can_move(&self, state: &State<M>, pid: i32) -> bool {
        self.program.find(state.words(), pid).is_some_and(|pid| (self.can_move)(state, pid))
    }
}

fn length(table: &[i32]) -> u32 {
    u32::try_from(table.len()).expect("an array is shorter than 2^32")
}

/// The result of an operation, as the machine computes it.
#[inline(always)]
pub fn binary(op: Binary, left: i32, right: i32) -> Result<i32, Fault> {
    Ok(match op {
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide => divide(left, right)?,
        Binary::Remainder => remainder(left, right)?,
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::ShiftLeft => shift_left(left, right),
        Binary::ShiftRight => shift_right(left, right),
    })
}
