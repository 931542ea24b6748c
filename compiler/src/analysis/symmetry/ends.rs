//! Members that end.
//!
//! The youngest process is removed first, which is an order. A member that has ended is taken for one that stays at its
//! end, if nobody can tell the difference: if nobody counts processes or looks at members from outside, if members hold
//! no channels, and if no other process has to wait for a member to be removed before it is removed itself.

use super::Basis;
use super::families::{Found, may_end};
use crate::analysis::places::{Bits, Places};
use crate::ir::{Action, LocationId, Program};
use crate::model::visit::each_expr;
use crate::model::{ExprKind, Owner, ProctypeId};

/// How members of families end, as the runtime wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endings {
    pub count: (u32, u32),
    pub n_processes: u32,
    pub starter: Option<Starter>,
    pub families: Vec<Ending>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starter {
    pub pid: u32,
    pub location: (u32, u32),
    /// A bit set.
    pub has_started: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Among the families with interchangeable members.
    pub family: u16,
    pub base: u32,
    /// Position and size.
    pub slots: Vec<(u32, u32)>,
    /// From the beginning of a slot.
    pub location: (u32, u32),
    pub end: u32,
}

/// Why the members of a family may not end, where those of `on` are interchangeable, too.
pub fn obstacle(
    program: &Program<'_>,
    basis: &Basis<'_>,
    found: &[Found],
    proctype: ProctypeId,
    on: &[ProctypeId],
) -> Option<&'static str> {
    let model = program.model;
    if basis.places.is_none_or(|places| places.kind.is_some()) {
        return Some("a pid is that of processes of several proctypes");
    }
    if basis.instances.is_dynamic.iter().any(|is_dynamic| *is_dynamic) {
        return Some("processes are started later");
    }
    let (mut counts, mut looks) = (false, false);
    each_expr(model, &mut |expression| match &expression.kind {
        ExprKind::ProcessCount => counts = true,
        ExprKind::RemoteLabel { proctype: other, .. } | ExprKind::RemoteVariable { proctype: other, .. } => {
            looks |= *other == proctype;
        }
        _ => {}
    });
    if counts {
        return Some("the model reads `_nr_pr`");
    }
    if looks {
        return Some("others look at them");
    }
    if model.sites.iter().any(|site| model.variables[site.variable].owner == Owner::Proctype(proctype)) {
        return Some("they declare channels");
    }
    if model.proctypes[proctype].provided.is_some() {
        return Some("their `provided` clause may stop them at the end");
    }
    if end(program, proctype).is_none() {
        return Some("they end at several places");
    }
    let last = found.iter().find(|it| it.proctype() == Some(proctype)).map_or(0, |it| it.base + it.size);
    let is_in_the_way = |other: ProctypeId| may_end(&program.graphs[other]) && !on.contains(&other);
    let above = basis.instances.fixed.iter().filter(|instance| instance.pid >= last);
    above.map(|it| it.proctype).any(is_in_the_way).then_some("another process can only end when they have ended")
}

/// The only location at which a process has ended. It has no label that matters.
fn end(program: &Program<'_>, proctype: ProctypeId) -> Option<LocationId> {
    let graph = &program.graphs[proctype];
    let is_last = |id: &LocationId| {
        let leaving = graph.locations[*id].leaving.iter();
        leaving.map(|transition| &graph.transitions[*transition]).any(|it| matches!(it.action, Action::End))
    };
    let leaves_otherwise = graph.transitions.iter().any(|it| it.to.is_none() && !matches!(it.action, Action::End));
    let mut ends = graph.locations.ids().filter(is_last);
    let (first, second) = (ends.next()?, ends.next());
    let location = &graph.locations[first];
    let is_plain =
        location.leaving.len() == 1 && location.escapes.is_empty() && !location.is_accept && !location.is_progress;
    (second.is_none() && !leaves_otherwise && is_plain).then_some(first)
}

/// How the members of these families end: each the number of its axis, and where it is found.
pub fn endings(program: &Program<'_>, basis: &Basis<'_>, places: &Places, on: &[(u16, &Found)]) -> Option<Endings> {
    let family = |(axis, found): &(u16, &Found)| {
        let proctype = found.proctype().filter(|proctype| may_end(&program.graphs[*proctype]))?;
        let slot = |pid: u32| (places.slots[pid as usize].at as u32, places.slots[pid as usize].size as u32);
        Some(Ending {
            family: *axis,
            base: found.base,
            slots: (found.base..found.base + found.size).map(slot).collect(),
            location: field(places.location[proctype]),
            end: end(program, proctype)?.0,
        })
    };
    let families: Vec<Ending> = on.iter().filter_map(family).collect();
    if families.is_empty() {
        return None;
    }
    let instances = basis.instances;
    let is_late = instances.fixed.iter().any(|instance| instance.run.is_some());
    let starter = is_late.then(|| {
        let init = instances
            .fixed
            .iter()
            .find(|it| program.model.proctypes[it.proctype].kind == crate::model::ProcessKind::Init);
        let init = init.expect("only `init` starts processes that are known");
        let mut has_started = vec![0_u64; instances.is_beginning.len().div_ceil(64)];
        for (number, is_beginning) in instances.is_beginning.iter().enumerate() {
            has_started[number / 64] |= u64::from(!is_beginning) << (number % 64);
        }
        let (at, bits) = field(places.location[init.proctype]);
        let slot = places.slots[init.pid as usize].at as u32;
        Starter { pid: init.pid, location: (slot + at, bits), has_started }
    });
    let n_processes = u32::try_from(instances.fixed.len()).ok()?;
    Some(Endings { count: field(Some(places.count)), n_processes, starter, families })
}

fn field(bits: Option<Bits>) -> (u32, u32) {
    bits.map_or((0, 0), |bits| (bits.at as u32, bits.bits))
}
