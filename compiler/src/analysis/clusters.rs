//! The cluster hierarchy: partitions of the processes.
//!
//! At level 0 each process is alone. Each further level merges the blocks whose union settles accesses that are not
//! settled yet, small unions first. A step of a process is safe at a level if it is independent of all processes
//! outside of its block there. Levels above 0 hold only after `init` has left its beginning: a process that is still to
//! be started could access the objects of a block.

use super::actors::{ActorId, Actors};
use super::ownership::Partners;
use super::sets::Set;
use crate::collections::{Id, IdVec};

/// A partition of the actors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// By the first actor of each.
    pub blocks: Vec<Set<ActorId>>,
    pub block_of: IdVec<ActorId, usize>,
}

#[derive(Clone, Debug)]
pub struct Clusters {
    /// From level 0 on. A level of one block would mean all processes, and is left out.
    pub levels: Vec<Level>,
    /// Classes, and processes that start processes of a class: from level 1 on they are in one block.
    pub dynamic: Set<ActorId>,
    /// Why there is no level above 0 although there could be one.
    pub is_too_large: bool,
}

/// A set of processes is a mask with one bit for each.
pub const MOST_PROCESSES: u32 = 64;

impl Level {
    fn of(mut blocks: Vec<Set<ActorId>>, n_actors: usize) -> Self {
        blocks.sort_by_key(|block| block.iter().next());
        let mut block_of: IdVec<ActorId, usize> = (0..n_actors).map(|_| 0).collect();
        for (number, block) in blocks.iter().enumerate() {
            block.iter().for_each(|actor| block_of[actor] = number);
        }
        Self { blocks, block_of }
    }

    pub fn block(&self, actor: ActorId) -> &Set<ActorId> {
        &self.blocks[self.block_of[actor]]
    }
}

impl Clusters {
    /// `need` are the partners of every access of every step, and how often each occurs.
    pub(super) fn new(actors: &Actors, dynamic: Set<ActorId>, need: &[(Partners, usize)]) -> Self {
        let n_actors = actors.list.len();
        let alone: Vec<Set<ActorId>> = actors.list.ids().map(Set::of).collect();
        let mut levels = vec![Level::of(alone, n_actors)];
        let fits = |pid: Option<u32>| pid.is_none_or(|pid| pid < MOST_PROCESSES);
        let is_too_large = !actors.list.iter().all(|actor| fits(actor.pid));
        if is_too_large {
            return Self { levels, dynamic, is_too_large };
        }
        let mut blocks = with_one_block(actors, &dynamic);
        // Accesses that concern only dynamic processes are settled as soon as they are one block.
        let is_settled = |partners: &&Partners| blocks.iter().any(|block| partners.actors.is_inside(block));
        let is_open = |partners: &Partners| partners.has_twin || partners.actors.len() > 1;
        let mut gains = need.iter().map(|(partners, _)| partners).filter(is_settled).any(is_open);
        loop {
            let taken = merges(&blocks, need);
            if taken.is_empty() && !gains {
                break;
            }
            gains = false;
            blocks.retain(|block| !taken.iter().any(|union| block.is_inside(union)));
            blocks.extend(taken.iter().cloned());
            if blocks.len() <= 1 {
                break;
            }
            levels.push(Level::of(blocks.clone(), n_actors));
            if taken.is_empty() {
                break;
            }
        }
        Self { levels, dynamic, is_too_large }
    }

    /// The least level at which an actor's block holds all partners.
    pub fn level(&self, actor: ActorId, partners: &Partners) -> Option<u8> {
        let is_inside = |(number, level): &(usize, &Level)| {
            partners.actors.is_inside(level.block(actor)) && !(partners.has_twin && *number == 0)
        };
        let (number, _) = self.levels.iter().enumerate().find(is_inside)?;
        u8::try_from(number).ok()
    }
}

fn with_one_block(actors: &Actors, dynamic: &Set<ActorId>) -> Vec<Set<ActorId>> {
    let mut blocks: Vec<Set<ActorId>> =
        actors.list.ids().filter(|actor| !dynamic.contains(*actor)).map(Set::of).collect();
    if !dynamic.is_empty() {
        blocks.push(dynamic.clone());
    }
    blocks
}

/// The unions of blocks to form next: those that settle an access, the smallest first, of these the ones that settle
/// most; they are disjoint.
fn merges(blocks: &[Set<ActorId>], need: &[(Partners, usize)]) -> Vec<Set<ActorId>> {
    let mut candidates: Vec<(Set<ActorId>, usize)> = Vec::new();
    for (partners, n_times) in need {
        let met: Vec<&Set<ActorId>> = blocks.iter().filter(|block| block.meets(&partners.actors)).collect();
        if met.len() < 2 {
            continue;
        }
        let mut union = Set::new();
        met.iter().for_each(|block| union.add_all(block));
        match candidates.iter_mut().find(|(known, _)| *known == union) {
            Some((_, n)) => *n += n_times,
            None => candidates.push((union, *n_times)),
        }
    }
    let order = |(union, n): &(Set<ActorId>, usize)| {
        (union.len(), std::cmp::Reverse(*n), union.iter().map(Id::index).collect::<Vec<_>>())
    };
    candidates.sort_by_cached_key(order);
    let mut taken: Vec<Set<ActorId>> = Vec::new();
    for (union, _) in candidates {
        if !taken.iter().any(|other| other.meets(&union)) {
            taken.push(union);
        }
    }
    taken
}
