//! Which values are members.
//!
//! There is an unknown for the value of each variable, field, parameter and message field, all elements of an array being
//! one, and one for each dimension of an array. What meets is unified: the sides of an assignment and of a comparison,
//! arguments, messages and the variables that receive them, an index and its dimension. A value comes from a *source*
//! (`_pid`, a parameter that numbers the processes), is a *number* (a constant), or is *computed*. An unknown with a source is
//! about members, and then nothing in it may be computed, or used as a number.

use super::families::{Found, may_end};
use super::walk::{Claims, Walk};
use super::{Basis, Cause, Loss, Misuse, Wrong};
use crate::collections::Lookup;
use crate::ir::Program;
use crate::model::{Expr, Formula, Model, MtypeId, NONE, Owner, ProctypeId, SiteId, Type, VariableId};
use crate::source::Span;

/// A node of the unification.
pub(super) type Unknown = usize;

/// A path of fields from a variable.
pub(super) type Path = Vec<u32>;

/// A member of a family: its value is member + offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberKind {
    /// The number of the family.
    pub family: usize,
    pub offset: i32,
}

/// What is known of an unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub sources: Vec<(MemberKind, Span)>,
    /// The scalarsets that it is declared to be of.
    pub sets: Vec<MtypeId>,
    pub numbers: Vec<Number>,
    pub computed: Vec<Span>,
    /// What stores its values.
    pub types: Vec<(Type, Span)>,
    /// The arrays that it is an index of.
    pub lengths: Vec<(u32, Span)>,
    /// Where they are indexed.
    pub indexed: Vec<Indexed>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub value: i32,
    pub span: Span,
    /// It is an initial value.
    pub is_start: bool,
}

/// A place that is indexed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indexed {
    pub variable: VariableId,
    pub length: u32,
    pub span: Span,
}

pub struct Kinds {
    parents: Vec<Unknown>,
    known: Vec<Known>,
    pub(super) values: Lookup<(VariableId, Path), Unknown>,
    pub(super) dimensions: Lookup<(VariableId, Path), Unknown>,
    pub(super) fields: Lookup<(SiteId, u32), Unknown>,
    /// By the address of the expression, which does not move.
    pub(super) constants: Lookup<usize, Unknown>,
    /// Channels that are used as values: the dimensions that choose one, and the proctype that declares it.
    pub(super) channel_values: Vec<(Vec<Unknown>, Option<ProctypeId>, Span)>,
    pub(super) loops: Vec<FoundLoop>,
    /// For each family the one that it is: a scalarset may be that of the processes of a proctype.
    pub same: Vec<usize>,
    /// What is done with members of scalarsets and must not be.
    pub misuses: Vec<Misuse>,
    /// By family.
    pub losses: Vec<Vec<Loss>>,
    /// The members of each family that the text names, with the place.
    pub named: Vec<Vec<(u32, Span)>>,
    /// The members that an initial value names.
    pub started: Vec<Vec<(u32, Span)>>,
}

/// A loop with a counter, which may be a member in its body.
#[derive(Clone, Copy)]
pub(super) struct FoundLoop {
    pub counter: Unknown,
    pub first: i32,
    pub last: i32,
    /// Nobody sees the counter change.
    pub is_unseen: bool,
    /// What the order of its rounds has an influence on.
    pub depends: Option<Span>,
    pub span: Span,
}

pub fn infer(program: &Program<'_>, found: &[Found], basis: &Basis<'_>, claims: Claims) -> Kinds {
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
        same: (0..found.len()).collect(),
        misuses: Vec::new(),
        losses: vec![Vec::new(); found.len()],
        named: vec![Vec::new(); found.len()],
        started: vec![Vec::new(); found.len()],
    };
    let mut walk = Walk { model, program, found, basis, me: None, counters: Vec::new(), claims, kinds };
    walk.declarations();
    for (id, process) in model.proctypes.iter_enumerated() {
        walk.me = Some(id);
        process.provided.iter().for_each(|provided| walk.use_as_number(provided));
        process.exclusive.iter().for_each(|(_, channel)| walk.channel(channel));
        walk.statements(&process.body, false);
    }
    walk.me = None;
    for (_, claim) in (0..).zip(&model.never).filter(|(number, _)| claims.has_never(*number)) {
        walk.statements(&claim.body, false);
    }
    if claims == Claims::All {
        model.formulas.iter().for_each(|ltl| each_atom(&ltl.formula, &mut |atom| walk.use_as_number(atom)));
    }
    for (_, automaton) in program.formulas.iter().enumerate().filter(|(number, _)| claims.has_formula(*number)) {
        automaton.atoms.iter().for_each(|atom| walk.use_as_number(atom));
    }
    walk.kinds.judge(program, found, basis);
    walk.kinds
}

/// The conditions in a formula.
fn each_atom<'f>(formula: &'f Formula, found: &mut impl FnMut(&'f Expr)) {
    match formula {
        Formula::Atom(atom) => found(atom),
        Formula::Not(one) | Formula::Next(one) | Formula::Always(one) | Formula::Eventually(one) => {
            each_atom(one, found);
        }
        Formula::And(one, other)
        | Formula::Or(one, other)
        | Formula::Implies(one, other)
        | Formula::Equivalent(one, other)
        | Formula::Until(one, other)
        | Formula::WeakUntil(one, other)
        | Formula::Release(one, other) => {
            each_atom(one, found);
            each_atom(other, found);
        }
    }
}

