//! The ways in which one process can meddle with another, one bit each.
//!
//! A facet is finer than an access: a send and a receive at the two ends of a
//! channel commute, a send of one message cannot help who waits for another, and
//! a test that something is *not* possible is disturbed by what makes it so.

use super::access::{Access, Effect, SideUse};
use super::channels::ChannelId;
use super::objects::{Object, ObjectId, Objects};
use super::sets::Set;
use super::uses::Use;
use crate::collections::{IdVec, Lookup};
use crate::ids;
use crate::model::Side;

ids! {
    /// One bit of a row.
    FacetId;
}

/// A row of bits.
pub type Row = Set<FacetId>;

/// One thing that a process may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Facet {
    Reads(ObjectId),
    Writes(ObjectId),
    /// A message to a channel, with the value of its first field if that is known.
    Sends(ChannelId, Option<i32>),
    Receives(ChannelId),
    /// Waits for room: `nfull`.
    NeedsRoom(ChannelId),
    /// Waits for a message and leaves it there: `nempty`, `c?<x>`.
    NeedsMessage(ChannelId),
    /// Something is taken from the middle of a channel or put there, or the channel vanishes.
    Changes(ChannelId),
    /// `len` and its kin: both sides are looked at.
    Looks(ChannelId),
    /// Something can be done only while there is no message.
    TestsMessage(ChannelId),
    /// Something can be done only while there is no room.
    TestsRoom(ChannelId),
    /// Something can be done only while nobody is ready to receive.
    TestsReady(ChannelId),
    /// A process is started.
    Starts,
    /// A process ends.
    Ends,
}

/// All facets that occur.
#[derive(Clone, Debug, Default)]
pub struct Facets {
    pub list: IdVec<FacetId, Facet>,
    ids: Lookup<Facet, FacetId>,
    /// The messages that are sent to each channel, by the value of the first field.
    sent: Lookup<ChannelId, Vec<Option<i32>>>,
}

impl Facets {
    pub(super) fn id(&mut self, facet: Facet) -> FacetId {
        if let Some(id) = self.ids.get(&facet) {
            return *id;
        }
        if let Facet::Sends(channel, value) = facet {
            self.sent.or_insert_with(channel, Vec::new).push(value);
        }
        let id = self.list.push(facet);
        self.ids.insert(facet, id);
        id
    }

    /// Adds a facet to a row, if anybody has it: what nobody does disturbs nobody.
    fn put(&self, row: &mut Row, facet: Facet) {
        if let Some(id) = self.ids.get(&facet) {
            row.insert(*id);
        }
    }

    /// Every send to a channel.
    fn put_sends(&self, row: &mut Row, channel: ChannelId) {
        for value in self.sent.get(&channel).into_iter().flatten() {
            self.put(row, Facet::Sends(channel, *value));
        }
    }

    /// The sends that may bring a message with this first value.
    pub(super) fn put_matching(&self, row: &mut Row, channel: ChannelId, value: Option<i32>) {
        match value {
            None => self.put_sends(row, channel),
            Some(_) => {
                self.put(row, Facet::Sends(channel, value));
                self.put(row, Facet::Sends(channel, None));
            }
        }
    }

    /// What disturbs an access that is possible.
    pub(super) fn put_access(&self, row: &mut Row, objects: &Objects, access: &Access) {
        let object = objects.list[access.object];
        match object {
            Object::Sending(channel) | Object::Receiving(channel) => {
                self.put_any_use(row, channel);
                if access.is_write {
                    self.put(row, Facet::TestsMessage(channel));
                    self.put(row, Facet::TestsRoom(channel));
                }
            }
            Object::Handshake(channel) => {
                self.put_sends(row, channel);
                self.put(row, Facet::Receives(channel));
                self.put(row, Facet::Changes(channel));
            }
            Object::Ready(channel) if access.is_write => self.put(row, Facet::TestsReady(channel)),
            // Those who test it have the handshake, too.
            Object::Ready(_) => {}
            Object::Global { .. } | Object::Local { .. } | Object::At { .. } | Object::ProcessTable => {
                self.put(row, Facet::Writes(access.object));
                if access.is_write {
                    self.put(row, Facet::Reads(access.object));
                }
            }
        }
    }

    /// Whatever uses a channel.
    pub(super) fn put_any_use(&self, row: &mut Row, channel: ChannelId) {
        self.put_sends(row, channel);
        for facet in [Facet::Receives, Facet::NeedsRoom, Facet::NeedsMessage, Facet::Changes, Facet::Looks] {
            self.put(row, facet(channel));
        }
    }

