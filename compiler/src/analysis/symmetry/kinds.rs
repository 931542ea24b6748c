//! Which values are members.
//!
//! There is an unknown for the value of each variable, field, parameter and message field, all elements of an array being
//! one, and one for each dimension of an array. What meets is unified: the sides of an assignment and of a comparison,
//! arguments, messages and the variables that receive them, an index and its dimension. A value comes from a *source*
//! (`_pid`, a parameter that numbers the processes), is a *number* (a constant), or is *computed*. An unknown with a source is
//! about members, and then nothing in it may be computed, or used as a number.

use super::families::{Found, Values, may_end};
use super::loops::{Loop, counting};
use super::progress::Progress;
use super::{Basis, Cause, Loss};
use crate::collections::Lookup;
use crate::ir::Program;
use crate::model::{
    BinaryOp, ChannelRef, Expr, ExprKind, Init, Model, Origin, Owner, Pattern, Place, Printed, ProctypeId, SiteId,
    Statement, StatementKind, Target, Type, VariableId,
};
use crate::source::Span;

/// A node of the unification.
type Unknown = usize;

/// A path of fields from a variable.
type Path = Vec<u32>;

/// A member of a family: its value is member + offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberKind {
    /// The number of the family.
    pub family: usize,
    pub offset: i32,
}

/// What is known of an unknown.
#[derive(Clone, Debug, Default)]
struct Known {
    sources: Vec<(MemberKind, Span)>,
    numbers: Vec<Number>,
    computed: Vec<Span>,
    /// What stores its values.
    types: Vec<(Type, Span)>,
    /// The arrays that it is an index of.
    lengths: Vec<(u32, Span)>,
}

#[derive(Clone, Copy, Debug)]
struct Number {
    value: i32,
    span: Span,
    /// It is an initial value.
    is_start: bool,
}

pub struct Kinds {
    parents: Vec<Unknown>,
    known: Vec<Known>,
    values: Lookup<(VariableId, Path), Unknown>,
    dimensions: Lookup<(VariableId, Path), Unknown>,
    fields: Lookup<(SiteId, u32), Unknown>,
    /// By the address of the expression, which does not move.
    constants: Lookup<usize, Unknown>,
    /// Channels that are used as values: the dimensions that choose one, and the proctype that declares it.
    channel_values: Vec<(Vec<Unknown>, Option<ProctypeId>, Span)>,
    loops: Vec<FoundLoop>,
    /// By family.
    pub losses: Vec<Vec<Loss>>,
    /// The members of each family that the text names, with the place.
    pub named: Vec<Vec<(u32, Span)>>,
    /// The members that an initial value names.
    pub started: Vec<Vec<(u32, Span)>>,
}

/// A loop with a counter, which may be a member in its body.
#[derive(Clone, Copy)]
struct FoundLoop {
    counter: Unknown,
    first: i32,
    last: i32,
    /// Nobody sees the counter change.
    is_unseen: bool,
    commutes: bool,
    span: Span,
}

pub fn infer(program: &Program<'_>, found: &[Found], basis: &Basis<'_>) -> Kinds {
    let model = program.model;
    let kinds = Kinds {
        parents: Vec::new(),
        known: Vec::new(),
        values: Lookup::new(),
        dimensions: Lookup::new(),
        fields: Lookup::new(),
        constants: Lookup::new(),
        channel_values: Vec::new(),
        loops: Vec::new(),
        losses: vec![Vec::new(); found.len()],
        named: vec![Vec::new(); found.len()],
        started: vec![Vec::new(); found.len()],
    };
    let mut walk = Walk { model, program, found, basis, me: None, counters: Vec::new(), kinds };
    walk.declarations();
    for (id, process) in model.proctypes.iter_enumerated() {
        walk.me = Some(id);
        process.provided.iter().for_each(|provided| walk.use_as_number(provided));
        process.exclusive.iter().for_each(|(_, channel)| walk.channel(channel));
        walk.statements(&process.body, false);
    }
    walk.kinds.judge(program, found, basis);
    walk.kinds
}

