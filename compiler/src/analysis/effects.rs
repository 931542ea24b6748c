//! The effects of one statement of one process: what it reads, writes and waits for.
//!
//! The analysis uses the constants of the process: `q[id]` is one channel, and of `id == 0 && x` the right side may
//! never be evaluated. Errs towards more.

use super::access::{Access, Asked, Effect, EffectPart, Everything, SideUse, asked_location};
use super::actors::ActorId;
use super::channels::{Channel, ChannelId};
use super::objects::{self, Object, Objects};
use super::points_to::{Context, Denoted, PointsTo};
use super::processes::initial_values;
use super::steps;
use crate::ir::{Action, Graph, Transition, visit};
use crate::model::{
    BinaryOp, ChannelRef, Expr, ExprKind, Owner, Pattern, Place, Printed, Probe, ProctypeId, Side, Target,
};
use crate::source::Span;

/// Computes the effects of statements.
pub(super) struct Collector<'a, 'm> {
    pub context: &'a Context<'a, 'm>,
    pub points_to: &'a PointsTo,
    pub asked: &'a Asked,
    /// Whether the table of processes is an object.
    pub pids_are_observed: bool,
    pub objects: &'a mut Objects,
    pub actor: ActorId,
    pub effect: Effect,
    /// The accesses that are being collected are not part of the first operation of the statement.
    is_later: bool,
    is_negative: bool,
}

impl<'a, 'm> Collector<'a, 'm> {
    pub fn new(
        context: &'a Context<'a, 'm>,
        points_to: &'a PointsTo,
        asked: &'a Asked,
        pids_are_observed: bool,
        objects: &'a mut Objects,
        actor: ActorId,
    ) -> Self {
        let effect = Effect::default();
        Self {
            context,
            points_to,
            asked,
            pids_are_observed,
            objects,
            actor,
            effect,
            is_later: false,
            is_negative: false,
        }
    }

    fn proctype(&self) -> ProctypeId {
        self.context.actors.list[self.actor].proctype
    }

    pub fn access(&mut self, object: Object, is_write: bool, span: Span) {
        let object = self.objects.id(object);
        self.effect.accesses.push(Access {
            object,
            is_write,
            is_own: false,
            is_promised: false,
            is_fair_only: false,
            span,
        });
    }

    /// A transition of the actor's proctype that leaves the locations of `from`.
    pub fn transition(&mut self, transition: &Transition<'m>, from: &[u32]) {
        let graph = &self.context.program.graphs[self.proctype()];
        let to = transition.to.map(|to| graph.locations[to].number);
        for (number, proctype) in &self.asked.locations {
            let moves = from.iter().any(|from| (from == number) != (to == Some(*number)));
            if moves && proctype.is_none_or(|proctype| proctype == self.proctype()) {
                self.access(Object::At { number: *number, proctype: *proctype }, true, transition.span);
            }
        }
        self.action(&transition.action, transition.span);
        for merged in &transition.merged {
            self.action(&merged.action, merged.span);
        }
    }

    fn action(&mut self, action: &Action<'m>, span: Span) {
        match action {
            Action::Condition(condition) => self.parts(condition),
            Action::Assert(condition) => self.value(condition),
            Action::Assign { target, value } => {
                self.value(value);
                match target {
                    Target::Place(place) => self.store(place, span),
                    Target::Several(places) => places.iter().for_each(|place| self.store(place, span)),
                    Target::Priority => self.everything(Everything::Priority, span),
                    Target::Ignore => {}
                }
            }
            Action::Send { channel, sorted, message } => {
                message.iter().for_each(|field| self.value(field));
                self.channel_place(&channel.place);
                self.channel(channel, Side::Send, true, *sorted, span);
            }
            Action::Receive { channel, random, peek, pattern } => {
                self.channel_place(&channel.place);
                self.channel(channel, Side::Receive, !peek, *random, span);
                self.pattern(pattern, true);
            }
            Action::Print(parts) => parts.iter().for_each(|part| match part {
                Printed::Text(_) => {}
                Printed::Signed(value)
                | Printed::Unsigned(value)
                | Printed::Octal(value)
                | Printed::Hexadecimal(value)
                | Printed::Character(value)
                | Printed::Symbol(_, value) => self.value(value),
            }),
            Action::DStep(inner) => self.d_step(inner),
            Action::End => self.end(span),
            Action::Else | Action::Jump | Action::Event { .. } => {}
        }
    }

