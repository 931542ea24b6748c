//! Ownership: the users of each object, and the partners of an access.
//!
//! Errs towards more users, and so towards more partners.

use super::access::Access;
use super::actors::{ActorId, Actors};
use super::channels::{ChannelId, Channels};
use super::objects::{Object, ObjectId};
use super::safe::Table;
use super::sets::Set;
use super::uses::Uses;
use crate::collections::IdVec;
use crate::source::Span;

/// The users of one object.
#[derive(Clone, Debug, Default)]
pub struct Users {
    pub readers: Set<ActorId>,
    pub writers: Set<ActorId>,
    /// Actors that read it under weak fairness; `readers` are among them.
    pub fair_readers: Set<ActorId>,
    /// Actors that use it otherwise than as a channel of their own: two processes of a class among them may use the
    /// same one.
    foreign_readers: Set<ActorId>,
    foreign_writers: Set<ActorId>,
    /// One source position for each actor and kind of use.
    pub places: Vec<UsePlace>,
}

/// A place where an actor uses an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsePlace {
    pub actor: ActorId,
    pub is_write: bool,
    pub is_fair_only: bool,
    pub span: Span,
}

/// All that determines, for one actor, the partners of an access.
pub(super) type AccessKey = (ObjectId, bool, bool, bool, bool);

/// Accesses with the same key have the same partners.
pub(super) fn key(access: &Access) -> AccessKey {
    (access.object, access.is_write, access.is_own, access.is_promised, access.is_fair_only)
}

/// The partners of an access: the processes that must be in one cluster for the access to be independent of all
/// processes outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partners {
    /// The process itself among them.
    pub actors: Set<ActorId>,
    /// Another process of its own class.
    pub has_twin: bool,
}

#[derive(Clone, Debug)]
pub struct Ownership {
    pub users: IdVec<ObjectId, Users>,
    /// The users of a buffered channel, at either side.
    pub channel_users: IdVec<ChannelId, Set<ActorId>>,
}

impl Ownership {
    pub(super) fn new(uses: &Uses, actors: &Actors, channels: &Channels) -> Self {
        let mut users: IdVec<ObjectId, Users> = uses.objects.list.iter().map(|_| Users::default()).collect();
        let mut channel_users: IdVec<ChannelId, Set<ActorId>> = channels.list.iter().map(|_| Set::new()).collect();
        for actor in actors.list.ids() {
            for access in uses.of_actor(actor).flat_map(|one| &one.accesses) {
                users[access.object].add(actor, access);
                if let Some(channel) = uses.objects.list[access.object].channel() {
                    channel_users[channel].insert(actor);
                }
            }
        }
        Self { users, channel_users }
    }

    /// The partners of an access of an actor.
    pub fn partners(&self, actors: &Actors, object: Object, actor: ActorId, access: &Access, table: Table) -> Partners {
        let users = &self.users[access.object];
        let mut partners = Partners { actors: Set::of(actor), has_twin: false };
        // Searches for cycles do not check promises, and so do not rely on them: they use the other table.
        if access.is_promised && table == Table::Plain {
            return partners;
        }
        let readers = match table {
            Table::Plain => &users.readers,
            Table::Fair => &users.fair_readers,
        };
        // Two processes that become ready are independent.
        let is_ready = matches!(object, Object::Ready(_));
        let counts_readers = access.is_write;
        let counts_writers = !(is_ready && access.is_write);
        if counts_readers {
            partners.actors.add_all(readers);
        }
        if counts_writers {
            partners.actors.add_all(&users.writers);
        }
        if actors.list[actor].is_class() {
            // Two processes that each use their own channel use two.
            let (own_readers, own_writers) = match access.is_own {
                true => (&users.foreign_readers, &users.foreign_writers),
                false => (readers, &users.writers),
            };
            partners.has_twin =
                (counts_readers && own_readers.contains(actor)) || (counts_writers && own_writers.contains(actor));
        }
        partners
    }
}

impl Users {
    fn add(&mut self, actor: ActorId, access: &Access) {
        if access.is_write {
            self.writers.insert(actor);
        } else if !access.is_fair_only {
            self.readers.insert(actor);
        }
        if !access.is_write {
            self.fair_readers.insert(actor);
        }
        let place = UsePlace { actor, is_write: access.is_write, is_fair_only: access.is_fair_only, span: access.span };
        let is_like = |it: &&UsePlace| it.is_write == place.is_write && it.is_fair_only == place.is_fair_only;
        // Actors come one after the other, so that the positions of an actor are the last ones.
        if !self.places.iter().rev().take_while(|it| it.actor == actor).any(|it| is_like(&it)) {
            self.places.push(place);
        }
        if !access.is_own {
            let foreign = if access.is_write { &mut self.foreign_writers } else { &mut self.foreign_readers };
            foreign.insert(actor);
        }
    }
}

impl Users {
    /// Whether the actor uses it otherwise than as a channel of its own.
    pub fn is_foreign(&self, actor: ActorId) -> bool {
        self.foreign_readers.contains(actor) || self.foreign_writers.contains(actor)
    }
}
