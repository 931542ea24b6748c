//! What the author could change so that more statements are safe.
//!
//! A global that is shared because of one line only is worth a second look: if that line can do without it, all other
//! statements that use it become safe.

use super::names::{FactNames, list};
use crate::analysis::actors::ActorId;
use crate::analysis::objects::{Object, ObjectId, scalar_name};
use crate::collections::IdVec;
use crate::model::VariableId;

/// One place that uses a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ObjectUse {
    actor: ActorId,
    line: u32,
    is_write: bool,
}

pub fn advice(names: &FactNames<'_, '_>) -> Vec<String> {
    let facts = names.reduction;
    let mut advice = Vec::new();
    let mut all: IdVec<ObjectId, Vec<ObjectUse>> = facts.uses.objects.list.iter().map(|_| Vec::new()).collect();
    for actor in facts.actors.list.ids() {
        for access in facts.uses.effects[actor].iter().flatten().flat_map(|effect| &effect.accesses) {
            all[access.object].push(ObjectUse { actor, line: names.line(access.span), is_write: access.is_write });
        }
    }
    for (id, object) in facts.uses.objects.list.iter_enumerated() {
        let Object::Global { variable, scalar } = *object else { continue };
        let uses = &mut all[id];
        uses.sort_unstable();
        uses.dedup();
        let is_many = |actor: ActorId| facts.actors.list[actor].is_class();
        if is_harmless(uses, &is_many) {
            continue;
        }
        advice.extend(hint(names, variable, scalar, uses, &is_many).filter(|hint| !advice.contains(hint)));
    }
    advice
}

/// Whether all uses of this variable are independent.
fn is_harmless(uses: &[ObjectUse], is_many: &dyn Fn(ActorId) -> bool) -> bool {
    let mut users: Vec<ActorId> = uses.iter().map(|one| one.actor).collect();
    users.dedup();
    let is_alone = matches!(users[..], [] | [_]) && !users.iter().any(|user| is_many(*user));
    is_alone || !uses.iter().any(|one| one.is_write)
}

fn hint(
    names: &FactNames<'_, '_>,
    variable: VariableId,
    scalar: Option<u32>,
    uses: &[ObjectUse],
    is_many: &dyn Fn(ActorId) -> bool,
) -> Option<String> {
    let mut lines: Vec<u32> = uses.iter().map(|one| one.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let name = scalar_name(names.program.model, variable, scalar);
    if lines.len() < 2 {
        return None;
    }
    for line in lines {
        let rest: Vec<ObjectUse> = uses.iter().copied().filter(|one| one.line != line).collect();
        if !is_harmless(&rest, is_many) {
            continue;
        }
        let users = |is_write: bool| -> Vec<String> {
            let mut users: Vec<String> =
                uses.iter().filter(|one| one.is_write == is_write).map(|one| names.actor(one.actor)).collect();
            users.dedup();
            users
        };
        let still_written = rest.iter().any(|one| one.is_write);
        return Some(match rest.first() {
            Some(only) if still_written => {
                let user = names.actor(only.actor);
                format!("`{name}` is shared only because of line {line}: without it, {user} alone would use it")
            }
            _ => format!(
                "`{name}` is written by {} only in line {line}: without that, no step that reads it would depend on another process",
                list(&users(true))
            ),
        });
    }
    None
}
