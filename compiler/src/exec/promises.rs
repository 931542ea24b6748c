//! Exclusive use of channels (`xr`, `xs`) that is checked while the model runs.

use super::Channel;
use crate::collections::IdVec;
use crate::ir::TransitionId;
use crate::model::{ProctypeId, Side};

/// A promise is broken where a process stands at a statement that uses a side of a channel, executable or not, while
/// another process has that side to itself.
#[derive(Clone, Debug)]
pub struct Promises {
    /// What every process of a proctype has to itself.
    pub declared: IdVec<ProctypeId, Vec<ChannelSide>>,
    /// What each statement uses that another process may have to itself.
    pub uses: IdVec<ProctypeId, IdVec<TransitionId, Vec<ChannelSide>>>,
}

#[derive(Clone, Debug)]
pub struct ChannelSide {
    pub side: Side,
    pub channel: Channel,
}

impl Promises {
    /// Whether some process has this side of a channel to itself.
    pub fn has(&self, side: Side) -> bool {
        self.declared.iter().flatten().any(|declared| declared.side == side)
    }

    /// A process of this type may use what another one has to itself.
    pub fn may_break(&self, id: ProctypeId) -> bool {
        self.uses[id].iter().any(|uses| !uses.is_empty())
    }

    /// Every channel that is named, with the proctype whose process names it.
    pub fn channels(&self) -> impl Iterator<Item = (ProctypeId, &Channel)> {
        let declared = self.declared.iter_enumerated().flat_map(|(id, list)| list.iter().map(move |it| (id, it)));
        let uses = self.uses.iter_enumerated().flat_map(|(id, uses)| uses.iter().flatten().map(move |it| (id, it)));
        declared.chain(uses).map(|(id, it)| (id, &it.channel))
    }
}