impl Kinds {
    fn new_unknown(&mut self) -> Unknown {
        self.parents.push(self.parents.len());
        self.known.push(Known::default());
        self.parents.len() - 1
    }

    fn root(&self, mut unknown: Unknown) -> Unknown {
        while self.parents[unknown] != unknown {
            unknown = self.parents[unknown];
        }
        unknown
    }

    fn unify(&mut self, one: Unknown, other: Unknown) {
        let (one, other) = (self.root(one), self.root(other));
        if one == other {
            return;
        }
        self.parents[other] = one;
        let Known { sources, numbers, computed, types, lengths } = std::mem::take(&mut self.known[other]);
        let known = &mut self.known[one];
        known.sources.extend(sources);
        known.numbers.extend(numbers);
        known.computed.extend(computed);
        known.types.extend(types);
        known.lengths.extend(lengths);
    }

    fn of(&mut self, unknown: Unknown) -> &mut Known {
        let root = self.root(unknown);
        &mut self.known[root]
    }

    /// Finds what cannot be a member after all, and the members that the model names.
    fn judge(&mut self, program: &Program<'_>, found: &[Found], basis: &Basis<'_>) {
        for root in 0..self.known.len() {
            let Known { sources, numbers, computed, types, lengths } = self.known[root].clone();
            let Some(&(kind, _)) = sources.first() else { continue };
            let size = found[kind.family].size as i32;
            let mut lose = |cause: Cause, span: Span| {
                let mut families: Vec<usize> = sources.iter().map(|(kind, _)| kind.family).collect();
                families.dedup();
                for family in families {
                    let loss = Loss { cause: cause.clone(), span, members: None };
                    if !self.losses[family].contains(&loss) {
                        self.losses[family].push(loss);
                    }
                }
            };
            if let Some((_, span)) = sources.iter().find(|(other, _)| *other != kind) {
                lose(Cause::Mixes, *span);
            }
            computed.iter().for_each(|span| lose(Cause::Number, *span));
            let member = |value: i32| (0..size).contains(&value.wrapping_sub(kind.offset));
            for (ty, span) in &types {
                let keeps = |value: i32| ty.truncate(value) == value;
                let keeps_members = (0..size).all(|one| keeps(one + kind.offset));
                let keeps_others = numbers.iter().all(|it| member(it.value) || !member(ty.truncate(it.value)));
                if !keeps_members || !keeps_others {
                    lose(Cause::Narrow, *span);
                }
            }
            for (length, span) in &lengths {
                if kind.offset < 0 || i64::from(*length) < i64::from(size) + i64::from(kind.offset) {
                    lose(Cause::Short, *span);
                }
            }
            for number in numbers.iter().filter(|number| member(number.value)) {
                let named = ((number.value - kind.offset) as u32, number.span);
                let list = if number.is_start { &mut self.started } else { &mut self.named };
                list[kind.family].push(named);
            }
        }
        self.judge_loops(found);
        self.judge_channels(found);
        self.judge_dynamic(program, basis);
    }

    /// A counter that is a member has the value of each in turn, in no order that matters.
    fn judge_loops(&mut self, found: &[Found]) {
        for found_loop in std::mem::take(&mut self.loops) {
            let FoundLoop { counter, first, last, is_unseen, commutes, span } = found_loop;
            let Some(MemberKind { family, offset }) = self.member(counter) else { continue };
            let is_whole = first == offset && last == offset + found[family].size as i32 - 1;
            for (is_fine, cause) in
                [(is_unseen, Cause::LoopOutside), (commutes, Cause::LoopRounds), (is_whole, Cause::LoopPart)]
            {
                if !is_fine {
                    self.losses[family].push(Loss { cause, span, members: None });
                }
            }
        }
    }

    /// No permutation follows the number of a channel that is stored.
    fn judge_channels(&mut self, found: &[Found]) {
        for (dimensions, proctype, span) in std::mem::take(&mut self.channel_values) {
            let of_dimensions = dimensions.iter().flat_map(|it| self.known[self.root(*it)].sources.clone());
            let mut families: Vec<usize> = of_dimensions.map(|(kind, _)| kind.family).collect();
            families.extend(found.iter().position(|family| Some(family.proctype) == proctype));
            for family in families {
                self.losses[family].push(Loss { cause: Cause::Channel, span, members: None });
            }
        }
    }

