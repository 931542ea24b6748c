//! The points of a process.
//!
//! Each statement of a process has a number, its [`Point`]; one more is the closing brace. A point records what follows
//! the statement and which `atomic`, `d_step` and `unless` enclose it. Control does not rest at a `goto` or a `break`:
//! [`Code::settle`] moves on to their targets. It does rest before a block, which is why in `{ do ... od }` the point
//! before the first round is not that before the others.

use std::cell::Cell;
use std::collections::HashSet;

use pmc::collections::{Id, IdVec};
use pmc::model::{
    Label, LabelId, Model, Owner, Process, ProctypeId, Record, RecordId, Statement, StatementKind, Type, VariableId,
};

use super::Options;
use super::mentions::Mentions;

/// A statement of one process, or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(pub u32);

impl Point {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The static information about a point.
#[derive(Debug)]
pub struct Place<'m> {
    /// Nothing at the closing brace.
    pub statement: Option<&'m Statement>,
    /// The point behind the `fi`, `od` or `unless` of that statement.
    pub is_join: bool,
    /// The last of an `atomic`.
    pub is_last: bool,
    /// The point that follows the statement.
    pub after: Point,
    /// First statements of the parts of a structure: the body of a block, the
    /// options of a choice.
    pub parts: Vec<Point>,
    /// First statement of the escape of an `unless`.
    pub escape: Option<Point>,
    /// The first statements of the escapes that guard this point, outermost first.
    pub escapes: Vec<Point>,
    /// The outermost `atomic` around it.
    pub atomic: Option<Point>,
    /// The `d_step` around it.
    pub d_step: Option<Point>,
    /// Its place in the order of Spin, in which a structure comes behind its parts.
    pub number: usize,
}

/// The points of one process.
#[derive(Debug)]
pub struct Code<'m> {
    pub process: &'m Process,
    pub places: Vec<Place<'m>>,
    pub start: Point,
    pub end: Point,
    /// The point of each label, if its statement was found.
    labels: Vec<Option<Point>>,
    /// Labels that make it visible that a process is at a jump.
    visible: HashSet<LabelId>,
    /// Labels on the first statement of an option.
    on_options: HashSet<LabelId>,
}

/// The context of a statement.
#[derive(Clone, Default)]
struct Context {
    escapes: Vec<Point>,
    atomic: Option<Point>,
    d_step: Option<Point>,
    /// The last statement of the sequence is the last of the `atomic`.
    closes: bool,
    /// The target of `break`.
    exit: Option<Point>,
}

impl<'m> Code<'m> {
    /// `referenced`: the labels that a remote reference names.
    pub fn new(process: &'m Process, referenced: impl Iterator<Item = LabelId>) -> Self {
        let special = |label: &Label| label.is_end() || label.is_accept() || label.is_progress();
        let specials = process.labels.iter_enumerated().filter(|(_, label)| special(label)).map(|(id, _)| id);
        let mut code = Code {
            process,
            places: Vec::new(),
            start: Point(0),
            end: Point(0),
            labels: vec![None; process.labels.len()],
            visible: specials.chain(referenced).collect(),
            on_options: HashSet::new(),
        };
        code.end = code.add(None, &Context::default());
        let start = code.sequence(&process.body, code.end, &Context::default());
        let mut last = 0;
        code.number(&process.body, start, &mut last);
        code.places[code.end.index()].number = last + 1;
        code.start = code.settle(start);
        code
    }

    fn add(&mut self, statement: Option<&'m Statement>, context: &Context) -> Point {
        let point = Point(u32::try_from(self.places.len()).expect("a model has fewer than 2^32 statements"));
        self.places.push(Place {
            statement,
            is_join: false,
            is_last: false,
            after: point,
            parts: Vec::new(),
            escape: None,
            escapes: context.escapes.clone(),
            atomic: context.atomic,
            d_step: context.d_step,
            number: 0,
        });
        point
    }

    /// Numbers a sequence of statements, whose points follow each other, and all in it.
    fn number(&mut self, statements: &[Statement], first: Point, next: &mut usize) {
        for (statement, index) in statements.iter().zip(first.0..) {
            let Place { parts, escape, .. } = &self.places[index as usize];
            let parts: Vec<Point> = parts.iter().chain(escape).copied().collect();
            let bodies: Vec<&[Statement]> = match &statement.kind {
                StatementKind::Block(body) | StatementKind::Atomic(body) | StatementKind::DStep(body) => vec![body],
                StatementKind::If(choices) | StatementKind::Do(choices) => {
                    choices.iter().map(|choice| &*choice.body).collect()
                }
                StatementKind::Unless { body, escape } => vec![body, escape],
                _ => Vec::new(),
            };
            bodies.into_iter().zip(parts).for_each(|(body, first)| self.number(body, first, next));
            *next += 1;
            self.places[index as usize].number = *next;
        }
    }