    /// All effects inside, on every path. Of several options the first that is enabled disables the others.
    fn d_step(&mut self, graph: &Graph<'m>) {
        for (at, location) in graph.locations.iter_enumerated() {
            self.is_negative = location.leaving.len() > 1;
            self.is_later = at != graph.start;
            for id in steps::leaving(graph, at) {
                self.action(&graph.transitions[id].action, graph.transitions[id].span);
                if let Some(to) = graph.transitions[id].to {
                    // Locations are in the order of the text, so a transition that does not lead forwards closes a
                    // loop.
                    self.effect.repeats |= to <= at;
                }
            }
        }
        (self.is_later, self.is_negative) = (false, false);
    }

    /// The process is removed, and with it the objects that others may refer to.
    fn end(&mut self, span: Span) {
        if self.pids_are_observed {
            self.access(Object::ProcessTable, true, span);
        }
        self.locals_change(self.actor, span);
        let own = |(_, channel): &(ChannelId, &Channel)| channel.owner == Some(self.actor);
        let held: Vec<ChannelId> = self.context.channels.list.iter_enumerated().filter(own).map(|(id, _)| id).collect();
        for channel in held.into_iter().filter(|channel| self.points_to.may_outlive.contains(*channel)) {
            self.whole_channel(channel, true, span);
        }
    }

    fn locals_change(&mut self, actor: ActorId, span: Span) {
        let proctype = self.context.actors.list[actor].proctype;
        let model = self.context.program.model;
        for variable in &self.asked.locals {
            if model.variables[*variable].owner == Owner::Proctype(proctype) {
                self.access(Object::Local { actor, variable: *variable }, true, span);
            }
        }
    }

    fn everything(&mut self, what: Everything, span: Span) {
        self.effect.everything.get_or_insert((what, span));
    }

    /// Both sides of a buffered channel, or handshakes.
    fn whole_channel(&mut self, channel: ChannelId, is_write: bool, span: Span) {
        if self.context.channels.is_rendezvous(channel) {
            self.access(Object::Handshake(channel), is_write, span);
        } else {
            self.access(Object::Sending(channel), is_write, span);
            self.access(Object::Receiving(channel), is_write, span);
            self.effect.both_sides.push(channel);
        }
    }

    pub fn denoted(&mut self, channel: &ChannelRef) -> Denoted {
        let denoted = self.points_to.denoted(self.context, Some(self.actor), channel);
        if denoted.is_unknown {
            self.effect.unknown.push(channel.place.span);
        }
        denoted
    }

    /// A send or a receive. If it is `sorted` or `random`, it reads the whole queue.
    fn channel(&mut self, channel: &ChannelRef, side: Side, is_write: bool, is_whole: bool, span: Span) {
        let denoted = self.denoted(channel);
        let (rendezvous, buffered): (Vec<ChannelId>, Vec<ChannelId>) =
            denoted.channels.iter().partition(|channel| self.context.channels.is_rendezvous(**channel));
        for channel in rendezvous {
            self.access(Object::Handshake(channel), true, span);
            match side {
                Side::Send => self.effect.sends.push((channel, !self.is_later)),
                Side::Receive => self.effect.offers.push(channel),
            }
        }
        if is_whole {
            buffered.iter().for_each(|channel| self.whole_channel(*channel, is_write, span));
        } else {
            self.side(channel, side, is_write, buffered, denoted.is_own, span);
        }
    }

    fn side(
        &mut self,
        channel: &ChannelRef,
        side: Side,
        is_write: bool,
        channels: Vec<ChannelId>,
        is_own: bool,
        span: Span,
    ) {
        if channels.is_empty() {
            return;
        }
        let is_stable = PointsTo::is_stable(self.context, self.actor, channel);
        let exclusive = &self.context.program.model.proctypes[self.proctype()].exclusive;
        let is_promised = is_stable
            && exclusive.iter().any(|(of, promised)| {
                *of == side
                    && promised.place.variable == channel.place.variable
                    && PointsTo::is_stable(self.context, self.actor, promised)
                    && same_element(self.context, self.actor, &promised.place, &channel.place)
            });
        self.effect.sides.push(SideUse {
            side,
            is_write,
            channels,
            channel: channel.clone(),
            is_own,
            is_promised,
            is_stable,
            is_negative: self.is_negative,
            is_first: !self.is_later,
            span,
        });
    }

    fn pattern(&mut self, pattern: &[Pattern], stores: bool) {
        for field in pattern {
            match field {
                Pattern::Store(place) if stores => self.store(place, place.span),
                Pattern::Equal(value) => self.value(value),
                Pattern::Store(_) | Pattern::Ignore => {}
            }
        }
    }