    /// The places of processes that are not known one by one are not known.
    fn judge_dynamic(&mut self, program: &Program<'_>, basis: &Basis<'_>) {
        let model = program.model;
        let any_dynamic = basis.instances.is_dynamic.iter().any(|is_dynamic| *is_dynamic);
        for (id, variable) in model.variables.iter_enumerated() {
            let Owner::Proctype(owner) = variable.owner else { continue };
            // Another process may take the place of one that has ended.
            let is_replaced = any_dynamic && may_end(&program.graphs[owner]);
            if !basis.instances.is_dynamic[owner] && !is_replaced {
                continue;
            }
            for family in 0..self.losses.len() {
                if self.concerns(model, id, family) {
                    self.losses[family].push(Loss { cause: Cause::Dynamic, span: variable.span, members: None });
                }
            }
        }
    }

    /// What the value at a path of fields is.
    pub fn value(&self, variable: VariableId, path: &[u32]) -> Option<MemberKind> {
        self.member(*self.values.get(&(variable, path.to_vec()))?)
    }

    /// What the index of the array at a path of fields is.
    pub fn dimension(&self, variable: VariableId, path: &[u32]) -> Option<MemberKind> {
        self.member(*self.dimensions.get(&(variable, path.to_vec()))?)
    }

    /// What a field of the messages of a site is.
    pub fn field(&self, site: SiteId, number: u32) -> Option<MemberKind> {
        self.member(*self.fields.get(&(site, number))?)
    }

    /// What a constant in the text is.
    pub fn constant(&self, expression: &Expr) -> Option<MemberKind> {
        self.member(*self.constants.get(&address(expression))?)
    }

    fn member(&self, unknown: Unknown) -> Option<MemberKind> {
        Some(self.known[self.root(unknown)].sources.first()?.0)
    }

    /// Whether a variable holds members of the family, or is indexed by them.
    pub fn concerns(&self, model: &Model, variable: VariableId, family: usize) -> bool {
        fn any(
            kinds: &Kinds,
            model: &Model,
            id: VariableId,
            path: &mut Path,
            ty: Type,
            is: &dyn Fn(MemberKind) -> bool,
        ) -> bool {
            let here = kinds.value(id, path).is_some_and(is) || kinds.dimension(id, path).is_some_and(is);
            let Type::Record(record) = ty else { return here };
            here || (0..).zip(&model.records[record].fields).any(|(number, field)| {
                path.push(number);
                let found = any(kinds, model, id, path, field.ty, is);
                path.pop();
                found
            })
        }
        any(self, model, variable, &mut Vec::new(), model.variables[variable].ty, &|kind| kind.family == family)
    }
}

fn address(expression: &Expr) -> usize {
    std::ptr::from_ref(expression).addr()
}

struct Walk<'a, 'm> {
    model: &'m Model,
    program: &'a Program<'m>,
    found: &'a [Found],
    basis: &'a Basis<'a>,
    /// The process that the text belongs to.
    me: Option<ProctypeId>,
    /// The counters of the loops around, which are unknowns of their own in the bodies.
    counters: Vec<(VariableId, Unknown)>,
    kinds: Kinds,
}

