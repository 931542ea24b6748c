//! Goes over the text of a model and unifies what meets.

use super::families::{Found, Values};
use super::kinds::{FoundLoop, Indexed, Kinds, MemberKind, Number, Path, Unknown, address};
use super::loops::{Loop, counting};
use super::progress::Progress;
use super::{Basis, Cause, Loss};
use crate::ir::Program;
use crate::model::{
    BinaryOp, ChannelRef, Expr, ExprKind, Init, Model, MtypeId, Origin, Owner, Pattern, Place, Printed, ProctypeId,
    SiteId, Statement, StatementKind, Target, Type, VariableId,
};
use crate::source::Span;

/// The claims whose text is looked at beside that of the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claims {
    None,
    All,
    Never(u32),
    Formula(usize),
}

impl Claims {
    pub fn has_never(self, number: u32) -> bool {
        self == Self::All || self == Self::Never(number)
    }

    pub fn has_formula(self, number: usize) -> bool {
        self == Self::All || self == Self::Formula(number)
    }
}

pub(super) struct Walk<'a, 'm> {
    pub model: &'m Model,
    pub program: &'a Program<'m>,
    pub found: &'a [Found],
    pub basis: &'a Basis<'a>,
    /// The process that the text belongs to.
    pub me: Option<ProctypeId>,
    /// The counters of the loops around, which are unknowns of their own in the bodies.
    pub counters: Vec<(VariableId, Unknown)>,
    pub claims: Claims,
    pub kinds: Kinds,
}

impl Walk<'_, '_> {
    pub fn declarations(&mut self) {
        for (id, variable) in self.model.variables.iter_enumerated() {
            self.me = match variable.owner {
                Owner::Global => None,
                Owner::Proctype(proctype) => Some(proctype),
                Owner::Never(claim) if self.claims.has_never(claim) => None,
                Owner::Never(_) => continue,
            };
            self.declare(id, &mut Vec::new(), variable.ty, variable.length, &variable.init, variable.span);
        }
        for (site, declared) in self.model.sites.iter_enumerated() {
            for (number, ty) in (0..).zip(&declared.fields) {
                let field = self.field(site, number);
                self.kinds.of(field).types.push((*ty, declared.span));
                self.note_set(field, *ty, declared.span);
            }
        }
        for (family, found) in self.found.iter().enumerate() {
            for parameter in &found.parameters {
                let span = self.model.variables[parameter.variable].span;
                let value = self.value_at(parameter.variable, &[]);
                match &parameter.values {
                    Values::Numbered(offset) => {
                        let kind = MemberKind { family, offset: *offset };
                        self.kinds.of(value).sources.push((kind, span));
                    }
                    Values::Each(values) => {
                        let numbers = values.iter().map(|value| Number { value: *value, span, is_start: true });
                        self.kinds.of(value).numbers.extend(numbers);
                    }
                    Values::SameChannel => {}
                }
            }
        }
    }

    fn declare(&mut self, id: VariableId, path: &mut Path, ty: Type, length: Option<u32>, init: &Init, span: Span) {
        if let Some(length) = length {
            let dimension = self.dimension_at(id, path);
            self.kinds.of(dimension).lengths.push((length, span));
        }
        if let Type::Record(record) = ty {
            for (number, field) in (0..).zip(&self.model.records[record].fields) {
                path.push(number);
                self.declare(id, path, field.ty, field.length, &field.init, span);
                path.pop();
            }
            return;
        }
        let value = self.value_at(id, path);
        let stored = if length.is_some() { ty.element() } else { ty };
        self.kinds.of(value).types.push((stored, span));
        self.note_set(value, ty, span);
        match init {
            // It is dead where its process begins, and 0 wherever it is dead.
            Init::Zero if self.has_argument(id) || self.is_dead_at_first(id) => {}
            Init::Zero => self.kinds.of(value).numbers.push(Number { value: 0, span, is_start: true }),
            Init::All(first) => self.start(value, id, first),
            Init::List(values) => values.iter().for_each(|first| self.start(value, id, first)),
            Init::Channel(_) | Init::FieldChannel { .. } => {
                let is_replaced = !self.basis.is_fixed_channel[id];
                if is_replaced || !path.is_empty() {
                    self.note_channel(id, path.len(), span);
                }
            }
        }
    }