    fn indices(&mut self, place: &Place) {
        let indices = place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref()));
        indices.for_each(|index| self.value(index));
    }

    /// The channel may depend on a variable that other processes change.
    fn channel_place(&mut self, place: &Place) {
        let start = self.effect.accesses.len();
        self.indices(place);
        let is_global = self.context.program.model.variables[place.variable].owner == Owner::Global;
        if is_global && !self.context.is_fixed_channel[place.variable] {
            self.global(place, false, place.span);
        }
        self.effect.channel_reads = start..self.effect.accesses.len();
    }

    fn store(&mut self, place: &Place, span: Span) {
        self.indices(place);
        match self.context.program.model.variables[place.variable].owner {
            Owner::Global => self.global(place, true, span),
            Owner::Proctype(_) if self.asked.locals.contains(&place.variable) => {
                self.access(Object::Local { actor: self.actor, variable: place.variable }, true, span);
            }
            Owner::Proctype(_) | Owner::Never(_) => {}
        }
    }

    fn global(&mut self, place: &Place, is_write: bool, span: Span) {
        let Context { program, constants, .. } = *self.context;
        for object in objects::of_global(program.model, constants, Some(self.actor), place) {
            self.access(object, is_write, span);
        }
    }

    /// The operands of the outermost `&&`, one after the other.
    fn parts(&mut self, condition: &Expr) {
        if let ExprKind::Binary(BinaryOp::And, left, right) = &condition.kind {
            self.parts(left);
            self.parts(right);
            return;
        }
        let (accesses, sides) = (self.effect.accesses.len(), self.effect.sides.len());
        self.condition(condition);
        self.effect
            .parts
            .push(EffectPart { accesses: accesses..self.effect.accesses.len(), sides: sides..self.effect.sides.len() });
    }

    /// A guard: all that can make it true must be known, and `nempty` and `nfull` are about one side only.
    fn condition(&mut self, condition: &Expr) {
        if let Some((side, channel)) = asked_side(condition) {
            self.channel_place(&channel.place);
            let denoted = self.denoted(channel);
            let is_buffered = |channel: &ChannelId| !self.context.channels.is_rendezvous(*channel);
            let buffered = denoted.channels.iter().copied().filter(is_buffered).collect();
            self.side(channel, side, false, buffered, denoted.is_own, condition.span);
            return;
        }
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.condition(left);
                if !self.is_decided(condition) {
                    self.condition(right);
                }
            }
            _ => self.value(condition),
        }
    }

    /// Whether the left side of `&&` or `||` is known and decides.
    fn is_decided(&self, whole: &Expr) -> bool {
        let ExprKind::Binary(op, left, _) = &whole.kind else { return false };
        let left = self.context.constants.value(Some(self.actor), left);
        match op {
            BinaryOp::And => left == Some(0),
            BinaryOp::Or => left.is_some_and(|value| value != 0),
            _ => false,
        }
    }

    /// An expression whose value matters.
    pub fn value(&mut self, expression: &Expr) {
        match &expression.kind {
            ExprKind::Constant(_) | ExprKind::Pid => {}
            ExprKind::Read(place) => {
                self.indices(place);
                if self.context.program.model.variables[place.variable].owner == Owner::Global {
                    self.global(place, false, expression.span);
                }
            }
            ExprKind::Unary(_, inner) => self.value(inner),
            ExprKind::Binary(_, left, right) => {
                self.value(left);
                if !self.is_decided(expression) {
                    self.value(right);
                }
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.value(condition);
                match self.context.constants.value(Some(self.actor), condition) {
                    Some(0) => self.value(no),
                    Some(_) => self.value(yes),
                    None => {
                        self.value(yes);
                        self.value(no);
                    }
                }
            }
            ExprKind::Run { proctype, arguments, .. } => {
                arguments.iter().for_each(|argument| self.value(argument));
                self.start(*proctype, expression.span);
            }
            ExprKind::Probe(_, channel) => self.look(channel, expression.span),
            ExprKind::Poll { channel, pattern, .. } => {
                self.look(channel, expression.span);
                self.pattern(pattern, false);
            }
            ExprKind::Host(call) => call.arguments.iter().for_each(|argument| self.value(argument)),
            ExprKind::Timeout => self.everything(Everything::Timeout, expression.span),
            ExprKind::ProcessCount => self.access(Object::ProcessTable, false, expression.span),
            ExprKind::Last | ExprKind::NonProgress => self.everything(Everything::Global, expression.span),
            ExprKind::Enabled(inner) | ExprKind::PcValue(inner) => {
                self.value(inner);
                self.everything(Everything::Global, expression.span);
            }
            ExprKind::Priority | ExprKind::GetPriority(_) | ExprKind::SetPriority(..) => {
                self.everything(Everything::Priority, expression.span);
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                pid.iter().for_each(|pid| self.value(pid));
                self.reference(expression.span);
                let key = asked_location(self.context, *proctype, pid.is_some(), *label);
                if let Some((number, proctype)) = key {
                    self.access(Object::At { number, proctype }, false, expression.span);
                }
            }
            ExprKind::RemoteVariable { proctype, pid, place } => {
                pid.iter().for_each(|pid| self.value(pid));
                self.indices(place);
                self.reference(expression.span);
                for actor in self.context.actors.of[*proctype].clone() {
                    self.access(Object::Local { actor, variable: place.variable }, false, expression.span);
                }
            }
        }
    }

    /// The process that a reference means may depend on the order in which processes started.
    fn reference(&mut self, span: Span) {
        if self.pids_are_observed {
            self.access(Object::ProcessTable, false, span);
        }
    }

    /// Both sides of a channel are looked at. A rendezvous channel is always empty.
    fn look(&mut self, channel: &ChannelRef, span: Span) {
        self.channel_place(&channel.place);
        for channel in self.denoted(channel).channels {
            if !self.context.channels.is_rendezvous(channel) {
                self.whole_channel(channel, false, span);
            }
        }
    }

    /// A process is started: its variables are initialised, and it is at its first location.
    fn start(&mut self, proctype: ProctypeId, span: Span) {
        if self.pids_are_observed {
            self.access(Object::ProcessTable, true, span);
        }
        self.effect.starts.push(proctype);
        let model = self.context.program.model;
        for local in &model.proctypes[proctype].locals {
            for value in initial_values(&model.variables[*local]) {
                self.globals_inside(value);
            }
        }
        for actor in self.context.actors.of[proctype].clone() {
            self.locals_change(actor, span);
        }
        let graph = &self.context.program.graphs[proctype];
        let start = graph.locations[graph.start].number;
        for (number, of) in self.asked.locations.clone() {
            if number == start && of.is_none_or(|of| of == proctype) {
                self.access(Object::At { number, proctype: of }, true, span);
            }
        }
    }

    /// What the initial values of a process read. Its own variables do not exist yet.
    fn globals_inside(&mut self, value: &Expr) {
        let mut parts = Vec::new();
        visit::expression(value, &mut |part| parts.push(part));
        for part in parts {
            match &part.kind {
                ExprKind::Read(place)
                    if self.context.program.model.variables[place.variable].owner == Owner::Global =>
                {
                    // An index may be a variable of the new process: any element.
                    let Context { program, constants, .. } = *self.context;
                    for object in objects::of_global(program.model, constants, None, place) {
                        self.access(object, false, part.span);
                    }
                }
                ExprKind::Read(_) | ExprKind::Constant(_) | ExprKind::Unary(..) | ExprKind::Binary(..) => {}
                ExprKind::Conditional(..) | ExprKind::Pid => {}
                // Other forms are rare.
                _ => self.everything(Everything::Global, part.span),
            }
        }
    }
}

/// The side of a channel that a condition tests, and nothing else. Not `len(c) > 0`: as in Spin, that uses both sides,
/// and breaks a promise (`xr`, `xs`) of another process.
pub(super) fn asked_side(condition: &Expr) -> Option<(Side, &ChannelRef)> {
    match &condition.kind {
        ExprKind::Probe(Probe::Nempty, channel) => Some((Side::Receive, channel)),
        ExprKind::Probe(Probe::Nfull, channel) => Some((Side::Send, channel)),
        _ => None,
    }
}

/// Whether two places of one variable are the same element; their indices are known.
pub(super) fn same_element(context: &Context<'_, '_>, actor: ActorId, a: &Place, b: &Place) -> bool {
    let indices = |place: &Place| -> Vec<Option<i32>> {
        let own = place.index.iter().chain(place.fields.iter().filter_map(|field| field.index.as_ref()));
        own.map(|index| context.constants.value(Some(actor), index)).collect()
    };
    let fields = |place: &Place| place.fields.iter().map(|field| field.field).collect::<Vec<_>>();
    indices(a) == indices(b) && fields(a) == fields(b)
}
