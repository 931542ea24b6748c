//! The machine: registers, a state before and after a step, and the loop over operations.

use pmc_runtime::fault::Fault;
use pmc_runtime::generated::{ask_enabled, divide, index, remainder, shift_left, shift_right};
use pmc_runtime::step::{Pid, TransitionId};
use smallvec::SmallVec;

use super::code::{AtRendezvous, Binary, ChannelOwner, N_REGISTERS, Op, Pattern, Register, StateTest, Target, Wanted};
use super::layout::{Base, PlacedQueue};
use super::program::{ChannelPart, Printed, Program};
use super::state::{Memory, State, get, set, set_number, set_value, value};
use crate::exec::Comparison;
use crate::model::Side;

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

/// What happened during a step, beside the change of the state.
#[derive(Default)]
pub struct Log {
    /// The assertion of a plain step.
    pub holds: Option<bool>,
    /// The statement inside a `d_step` that was tried last.
    pub here: Option<TransitionId>,
    pub n_statements: u32,
    /// The statements inside a `d_step` that were executed, most of them once.
    pub reached: Vec<TransitionId>,
    pub violated: Vec<TransitionId>,
    pub text: String,
}

/// Statements of a `d_step` behind so many are recorded only if they are new.
const RECENT: usize = 32;

/// A `d_step` that executes more statements than this is taken to be endless.
const STATEMENT_LIMIT: u32 = 10_000_000;

/// Offers the steps of a process to nobody, and says whether there is one.
pub type CanMove<'a, M> = &'a dyn Fn(&State<M>, Pid) -> bool;