    /// The values of a scalarset are members.
    fn note_set(&mut self, unknown: Unknown, ty: Type, span: Span) {
        let Some((set, family)) = self.set_of(ty) else { return };
        let known = self.kinds.of(unknown);
        known.sources.push((MemberKind { family, offset: 0 }, span));
        known.sets.push(set);
    }

    fn set_of(&self, ty: Type) -> Option<(MtypeId, usize)> {
        let Type::Mtype(set) = ty else { return None };
        Some((set, self.found.iter().position(|found| found.set() == Some(set))?))
    }

    /// An initial value.
    fn start(&mut self, of: Unknown, id: VariableId, value: &Expr) {
        if let Some(number) = value.as_constant() {
            self.kinds.of(of).numbers.push(Number { value: number, span: value.span, is_start: true });
            return;
        }
        let first = self.value(value);
        self.kinds.unify(of, first, value.span);
        // Where it is dead it is not looked at, as if it were 0.
        if self.is_dead_at_first(id) {
            self.kinds.of(of).computed.push(value.span);
        }
    }

    /// Whether a variable is a parameter whose first value is known otherwise.
    fn has_argument(&self, id: VariableId) -> bool {
        let variable = &self.model.variables[id];
        let Owner::Proctype(proctype) = variable.owner else { return false };
        variable.origin == Origin::Parameter
            && (self.family_of(proctype).is_some() || !self.model.initial.contains(&proctype))
    }

    fn is_dead_at_first(&self, id: VariableId) -> bool {
        let Owner::Proctype(proctype) = self.model.variables[id].owner else { return false };
        let start = self.program.graphs[proctype].start;
        self.basis.dead.at[proctype][start].contains(&id)
    }

    fn value_at(&mut self, id: VariableId, path: &[u32]) -> Unknown {
        let key = (id, path.to_vec());
        match self.kinds.values.get(&key) {
            Some(known) => *known,
            None => {
                let new = self.kinds.new_unknown();
                self.kinds.values.insert(key, new);
                new
            }
        }
    }

    fn dimension_at(&mut self, id: VariableId, path: &[u32]) -> Unknown {
        let key = (id, path.to_vec());
        match self.kinds.dimensions.get(&key) {
            Some(known) => *known,
            None => {
                let new = self.kinds.new_unknown();
                self.kinds.dimensions.insert(key, new);
                new
            }
        }
    }

    fn field(&mut self, site: SiteId, number: u32) -> Unknown {
        match self.kinds.fields.get(&(site, number)) {
            Some(known) => *known,
            None => {
                let new = self.kinds.new_unknown();
                self.kinds.fields.insert((site, number), new);
                new
            }
        }
    }

    /// The number of a channel of this variable is a value.
    fn note_channel(&mut self, id: VariableId, n_fields: usize, span: Span) {
        // All dimensions on the way, whichever fields lead there.
        let mut dimensions = vec![self.dimension_at(id, &[])];
        if n_fields > 0 {
            let mut paths = Vec::new();
            collect_paths(self.model, self.model.variables[id].ty, &mut Vec::new(), &mut paths);
            dimensions.extend(paths.iter().map(|path| self.dimension_at(id, path)));
        }
        let owner = match self.model.variables[id].owner {
            Owner::Proctype(proctype) => Some(proctype),
            Owner::Global | Owner::Never(_) => None,
        };
        self.kinds.channel_values.push((dimensions, owner, span));
    }

    /// The unknown of what a place holds; its indices are unified with its dimensions.
    fn place(&mut self, place: &Place) -> Unknown {
        let is_counter = |(counter, _): &&(VariableId, Unknown)| *counter == place.variable;
        if let Some((_, unknown)) = self.counters.iter().rev().find(is_counter) {
            return *unknown;
        }
        let mut path = Vec::new();
        if let Some(index) = &place.index {
            let length = self.model.variables[place.variable].length;
            self.indexed(place, &path, index, length);
        }
        let mut ty = self.model.variables[place.variable].ty;
        for access in &place.fields {
            path.push(access.field);
            let Type::Record(record) = ty else { continue };
            let field = &self.model.records[record].fields[access.field as usize];
            ty = field.ty;
            if let Some(index) = &access.index {
                self.indexed(place, &path, index, field.length);
            }
        }
        self.value_at(place.variable, &path)
    }

