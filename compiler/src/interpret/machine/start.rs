//! New processes.

use pmc_runtime::fault::Fault;
use pmc_runtime::step::Pid;

use super::super::state::{Memory, set_number, set_value};
use super::Machine;

impl<M: Memory> Machine<'_, M> {
    /// Executes other code in between, which leaves the registers as they are.
    fn aside<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let (registers, channel, queue) = (self.registers, self.channel, (self.queue, self.queue_at));
        let (me, bases, position) = (self.me, self.bases, self.position);
        let result = act(self);
        (self.registers, self.channel, (self.queue, self.queue_at)) = (registers, channel, queue);
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
}
