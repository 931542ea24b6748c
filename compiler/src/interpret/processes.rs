//! Processes and channels in the words of a state.

use pmc_runtime::fault::Fault;
use pmc_runtime::step::Pid;

use super::layout::{Base, Form, PlacedQueue};
use super::machine::Channel;
use super::program::{Behaviour, Behaviours, ChannelPart, Location, Printed, Process, Program, Sequence};
use super::state::{Memory, State, clear, get, number, set_number};
use crate::collections::Id;
use crate::model::{ProctypeId, SiteId};

impl Program {
    #[inline]
    pub fn n_processes(&self, words: &[u64]) -> usize {
        match self.layout.count.bits {
            0 => 0,
            _ => number(words, 0, self.layout.count),
        }
    }

    /// The proctype of a process.
    #[inline]
    pub fn proctype(&self, words: &[u64], pid: Pid) -> usize {
        let slot = &self.layout.slots[pid.index()];
        match self.layout.kind {
            Some(kind) => number(words, slot.at, kind),
            None => slot.proctype.index(),
        }
    }

    /// The location of a process of a known proctype.
    #[inline]
    pub fn location_in(&self, words: &[u64], pid: Pid, proctype: usize) -> usize {
        match self.layout.location[ProctypeId::from_index(proctype)] {
            Some(bits) => number(words, self.layout.slots[pid.index()].at, bits),
            None => 0,
        }
    }

    /// What a process can do, and its location.
    #[inline]
    pub fn behaviour(&self, words: &[u64], pid: Pid) -> (&Behaviour, usize) {
        let (behaviour, base) = match &self.behaviours {
            Behaviours::ByPid(all) => (&all[pid.index()], 0),
            Behaviours::ByProctype(all) => (&all[self.proctype(words, pid)], self.layout.slots[pid.index()].at),
        };
        let location = behaviour.location.map_or(0, |it| get(words, base + it.at as usize, u32::from(it.bits)));
        (behaviour, location as usize)
    }

    /// What the addresses in the code of a process are counted from.
    #[inline]
    pub fn bases(&self, pid: Pid) -> [usize; Base::N] {
        let mut bases = [0; Base::N];
        if let Some(slot) = self.layout.slots.get(pid.index()) {
            bases[Base::Own as usize] = slot.at;
            bases[Base::OwnBeside as usize] = slot.beside;
        }
        bases
    }

    /// Whether a test that a sequence begins with says that it is blocked.
    #[inline]
    pub fn is_blocked(&self, words: &[u64], bases: &[usize; Base::N], sequence: &Sequence) -> bool {
        let (first, n) = sequence.blocked_if;
        let tests = &self.tests[first as usize..][..n as usize];
        tests.iter().any(|test| test.holds(words, bases))
    }

    pub fn process(&self, words: &[u64], pid: Pid) -> (&Process, &Location) {
        let proctype = self.proctype(words, pid);
        let process = &self.processes[proctype];
        (process, &process.locations[self.location_in(words, pid, proctype)])
    }

    pub fn pids(&self, words: &[u64]) -> impl DoubleEndedIterator<Item = Pid> + use<> {
        (0..self.n_processes(words)).map(Pid::from_index)
    }

    pub fn location_number(&self, words: &[u64], pid: Pid) -> i32 {
        self.process(words, pid).1.number
    }

    /// Whether some process is at a progress label.
    pub fn is_progress(&self, words: &[u64]) -> bool {
        self.pids(words).any(|pid| self.process(words, pid).1.is_progress)
    }

    /// The process with a pid, if there is one.
    pub fn find(&self, words: &[u64], pid: i32) -> Option<Pid> {
        let index = usize::try_from(pid).ok().filter(|pid| *pid < self.n_processes(words))?;
        Some(Pid::from_index(index))
    }

    /// The same, of a proctype; one of another proctype is a fault.
    pub fn find_of_type(&self, words: &[u64], pid: i32, proctype: usize) -> Result<Option<Pid>, Fault> {
        match self.find(words, pid) {
            Some(found) if self.proctype(words, found) != proctype => Err(Fault::RemoteReference { pid }),
            found => Ok(found),
        }
    }

    /// The oldest process of a proctype.
    pub fn oldest(&self, words: &[u64], proctype: usize) -> Option<Pid> {
        self.pids(words).find(|pid| self.proctype(words, *pid) == proctype)
    }

    /// 0 if there is no such process.
    pub fn priority(&self, words: &[u64], pid: i32) -> i32 {
        self.find(words, pid).map_or(0, |pid| self.priority_in_slot(words, pid))
    }