    /// Numbers statements that follow each other, and returns the first.
    fn sequence(&mut self, statements: &'m [Statement], after: Point, context: &Context) -> Point {
        let points: Vec<Point> = statements.iter().map(|statement| self.add(Some(statement), context)).collect();
        for (number, (statement, &point)) in statements.iter().zip(&points).enumerate() {
            self.places[point.index()].after = points.get(number + 1).copied().unwrap_or(after);
            for label in &statement.labels {
                self.labels[label.index()] = Some(point);
            }
            let closes = context.closes && number + 1 == statements.len();
            self.inside(statement, point, &Context { closes, ..context.clone() });
        }
        points.first().copied().unwrap_or(after)
    }

    /// The point behind a choice or an `unless`. Control rests there only inside an `atomic`.
    fn join(&mut self, statement: &'m Statement, point: Point, context: &Context) -> Point {
        let after = self.places[point.index()].after;
        if context.atomic.is_none() || context.d_step.is_some() {
            return after;
        }
        let join = self.add(Some(statement), &Context { escapes: Vec::new(), ..context.clone() });
        self.places[join.index()].is_join = true;
        self.places[join.index()].is_last = context.closes;
        self.places[join.index()].after = after;
        join
    }

    fn inside(&mut self, statement: &'m Statement, point: Point, context: &Context) {
        let after = self.places[point.index()].after;
        if let StatementKind::If(choices) | StatementKind::Do(choices) = &statement.kind {
            let firsts = choices.iter().filter_map(|choice| choice.body.first());
            self.on_options.extend(firsts.flat_map(|first| &first.labels));
        }
        let mut inner = context.clone();
        let parts = match &statement.kind {
            StatementKind::Block(body) => vec![self.sequence(body, after, &inner)],
            StatementKind::Atomic(body) => {
                inner.closes |= inner.atomic.is_none();
                inner.atomic = inner.atomic.or(Some(point));
                vec![self.sequence(body, after, &inner)]
            }
            StatementKind::DStep(body) => {
                self.places[point.index()].is_last = context.closes;
                inner.closes = false;
                inner.d_step = inner.d_step.or(Some(point));
                vec![self.sequence(body, after, &inner)]
            }
            StatementKind::If(choices) => {
                let after = self.join(statement, point, context);
                inner.closes = false;
                choices.iter().map(|choice| self.sequence(&choice.body, after, &inner)).collect()
            }
            StatementKind::Do(choices) => {
                inner.exit = Some(self.join(statement, point, context));
                inner.closes = false;
                choices.iter().map(|choice| self.sequence(&choice.body, point, &inner)).collect()
            }
            StatementKind::Unless { body, escape } => {
                let after = self.join(statement, point, context);
                inner.closes = false;
                let escape = self.sequence(escape, after, &inner);
                self.places[point.index()].escape = Some(escape);
                inner.escapes.push(escape);
                vec![self.sequence(body, after, &inner)]
            }
            StatementKind::Break => {
                self.places[point.index()].after = context.exit.unwrap_or(after);
                self.places[point.index()].is_last = context.closes;
                Vec::new()
            }
            StatementKind::Goto(_)
            | StatementKind::Condition(_)
            | StatementKind::Else
            | StatementKind::Assign { .. }
            | StatementKind::Send { .. }
            | StatementKind::Receive { .. }
            | StatementKind::Assert(_)
            | StatementKind::Print(_)
            | StatementKind::Event { .. } => {
                self.places[point.index()].is_last = context.closes;
                Vec::new()
            }
        };
        self.places[point.index()].parts = parts;
    }

