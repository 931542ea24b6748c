//! Actors: the processes as the analyses distinguish them.
//!
//! Ownership is about processes and not about proctypes: two processes of one proctype that use different channels are
//! independent. A process that is known by its pid is an actor of its own. All processes of a dynamic proctype are one
//! actor, a *class*, which counts as two or more processes.

use super::instances::{Instances, KnownValue};
use crate::collections::IdVec;
use crate::ids;
use crate::ir::{Program, TransitionId};
use crate::model::{ProcessKind, ProctypeId, VariableId};

ids! {
    /// A process that is known by its pid, or all processes of a dynamic proctype.
    ActorId;
}

#[derive(Clone, Debug)]
pub struct Actor {
    pub proctype: ProctypeId,
    /// `None` for a class.
    pub pid: Option<u32>,
    /// The parameters whose first value is known. Empty for a class.
    pub arguments: Vec<(VariableId, KnownValue)>,
    /// The transition of `init` that starts it; `None` for a class and for a process of the initial state.
    pub run: Option<TransitionId>,
}

impl Actor {
    /// Whether it represents several processes.
    pub fn is_class(&self) -> bool {
        self.pid.is_none()
    }
}

#[derive(Clone, Debug)]
pub struct Actors {
    /// Those known by their pid come first, by ascending pid.
    pub list: IdVec<ActorId, Actor>,
    /// The actors of each proctype: several processes, or one class, or none if
    /// it is never started.
    pub of: IdVec<ProctypeId, Vec<ActorId>>,
    /// The process that runs `init`, if it is known by its pid.
    pub init: Option<ActorId>,
}

impl Actors {
    pub(super) fn new(program: &Program<'_>, instances: &Instances) -> Self {
        let fixed = instances.fixed.iter().map(|instance| Actor {
            proctype: instance.proctype,
            pid: Some(instance.pid),
            arguments: instance.arguments.clone(),
            run: instance.run,
        });
        let dynamic = instances.is_dynamic.iter_enumerated().filter(|(_, is_dynamic)| **is_dynamic);
        let classes = dynamic.map(|(proctype, _)| Actor { proctype, pid: None, arguments: Vec::new(), run: None });
        let list: IdVec<ActorId, Actor> = fixed.chain(classes).collect();
        let mut of: IdVec<ProctypeId, Vec<ActorId>> = program.graphs.iter().map(|_| Vec::new()).collect();
        for (id, actor) in list.iter_enumerated() {
            of[actor.proctype].push(id);
        }
        let is_init = |(_, actor): &(ActorId, &Actor)| {
            !actor.is_class() && program.model.proctypes[actor.proctype].kind == ProcessKind::Init
        };
        let init = list.iter_enumerated().find(is_init).map(|(id, _)| id);
        Self { list, of, init }
    }

    pub fn has_classes(&self) -> bool {
        self.list.iter().any(Actor::is_class)
    }

    /// The process with a pid, if it is known by it.
    pub fn by_pid(&self, pid: u32) -> Option<ActorId> {
        self.list.iter_enumerated().find(|(_, actor)| actor.pid == Some(pid)).map(|(id, _)| id)
    }
}
