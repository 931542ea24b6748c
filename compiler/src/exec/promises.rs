//! Exclusive use of channels (`xr`, `xs`) that is checked at run time.

use super::Channel;
use crate::collections::IdVec;
use crate::ir::TransitionId;
use crate::model::{ProctypeId, Side};

/// A promise is broken if a process is at a statement that uses a side of a channel, executable or not, while another
/// process uses that side exclusively.
#[derive(Clone, Debug)]
pub struct Promises {
    /// The channels that every process of a proctype uses exclusively.
    pub declared: IdVec<ProctypeId, Vec<ChannelSide>>,
    /// The channels that each statement uses and that another process may use exclusively.
    pub uses: IdVec<ProctypeId, IdVec<TransitionId, Vec<ChannelSide>>>,
}

#[derive(Clone, Debug)]
pub struct ChannelSide {
    pub side: Side,
    pub channel: Channel,
}

impl Promises {
    /// Whether some process uses this side of a channel exclusively.
    pub fn has(&self, side: Side) -> bool {
        self.declared.iter().flatten().any(|declared| declared.side == side)
    }

    /// A process of this type may use a channel that another one uses exclusively.
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
