//! Dependency classes: the kinds of operations on which a step of another process can depend, one bit each.
//!
//! A dependency class is finer than an access: a send and a receive at the two ends of a channel commute, a send of one
//! message cannot enable a receive of another, and a test that something is *not* enabled depends on whatever enables
//! it.

use super::access::{Access, Effect, SideUse};
use super::channels::ChannelId;
use super::objects::{Object, ObjectId, Objects};
use super::sets::Set;
use super::uses::StepUse;
use crate::collections::{IdVec, Lookup};
use crate::ids;
use crate::model::Side;

ids! {
    /// The number of a dependency class: a bit of a set.
    DependencyClassId;
}

/// A set of dependency classes.
pub type ClassSet = Set<DependencyClassId>;

/// One operation of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DependencyClass {
    Reads(ObjectId),
    Writes(ObjectId),
    /// A message to a channel, with the value of its first field if that is known.
    Sends(ChannelId, Option<i32>),
    Receives(ChannelId),
    /// Needs room: `nfull`.
    NeedsRoom(ChannelId),
    /// Needs a message and leaves it there: `nempty`, `c?<x>`.
    NeedsMessage(ChannelId),
    /// A message is removed from the middle of a channel or inserted there, or the channel is removed.
    Changes(ChannelId),
    /// `len` and similar operators: both sides are read.
    Looks(ChannelId),
    /// Something is enabled only while there is no message.
    TestsMessage(ChannelId),
    /// Something is enabled only while there is no room.
    TestsRoom(ChannelId),
    /// Something is enabled only while no process is ready to receive.
    TestsReady(ChannelId),
    /// A process is started.
    Starts,
    /// A process ends.
    Ends,
}

/// All dependency classes that occur.
#[derive(Clone, Debug, Default)]
pub struct DependencyClasses {
    pub list: IdVec<DependencyClassId, DependencyClass>,
    ids: Lookup<DependencyClass, DependencyClassId>,
    /// The messages that are sent to each channel, by the value of the first field.
    sent: Lookup<ChannelId, Vec<Option<i32>>>,
}

impl DependencyClasses {
    pub(super) fn id(&mut self, dependency_class: DependencyClass) -> DependencyClassId {
        if let Some(id) = self.ids.get(&dependency_class) {
            return *id;
        }
        if let DependencyClass::Sends(channel, value) = dependency_class {
            self.sent.or_insert_with(channel, Vec::new).push(value);
        }
        let id = self.list.push(dependency_class);
        self.ids.insert(dependency_class, id);
        id
    }

    /// Adds a dependency class to a bit set, if some process has it: a class without operations creates no dependence.
    fn put(&self, bit_set: &mut ClassSet, dependency_class: DependencyClass) {
        if let Some(id) = self.ids.get(&dependency_class) {
            bit_set.insert(*id);
        }
    }

    /// Every send to a channel.
    fn put_sends(&self, bit_set: &mut ClassSet, channel: ChannelId) {
        for value in self.sent.get(&channel).into_iter().flatten() {
            self.put(bit_set, DependencyClass::Sends(channel, *value));
        }
    }

    /// The sends that may bring a message with this first value.
    pub(super) fn put_matching(&self, bit_set: &mut ClassSet, channel: ChannelId, value: Option<i32>) {
        match value {
            None => self.put_sends(bit_set, channel),
            Some(_) => {
                self.put(bit_set, DependencyClass::Sends(channel, value));
                self.put(bit_set, DependencyClass::Sends(channel, None));
            }
        }
    }

    /// The classes that are dependent with an enabled access.
    pub(super) fn put_access(&self, bit_set: &mut ClassSet, objects: &Objects, access: &Access) {
        let object = objects.list[access.object];
        match object {
            Object::Sending(channel) | Object::Receiving(channel) => {
                self.put_any_use(bit_set, channel);
                if access.is_write {
                    self.put(bit_set, DependencyClass::TestsMessage(channel));
                    self.put(bit_set, DependencyClass::TestsRoom(channel));
                }
            }
            Object::Handshake(channel) => {
                self.put_sends(bit_set, channel);
                self.put(bit_set, DependencyClass::Receives(channel));
                self.put(bit_set, DependencyClass::Changes(channel));
            }
            Object::Ready(channel) if access.is_write => self.put(bit_set, DependencyClass::TestsReady(channel)),
            // Processes that test for readiness take part in the handshake, too.
            Object::Ready(_) => {}
            Object::Global { .. } | Object::Local { .. } | Object::At { .. } | Object::ProcessTable => {
                self.put(bit_set, DependencyClass::Writes(access.object));
                if access.is_write {
                    self.put(bit_set, DependencyClass::Reads(access.object));
                }
            }
        }
    }

    /// Every use of a channel.
    pub(super) fn put_any_use(&self, bit_set: &mut ClassSet, channel: ChannelId) {
        self.put_sends(bit_set, channel);
        for dependency_class in [
            DependencyClass::Receives,
            DependencyClass::NeedsRoom,
            DependencyClass::NeedsMessage,
            DependencyClass::Changes,
            DependencyClass::Looks,
        ] {
            self.put(bit_set, dependency_class(channel));
        }
    }