    /// An index meets its dimension.
    fn indexed(&mut self, place: &Place, path: &[u32], index: &Expr, length: Option<u32>) {
        let dimension = self.dimension_at(place.variable, path);
        let value = self.value(index);
        self.kinds.unify(dimension, value, place.span);
        let length = length.unwrap_or(1);
        self.kinds.of(dimension).indexed.push(Indexed { variable: place.variable, length, span: place.span });
    }

    pub fn channel(&mut self, channel: &ChannelRef) {
        self.place(&channel.place);
    }

    pub fn use_as_number(&mut self, expression: &Expr) {
        let value = self.value(expression);
        self.kinds.of(value).computed.push(expression.span);
    }

    /// A value that no member can be.
    fn computed(&mut self, span: Span) -> Unknown {
        let unknown = self.kinds.new_unknown();
        self.kinds.of(unknown).computed.push(span);
        unknown
    }

    fn sourced(&mut self, kind: MemberKind, span: Span) -> Unknown {
        let unknown = self.kinds.new_unknown();
        self.kinds.of(unknown).sources.push((kind, span));
        unknown
    }

    fn family_of(&self, proctype: ProctypeId) -> Option<(usize, i32)> {
        let family = self.found.iter().position(|found| found.proctype() == Some(proctype))?;
        Some((family, self.found[family].base as i32))
    }

    /// `_pid` plus a constant.
    fn pid(&mut self, plus: i32, span: Span) -> Unknown {
        let Some(me) = self.me else { return self.computed(span) };
        if let Some((family, base)) = self.family_of(me) {
            return self.sourced(MemberKind { family, offset: base.wrapping_add(plus) }, span);
        }
        if self.basis.instances.is_dynamic[me] {
            return self.computed(span);
        }
        let of_me = self.basis.instances.fixed.iter().filter(|instance| instance.proctype == me);
        let numbers = of_me.map(|it| Number { value: (it.pid as i32).wrapping_add(plus), span, is_start: true });
        let numbers: Vec<Number> = numbers.collect();
        let unknown = self.kinds.new_unknown();
        self.kinds.of(unknown).numbers.extend(numbers);
        unknown
    }

