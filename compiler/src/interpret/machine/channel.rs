//! The current channel, and its messages.

use pmc_runtime::step::Pid;

use super::super::code::{ChannelOwner, Pattern, Wanted};
use super::super::layout::Queue;
use super::super::state::Memory;
use super::{Channel, Machine};

impl<'a, M: Memory> Machine<'a, M> {
    pub(super) fn channel_owner(&self, owner: ChannelOwner) -> Pid {
        match owner {
            ChannelOwner::State => Pid(0),
            ChannelOwner::Own => self.me,
            ChannelOwner::Found => self.found,
        }
    }

    #[inline]
    pub(super) fn set_channel(&mut self, channel: Channel) {
        self.channel = channel;
        let program = self.program;
        self.queue = None;
        if let Some(placed) = program.queue(channel.part.site) {
            let base = if program.sites[channel.part.site as usize].is_local {
                program.layout.slots[channel.owner.index()].at
            } else {
                0
            };
            self.queue = Some(&placed.queue);
            self.queue_at = base + placed.at + placed.spacing.of(channel.part.element as usize);
        }
    }

    /// The queue of the current channel, which has one.
    #[inline]
    pub(super) fn queue(&self) -> &'a Queue {
        self.queue.expect("the kind of the channel was checked")
    }

    #[inline]
    pub(super) fn length<const APART: bool>(&self) -> usize {
        self.queue.map_or(0, |queue| queue.len(self.read::<APART>().words(), self.queue_at))
    }

    /// The position of the first message of the current channel that matches.
    pub(super) fn find_message<const APART: bool>(&mut self, pattern: &Pattern) -> Option<usize> {
        let (queue, words) = (self.queue(), self.read::<APART>().words());
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

    pub(super) fn matches_offered(&mut self, pattern: &Pattern) -> bool {
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
}
