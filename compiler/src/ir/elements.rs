//! Sequences of elements, as Spin lays them out: the pass between the tree and the graph.
//!
//! Every statement, simple or compound, becomes an element with its successor, whether it keeps atomic control, and the
//! escapes that cover it. `lower` decides at which of them control can rest.
//!
//! Elements are numbered in the order in which they are complete: the parts of a
//! compound statement first. `pc_value` shows these numbers.

use super::Action;
use crate::collections::IdVec;
use crate::ids;
use crate::model::{Choice, LabelId, Process, Statement, StatementKind};
use crate::source::Span;

ids! {
    ElementId;
}

#[derive(Debug)]
pub(super) struct Element<'m> {
    pub kind: ElementKind<'m>,
    /// The next element in the text; `None` only at the end of a process or `d_step`.
    pub next: Option<ElementId>,
    /// After it the process keeps atomic control.
    pub atomic: bool,
    /// The last one of an atomic sequence.
    pub ends_atomic: bool,
    /// A jump that is observable, by its label: it is a step.
    pub is_visible: bool,
    /// The first elements of the escapes that cover it, innermost first.
    pub escapes: Vec<ElementId>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum ElementKind<'m> {
    Step(Action<'m>),
    Goto(Destination),
    /// Behind `fi`, `od` and `unless`; no step of its own.
    Join,
    /// `if` or `do`, with its options.
    Choice(Vec<Sequence>),
    Block(Sequence),
    Unless {
        main: Sequence,
        escape: Sequence,
    },
    /// Its last element has no successor.
    DStep(Sequence),
    /// The closing brace.
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Destination {
    Label(LabelId),
    Element(ElementId),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence {
    pub first: ElementId,
    pub last: ElementId,
}

/// The elements of a process or of a `d_step`.
pub(super) struct ElementBuilder<'m> {
    pub elements: IdVec<ElementId, Element<'m>>,
    pub labels: IdVec<LabelId, Option<ElementId>>,
    /// `break`s of each open loop, whose target does not exist yet.
    breaks: Vec<Vec<ElementId>>,
    /// Labels at which another process or a property can observe control.
    visible: IdVec<LabelId, bool>,
}

impl<'m> ElementBuilder<'m> {
    /// Lays out a process, closing brace included, and returns its first element.
    pub fn process(process: &'m Process, visible: IdVec<LabelId, bool>) -> (Self, ElementId) {
        let labels = process.labels.iter().map(|_| None).collect();
        let mut builder = Self { elements: IdVec::new(), labels, breaks: Vec::new(), visible };
        let body = builder.sequence(&process.body, process.span);
        let end = builder.push(ElementKind::End, process.end, &[]);
        builder.link(body.last, end);
        builder.end_atomics_at_jumps();
        (builder, body.first)
    }

    fn push(&mut self, kind: ElementKind<'m>, span: Span, labels: &[LabelId]) -> ElementId {
        let element = self.elements.push(Element {
            kind,
            next: None,
            atomic: false,
            ends_atomic: false,
            is_visible: false,
            escapes: Vec::new(),
            span,
        });
        for label in labels {
            self.labels[*label] = Some(element);
            self.elements[element].is_visible |= self.visible[*label];
        }
        element
    }

    /// A sequence of statements. An empty one, which no grammar makes, is a `Join`.
    fn sequence(&mut self, statements: &'m [Statement], span: Span) -> Sequence {
        let mut row: Option<Sequence> = None;
        for statement in statements {
            let part = self.statement(statement);
            row = Some(match row {
                None => part,
                Some(before) => {
                    self.link(before.last, part.first);
                    Sequence { first: before.first, last: part.last }
                }
            });
        }
        row.unwrap_or_else(|| {
            let join = self.push(ElementKind::Join, span, &[]);
            Sequence { first: join, last: join }
        })
    }

    /// Makes `next` the successor of `element`, and of everything that ends where `element` ends.
    fn link(&mut self, mut element: ElementId, next: ElementId) {
        self.elements[element].next = Some(next);
        while let ElementKind::Block(inner) = &self.elements[element].kind {
            element = inner.last;
            self.elements[element].next = Some(next);
        }
    }

    fn single(&mut self, kind: ElementKind<'m>, statement: &'m Statement) -> Sequence {
        let element = self.push(kind, statement.span, &statement.labels);
        Sequence { first: element, last: element }
    }

    fn step(&mut self, action: Action<'m>, statement: &'m Statement) -> Sequence {
        self.single(ElementKind::Step(action), statement)
    }

    fn statement(&mut self, statement: &'m Statement) -> Sequence {
        match &statement.kind {
            StatementKind::Block(body) => {
                let inner = self.sequence(body, statement.span);
                self.single(ElementKind::Block(inner), statement)
            }
            StatementKind::Atomic(body) => {
                let inner = self.sequence(body, statement.span);
                self.make_atomic(inner);
                self.single(ElementKind::Block(inner), statement)
            }
            StatementKind::DStep(body) => {
                let inner = self.sequence(body, statement.span);
                self.single(ElementKind::DStep(inner), statement)
            }
            StatementKind::If(choices) => {
                let rows = self.choices(choices);
                self.joined(ElementKind::Choice(rows.clone()), rows, statement)
            }
            StatementKind::Do(choices) => self.repetition(choices, statement),
            StatementKind::Unless { body, escape } => {
                let main = self.sequence(body, statement.span);
                let escape = self.sequence(escape, statement.span);
                self.attach_escape(main, escape.first);
                self.joined(ElementKind::Unless { main, escape }, vec![main, escape], statement)
            }
            StatementKind::Break => {
                let row = self.single(ElementKind::Join, statement);
                if let Some(innermost) = self.breaks.last_mut() {
                    innermost.push(row.first);
                }
                row
            }
            StatementKind::Goto(label) => self.single(ElementKind::Goto(Destination::Label(*label)), statement),
            StatementKind::Condition(condition) => self.step(Action::Condition(condition), statement),
            StatementKind::Else => self.step(Action::Else, statement),
            StatementKind::Assign { target, value } => self.step(Action::Assign { target, value }, statement),
            StatementKind::Send { channel, sorted, message } => {
                self.step(Action::Send { channel, sorted: *sorted, message }, statement)
            }
            StatementKind::Receive { channel, random, peek, pattern } => {
                self.step(Action::Receive { channel, random: *random, peek: *peek, pattern }, statement)
            }
            StatementKind::Assert(condition) => self.step(Action::Assert(condition), statement),
            StatementKind::Print(parts) => self.step(Action::Print(parts), statement),
            StatementKind::Event { side, channel, pattern } => {
                self.step(Action::Event { side: *side, channel, pattern }, statement)
            }
        }
    }

    fn choices(&mut self, choices: &'m [Choice]) -> Vec<Sequence> {
        choices.iter().map(|choice| self.sequence(&choice.body, choice.span)).collect()
    }

    /// A compound statement whose parts all lead to one join behind it.
    fn joined(&mut self, kind: ElementKind<'m>, parts: Vec<Sequence>, statement: &'m Statement) -> Sequence {
        let whole = self.push(kind, statement.span, &statement.labels);
        let join = self.push(ElementKind::Join, statement.span, &[]);
        for part in parts {
            self.link(part.last, join);
        }
        self.elements[whole].next = Some(join);
        Sequence { first: whole, last: join }
    }

    /// `do`: its options lead back to it, its `break`s to the join behind it.
    fn repetition(&mut self, choices: &'m [Choice], statement: &'m Statement) -> Sequence {
        self.breaks.push(Vec::new());
        let rows = self.choices(choices);
        let whole = self.push(ElementKind::Choice(rows.clone()), statement.span, &statement.labels);
        let join = self.push(ElementKind::Join, statement.span, &[]);
        for row in rows {
            self.link(row.last, whole);
        }
        for jump in self.breaks.pop().unwrap_or_default() {
            self.elements[jump].kind = ElementKind::Goto(Destination::Element(join));
        }
        self.elements[whole].next = Some(join);
        Sequence { first: whole, last: join }
    }

    /// All elements inside keep control, except the last one of the sequence itself. Where the last one is a block, that
    /// is the last one in it: the block itself is still inside, so that a join in front of it is no step.
    fn make_atomic(&mut self, row: Sequence) {
        self.walk(row, &mut |element| element.atomic = true);
        let mut at = row.last;
        while let ElementKind::Block(inner) = &self.elements[at].kind {
            at = inner.last;
        }
        let last = &mut self.elements[at];
        last.atomic = false;
        last.ends_atomic = true;
    }

    /// An escape covers every element of the main sequence, at any depth.
    fn attach_escape(&mut self, main: Sequence, escape: ElementId) {
        self.walk(main, &mut |element| element.escapes.push(escape));
    }

    /// Visits the elements of a sequence and all inside them, except for the insides of a `d_step`.
    fn walk(&mut self, row: Sequence, visit: &mut impl FnMut(&mut Element<'m>)) {
        let mut rows = vec![row];
        while let Some(row) = rows.pop() {
            let mut at = row.first;
            loop {
                let element = &mut self.elements[at];
                visit(element);
                match &element.kind {
                    ElementKind::Choice(parts) => rows.extend(parts),
                    ElementKind::Block(part) => rows.push(*part),
                    ElementKind::Unless { main, escape } => rows.extend([main, escape]),
                    ElementKind::Step(_)
                    | ElementKind::Goto(_)
                    | ElementKind::Join
                    | ElementKind::DStep(_)
                    | ElementKind::End => {}
                }
                match element.next {
                    Some(next) if at != row.last => at = next,
                    _ => break,
                }
            }
        }
    }

    /// A jump out of an atomic sequence ends it; a jump into one continues in it.
    ///
    /// The element that carries the label counts: `L: atomic { ... }` is itself outside, so that a jump to it gives up
    /// control for a moment.
    fn end_atomics_at_jumps(&mut self) {
        for jump in self.elements.ids() {
            let ElementKind::Goto(destination) = self.elements[jump].kind else { continue };
            let Some(target) = self.target(destination) else { continue };
            let target_is_inside = self.elements[target].atomic || self.elements[target].ends_atomic;
            let element = &mut self.elements[jump];
            if element.atomic || element.ends_atomic {
                element.atomic = target_is_inside;
                element.ends_atomic = !target_is_inside;
            }
        }
    }

    pub fn target(&self, destination: Destination) -> Option<ElementId> {
        match destination {
            Destination::Label(label) => self.labels[label],
            Destination::Element(element) => Some(element),
        }
    }
}