impl Walk<'_, '_> {
    fn declarations(&mut self) {
        for (id, variable) in self.model.variables.iter_enumerated() {
            self.me = match variable.owner {
                Owner::Global => None,
                Owner::Proctype(proctype) => Some(proctype),
                // Safety is not about claims.
                Owner::Never(_) => continue,
            };
            self.declare(id, &mut Vec::new(), variable.ty, variable.length, &variable.init, variable.span);
        }
        for (site, declared) in self.model.sites.iter_enumerated() {
            for (number, ty) in (0..).zip(&declared.fields) {
                let field = self.field(site, number);
                self.kinds.of(field).types.push((*ty, declared.span));
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

    /// An initial value.
    fn start(&mut self, of: Unknown, id: VariableId, value: &Expr) {
        if let Some(number) = value.as_constant() {
            self.kinds.of(of).numbers.push(Number { value: number, span: value.span, is_start: true });
            return;
        }
        let first = self.value(value);
        self.kinds.unify(of, first);
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
            let dimension = self.dimension_at(place.variable, &path);
            let index = self.value(index);
            self.kinds.unify(dimension, index);
        }
        for access in &place.fields {
            path.push(access.field);
            if let Some(index) = &access.index {
                let dimension = self.dimension_at(place.variable, &path);
                let index = self.value(index);
                self.kinds.unify(dimension, index);
            }
        }
        self.value_at(place.variable, &path)
    }

    fn channel(&mut self, channel: &ChannelRef) {
        self.place(&channel.place);
    }

    fn use_as_number(&mut self, expression: &Expr) {
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
        let family = self.found.iter().position(|found| found.proctype == proctype)?;
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
                self.kinds.unify(left, right);
                self.computed(span)
            }
            ExprKind::Unary(_, operand) => self.operation(&[operand], span),
            ExprKind::Binary(_, left, right) => self.operation(&[left, right], span),
            ExprKind::Conditional(condition, yes, no) => {
                self.use_as_number(condition);
                let (yes, no) = (self.value(yes), self.value(no));
                self.kinds.unify(yes, no);
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
                self.kinds.unify(member, value);
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
        let arguments: Vec<Unknown> = arguments.iter().map(|argument| self.value(argument)).collect();
        if let Some((family, base)) = self.family_of(proctype) {
            return self.sourced(MemberKind { family, offset: base }, span);
        }
        let parameters = self.model.parameter_scalars(proctype);
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let parameter = self.value_at(parameter.variable, &parameter.path);
            self.kinds.unify(parameter, argument);
        }
        self.computed(span)
    }

    fn patterns(&mut self, channel: &ChannelRef, pattern: &[Pattern]) {
        for (number, part) in (0..).zip(pattern) {
            let value = match part {
                Pattern::Store(place) => self.place(place),
                Pattern::Equal(value) => self.value(value),
                Pattern::Ignore => continue,
            };
            self.unify_with_field(channel, number, value);
        }
    }

    fn unify_with_field(&mut self, channel: &ChannelRef, number: u32, value: Unknown) {
        for site in &channel.sites {
            if self.model.sites[*site].fields.len() > number as usize {
                let field = self.field(*site, number);
                self.kinds.unify(field, value);
            }
        }
    }

    /// A sequence, perhaps inside of an atomic one.
    fn statements(&mut self, list: &[Statement], is_inside: bool) {
        let mut at = 0;
        while at < list.len() {
            self.statement(&list[at], is_inside);
            if let Some(found) = counting(&list[at..]) {
                self.counting_loop(&found, is_inside);
                at += 1;
            }
            at += 1;
        }
    }

    fn counting_loop(&mut self, found: &Loop<'_>, is_inside: bool) {
        found.header.iter().for_each(|statement| self.statement(statement, is_inside));
        self.statements(found.end, is_inside);
        let process = self.me.map(|me| (me, &self.model.proctypes[me]));
        let around: Vec<VariableId> = self.counters.iter().map(|(counter, _)| *counter).collect();
        let goes_on = process.is_some_and(|(me, process)| {
            found.goes_on(Progress::of(self.model, process, self.family_of(me).is_some()), &around)
        });
        let counter = self.kinds.new_unknown();
        self.counters.push((found.counter, counter));
        self.statements(found.body, is_inside);
        self.counters.pop();
        self.kinds.loops.push(FoundLoop {
            counter,
            first: found.first,
            last: found.last,
            is_unseen: is_inside && goes_on,
            commutes: found.rounds_commute(),
            span: found.whole.span,
        });
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
                if let Target::Place(place) = target {
                    let place = self.place(place);
                    self.kinds.unify(place, value);
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
                    self.unify_with_field(channel, number, value);
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