    /// What disturbs a use of one side that is possible.
    pub(super) fn put_side(&self, row: &mut Row, side: Side, is_write: bool, channel: ChannelId) {
        self.put(row, Facet::Changes(channel));
        match side {
            Side::Send => self.put_sends(row, channel),
            Side::Receive => self.put(row, Facet::Receives(channel)),
        }
        if is_write {
            self.put(row, Facet::Looks(channel));
            let (needs, tests) = match side {
                Side::Send => (Facet::NeedsRoom(channel), Facet::TestsMessage(channel)),
                Side::Receive => (Facet::NeedsMessage(channel), Facet::TestsRoom(channel)),
            };
            self.put(row, needs);
            self.put(row, tests);
        }
    }

    /// What can make room, or bring another message to the head.
    pub(super) fn put_takers(&self, row: &mut Row, channel: ChannelId) {
        self.put(row, Facet::Receives(channel));
        self.put(row, Facet::Changes(channel));
    }

    /// What can make a condition true.
    pub(super) fn put_writers(&self, row: &mut Row, objects: &Objects, access: &Access) {
        match objects.list[access.object] {
            Object::Global { .. } | Object::Local { .. } | Object::At { .. } | Object::ProcessTable => {
                self.put(row, Facet::Writes(access.object));
            }
            Object::Sending(channel) | Object::Receiving(channel) | Object::Handshake(channel) => {
                self.put_sends(row, channel);
                self.put_takers(row, channel);
            }
            Object::Ready(_) => {}
        }
    }

    pub(super) fn put_changes(&self, row: &mut Row, channel: ChannelId) {
        self.put(row, Facet::Changes(channel));
    }

    pub(super) fn put_starts(&self, row: &mut Row) {
        self.put(row, Facet::Starts);
    }

    pub(super) fn put_ends(&self, row: &mut Row) {
        self.put(row, Facet::Ends);
    }

    /// What a `provided` clause reads.
    pub(super) fn read(&mut self, objects: &Objects, clause: &Use) -> Row {
        let effect = Effect { accesses: clause.accesses.clone(), ..Effect::default() };
        self.done(objects, &effect, &|_| None, false)
    }

    /// What a statement does, as it disturbs others. `sent` is the value of the
    /// first field that it sends; `is_negative`, that its being possible keeps
    /// something else from being so.
    pub(super) fn done(
        &mut self,
        objects: &Objects,
        effect: &Effect,
        sent: &dyn Fn(ChannelId) -> Option<i32>,
        is_negative: bool,
    ) -> Row {
        let mut row = Row::new();
        for access in &effect.accesses {
            let facet = match objects.list[access.object] {
                Object::Global { .. } | Object::Local { .. } | Object::At { .. } | Object::ProcessTable => {
                    if access.is_write { Facet::Writes(access.object) } else { Facet::Reads(access.object) }
                }
                Object::Sending(channel) | Object::Receiving(channel) => {
                    if access.is_write {
                        Facet::Changes(channel)
                    } else {
                        Facet::Looks(channel)
                    }
                }
                Object::Handshake(channel) if effect.offers.contains(&channel) => Facet::Receives(channel),
                Object::Handshake(channel) => match effect.sends.iter().any(|(sent, _)| *sent == channel) {
                    true => Facet::Sends(channel, sent(channel)),
                    false => Facet::Changes(channel),
                },
                Object::Ready(_) => continue,
            };
            row.insert(self.id(facet));
        }
        for side in &effect.sides {
            for channel in &side.channels {
                row.insert(self.id(of_side(side, *channel, sent(*channel))));
                if is_negative || side.is_negative || !side.is_first {
                    let tests = match side.side {
                        Side::Send => Facet::TestsRoom(*channel),
                        Side::Receive => Facet::TestsMessage(*channel),
                    };
                    row.insert(self.id(tests));
                }
            }
        }
        for (channel, is_first) in &effect.sends {
            if is_negative || !is_first {
                row.insert(self.id(Facet::TestsReady(*channel)));
            }
        }
        if !effect.starts.is_empty() {
            row.insert(self.id(Facet::Starts));
        }
        row
    }
}

fn of_side(side: &SideUse, channel: ChannelId, sent: Option<i32>) -> Facet {
    match (side.side, side.is_write) {
        (Side::Send, true) => Facet::Sends(channel, sent),
        (Side::Receive, true) => Facet::Receives(channel),
        (Side::Send, false) => Facet::NeedsRoom(channel),
        (Side::Receive, false) => Facet::NeedsMessage(channel),
    }
}