impl Kinds {
    pub(super) fn new_unknown(&mut self) -> Unknown {
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

    /// Says that two unknowns are one, because of what is at `span`.
    pub(super) fn unify(&mut self, one: Unknown, other: Unknown, span: Span) {
        let (one, other) = (self.root(one), self.root(other));
        if one == other {
            return;
        }
        self.parents[other] = one;
        let Known { sources, sets, numbers, computed, types, lengths, indexed } =
            std::mem::take(&mut self.known[other]);
        let known = &mut self.known[one];
        if let (Some(mine), Some(others)) = (known.sets.first(), sets.iter().find(|set| !known.sets.contains(set))) {
            self.misuses.push(Misuse { set: *mine, wrong: Wrong::Mixes(*others), span });
        }
        known.sources.extend(sources);
        known.sets.extend(sets);
        known.numbers.extend(numbers);
        known.computed.extend(computed);
        known.types.extend(types);
        known.lengths.extend(lengths);
        known.indexed.extend(indexed);
    }

    pub(super) fn of(&mut self, unknown: Unknown) -> &mut Known {
        let root = self.root(unknown);
        &mut self.known[root]
    }

    /// A scalarset that meets the processes of a proctype, of which there are as many with the same numbers, is their set.
    fn identify(&mut self, found: &[Found]) {
        for known in &self.known {
            let of_set = known.sources.iter().find(|(kind, _)| found[kind.family].set().is_some());
            let of_processes = known.sources.iter().find(|(kind, _)| found[kind.family].set().is_none());
            let (Some((set, _)), Some((processes, _))) = (of_set, of_processes) else { continue };
            let is_free = self.same[set.family] == set.family;
            if is_free && set.offset == processes.offset && found[set.family].size == found[processes.family].size {
                self.same[set.family] = processes.family;
            }
        }
        for (kind, _) in self.known.iter_mut().flat_map(|known| &mut known.sources) {
            kind.family = self.same[kind.family];
        }
    }

    /// Finds what cannot be a member after all, and the members that the model names.
    fn judge(&mut self, program: &Program<'_>, found: &[Found], basis: &Basis<'_>) {
        self.identify(found);
        for root in 0..self.known.len() {
            let known = self.known[root].clone();
            let Some(&(kind, _)) = known.sources.first() else { continue };
            if let Some(set) = known.sets.first() {
                self.judge_set(*set, kind, &known, found);
            }
            let Known { sources, numbers, computed, types, lengths, .. } = known;
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

    /// What is done with the members of a scalarset.
    fn judge_set(&mut self, set: MtypeId, kind: MemberKind, known: &Known, found: &[Found]) {
        let size = found[kind.family].size;
        let mut add = |wrong: Wrong, span: Span| self.misuses.push(Misuse { set, wrong, span });
        if let Some((_, span)) = known.sources.iter().find(|(other, _)| *other != kind)
            && known.sets.iter().all(|other| *other == set)
        {
            add(Wrong::MixesOthers, *span);
        }
        known.computed.iter().for_each(|span| add(Wrong::Number, *span));
        for (ty, span) in &known.types {
            let keeps = |value: i32| ty.truncate(value) == value;
            if !keeps(NONE) || !(0..size as i32).all(keeps) {
                add(Wrong::Narrow, *span);
            }
        }
        let is_short = |it: &&Indexed| it.length < size;
        for Indexed { variable, length, span } in known.indexed.iter().filter(is_short).take(1) {
            add(Wrong::Short { variable: *variable, length: *length }, *span);
        }
        for number in known.numbers.iter().filter(|number| number.value != NONE) {
            if !(0..size as i32).contains(&number.value) {
                add(Wrong::Named, number.span);
            }
        }
    }

    /// A counter that is a member has the value of each in turn, in no order that matters.
    fn judge_loops(&mut self, found: &[Found]) {
        for found_loop in std::mem::take(&mut self.loops) {
            let FoundLoop { counter, first, last, is_unseen, depends, span } = found_loop;
            let Some(MemberKind { family, offset }) = self.member(counter) else { continue };
            let is_whole = first == offset && last == offset + found[family].size as i32 - 1;
            let losses = [
                (!is_unseen, Cause::LoopOutside, Wrong::LoopOutside, span),
                (depends.is_some(), Cause::LoopRounds, Wrong::LoopRounds, depends.unwrap_or(span)),
                (!is_whole, Cause::LoopPart, Wrong::LoopPart { first, last }, span),
            ];
            for (is_lost, cause, wrong, place) in losses {
                if is_lost {
                    self.losses[family].push(Loss { cause, span, members: None });
                    if let Some(set) = self.known[self.root(counter)].sets.first() {
                        self.misuses.push(Misuse { set: *set, wrong, span: place });
                    }
                }
            }
        }
    }

    /// No permutation follows the number of a channel that is stored.
    fn judge_channels(&mut self, found: &[Found]) {
        for (dimensions, proctype, span) in std::mem::take(&mut self.channel_values) {
            let of_dimensions = dimensions.iter().flat_map(|it| self.known[self.root(*it)].sources.clone());
            let mut families: Vec<usize> = of_dimensions.map(|(kind, _)| kind.family).collect();
            families.extend(found.iter().position(|family| proctype.is_some() && family.proctype() == proctype));
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

pub(super) fn address(expression: &Expr) -> usize {
    std::ptr::from_ref(expression).addr()
}