    /// The classes that are dependent with an enabled use of one side.
    pub(super) fn put_side(&self, bit_set: &mut ClassSet, side: Side, is_write: bool, channel: ChannelId) {
        self.put(bit_set, DependencyClass::Changes(channel));
        match side {
            Side::Send => self.put_sends(bit_set, channel),
            Side::Receive => self.put(bit_set, DependencyClass::Receives(channel)),
        }
        if is_write {
            self.put(bit_set, DependencyClass::Looks(channel));
            let (needs, tests) = match side {
                Side::Send => (DependencyClass::NeedsRoom(channel), DependencyClass::TestsMessage(channel)),
                Side::Receive => (DependencyClass::NeedsMessage(channel), DependencyClass::TestsRoom(channel)),
            };
            self.put(bit_set, needs);
            self.put(bit_set, tests);
        }
    }

    /// The classes that can make room, or bring another message to the head.
    pub(super) fn put_takers(&self, bit_set: &mut ClassSet, channel: ChannelId) {
        self.put(bit_set, DependencyClass::Receives(channel));
        self.put(bit_set, DependencyClass::Changes(channel));
    }

    /// The classes that can make a condition true.
    pub(super) fn put_writers(&self, bit_set: &mut ClassSet, objects: &Objects, access: &Access) {
        match objects.list[access.object] {
            Object::Global { .. } | Object::Local { .. } | Object::At { .. } | Object::ProcessTable => {
                self.put(bit_set, DependencyClass::Writes(access.object));
            }
            Object::Sending(channel) | Object::Receiving(channel) | Object::Handshake(channel) => {
                self.put_sends(bit_set, channel);
                self.put_takers(bit_set, channel);
            }
            Object::Ready(_) => {}
        }
    }

    pub(super) fn put_changes(&self, bit_set: &mut ClassSet, channel: ChannelId) {
        self.put(bit_set, DependencyClass::Changes(channel));
    }

    pub(super) fn put_starts(&self, bit_set: &mut ClassSet) {
        self.put(bit_set, DependencyClass::Starts);
    }

    pub(super) fn put_ends(&self, bit_set: &mut ClassSet) {
        self.put(bit_set, DependencyClass::Ends);
    }

    /// The classes of what a `provided` clause reads.
    pub(super) fn read(&mut self, objects: &Objects, clause: &StepUse) -> ClassSet {
        let effect = Effect { accesses: clause.accesses.clone(), ..Effect::default() };
        self.done(objects, &effect, &|_| None, false)
    }

    /// The classes of a statement, as other processes depend on it. `sent` is the value of the first field that it
    /// sends; `is_negative`, that something else is disabled while it is enabled.
    pub(super) fn done(
        &mut self,
        objects: &Objects,
        effect: &Effect,
        sent: &dyn Fn(ChannelId) -> Option<i32>,
        is_negative: bool,
    ) -> ClassSet {
        let mut bit_set = ClassSet::new();
        for access in &effect.accesses {
            let dependency_class = match objects.list[access.object] {
                Object::Global { .. } | Object::Local { .. } | Object::At { .. } | Object::ProcessTable => {
                    if access.is_write {
                        DependencyClass::Writes(access.object)
                    } else {
                        DependencyClass::Reads(access.object)
                    }
                }
                Object::Sending(channel) | Object::Receiving(channel) => {
                    if access.is_write {
                        DependencyClass::Changes(channel)
                    } else {
                        DependencyClass::Looks(channel)
                    }
                }
                Object::Handshake(channel) if effect.offers.contains(&channel) => DependencyClass::Receives(channel),
                Object::Handshake(channel) => match effect.sends.iter().any(|(sent, _)| *sent == channel) {
                    true => DependencyClass::Sends(channel, sent(channel)),
                    false => DependencyClass::Changes(channel),
                },
                Object::Ready(_) => continue,
            };
            bit_set.insert(self.id(dependency_class));
        }
        for side in &effect.sides {
            for channel in &side.channels {
                bit_set.insert(self.id(of_side(side, *channel, sent(*channel))));
                if is_negative || side.is_negative || !side.is_first {
                    let tests = match side.side {
                        Side::Send => DependencyClass::TestsRoom(*channel),
                        Side::Receive => DependencyClass::TestsMessage(*channel),
                    };
                    bit_set.insert(self.id(tests));
                }
            }
        }
        for (channel, is_first) in &effect.sends {
            if is_negative || !is_first {
                bit_set.insert(self.id(DependencyClass::TestsReady(*channel)));
            }
        }
        if !effect.starts.is_empty() {
            bit_set.insert(self.id(DependencyClass::Starts));
        }
        bit_set
    }
}

fn of_side(side: &SideUse, channel: ChannelId, sent: Option<i32>) -> DependencyClass {
    match (side.side, side.is_write) {
        (Side::Send, true) => DependencyClass::Sends(channel, sent),
        (Side::Receive, true) => DependencyClass::Receives(channel),
        (Side::Send, false) => DependencyClass::NeedsRoom(channel),
        (Side::Receive, false) => DependencyClass::NeedsMessage(channel),
    }
}