pub struct Machine<'a, M> {
    program: &'a Program,
    /// The state before the step, for the few sequences that read it while they change the next one.
    now: &'a State<M>,
    pub next: State<M>,
    me: Pid,
    timeout: bool,
    wants_text: bool,
    bases: [usize; Base::N],
    found: Pid,
    registers: [i32; N_REGISTERS],
    channel: Channel,
    /// The number by which the current channel was found.
    channel_number: i32,
    queue_at: usize,
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
            me,
            timeout,
            wants_text: false,
            bases: [0; Base::N],
            found: Pid(0),
            registers: [0; N_REGISTERS],
            channel: Channel { part: ChannelPart { site: 0, element: 0 }, owner: Pid(0) },
            channel_number: 0,
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
        if let Some(slot) = self.program.layout.slots.get(me.index()) {
            self.bases[Base::Own as usize] = slot.at;
            self.bases[Base::OwnBeside as usize] = slot.beside;
        }
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

    /// Executes a sequence. Returns whether it was executable.
    pub fn run(&mut self, entry: Target, is_apart: bool) -> Result<bool, Fault> {
        self.values.clear();
        if is_apart { self.execute::<true>(entry) } else { self.execute::<false>(entry) }
    }

    fn execute<const APART: bool>(&mut self, mut entry: Target) -> Result<bool, Fault> {
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
                    let place = self.address(row.field.base, row.field.at) + row.stride.of(element);
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
                    let offset = i32::try_from(row.stride.of(element)).expect("a state has fewer than 2^31 bits");
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
                    let place = self.address(row.field.base, row.field.at) + row.stride.of(element);
                    let stored = truncation.apply(self.register(from));
                    set_value(self.next.words_mut(), place, row.field, stored);
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
                Op::JumpCompare { comparison, left, right, target } => {
                    if compare(comparison, self.register(left), self.register(right)) {
                        at = target as usize;
                    }
                }
                Op::JumpCompareConstant { comparison, left, right, target } => {
                    if compare(comparison, self.register(left), right) {
                        at = target as usize;
                    }
                }
                Op::JumpField { comparison, field, right, target } => {
                    let left = value(self.read::<APART>().words(), self.address(field.base, field.at), field);
                    if compare(comparison, left, right) {
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
                        Some(element) => self.register(element).cast_unsigned(),
                        None => 0,
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
                    let field = self.queue().queue.field(words, self.queue_at, self.position, field as usize);
                    self.set(to, field);
                }
                Op::TraceReceived => {
                    let queue = &self.queue().queue;
                    let words = self.next.words();
                    let fields = 0..queue.fields.len();
                    let message = fields.map(|field| queue.field(words, self.queue_at, self.position, field));
                    self.observe(Side::Receive, message.collect());
                }
                Op::Take => {
                    let (queue, queue_at, position) = (&self.queue().queue, self.queue_at, self.position);
                    queue.remove(self.next.words_mut(), queue_at, position);
                }
                Op::Push { from, truncation } => self.values.push(truncation.apply(self.register(from))),
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
                    let (queue, queue_at) = (&self.queue().queue, self.queue_at);
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
                    let offered = self.offer.and_then(|offer| offer.message.get(field as usize));
                    self.set(to, offered.copied().unwrap_or(0));
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

    fn channel_owner(&self, owner: ChannelOwner) -> Pid {
        match owner {
            ChannelOwner::State => Pid(0),
            ChannelOwner::Own => self.me,
            ChannelOwner::Found => self.found,
        }
    }

    #[inline]
    fn set_channel(&mut self, channel: Channel) {
        self.channel = channel;
        let program = self.program;
        if let Some(queue) = program.queue(channel.part.site) {
            let base = if program.sites[channel.part.site as usize].is_local {
                program.layout.slots[channel.owner.index()].at
            } else {
                0
            };
            self.queue_at = base + queue.at + queue.stride.of(channel.part.element as usize);
        }
    }

    /// The queue of the current channel, which has one.
    fn queue(&self) -> &'a PlacedQueue {
        self.program.queue(self.channel.part.site).expect("the kind of the channel was checked")
    }

    fn length<const APART: bool>(&self) -> usize {
        match self.program.queue(self.channel.part.site) {
            Some(queue) => queue.queue.len(self.read::<APART>().words(), self.queue_at),
            None => 0,
        }
    }

    /// The position of the first message of the current channel that matches.
    fn find_message<const APART: bool>(&mut self, pattern: &Pattern) -> Option<usize> {
        let (queue, words) = (&self.queue().queue, self.read::<APART>().words());
        let first = self.values.len() - pattern.n_values;
        let is_it = |position: &usize| {
            pattern.fields.iter().all(|(field, wanted)| {
                let value = queue.field(words, self.queue_at, *position, *field as usize);
                match wanted {
                    Wanted::Constant(wanted) => value == *wanted,
                    Wanted::Value(number) => value == self.values[first + number],
                }
            })
        };
        let found = (0..queue.len(words, self.queue_at)).find(is_it);
        self.values.truncate(first);
        found
    }

    fn matches_offered(&mut self, pattern: &Pattern) -> bool {
        let first = self.values.len() - pattern.n_values;
        let message = self.offer.map_or(&[][..], |offer| &offer.message[..]);
        let matches = pattern.fields.iter().all(|(field, wanted)| {
            let wanted = match wanted {
                Wanted::Constant(wanted) => *wanted,
                Wanted::Value(number) => self.values[first + number],
            };
            message.get(*field as usize) == Some(&wanted)
        });
        self.values.truncate(first);
        matches
    }

    fn state_test<const APART: bool>(&self, test: StateTest) -> Result<bool, Fault> {
        let state = self.read::<APART>();
        Ok(match test {
            StateTest::Timeout => self.timeout,
            StateTest::IsYoungest => self.me.index() + 1 == self.program.n_processes(state.words()),
            StateTest::NonProgress => !self.program.is_progress(state.words()),
            StateTest::IsEmpty => self.length::<APART>() == 0,
            StateTest::IsFull => {
                let queue = self.program.queue(self.channel.part.site);
                queue.is_some_and(|queue| self.length::<APART>() >= queue.queue.capacity)
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

    fn reach(&mut self, transition: TransitionId) -> Result<(), Fault> {
        let log = &mut self.log;
        log.here = Some(transition);
        if log.reached.len() < RECENT || !log.reached.contains(&transition) {
            log.reached.push(transition);
        }
        log.n_statements += 1;
        if log.n_statements > STATEMENT_LIMIT { Err(Fault::DStepEndless) } else { Ok(()) }
    }

    /// Executes other code in between, which leaves the registers as they are.
    fn aside<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let (registers, channel, queue_at) = (self.registers, self.channel, self.queue_at);
        let (me, bases, position) = (self.me, self.bases, self.position);
        let result = act(self);
        (self.registers, self.channel, self.queue_at) = (registers, channel, queue_at);
        (self.me, self.bases, self.position) = (me, bases, position);
        result
    }

    /// Starts a process in the next state: its arguments are the last values.
    pub fn start(&mut self, proctype: usize, priority: u8) -> Result<Pid, Fault> {
        let program = self.program;
        let process = &program.processes[proctype];
        let first = self.values.len() - process.parameters.len();
        let n = program.n_processes(self.next.words());
        let limit = program.layout.slots.len();
        if n >= limit {
            return Err(Fault::ProcessLimit { limit: u32::try_from(limit).unwrap_or(u32::MAX) });
        }
        let pid = Pid::from_index(n);
        if !process.channels.is_empty() {
            let channels = i32::try_from(process.channels.len()).unwrap_or(i32::MAX);
            if program.first_channel(self.next.words(), pid).saturating_add(channels) > 256 {
                return Err(Fault::StateSize);
            }
        }
        self.next.memory.resize(program.layout.n_words(n + 1));
        program.set_up_slot(self.next.words_mut(), pid, proctype, priority);
        self.aside(|machine| {
            machine.set_process(pid);
            // Initial values may depend on the arguments.
            for (number, field) in process.parameters.iter().enumerate() {
                if let Some(field) = field {
                    let (place, given) = (machine.address(field.base, field.at), machine.values[first + number]);
                    set_value(machine.next.words_mut(), place, *field, given);
                }
            }
            machine.execute::<false>(process.initial)
        })?;
        self.values.truncate(first);
        set_number(self.next.words_mut(), 0, program.layout.count, n + 1);
        Ok(pid)
    }

    /// The trace assertion moves on a message to or from the current channel.
    fn observe(&mut self, side: Side, message: SmallVec<[i32; 8]>) {
        let program = self.program;
        let (Some(trace), Some(bits)) = (&program.trace, program.layout.trace) else { return };
        let observed = Offer { sender: self.me, channel: self.channel, message, transition: TransitionId(0) };
        // The code of the trace is that of no process.
        let mut watch: Machine<'_, M> =
            Machine::new(program, self.now, self.next.clone(), self.me, false, self.can_move);
        watch.offer = Some(&observed);
        let mut is_named = trace.named.iter().filter(|(of, _)| *of == side);
        if !is_named.any(|(_, entry)| watch.run(*entry, false) == Ok(true)) {
            return;
        }
        let at = if bits.bits == 0 { 0 } else { get(self.next.words(), bits.at, bits.bits) as usize };
        let events = trace.locations.get(at).map_or(&[][..], |location| &location.events);
        let mut fitting = events.iter().filter(|event| event.side == side);
        let to = fitting.find(|event| watch.run(event.entry, false) == Ok(true)).map(|event| event.to);
        let objections = &mut self.next.objections;
        let count = match side {
            Side::Send => &mut objections.to_sends,
            Side::Receive => &mut objections.to_receives,
        };
        let to = if trace.is_negated {
            // Only the first attempt counts: an automaton that gives up goes to the location of one that has succeeded.
            if to == Some(trace.end) {
                *count = count.saturating_add(1);
            }
            Some(to.unwrap_or(trace.end))
        } else {
            if to.is_none() {
                *count = count.saturating_add(1);
            }
            to
        };
        if let (Some(to), true) = (to, bits.bits > 0) {
            set_number(self.next.words_mut(), 0, bits, to);
        }
    }

    fn print(&mut self, parts: &[Printed]) {
        let n = parts.iter().filter(|part| !matches!(part, Printed::Text(_))).count();
        let first = self.values.len() - n;
        if self.wants_text {
            let mut values = self.values[first..].iter();
            for part in parts {
                if let Printed::Text(text) = part {
                    self.log.text.push_str(text);
                } else if let Some(value) = values.next() {
                    self.log.text.push_str(&self.program.shown(part, *value));
                }
            }
        }
        self.values.truncate(first);
    }
}

fn length(table: &[i32]) -> u32 {
    u32::try_from(table.len()).expect("an array is shorter than 2^32")
}

#[inline(always)]
pub fn compare(comparison: Comparison, left: i32, right: i32) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
        Comparison::Less => left < right,
        Comparison::LessEqual => left <= right,
        Comparison::Greater => left > right,
        Comparison::GreaterEqual => left >= right,
    }
}

#[inline(always)]
fn binary(op: Binary, left: i32, right: i32) -> Result<i32, Fault> {
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
