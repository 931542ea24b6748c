//! The channels of a model, as far as they are distinguished.
//!
//! A declaration of a global makes as many channels as its array has elements. One in a proctype makes them anew for
//! each process: the analysis distinguishes them as far as the processes. Of a dynamic proctype, and of large arrays
//! and records, one channel here represents many.

use super::actors::{ActorId, Actors};
use crate::collections::{Id, IdVec, Lookup};
use crate::ids;
use crate::ir::Program;
use crate::model::{Owner, SiteId};

ids! {
    /// A channel, or all channels of a declaration that are not distinguished.
    ChannelId;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    pub site: SiteId,
    /// The process that declares it; `None` for a global.
    pub owner: Option<ActorId>,
    /// Its number in the declared array; `None` if it represents all elements.
    pub element: Option<u32>,
    /// 0: rendezvous.
    pub capacity: u32,
    /// It represents several channels.
    pub is_many: bool,
}

#[derive(Clone, Debug)]
pub struct Channels {
    pub list: IdVec<ChannelId, Channel>,
    /// The first one of each declaration and owner, and the number of successive ones.
    ranges: Lookup<(SiteId, Option<ActorId>), (ChannelId, u32)>,
    of_site: IdVec<SiteId, Vec<ChannelId>>,
}

/// Elements of larger arrays are not distinguished.
const LARGEST_ARRAY: u32 = 64;

impl Channels {
    pub(super) fn new(program: &Program<'_>, actors: &Actors) -> Self {
        let model = program.model;
        let mut channels = Self {
            list: IdVec::new(),
            ranges: Lookup::new(),
            of_site: model.sites.iter().map(|_| Vec::new()).collect(),
        };
        for (id, site) in model.sites.iter_enumerated() {
            let owners: Vec<Option<ActorId>> = match model.variables[site.variable].owner {
                Owner::Global | Owner::Never(_) => vec![None],
                Owner::Proctype(proctype) => actors.of[proctype].iter().copied().map(Some).collect(),
            };
            let is_split = site.path.is_empty() && site.count <= LARGEST_ARRAY;
            let n = if is_split { site.count } else { 1 };
            for owner in owners {
                let is_class = owner.is_some_and(|owner| actors.list[owner].is_class());
                let first = ChannelId::from_index(channels.list.len());
                channels.ranges.insert((id, owner), (first, n));
                for number in 0..n {
                    let channel = channels.list.push(Channel {
                        site: id,
                        owner,
                        element: is_split.then_some(number),
                        capacity: site.capacity,
                        is_many: is_class || (!is_split && site.count > 1),
                    });
                    channels.of_site[id].push(channel);
                }
            }
        }
        channels
    }

    /// The channels of a declaration that one owner has.
    pub fn of(&self, site: SiteId, owner: Option<ActorId>) -> Vec<ChannelId> {
        let Some((first, n)) = self.ranges.get(&(site, owner)) else { return Vec::new() };
        (0..*n).map(|offset| ChannelId(first.0 + offset)).collect()
    }

    /// One element of them, or all if they are not distinguished or there is no such element.
    pub fn element(&self, site: SiteId, owner: Option<ActorId>, number: u32) -> Vec<ChannelId> {
        let all = self.of(site, owner);
        match all.get(number as usize) {
            Some(one) if self.list[*one].element == Some(number) => vec![*one],
            _ => all,
        }
    }

    /// All channels of a declaration, of all owners.
    pub fn of_site(&self, site: SiteId) -> &[ChannelId] {
        &self.of_site[site]
    }

    pub fn is_rendezvous(&self, channel: ChannelId) -> bool {
        self.list[channel].capacity == 0
    }
}
