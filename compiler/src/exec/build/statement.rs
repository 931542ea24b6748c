//! Statements: the guard of each, and its operations.

use super::Context;
use crate::exec::{
    Channel, Guard, Handshake, Message, Operation, Printed, Receive, Received, Shape, Statement, Test, Traced, Value,
};
use crate::ir::{Action, visit};
use crate::model::{self, ChannelRef, Expr, ExprKind, Pattern, Side, SiteId, Target};
use crate::source::Span;

impl Context<'_> {
    /// A statement in a step of one process: on a channel that is always a rendezvous it is never executable.
    pub fn statement(&self, action: &Action<'_>, span: Span) -> Statement {
        let (guard, operations) = match action {
            Action::Condition(condition) => self.condition(condition),
            Action::Assign { target, value } => (Guard::Always, self.assign(target, value)),
            Action::Send { channel, sorted, message } => self.send(channel, *sorted, message),
            Action::Receive { channel, random, peek, pattern } => self.receive(channel, *random, *peek, pattern),
            Action::Assert(condition) => (Guard::Always, vec![Operation::Assert(self.test(condition))]),
            Action::Print(parts) => {
                let parts = parts.iter().map(|part| self.printed(part)).collect();
                (Guard::Always, vec![Operation::Print(parts)])
            }
            Action::End => (Guard::Test(Test::IsYoungest), Vec::new()),
            // The transitions before an `else` decide whether it is tried.
            Action::Else | Action::Jump => (Guard::Always, Vec::new()),
            Action::Event { .. } => unreachable!("events are in traces only"),
            Action::DStep(_) => unreachable!("a d_step does not stand inside another one"),
        };
        Statement { guard, operations, span }
    }

    fn condition(&self, condition: &Expr) -> (Guard, Vec<Operation>) {
        match &condition.kind {
            ExprKind::Constant(value) if *value != 0 => (Guard::Always, Vec::new()),
            // The new pid is never 0 here: the process that runs it has a lower one.
            ExprKind::Run { .. } => (Guard::Always, vec![Operation::Evaluate(self.value(condition))]),
            _ if changes_state(condition) => (Guard::Always, vec![Operation::Require(self.test(condition))]),
            _ => (Guard::Test(self.test(condition)), Vec::new()),
        }
    }

    /// `x = x` does nothing, unless an index in it could be wrong.
    fn assign(&self, target: &Target, value: &Expr) -> Vec<Operation> {
        vec![match target {
            Target::Place(place) => {
                let (place, value) = (self.place(place), self.cut(place.ty, value));
                if place.indices.is_empty() && matches!(&value.value, Value::Load(read) if *read == place) {
                    return Vec::new();
                }
                Operation::Store { place, value }
            }
            Target::Several(places) => {
                let ExprKind::Host(call) = &value.kind else { unreachable!("several places are those of a `c_code`") };
                Operation::Host {
                    call: self.host(call),
                    places: places.iter().map(|place| self.place(place)).collect(),
                }
            }
            Target::Priority => Operation::SetOwnPriority(self.value(value)),
            Target::Ignore => Operation::Evaluate(self.value(value)),
        }]
    }

    fn send(&self, channel: &ChannelRef, sorted: bool, message: &[Expr]) -> (Guard, Vec<Operation>) {
        let is_traced = self.is_traced(Side::Send, channel);
        let channel = self.channel(channel);
        let kinds = self.kinds_with_queue(&channel);
        let may_be_rendezvous = !self.rendezvous_kinds(&channel).is_empty();
        let handshake = if self.in_d_step && may_be_rendezvous { Handshake::Fails } else { Handshake::Blocks };
        if kinds.is_empty() {
            return (Guard::NoQueue { channel, handshake }, Vec::new());
        }
        let messages = self.messages(kinds, message);
        let handshake = may_be_rendezvous.then_some(handshake);
        let guard = Guard::Room { channel: channel.clone(), loses: self.options.loses_messages, handshake };
        (guard, vec![Operation::Send { channel, sorted, messages, is_traced }])
    }

    fn receive(&self, channel: &ChannelRef, random: bool, keeps: bool, pattern: &[Pattern]) -> (Guard, Vec<Operation>) {
        let is_traced = !keeps && self.is_traced(Side::Receive, channel);
        let channel = self.channel(channel);
        let kinds = self.kinds_with_queue(&channel);
        if kinds.is_empty() {
            return (Guard::NoQueue { channel, handshake: Handshake::Blocks }, Vec::new());
        }
        let shapes = self.shapes(kinds, pattern);
        let (pattern, stores) = (self.fields(pattern), self.stores(pattern));
        let receive = Box::new(Receive { channel, random, keeps, pattern, stores, shapes, is_traced });
        (Guard::Message(receive.clone()), vec![Operation::Receive(receive)])
    }

    /// Whether messages of each kind have as many fields as a pattern.
    pub fn shapes(&self, kinds: Vec<Vec<SiteId>>, pattern: &[Pattern]) -> Vec<Shape> {
        let shape = |sites: Vec<SiteId>| {
            let n_fields = self.program.model.sites[sites[0]].fields.len();
            Shape { sites, n_fields, fits: n_fields == pattern.len() }
        };
        kinds.into_iter().map(shape).collect()
    }

    /// The places of the fields of a message, from left to right: `q?i,a[i]` uses the new `i`.
    pub fn stores(&self, pattern: &[Pattern]) -> Vec<Received> {
        let received = |(field, part): (usize, &Pattern)| match part {
            Pattern::Store(place) => Some(Received { field, place: self.place(place) }),
            Pattern::Equal(_) | Pattern::Ignore => None,
        };
        pattern.iter().enumerate().filter_map(received).collect()
    }

    /// The kinds of channels with a queue that it may denote, each by its sites.
    pub fn kinds_with_queue(&self, channel: &Channel) -> Vec<Vec<SiteId>> {
        self.kinds(channel).into_iter().filter(|sites| self.program.model.sites[sites[0]].capacity > 0).collect()
    }

    /// The kinds of rendezvous channels that it may denote, each by its sites.
    pub fn rendezvous_kinds(&self, channel: &Channel) -> Vec<Vec<SiteId>> {
        self.kinds(channel).into_iter().filter(|sites| self.program.model.sites[sites[0]].is_rendezvous()).collect()
    }

    fn kinds(&self, channel: &Channel) -> Vec<Vec<SiteId>> {
        match channel {
            Channel::Declared(declared) => vec![vec![declared.site]],
            Channel::Numbered(numbered) => numbered.kinds.iter().map(|kind| kind.sites.clone()).collect(),
        }
    }

    /// The values for each kind of channel, truncated to the fields of its messages.
    pub fn messages(&self, kinds: Vec<Vec<SiteId>>, message: &[Expr]) -> Vec<Message> {
        let sent = |sites: Vec<SiteId>| {
            let types = &self.program.model.sites[sites[0]].fields;
            let fits = types.len() == message.len();
            let cut = || types.iter().zip(message).map(|(ty, value)| self.cut(*ty, value)).collect();
            let fields = fits.then(cut);
            Message { sites, fields }
        };
        kinds.into_iter().map(sent).collect()
    }

    /// Whether the trace names a channel that this may be.
    pub fn is_traced(&self, side: Side, channel: &ChannelRef) -> bool {
        let own = self.channel(channel).sites();
        let Some(trace) = &self.program.trace else { return false };
        trace.transitions.iter().any(|transition| {
            matches!(&transition.action, Action::Event { side: of, channel, .. }
                if *of == side && self.channel(channel).sites().iter().any(|site| own.contains(site)))
        })
    }

    /// The events of a rendezvous that the trace observes.
    pub fn traced_handshake(&self, channel: &ChannelRef) -> Traced {
        Traced { send: self.is_traced(Side::Send, channel), receive: self.is_traced(Side::Receive, channel) }
    }

    fn printed(&self, part: &model::Printed) -> Printed {
        match part {
            model::Printed::Text(text) => Printed::Text(text.clone()),
            model::Printed::Signed(value) => Printed::Signed(self.value(value)),
            model::Printed::Unsigned(value) => Printed::Unsigned(self.value(value)),
            model::Printed::Octal(value) => Printed::Octal(self.value(value)),
            model::Printed::Hexadecimal(value) => Printed::Hexadecimal(self.value(value)),
            model::Printed::Character(value) => Printed::Character(self.value(value)),
            model::Printed::Symbol(mtype, value) => Printed::Symbol(*mtype, self.value(value)),
        }
    }
}

/// Whether computing the value has an effect.
pub fn changes_state(expression: &Expr) -> bool {
    let mut changes = false;
    visit::expression(expression, &mut |part| {
        changes |= matches!(part.kind, ExprKind::Run { .. } | ExprKind::SetPriority(..));
    });
    changes
}
