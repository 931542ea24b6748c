//! Expressions and places.

use super::Plain;
use super::build::{self, is_zero, plus};
use crate::model::{Type, VariableId};
use crate::source::{Name, Span};
use crate::syntax::ast::{Expr, ExprKind, Ident, ReceiveArgument, ReceiveKind, TimerQuestion, VarRef};

impl Plain<'_> {
    pub(super) fn expr(&mut self, whole: &Expr) -> Expr {
        let kind = match &whole.kind {
            ExprKind::Place(place) => return self.read(place),
            ExprKind::Unary(op, inner) => ExprKind::Unary(*op, self.boxed(inner)),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, self.boxed(left), self.boxed(right)),
            ExprKind::Conditional(condition, yes, no) => {
                ExprKind::Conditional(self.boxed(condition), self.boxed(yes), self.boxed(no))
            }
            // The new process has a pid that is one higher than its value was.
            ExprKind::Run { .. } => return plus(self.run(whole), -1),
            ExprKind::Probe(probe, channel) => ExprKind::Probe(*probe, self.place(channel)),
            ExprKind::Poll { channel, random, arguments } => ExprKind::Poll {
                channel: self.place(channel),
                random: *random,
                arguments: arguments.iter().map(|argument| self.receive_argument(argument)).collect(),
            },
            ExprKind::Timer { question, arguments } => return self.question(*question, arguments, whole),
            ExprKind::Timeout => {
                let message = "`timeout` comes before a tick, and beside a clock it would compete with it";
                self.refuse(whole.span, message, "wait for a timer instead");
                ExprKind::Timeout
            }
            ExprKind::Enabled(pid) => ExprKind::Enabled(self.pid(pid)),
            ExprKind::PcValue(pid) => ExprKind::PcValue(self.pid(pid)),
            ExprKind::GetPriority(pid) => ExprKind::GetPriority(self.pid(pid)),
            ExprKind::SetPriority(pid, priority) => ExprKind::SetPriority(self.pid(pid), self.boxed(priority)),
            ExprKind::RemoteLabel { proctype, pid, label } => ExprKind::RemoteLabel {
                proctype: proctype.clone(),
                pid: pid.as_ref().map(|pid| self.pid(pid)),
                label: label.clone(),
            },
            ExprKind::RemoteVariable { proctype, pid, variable } => {
                self.check_remote(proctype, variable, whole.span);
                ExprKind::RemoteVariable {
                    proctype: proctype.clone(),
                    pid: pid.as_ref().map(|pid| self.pid(pid)),
                    variable: self.place(variable),
                }
            }
            kind @ (ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Skip
            | ExprKind::NonProgress
            | ExprKind::CExpr { .. }
            | ExprKind::Broken) => kind.clone(),
        };
        Expr::new(kind, whole.span)
    }

    fn boxed(&mut self, inner: &Expr) -> Box<Expr> {
        Box::new(self.expr(inner))
    }

    /// A `run` whose value nobody uses.
    pub(super) fn run(&mut self, whole: &Expr) -> Expr {
        let ExprKind::Run { proctype, arguments, priority } = &whole.kind else { return self.expr(whole) };
        let arguments = arguments.iter().map(|argument| self.expr(argument)).collect();
        Expr::new(ExprKind::Run { proctype: proctype.clone(), arguments, priority: priority.clone() }, whole.span)
    }

    /// The clock is process 0.
    fn pid(&mut self, pid: &Expr) -> Box<Expr> {
        Box::new(plus(self.expr(pid), 1))
    }

    fn read(&mut self, place: &VarRef) -> Expr {
        let read = build::read(self.place(place));
        match &*place.name.name {
            "_pid" | "_nr_pr" => plus(read, -1),
            "_last" => {
                self.refuse(place.span, "`_last` is not changed by a tick", "use a variable of the model");
                read
            }
            _ => read,
        }
    }

    fn question(&mut self, question: TimerQuestion, arguments: &[Expr], whole: &Expr) -> Expr {
        match (question, arguments.first().map(|timer| &timer.kind)) {
            (TimerQuestion::Expired, Some(ExprKind::Place(timer))) => is_zero(self.place(timer)),
            (TimerQuestion::On, Some(ExprKind::Place(timer))) => build::at_least_zero(self.place(timer)),
            _ => whole.clone(),
        }
    }

    pub(super) fn receive_argument(&mut self, argument: &ReceiveArgument) -> ReceiveArgument {
        let kind = match &argument.kind {
            ReceiveKind::Place(place) => ReceiveKind::Place(self.place(place)),
            ReceiveKind::Constant(value) => ReceiveKind::Constant(self.expr(value)),
            ReceiveKind::Eval(value) => ReceiveKind::Eval(self.expr(value)),
            ReceiveKind::Ignore => ReceiveKind::Ignore,
        };
        ReceiveArgument { kind, span: argument.span }
    }

    /// A place, and where it moves to if it is a timer of a process.
    pub(super) fn place(&mut self, place: &VarRef) -> VarRef {
        let mut found = place.clone();
        found.index = place.index.as_ref().map(|index| self.boxed(index));
        for (field, of) in found.fields.iter_mut().zip(&place.fields) {
            field.index = of.index.as_ref().map(|index| self.boxed(index));
        }
        let Some(local) = self.local(&place.name.name) else { return found };
        if !self.is_timer(local, &place.fields.iter().map(|field| &field.name).collect::<Vec<_>>()) {
            return found;
        }
        let Some(mut moved) = self.here.and_then(|home| home.place(local)) else { return found };
        if let Some(index) = found.index {
            build::set_index(&mut moved, *index);
        }
        moved.fields.append(&mut found.fields);
        moved
    }

    /// The variable of the process that has a name here.
    fn local(&self, name: &Name) -> Option<VariableId> {
        let declared = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        declared.clone().find(|(other, _)| other == name).map(|(_, id)| *id)
    }

    fn is_timer(&self, id: VariableId, fields: &[&Ident]) -> bool {
        let mut ty = self.model.variables[id].ty;
        for name in fields {
            let Type::Record(record) = ty else { return false };
            let field = self.model.records[record].fields.iter().find(|field| field.name == name.name);
            ty = field.map_or(Type::Int, |field| field.ty);
        }
        ty == Type::Timer
    }

    fn check_remote(&mut self, proctype: &Ident, variable: &VarRef, span: Span) {
        let mut processes = self.model.proctypes.iter();
        let process = processes.find(|process| process.name == proctype.name);
        let mut locals = process.into_iter().flat_map(|process| &process.locals);
        let is_moved = locals.any(|id| {
            let local = &self.model.variables[*id];
            local.name == variable.name.name && self.model.has_timer(local.ty)
        });
        if is_moved {
            self.refuse(span, "a timer of another process is asked for", "use a global timer");
        }
    }

    /// What `set` stores.
    pub(super) fn duration(&mut self, value: &Expr) -> Expr {
        build::cut(self.expr(value))
    }
}