    /// Also of a process that is being started.
    pub fn priority_in_slot(&self, words: &[u64], pid: Pid) -> i32 {
        let slot = self.layout.slots[pid.index()].at;
        let priority = self.layout.priority.map_or(1, |bits| number(words, slot, bits));
        i32::try_from(priority).expect("a priority has eight bits")
    }

    pub fn set_priority(&self, words: &mut [u64], pid: i32, priority: i32) {
        if let (Some(pid), Some(bits)) = (self.find(words, pid), self.layout.priority) {
            let slot = self.layout.slots[pid.index()].at;
            set_number(words, slot, bits, (priority & 0xff).cast_unsigned() as usize);
        }
    }

    /// Writes what every process has: its proctype, its location, its priority.
    pub fn set_up_slot(&self, words: &mut [u64], pid: Pid, proctype: usize, priority: u8) {
        let slot = self.layout.slots[pid.index()].at;
        let start = self.processes[proctype].start;
        let location = self.layout.location[ProctypeId::from_index(proctype)];
        let parts = [(self.layout.kind, proctype), (location, start), (self.layout.priority, usize::from(priority))];
        for (bits, value) in parts {
            if let Some(bits) = bits {
                set_number(words, slot, bits, value);
            }
        }
    }

    pub fn remove_youngest<M: Memory>(&self, state: &mut State<M>) {
        let youngest = self.n_processes(state.words()) - 1;
        let slot = self.layout.slots[youngest];
        let words = state.words_mut();
        match self.layout.form {
            Form::Fixed { .. } => {
                clear(words, slot.at, slot.size);
                clear(words, slot.beside, slot.beside_size);
                set_number(words, 0, self.layout.count, youngest);
            }
            Form::Open(_) => {
                set_number(words, 0, self.layout.count, youngest);
                state.memory.resize(self.layout.n_words(youngest));
            }
        }
    }

    #[inline]
    pub fn queue(&self, site: u32) -> Option<&PlacedQueue> {
        self.layout.queues.get(SiteId(site))?.as_ref()
    }

    /// The number of the first channel of a process, if it has one.
    pub fn first_channel(&self, words: &[u64], pid: Pid) -> i32 {
        let older = (0..pid.index()).map(Pid::from_index);
        let n: usize = older.map(|pid| self.processes[self.proctype(words, pid)].channels.len()).sum();
        i32::try_from(1 + self.global_channels.len() + n).expect("there are fewer than 2^31 channels")
    }

    /// The channel that a number denotes.
    pub fn channel(&self, words: &[u64], number: i32) -> Result<Channel, Fault> {
        let fault = Fault::BadChannel { channel: number };
        let index = match number {
            0 => return Err(Fault::UninitializedChannel),
            _ => usize::try_from(number).map_err(|_| fault)? - 1,
        };
        if let Some(part) = self.global_channels.get(index) {
            return Ok(Channel { part: *part, owner: Pid(0) });
        }
        let mut index = index - self.global_channels.len();
        for pid in self.pids(words) {
            let own = &self.processes[self.proctype(words, pid)].channels;
            if let Some(part) = own.get(index) {
                return Ok(Channel { part: *part, owner: pid });
            }
            index -= own.len();
        }
        Err(fault)
    }

    /// Whether some channel holds a message.
    pub fn has_messages(&self, words: &[u64]) -> bool {
        let is_nonempty = |part: &ChannelPart, base: usize| {
            let placed = self.queue(part.site);
            placed.is_some_and(|placed| {
                let at = base + placed.at + placed.spacing.of(part.element as usize);
                placed.queue.len(words, at) > 0
            })
        };
        let in_process = |pid: Pid| {
            let base = self.layout.slots[pid.index()].at;
            self.processes[self.proctype(words, pid)].channels.iter().any(|part| is_nonempty(part, base))
        };
        self.global_channels.iter().any(|part| is_nonempty(part, 0)) || self.pids(words).any(in_process)
    }

    /// A printed value.
    pub fn shown(&self, how: &Printed, value: i32) -> String {
        match how {
            Printed::Text(text) => text.clone(),
            Printed::Signed => value.to_string(),
            Printed::Unsigned => value.cast_unsigned().to_string(),
            Printed::Octal => format!("{value:o}"),
            Printed::Hexadecimal => format!("{value:x}"),
            Printed::Character => {
                let byte = u8::try_from(value & 0xff).expect("eight bits");
                char::from(byte).to_string()
            }
            Printed::Symbol(mtype) => self.mtype_name(mtype.index(), value).to_owned(),
        }
    }

    pub fn mtype_name(&self, mtype: usize, value: i32) -> &str {
        let named = self.mtypes[mtype].iter().find(|(of, _)| *of == value);
        named.map_or("?", |(_, name)| name)
    }
}