    pub fn place(&self, point: Point) -> &Place<'m> {
        &self.places[point.index()]
    }

    /// Nothing at the closing brace and behind a choice.
    pub fn kind(&self, point: Point) -> Option<&'m StatementKind> {
        let place = self.place(point);
        place.statement.filter(|_| !place.is_join).map(|statement| &statement.kind)
    }

    /// The statement of a label.
    pub fn label(&self, label: LabelId) -> Point {
        self.settle(self.labels[label.index()].unwrap_or(self.end))
    }

    /// One step of [`settle`](Self::settle): through a jump, behind a choice or into an `unless`. A jump is a step of its
    /// own if a label makes it visible, as in `end: goto away`.
    fn pass(&self, point: Point) -> Option<Point> {
        let place = self.place(point);
        let statement = place.statement?;
        if place.is_join {
            return Some(place.after);
        }
        let target = match &statement.kind {
            StatementKind::Unless { .. } => return place.parts.first().copied(),
            StatementKind::Goto(_) | StatementKind::Break => self.target(point),
            _ => return None,
        };
        let is_visible = statement.labels.iter().any(|label| self.visible.contains(label));
        (!is_visible).then_some(target)
    }

    /// What follows a statement in the text, or where it jumps to.
    fn target(&self, point: Point) -> Point {
        match self.kind(point) {
            Some(StatementKind::Goto(label)) => self.labels[label.index()].unwrap_or(self.end),
            _ => self.place(point).after,
        }
    }

    /// Whether a process that executes a statement stays the atomic owner: inside an `atomic`, all do but the last one and
    /// jumps that lead out of it. A `d_step` is one statement.
    pub(super) fn keeps_control(&self, point: Point) -> bool {
        let place = self.place(point);
        match (place.d_step, self.kind(point)) {
            (Some(d_step), _) => self.keeps_control(d_step),
            (None, Some(StatementKind::Goto(_) | StatementKind::Break)) => {
                place.atomic.is_some() && self.place(self.target(point)).atomic.is_some()
            }
            (None, _) => place.atomic.is_some() && !place.is_last,
        }
    }

    /// The point at which control rests if it arrives at a point.
    pub fn settle(&self, point: Point) -> Point {
        self.settle_from(point, false)
    }

    /// The point of a process after the statement at a point, and whether it stays the atomic owner.
    pub fn follow(&self, point: Point) -> (Point, bool) {
        let keeps = self.keeps_control(point);
        (self.settle_from(self.target(point), keeps), keeps)
    }

    /// Passes jumps, for a process that is the atomic owner or not. The owner stops in front of what leads out of its
    /// `atomic`, or to the last step in it: that is a step of its own. It is visible when the process loses control there,
    /// as the sender in
    ///   atomic { if :: port!1 fi }
    pub(super) fn settle_from(&self, point: Point, is_owner: bool) -> Point {
        let mut point = point;
        // A cycle of jumps has no statement in it: the process stays at a jump.
        for _ in 0..self.places.len() {
            let Some(next) = self.pass(point) else { break };
            let is_unless =
                !self.place(point).is_join && matches!(self.kind(point), Some(StatementKind::Unless { .. }));
            if is_owner && !is_unless && !self.keeps_control(next) {
                break;
            }
            point = next;
        }
        point
    }

    /// From a structure to the statement that it begins with: a choice, a
    /// `d_step`, or a statement that is a step.
    pub fn head(&self, point: Point) -> Point {
        let mut point = point;
        while let Some(StatementKind::Block(_) | StatementKind::Atomic(_) | StatementKind::Unless { .. }) =
            self.kind(point)
        {
            let Some(&first) = self.place(point).parts.first() else { break };
            point = first;
        }
        point
    }

    /// Whether a process may stay at this point forever.
    pub fn is_end(&self, point: Point) -> bool {
        point == self.end || self.has_label(point, Label::is_end)
    }

    pub fn is_progress(&self, point: Point) -> bool {
        self.has_label(point, Label::is_progress)
    }

    pub fn is_accept(&self, point: Point) -> bool {
        self.has_label(point, Label::is_accept)
    }

    /// A process is not at the first statement of an option but at the choice. A label there marks the point behind the
    /// statement, as in
    ///   do :: progress: x = 1 - x od
    fn has_label(&self, point: Point, wanted: impl Fn(&Label) -> bool) -> bool {
        let is_behind = |id: LabelId| self.on_options.contains(&id) && self.behind(self.labels[id.index()]) == point;
        let marks = |id: LabelId| self.label(id) == point || is_behind(id);
        self.process.labels.iter_enumerated().any(|(id, label)| wanted(label) && marks(id))
    }

    /// The point behind the first step of a statement; of a choice that of its first option.
    fn behind(&self, point: Option<Point>) -> Point {
        let mut point = point.unwrap_or(self.end);
        while let Some(&first) = self.place(point).parts.first()
            && !matches!(self.kind(point), Some(StatementKind::DStep(_)))
        {
            point = first;
        }
        self.follow(point).0
    }
}

