//! Expressions.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Lint};
use crate::model::RecordId;
use crate::model::check::RecordArgument;
use crate::model::resolve::places::Indices;
use crate::model::resolve::processes::Setting;
use crate::model::resolve::scopes::Symbol;
use crate::model::visit;
use crate::model::{
    BinaryOp, Expr, ExprKind, Model, MtypeId, Place, Probe, ProctypeId, Type, UnaryOp, VariableId, codes, fold,
};
use crate::source::Span;
use crate::syntax::ast;

/// The sort of a value, as far as it helps to detect mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Number,
    Channel,
    Mtype(MtypeId),
    /// A name of an mtype.
    MtypeName(MtypeId),
}

impl Sort {
    fn of(ty: Type, model: &Model) -> Self {
        match ty {
            Type::Chan => Self::Channel,
            Type::Mtype(id) if model.mtypes[id].members.is_none() => Self::Mtype(id),
            _ => Self::Number,
        }
    }

    pub fn mtype(self) -> Option<MtypeId> {
        match self {
            Self::Mtype(id) | Self::MtypeName(id) => Some(id),
            Self::Number | Self::Channel => None,
        }
    }
}

/// A variable of another process, to be resolved once all processes are known. Until then the variable of the [`Place`]
/// is an index into the list of these.
pub(super) struct RemoteRef<'a> {
    proctype: ProctypeId,
    place: &'a ast::VarRef,
    indices: Indices,
}

