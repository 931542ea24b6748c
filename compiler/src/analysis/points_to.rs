//! Points-to analysis: the channels that a channel expression may denote, for each process.
//!
//! Channels travel through variables, parameters and messages. The front end knows the declarations that an expression
//! may come from; this analysis knows, where arguments are constant, which process declares the channel and which
//! element it is. It is flow-insensitive. Errs towards more channels: one that is stored in a number may be read
//! anywhere.
//!
//! A channel that was removed with its process leaves a number behind, which a channel of a younger process may take
//! over. Other processes can hold it only if it was passed on by other means than `run`, since the processes that `run`
//! starts are removed before. Such a reference may denote any channel of a dynamic process.

use super::actors::{ActorId, Actors};
use super::channels::{ChannelId, Channels};
use super::constants::{Constants, Reach};
use super::flow::{CellId, PointsToSet, path};
use super::sets::Set;
use crate::collections::{IdVec, Lookup};
use crate::ir::Program;
use crate::model::{ChannelRef, Init, Owner, Place, VariableId};

/// What channel expressions may denote.
#[derive(Clone, Debug)]
pub struct PointsTo {
    pub(super) cells: Lookup<(Option<ActorId>, VariableId, Vec<u32>), CellId>,
    pub(super) contents: IdVec<CellId, PointsToSet>,
    /// Channels that other processes may hold after their own has ended.
    pub may_outlive: Set<ChannelId>,
    /// Channels of dynamic processes, which may take over the number of such a channel.
    pub(super) heirs: Set<ChannelId>,
}

/// What one channel expression of one process may denote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denoted {
    /// Ascending.
    pub channels: Vec<ChannelId>,
    /// It came through a number: every channel that the front end allows.
    pub is_unknown: bool,
    /// The process itself declares it, so that no other process shares it.
    pub is_own: bool,
}

/// All that the analysis reads.
pub(super) struct Context<'a, 'm> {
    pub program: &'a Program<'m>,
    pub actors: &'a Actors,
    pub channels: &'a Channels,
    pub constants: &'a Constants,
    pub reach: &'a IdVec<ActorId, Reach>,
    pub is_fixed_channel: &'a IdVec<VariableId, bool>,
}

impl Context<'_, '_> {
    pub(super) fn scope(&self, actor: Option<ActorId>, variable: VariableId) -> Option<ActorId> {
        match self.program.model.variables[variable].owner {
            Owner::Global | Owner::Never(_) => None,
            Owner::Proctype(_) => actor,
        }
    }

    /// The channels of a variable that always denotes those of its declaration.
    pub(super) fn fixed(&self, actor: Option<ActorId>, place: &Place) -> Option<Vec<ChannelId>> {
        let Init::Channel(site) = self.program.model.variables[place.variable].init else { return None };
        if !self.is_fixed_channel[place.variable] {
            return None;
        }
        let owner = self.scope(actor, place.variable);
        Some(match &place.index {
            None => self.channels.of(site, owner),
            Some(index) => match self.constants.index(actor, index) {
                Some(number) => self.channels.element(site, owner, number),
                None => self.channels.of(site, owner),
            },
        })
    }
}

impl PointsTo {
    /// What a channel expression denotes where the actor evaluates it, or a claim.
    pub(super) fn denoted(&self, context: &Context<'_, '_>, actor: Option<ActorId>, channel: &ChannelRef) -> Denoted {
        let place = &channel.place;
        let scope = context.scope(actor, place.variable);
        if let Some(channels) = context.fixed(actor, place) {
            return Denoted { channels, is_unknown: false, is_own: scope.is_some() };
        }
        let content = self.cells.get(&(scope, place.variable, path(place))).map(|cell| &self.contents[*cell]);
        let Some(content) = content else {
            return Denoted { channels: Vec::new(), is_unknown: false, is_own: false };
        };
        let mut found = content.channels.clone();
        let allowed = || channel.sites.iter().flat_map(|site| context.channels.of_site(*site));
        if content.is_unknown {
            allowed().for_each(|channel| {
                found.insert(*channel);
            });
        } else if found.meets(&self.may_outlive) {
            allowed().filter(|channel| self.heirs.contains(**channel)).for_each(|channel| {
                found.insert(*channel);
            });
        }
        let is_unknown = content.is_unknown && !channel.sites.is_empty();
        Denoted { channels: found.iter().collect(), is_unknown, is_own: false }
    }

    /// Whether a channel expression denotes the same channel wherever the actor
    /// evaluates it.
    pub(super) fn is_stable(context: &Context<'_, '_>, actor: ActorId, channel: &ChannelRef) -> bool {
        let place = &channel.place;
        let indices = place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref()));
        !context.constants.is_written[place.variable]
            && indices.into_iter().all(|index| context.constants.value(Some(actor), index).is_some())
    }
}