/// A model, ready to be interpreted.
#[derive(Debug)]
pub struct Program<'m> {
    pub model: &'m Model,
    pub codes: IdVec<ProctypeId, Code<'m>>,
    /// The never claims, by their number.
    pub claims: Vec<Code<'m>>,
    pub options: Options,
    /// The position of each variable among the scalars of its owner.
    pub offsets: IdVec<VariableId, usize>,
    /// The scalars that are not part of the state, among the globals and among
    /// the locals of each proctype.
    pub hidden_globals: HashSet<usize>,
    pub hidden_locals: IdVec<ProctypeId, HashSet<usize>>,
    /// `_last` is part of the state only of models that mention it.
    pub uses_last: bool,
    pub trace: Option<super::traces::Automaton<'m>>,
    /// A step has asked what has no answer here: the number that Spin gives to a location, or whether processes are
    /// enabled that ask this of each other.
    pub is_open: Cell<bool>,
}

impl<'m> Program<'m> {
    pub fn new(model: &'m Model, options: &Options) -> Self {
        let mut offsets: IdVec<VariableId, usize> = model.variables.iter().map(|_| 0).collect();
        let mut place_in_order = |variables: &mut dyn Iterator<Item = VariableId>| {
            let mut next = 0;
            for variable in variables {
                offsets[variable] = next;
                next += size_of_variable(model, variable);
            }
        };
        place_in_order(&mut model.globals.iter().copied());
        for process in model.proctypes.iter().chain(&model.never) {
            place_in_order(&mut process.parameters.iter().chain(&process.locals).copied());
        }
        let mentions = Mentions::of(model);
        let labels_of =
            |id: ProctypeId| mentions.labels.iter().filter(move |(owner, _)| *owner == id).map(|(_, label)| *label);
        Self {
            model,
            codes: model.proctypes.iter_enumerated().map(|(id, process)| Code::new(process, labels_of(id))).collect(),
            claims: model.never.iter().map(|process| Code::new(process, std::iter::empty())).collect(),
            options: options.clone(),
            hidden_globals: hidden(model, &offsets, Owner::Global),
            hidden_locals: model.proctypes.ids().map(|id| hidden(model, &offsets, Owner::Proctype(id))).collect(),
            offsets,
            uses_last: mentions.last,
            trace: model.trace.as_ref().map(super::traces::Automaton::new),
            is_open: Cell::new(false),
        }
    }

    /// Scalars of the globals.
    pub fn n_globals(&self) -> usize {
        self.model.globals.iter().map(|variable| size_of_variable(self.model, *variable)).sum()
    }

    /// Scalars of one process.
    pub fn n_locals(&self, proctype: ProctypeId) -> usize {
        let process = &self.model.proctypes[proctype];
        process.parameters.iter().chain(&process.locals).map(|variable| size_of_variable(self.model, *variable)).sum()
    }
}

/// The scalars of an owner that are not part of the state.
fn hidden(model: &Model, offsets: &IdVec<VariableId, usize>, owner: Owner) -> HashSet<usize> {
    let of_owner = model.variables.iter_enumerated().filter(|(_, variable)| variable.owner == owner);
    of_owner
        .filter(|(_, variable)| variable.hidden)
        .flat_map(|(id, _)| offsets[id]..offsets[id] + size_of_variable(model, id))
        .collect()
}

/// Number of scalars of a value of a type.
pub fn size_of_type(model: &Model, ty: Type) -> usize {
    match ty {
        Type::Record(record) => size_of_record(model, &model.records[record]),
        _ => 1,
    }
}

fn size_of_record(model: &Model, record: &Record) -> usize {
    record.fields.iter().map(|field| size_of_type(model, field.ty) * elements(field.length)).sum()
}

/// The position of a field among the scalars of its record.
pub fn offset_of_field(model: &Model, record: RecordId, number: usize) -> usize {
    let before = &model.records[record].fields[..number];
    before.iter().map(|field| size_of_type(model, field.ty) * elements(field.length)).sum()
}

pub fn size_of_variable(model: &Model, variable: VariableId) -> usize {
    let variable = &model.variables[variable];
    size_of_type(model, variable.ty) * elements(variable.length)
}

pub fn elements(length: Option<u32>) -> usize {
    length.unwrap_or(1) as usize
}
