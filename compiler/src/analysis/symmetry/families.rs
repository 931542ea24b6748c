//! The processes that come into being together.

use super::progress::{Progress, behind_first};
use super::{Basis, Cause, Loss, Who};
use crate::analysis::instances::{Instance, KnownValue};
use crate::ir::{Action, Graph, Location, LocationId, Program};
use crate::model::visit::{each_statement, in_step};
use crate::model::{BinaryOp, Expr, ExprKind, MtypeId, ProcessKind, ProctypeId, Statement, StatementKind, VariableId};

/// A proctype with several processes, or a scalarset.
pub struct Found {
    pub who: Who,
    /// The pid of member 0, and 0 for a scalarset.
    pub base: u32,
    pub size: u32,
    pub parameters: Vec<Parameter>,
    /// Why they are no family after all.
    pub loss: Option<Loss>,
}

/// What the members get as an argument.
pub struct Parameter {
    pub variable: VariableId,
    pub values: Values,
}

pub enum Values {
    /// Member `i` gets `i + offset`.
    Numbered(i32),
    /// By member.
    Each(Vec<i32>),
    /// The same channel.
    SameChannel,
}

impl Found {
    pub fn proctype(&self) -> Option<ProctypeId> {
        self.who.proctype()
    }

    pub fn set(&self) -> Option<MtypeId> {
        match self.who {
            Who::Set(set) => Some(set),
            Who::Processes(_) => None,
        }
    }
}

/// Families with two members at least: processes in the order of proctypes, then scalarsets.
pub fn find(program: &Program<'_>, basis: &Basis<'_>) -> Vec<Found> {
    let of_processes = program.model.proctypes.ids().filter_map(|id| family(program, basis, id));
    let sets = program.model.sets().filter(|(_, members)| members.size > 1).map(|(set, members)| Found {
        who: Who::Set(set),
        base: 0,
        size: members.size,
        parameters: Vec::new(),
        loss: None,
    });
    of_processes.chain(sets).collect()
}

fn family(program: &Program<'_>, basis: &Basis<'_>, id: ProctypeId) -> Option<Found> {
    let process = &program.model.proctypes[id];
    let instances = basis.instances;
    let loss = |cause| Loss { cause, span: process.span, members: None };
    let of_proctype = || instances.fixed.iter().filter(|instance| instance.proctype == id);
    let mut members: Vec<&Instance> = of_proctype().collect();
    members.sort_by_key(|instance| instance.pid);
    if members.len() < 2 || instances.is_dynamic[id] || process.kind != ProcessKind::Proctype {
        return None;
    }
    let base = members[0].pid;
    let is_late = members.iter().any(|instance| instance.run.is_some());
    let are_consecutive = members.iter().zip(base..).all(|(instance, pid)| instance.pid == pid);
    let are_together = !is_late || members.iter().all(|instance| instance.run.is_some()) && start_together(program, id);
    let parameters = parameters(&process.parameters, &members);
    let loss = match &parameters {
        _ if members.len() > 255 || !are_consecutive || !are_together => Some(loss(Cause::Apart)),
        None => Some(loss(Cause::Argument)),
        Some(_) => None,
    };
    Some(Found {
        who: Who::Processes(id),
        base,
        size: u32::try_from(members.len()).expect("at most 255 processes"),
        parameters: parameters.unwrap_or_default(),
        loss,
    })
}

/// `None` if some argument is not known.
fn parameters(declared: &[VariableId], members: &[&Instance]) -> Option<Vec<Parameter>> {
    let of = |variable: VariableId| {
        let value = |member: &&Instance| {
            let mut arguments = member.arguments.iter();
            arguments.find(|(parameter, _)| *parameter == variable).map(|(_, value)| *value)
        };
        let values: Vec<KnownValue> = members.iter().map(value).collect::<Option<_>>()?;
        let number = |value: &KnownValue| match value {
            KnownValue::Number(number) => Some(*number),
            KnownValue::Channel(..) => None,
        };
        let values = match values.iter().map(number).collect::<Option<Vec<i32>>>() {
            Some(numbers) => {
                let is_numbered = numbers.iter().zip(numbers[0]..).all(|(number, expected)| *number == expected);
                if is_numbered { Values::Numbered(numbers[0]) } else { Values::Each(numbers) }
            }
            None if values.iter().all(|value| *value == values[0]) => Values::SameChannel,
            None => return None,
        };
        Some(Parameter { variable, values })
    };
    declared.iter().map(|variable| of(*variable)).collect()
}

/// Whether `init` starts all of them in one atomic sequence at its beginning that cannot block on the way.
fn start_together(program: &Program<'_>, id: ProctypeId) -> bool {
    let is_start = |expression: &Expr| matches!(expression.kind, ExprKind::Run { proctype, .. } if proctype == id);
    let n_starts = |body: &[Statement]| {
        let mut n = 0;
        each_statement(body, &mut |statement| {
            in_step(&statement.kind, &mut |expression| n += usize::from(is_start(expression)));
        });
        n
    };
    let mut processes = program.model.proctypes.iter();
    let Some(init) = processes.find(|process| process.kind == ProcessKind::Init) else { return false };
    let progress = Progress::of(program.model, init, false);
    init.body.iter().any(|statement| {
        let StatementKind::Atomic(body) = &statement.kind else { return false };
        n_starts(body) == n_starts(&init.body) && behind_first(body).iter().all(|statement| progress.goes_on(statement))
    })
}

/// Whether control can arrive at the end of a process. Conditions that are never true are not passed.
pub fn may_end(graph: &Graph<'_>) -> bool {
    let mut is_seen = vec![false; graph.locations.len()];
    let mut open = vec![graph.start];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut is_seen[at.0 as usize], true) {
            continue;
        }
        let Location { escapes, leaving, .. } = &graph.locations[at];
        for transition in escapes.iter().flatten().chain(leaving) {
            let transition = &graph.transitions[*transition];
            match (&transition.action, transition.to) {
                (Action::End, _) | (_, None) => return true,
                (Action::Condition(condition), _) if is_never(condition) => {}
                (_, Some(to)) => open.push(LocationId(to.0)),
            }
        }
    }
    false
}

fn is_never(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::Constant(value) => *value == 0,
        ExprKind::Binary(BinaryOp::And, left, right) => is_never(left) || is_never(right),
        _ => false,
    }
}