impl<'a> Resolver<'a> {
    /// A number: a channel in its place is worth a warning.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr) -> Expr {
        let (resolved, sort) = self.value(expr);
        if sort == Sort::Channel {
            let message = "a channel is used as a number or a condition";
            self.diagnostics.add(Diagnostic::warning(Lint::ChannelAsNumber, expr.span, message));
        }
        resolved
    }

    fn boxed(&mut self, expr: &'a ast::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub(super) fn value(&mut self, expr: &'a ast::Expr) -> (Expr, Sort) {
        let span = expr.span;
        let number = |kind| (Expr::new(kind, span), Sort::Number);
        match &expr.kind {
            ast::ExprKind::Number(value) => number(ExprKind::Constant(*value)),
            ast::ExprKind::Bool(value) => number(ExprKind::Constant(i32::from(*value))),
            ast::ExprKind::Skip => number(ExprKind::Constant(1)),
            ast::ExprKind::Place(place) => self.read(place, span),
            ast::ExprKind::Unary(op, operand) => self.unary(*op, operand, span),
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ast::ExprKind::Conditional(condition, yes, no) => {
                let condition = self.expr(condition);
                let (yes, sort) = self.value(yes);
                let (no, other) = self.value(no);
                let sort = if sort == other { sort } else { Sort::Number };
                (fold::conditional(condition, yes, no, span), sort)
            }
            ast::ExprKind::Run { proctype, arguments, priority } => {
                number(self.run(proctype, arguments, priority.as_deref(), span))
            }
            ast::ExprKind::Probe(probe, channel) => {
                self.check_probe(*probe, span);
                match self.channel(channel, span) {
                    Some(channel) => number(ExprKind::Probe(*probe, channel)),
                    None => number(ExprKind::Constant(0)),
                }
            }
            ast::ExprKind::Poll { channel, random, arguments } => number(self.poll(channel, *random, arguments, span)),
            ast::ExprKind::Timer { question, arguments } => self.timer_question(*question, arguments, span),
            ast::ExprKind::Timeout => {
                if self.here.is_value {
                    let message = "`timeout` is a condition; as a value it is 1 only when nothing else can move";
                    self.diagnostics.add(Diagnostic::warning(Lint::TimeoutValue, span, message));
                }
                number(ExprKind::Timeout)
            }
            ast::ExprKind::NonProgress => {
                if !matches!(self.here.setting, Setting::Never | Setting::Formula) {
                    self.error(codes::CLAIM, span, "`np_` can only be used in a claim or a formula");
                }
                number(ExprKind::NonProgress)
            }
            ast::ExprKind::Enabled(pid) => number(ExprKind::Enabled(self.boxed(pid))),
            ast::ExprKind::PcValue(pid) => number(ExprKind::PcValue(self.boxed(pid))),
            ast::ExprKind::GetPriority(pid) => number(ExprKind::GetPriority(self.boxed(pid))),
            ast::ExprKind::SetPriority(pid, priority) => {
                let pid = self.boxed(pid);
                let priority = self.boxed(priority);
                if let Some(value) = priority.as_constant()
                    && !(1..=255).contains(&value)
                {
                    self.error(codes::PRIORITY, span, format!("a priority of {value}: it must be 1 to 255"));
                }
                number(ExprKind::SetPriority(pid, priority))
            }
            ast::ExprKind::RemoteLabel { proctype, pid, label } => {
                let pid = pid.as_deref().map(|pid| self.boxed(pid));
                number(self.remote_label(proctype, pid, label))
            }
            ast::ExprKind::RemoteVariable { proctype, pid, variable } => {
                let pid = pid.as_deref().map(|pid| self.boxed(pid));
                number(self.remote_variable(proctype, pid, variable))
            }
            ast::ExprKind::CExpr { guard, text } => (self.c_expr(guard.as_ref(), text, span), Sort::Number),
            ast::ExprKind::Broken => number(ExprKind::Constant(0)),
        }
    }

    fn read(&mut self, place: &'a ast::VarRef, span: Span) -> (Expr, Sort) {
        let is_plain = place.index.is_none() && place.fields.is_empty();
        if is_plain {
            let predefined = match &*place.name.name {
                "_pid" => Some(ExprKind::Pid),
                "_nr_pr" => Some(ExprKind::ProcessCount),
                "_last" => Some(ExprKind::Last),
                "_priority" => Some(ExprKind::Priority),
                _ => None,
            };
            if matches!(predefined, Some(ExprKind::Priority)) && self.here.setting.is_claim() {
                let error = Diagnostic::error(codes::CLAIM, span, "`_priority` is that of a process, and this is none")
                    .help("ask for that of a certain process with `get_priority(pid)`");
                self.diagnostics.add(error);
            }
            if let Some(kind) = predefined {
                self.model.mentions_last |= matches!(kind, ExprKind::Last);
                return (Expr::new(kind, span), Sort::Number);
            }
            if let Some(entry) = self.scopes.find(&place.name.name).copied()
                && let Symbol::Constant(mtype, value) = entry.symbol
            {
                self.note_use(&place.name, entry.span);
                return (Expr::symbol(mtype, value, span), Sort::MtypeName(mtype));
            }
        }
        if let Some(none) = self.none(place) {
            return (none, Sort::Number);
        }
        match self.scalar(place) {
            Some(place) => {
                let sort = Sort::of(place.ty, &self.model);
                (Expr::new(ExprKind::Read(place), span), sort)
            }
            None => (Expr::constant(0, span), Sort::Number),
        }
    }

    fn unary(&mut self, op: ast::UnaryOp, operand: &'a ast::Expr, span: Span) -> (Expr, Sort) {
        let Some(op) = UnaryOp::of(op) else {
            self.misplaced_temporal(span);
            return (self.expr(operand), Sort::Number);
        };
        let operand = match op {
            UnaryOp::Not => {
                if let ast::ExprKind::Probe(probe, channel) = &operand.kind {
                    self.check_negated_probe(*probe, channel, span);
                }
                self.expr(operand)
            }
            UnaryOp::Negate | UnaryOp::Complement => self.operand(operand),
        };
        (fold::unary(op, operand, span), Sort::Number)
    }

    fn binary(&mut self, op: ast::BinaryOp, left: &'a ast::Expr, right: &'a ast::Expr, span: Span) -> (Expr, Sort) {
        let Some(op) = BinaryOp::of(op) else {
            // Both sides are resolved, so that mistakes in them are reported as well.
            self.misplaced_temporal(span);
            let left = self.expr(left);
            self.expr(right);
            return (left, Sort::Number);
        };
        let (left, right) = match op {
            BinaryOp::Equal | BinaryOp::NotEqual => self.compared(left, right),
            BinaryOp::And | BinaryOp::Or => (self.expr(left), self.expr(right)),
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => (self.operand(left), self.operand(right)),
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                (self.ordered(left), self.ordered(right))
            }
        };
        let (folded, outcome) = fold::binary(op, left, right, span);
        if let Err(why) = outcome {
            self.error(codes::DIVISION, span, why.message());
        }
        (folded, Sort::Number)
    }

    fn misplaced_temporal(&mut self, span: Span) {
        let error = Diagnostic::error(codes::FORMULA, span, "a temporal operator is used as a value")
            .help("temporal operators bind tighter than comparisons: write `<> (x == 1)`");
        self.diagnostics.add(error);
    }

    /// An operand of arithmetic: never a channel, and hardly ever the name of an mtype.
    fn operand(&mut self, expr: &'a ast::Expr) -> Expr {
        let (resolved, sort) = self.value(expr);
        match sort {
            Sort::Channel => self.error(codes::CHANNEL_VALUE, expr.span, "a channel cannot be calculated with"),
            Sort::MtypeName(_) => {
                let message = "the name of an mtype is used as a number";
                self.diagnostics.add(Diagnostic::warning(Lint::MtypeAsNumber, expr.span, message));
            }
            Sort::Number | Sort::Mtype(_) => {}
        }
        resolved
    }

    fn ordered(&mut self, expr: &'a ast::Expr) -> Expr {
        let (resolved, sort) = self.value(expr);
        if sort == Sort::Channel {
            self.error(codes::CHANNEL_VALUE, expr.span, "channels have no order");
        }
        resolved
    }

    fn compared(&mut self, left: &'a ast::Expr, right: &'a ast::Expr) -> (Expr, Expr) {
        let ((left_value, left_sort), (right_value, right_sort)) = (self.value(left), self.value(right));
        let one_channel = match (left_sort, right_sort) {
            (Sort::Channel, Sort::Channel) => None,
            (Sort::Channel, _) => Some(left.span),
            (_, Sort::Channel) => Some(right.span),
            _ => None,
        };
        if let Some(span) = one_channel {
            let message = "a channel is compared with a number";
            self.diagnostics.add(Diagnostic::warning(Lint::ChannelAsNumber, span, message));
        }
        if let (Some(one), Some(other)) = (left_sort.mtype(), right_sort.mtype())
            && one != other
        {
            let (one, other) = (self.type_text(Type::Mtype(one)), self.type_text(Type::Mtype(other)));
            let message = format!("a value of `{one}` is compared with one of `{other}`");
            self.diagnostics.add(Diagnostic::warning(Lint::MtypeKind, left.span.to(right.span), message));
        }
        self.check_comparable(&left_value, &right_value);
        self.check_comparable(&right_value, &left_value);
        (left_value, right_value)
    }

    /// A byte never equals -1.
    fn check_comparable(&mut self, read: &Expr, constant: &Expr) {
        if let (ExprKind::Read(place), Some(value)) = (&read.kind, constant.as_constant())
            && place.ty != Type::Chan
            && place.ty.truncate(value) != value
        {
            let message =
                format!("`{}` is a {} and never equals {value}", self.text(place.span), self.type_text(place.ty));
            self.diagnostics.add(Diagnostic::warning(Lint::Truncation, constant.span, message));
        }
    }

    /// Spin refuses these in a formula, and their negation everywhere.
    fn check_probe(&mut self, probe: Probe, span: Span) {
        if self.here.setting == Setting::Formula && probe != Probe::Len {
            let error = Diagnostic::error(codes::PROBE, span, "only `len` can be asked of a channel in a formula")
                .help("compare `len(q)` with 0 or with the capacity");
            self.diagnostics.add(error);
        }
    }

    fn check_negated_probe(&mut self, probe: Probe, channel: &ast::VarRef, span: Span) {
        let (name, opposite) = match probe {
            Probe::Len => return,
            Probe::Empty => ("empty", "nempty"),
            Probe::Full => ("full", "nfull"),
            Probe::Nempty => ("nempty", "empty"),
            Probe::Nfull => ("nfull", "full"),
        };
        let channel = self.text(channel.span);
        let error = Diagnostic::error(codes::PROBE, span, format!("`{name}` cannot be negated"))
            .help(format!("write `{opposite}({channel})`"));
        self.diagnostics.add(error);
    }

    fn run(
        &mut self,
        name: &ast::Ident,
        arguments: &'a [ast::Expr],
        priority: Option<&'a ast::Expr>,
        span: Span,
    ) -> ExprKind {
        if let Some(place) = self.here.run_ban {
            self.error(codes::RUN, span, format!("`run` cannot be used in {place}"));
        }
        self.here.n_runs += 1;
        let id = self.find_proctype(name);
        let arguments = match id {
            Some(proctype) => self.arguments(proctype, arguments),
            None => self.message(arguments),
        };
        let priority = priority.and_then(|priority| self.priority(priority));
        match id {
            Some(proctype) => ExprKind::Run { proctype, arguments, priority },
            None => ExprKind::Constant(0),
        }
    }

    /// A record argument is flattened like a message, and recorded: the parameter must have the same type.
    fn arguments(&mut self, proctype: ProctypeId, arguments: &'a [ast::Expr]) -> Vec<Expr> {
        let mut spread = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let offset = spread.len();
            let values = self.message(std::slice::from_ref(argument));
            if let (ast::ExprKind::Place(written), Some(ExprKind::Read(read))) =
                (&argument.kind, values.first().map(|value| &value.kind))
                && read.fields.len() > written.fields.len()
                && let Some(record) = self.record_of(read, written.fields.len())
            {
                self.record_arguments.push(RecordArgument { proctype, offset, record, span: argument.span });
            }
            spread.extend(values);
        }
        spread
    }

    /// The record that a place leads through, after so many fields.
    fn record_of(&self, place: &Place, n_fields: usize) -> Option<RecordId> {
        let mut ty = self.model.variables[place.variable].ty;
        for field in place.fields.iter().take(n_fields) {
            let Type::Record(record) = ty else { return None };
            ty = self.model.records[record].fields[field.field as usize].ty;
        }
        match ty {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }

    pub(super) fn find_proctype(&mut self, name: &ast::Ident) -> Option<ProctypeId> {
        if let Some(id) = self.proctypes.get(&name.name).copied().filter(|_| &*name.name != "init") {
            self.note_use(name, self.headers[id].span);
            return Some(id);
        }
        let error = Diagnostic::error(codes::UNKNOWN_NAME, name.span, format!("there is no proctype `{}`", name.name));
        let known = self.headers.iter().map(|header| &header.name);
        let error = match self.closest(&name.name, known) {
            Some(other) => error.help(format!("did you mean `{other}`?")),
            None => error,
        };
        self.diagnostics.add(error);
        None
    }

    fn remote_label(&mut self, proctype: &ast::Ident, pid: Option<Box<Expr>>, label: &ast::Ident) -> ExprKind {
        let Some(id) = self.find_remote_proctype(proctype) else { return ExprKind::Constant(0) };
        let header = &self.headers[id];
        if let Some(found) = header.labels.find_remote(&label.name) {
            let span = header.labels.list[found].span;
            self.note_use(label, span);
            return ExprKind::RemoteLabel { proctype: id, pid, label: found };
        }
        let message = format!("`{}` has no label `{}`", header.name, label.name);
        let mut error = Diagnostic::error(codes::UNKNOWN_LABEL, label.span, message)
            .label(header.span, format!("`{}` is declared here", header.name));
        if let Some(other) = self.closest(&label.name, header.labels.names()) {
            error = error.help(format!("did you mean `{other}`?"));
        }
        self.diagnostics.add(error);
        ExprKind::Constant(0)
    }

    /// Unlike `run`, a reference may lead to `init`.
    fn find_remote_proctype(&mut self, name: &ast::Ident) -> Option<ProctypeId> {
        match self.proctypes.get(&name.name).copied() {
            Some(id) => {
                self.note_use(name, self.headers[id].span);
                Some(id)
            }
            None => self.find_proctype(name),
        }
    }

    fn remote_variable(&mut self, proctype: &ast::Ident, pid: Option<Box<Expr>>, place: &'a ast::VarRef) -> ExprKind {
        let Some(id) = self.find_remote_proctype(proctype) else { return ExprKind::Constant(0) };
        let indices = self.indices(place);
        let number = u32::try_from(self.remotes.len()).unwrap_or(u32::MAX);
        self.remotes.push(RemoteRef { proctype: id, place, indices });
        let pending =
            Place { variable: VariableId(number), index: None, fields: Vec::new(), ty: Type::Int, span: place.span };
        ExprKind::RemoteVariable { proctype: id, pid, place: Box::new(pending) }
    }

    /// Finds the variables of other processes.
    pub(super) fn settle_remotes(&mut self) {
        let remotes = std::mem::take(&mut self.remotes);
        if remotes.is_empty() {
            return;
        }
        let settled: Vec<Option<Place>> = remotes.into_iter().map(|remote| self.settle(remote)).collect();
        visit::each_expr_mut(&mut self.model, &mut |expr| {
            if let ExprKind::RemoteVariable { place, .. } = &mut expr.kind {
                match settled.get(place.variable.0 as usize) {
                    Some(Some(settled)) => **place = settled.clone(),
                    // Reported; it must not be taken for a variable.
                    Some(None) | None => expr.kind = ExprKind::Constant(0),
                }
            }
        });
    }

    fn settle(&mut self, remote: RemoteRef<'a>) -> Option<Place> {
        let name = &remote.place.name;
        let Some(id) = self.locals_by_name.get(&(remote.proctype, name.name.clone())).copied() else {
            let header = &self.headers[remote.proctype];
            let message = format!("`{}` has no variable `{}`", header.name, name.name);
            let mut error = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message)
                .label(header.span, format!("`{}` is declared here", header.name));
            let process = &self.model.proctypes[remote.proctype];
            let variables = process.parameters.iter().chain(&process.locals);
            let names = variables.map(|id| &self.model.variables[*id].name);
            if let Some(other) = self.closest(&name.name, names) {
                error = error.help(format!("did you mean `{other}`?"));
            }
            self.diagnostics.add(error);
            return None;
        };
        self.note_use(name, self.model.variables[id].span);
        let reference = self.locate(id, remote.place, remote.indices)?;
        if reference.array.is_some() || matches!(reference.place.ty, Type::Record(_)) {
            let message = format!("`{}` is not a single value", self.text(remote.place.span));
            self.error(codes::RECORD_VALUE, remote.place.span, message);
            return None;
        }
        Some(reference.place)
    }
}