    fn value(&mut self, expression: &Expr) -> Unknown {
        let span = expression.span;
        match &expression.kind {
            ExprKind::Constant(value) => {
                let unknown = self.kinds.new_unknown();
                self.kinds.of(unknown).numbers.push(Number { value: *value, span, is_start: false });
                self.kinds.constants.insert(address(expression), unknown);
                unknown
            }
            ExprKind::Read(place) => {
                if place.ty == Type::Chan {
                    self.note_channel(place.variable, place.fields.len(), span);
                }
                self.place(place)
            }
            ExprKind::Pid => self.pid(0, span),
            ExprKind::Binary(BinaryOp::Add, left, right) => match (&left.kind, &right.kind) {
                (ExprKind::Pid, ExprKind::Constant(plus)) | (ExprKind::Constant(plus), ExprKind::Pid) => {
                    self.pid(*plus, span)
                }
                _ => self.operation(&[left, right], span),
            },
            ExprKind::Binary(BinaryOp::Subtract, left, right) => match (&left.kind, &right.kind) {
                (ExprKind::Pid, ExprKind::Constant(minus)) => self.pid(minus.wrapping_neg(), span),
                _ => self.operation(&[left, right], span),
            },
            ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.kinds.unify(left, right, span);
                self.computed(span)
            }
            ExprKind::Unary(_, operand) => self.operation(&[operand], span),
            ExprKind::Binary(_, left, right) => self.operation(&[left, right], span),
            ExprKind::Conditional(condition, yes, no) => {
                self.use_as_number(condition);
                let (yes, no) = (self.value(yes), self.value(no));
                self.kinds.unify(yes, no, span);
                yes
            }
            ExprKind::Run { proctype, arguments, .. } => self.run(*proctype, arguments, span),
            ExprKind::Probe(_, channel) => {
                self.channel(channel);
                self.computed(span)
            }
            ExprKind::Poll { channel, pattern, .. } => {
                self.channel(channel);
                self.patterns(channel, pattern);
                self.computed(span)
            }
            ExprKind::Timeout
            | ExprKind::ProcessCount
            | ExprKind::Last
            | ExprKind::NonProgress
            | ExprKind::Priority => self.computed(span),
            // These switch symmetry off.
            ExprKind::Enabled(pid) | ExprKind::GetPriority(pid) => self.operation(&[pid], span),
            ExprKind::Host(call) => {
                for losses in &mut self.kinds.losses {
                    losses.push(Loss { cause: Cause::Model("the model has embedded C"), span, members: None });
                }
                self.operation(&call.arguments.iter().collect::<Vec<_>>(), span)
            }
            ExprKind::PcValue(pid) => {
                for losses in &mut self.kinds.losses {
                    losses.push(Loss { cause: Cause::Model("the model uses `pc_value()`"), span, members: None });
                }
                self.operation(&[pid], span)
            }
            ExprKind::SetPriority(pid, priority) => self.operation(&[pid, priority], span),
            ExprKind::RemoteLabel { proctype, pid, .. } => {
                self.remote(*proctype, pid.as_deref(), span);
                self.computed(span)
            }
            ExprKind::RemoteVariable { proctype, pid, place } => {
                self.remote(*proctype, pid.as_deref(), span);
                self.place(place)
            }
        }
    }

    fn operation(&mut self, operands: &[&Expr], span: Span) -> Unknown {
        operands.iter().for_each(|operand| self.use_as_number_at(operand, span));
        self.computed(span)
    }

    fn use_as_number_at(&mut self, operand: &Expr, span: Span) {
        let value = self.value(operand);
        self.kinds.of(value).computed.push(span);
    }

    /// The process that `P[pid]` names.
    fn remote(&mut self, proctype: ProctypeId, pid: Option<&Expr>, span: Span) {
        let family = self.family_of(proctype);
        match (family, pid) {
            (Some((family, base)), Some(pid)) => {
                let value = self.value(pid);
                let member = self.sourced(MemberKind { family, offset: base }, span);
                self.kinds.unify(member, value, pid.span);
            }
            // The first process of that proctype, whichever it is.
            (Some((family, _)), None) => {
                self.kinds.losses[family].push(Loss { cause: Cause::Number, span, members: None });
            }
            (None, Some(pid)) => self.use_as_number(pid),
            (None, None) => {}
        }
    }

    /// The members of a family start with what `families` has found; others with what the text says.
    fn run(&mut self, proctype: ProctypeId, arguments: &[Expr], span: Span) -> Unknown {
        let values: Vec<(Unknown, Span)> = arguments.iter().map(|it| (self.value(it), it.span)).collect();
        if let Some((family, base)) = self.family_of(proctype) {
            return self.sourced(MemberKind { family, offset: base }, span);
        }
        let parameters = self.model.parameter_scalars(proctype);
        for (parameter, (argument, span)) in parameters.iter().zip(values) {
            let parameter = self.value_at(parameter.variable, &parameter.path);
            self.kinds.unify(parameter, argument, span);
        }
        self.computed(span)
    }

    fn patterns(&mut self, channel: &ChannelRef, pattern: &[Pattern]) {
        for (number, part) in (0..).zip(pattern) {
            let (value, span) = match part {
                Pattern::Store(place) => (self.place(place), place.span),
                Pattern::Equal(value) => (self.value(value), value.span),
                Pattern::Ignore => continue,
            };
            self.unify_with_field(channel, number, value, span);
        }
    }

    fn unify_with_field(&mut self, channel: &ChannelRef, number: u32, value: Unknown, span: Span) {
        for site in &channel.sites {
            if self.model.sites[*site].fields.len() > number as usize {
                let field = self.field(*site, number);
                self.kinds.unify(field, value, span);
            }
        }
    }

    /// A sequence, perhaps inside of an atomic one.
    pub fn statements(&mut self, list: &[Statement], is_inside: bool) {
        let mut at = 0;
        while at < list.len() {
            let found = counting(&list[at..]);
            // A counter that is declared to hold members holds their numbers from round to round: nothing else is a use.
            let is_of_set = found.as_ref().is_some_and(|found| self.counter_set(found).is_some());
            if !is_of_set {
                self.statement(&list[at], is_inside);
            }
            if let Some(found) = found {
                self.counting_loop(&found, is_inside);
                at += 1;
            }
            at += 1;
        }
    }

    fn counting_loop(&mut self, found: &Loop<'_>, is_inside: bool) {
        let set = self.counter_set(found);
        if set.is_none() {
            found.header.iter().for_each(|statement| self.statement(statement, is_inside));
        }
        self.statements(found.end, is_inside);
        let process = self.me.map(|me| (me, &self.model.proctypes[me]));
        let around: Vec<VariableId> = self.counters.iter().map(|(counter, _)| *counter).collect();
        let goes_on = process.is_some_and(|(me, process)| {
            found.goes_on(Progress::of(self.model, process, self.family_of(me).is_some()), &around)
        });
        let counter = self.kinds.new_unknown();
        if set.is_some() {
            self.note_set(counter, self.model.variables[found.counter].ty, found.whole.span);
        }
        self.counters.push((found.counter, counter));
        self.statements(found.body, is_inside);
        self.counters.pop();
        self.kinds.loops.push(FoundLoop {
            counter,
            first: found.first,
            last: found.last,
            is_unseen: is_inside && goes_on,
            depends: found.depends_on_order(),
            span: found.whole.span,
        });
    }

    /// The set that the counter of a loop is declared to be of.
    fn counter_set(&self, found: &Loop<'_>) -> Option<usize> {
        self.set_of(self.model.variables[found.counter].ty).map(|(_, family)| family)
    }

    fn statement(&mut self, statement: &Statement, is_inside: bool) {
        match &statement.kind {
            StatementKind::Block(body) => self.statements(body, is_inside),
            StatementKind::Atomic(body) | StatementKind::DStep(body) => self.statements(body, true),
            StatementKind::If(choices) | StatementKind::Do(choices) => {
                choices.iter().for_each(|choice| self.statements(&choice.body, is_inside));
            }
            StatementKind::Unless { body, escape } => {
                self.statements(body, is_inside);
                self.statements(escape, is_inside);
            }
            StatementKind::Break | StatementKind::Goto(_) | StatementKind::Else => {}
            StatementKind::Condition(Expr { kind: ExprKind::Run { proctype, arguments, .. }, span, .. }) => {
                self.run(*proctype, arguments, *span);
            }
            StatementKind::Condition(condition) | StatementKind::Assert(condition) => self.use_as_number(condition),
            StatementKind::Assign { target, value } => {
                let value = self.value(value);
                for place in match target {
                    Target::Place(place) => std::slice::from_ref(place),
                    Target::Several(places) => places,
                    Target::Priority | Target::Ignore => &[],
                } {
                    let place = self.place(place);
                    self.kinds.unify(place, value, statement.span);
                }
            }
            StatementKind::Send { channel, sorted, message } => {
                self.channel(channel);
                for (number, value) in (0..).zip(message) {
                    let span = value.span;
                    let value = self.value(value);
                    if *sorted {
                        self.kinds.of(value).computed.push(span);
                    }
                    self.unify_with_field(channel, number, value, span);
                }
            }
            StatementKind::Receive { channel, pattern, .. } | StatementKind::Event { channel, pattern, .. } => {
                self.channel(channel);
                self.patterns(channel, pattern);
            }
            StatementKind::Print(parts) => {
                for part in parts {
                    match part {
                        Printed::Text(_) => {}
                        Printed::Signed(value)
                        | Printed::Unsigned(value)
                        | Printed::Octal(value)
                        | Printed::Hexadecimal(value)
                        | Printed::Character(value)
                        | Printed::Symbol(_, value) => {
                            self.value(value);
                        }
                    }
                }
            }
        }
    }
}

/// The paths to all fields of a record, and to those of records in it.
fn collect_paths(model: &Model, ty: Type, path: &mut Path, paths: &mut Vec<Path>) {
    let Type::Record(record) = ty else { return };
    for (number, field) in (0..).zip(&model.records[record].fields) {
        path.push(number);
        paths.push(path.clone());
        collect_paths(model, field.ty, path, paths);
        path.pop();
    }
}
