//! The invariants of the executable form. Debug builds check them each time one is built, so that a back end can rely
//! on them.

use super::effects::Executable;
use super::{
    Accept, AnswerBody, Arrival, Body, Change, Channel, Cut, DStep, Declared, Field, Flow, Guard, Independence, Index,
    Kind, Message, Operation, Owner, Place, Printed, Program, Promises, Received, Remote, Statement, Step, Test,
    Transition, Value,
};
use crate::collections::IdVec;
use crate::ir::{self, Graph, TransitionId};
use crate::model::{self, Model, SiteId, Type};

/// Panics, with the violated invariant, if a program is not well formed.
pub fn validate(program: &Program, ir: &ir::Program<'_>) {
    let model = ir.model;
    for (id, process) in program.processes.iter_enumerated() {
        let inside = Validator { model, process: Some(id), in_found: false };
        process.provided.iter().for_each(|test| inside.test(test));
        inside.transitions(&process.transitions, &ir.graphs[id]);
    }
    let outside = Validator { model, process: None, in_found: false };
    for (claim, graph) in program.claims.iter().zip(&ir.claims) {
        outside.transitions(&claim.transitions, graph);
    }
    program.formulas.iter().flatten().for_each(|atom| outside.test(atom));
    for event in program.trace.iter().flat_map(|trace| trace.events.iter().flatten()) {
        outside.channel(&event.channel);
        event.pattern.iter().for_each(|field| outside.field(field));
    }
    for (id, channel) in program.promises.iter().flat_map(Promises::channels) {
        Validator { model, process: Some(id), in_found: false }.channel(channel);
    }
    for (id, test) in program.independence.iter().flat_map(Independence::tests) {
        let effects = test.effects();
        assert!(!effects.writes_state() && !effects.uses_timeout, "a reduction asks for the state and nothing else");
        Validator { model, process: Some(id), in_found: false }.test(test);
    }
}

#[derive(Clone, Copy)]
struct Validator<'m> {
    model: &'m Model,
    process: Option<model::ProctypeId>,
    /// Inside a value of another process.
    in_found: bool,
}

impl Validator<'_> {
    fn transitions(&self, transitions: &IdVec<TransitionId, Transition>, graph: &Graph<'_>) {
        assert_eq!(transitions.len(), graph.transitions.len(), "there is a transition for each edge");
        for transition in transitions {
            transition.step.iter().for_each(|step| self.step(step, graph));
            if let Some(offer) = &transition.offer {
                assert!(self.process.is_some(), "a claim takes part in no rendezvous");
                self.channel(&offer.channel);
                offer.messages.iter().for_each(|message| self.message(message));
                self.arrival(&offer.arrival, graph);
            }
            if let Some(answer) = &transition.answer {
                assert!(self.process.is_some(), "a claim takes part in no rendezvous");
                match &answer.body {
                    AnswerBody::Receive(accept) => self.accept(accept),
                    AnswerBody::DStep(accepts) => accepts.iter().for_each(|(_, accept, _)| self.accept(accept)),
                }
                self.arrival(&answer.arrival, graph);
            }
        }
    }

    fn step(&self, step: &Step, graph: &Graph<'_>) {
        match &step.body {
            Body::Statement(statement) => self.statement(statement),
            Body::DStep(d_step) => self.d_step(d_step),
        }
        for merged in &step.merged {
            assert!(matches!(merged.guard, Guard::Always), "what is merged is always executable");
            self.statement(merged);
        }
        self.arrival(&step.arrival, graph);
    }

    fn d_step(&self, d_step: &DStep) {
        assert!(d_step.start < d_step.blocks.len(), "a d_step begins with a block");
        for row in d_step.blocks.iter().flat_map(|block| &block.rows) {
            assert!(!row.statements.is_empty(), "a row has statements");
            row.statements.iter().for_each(|(_, statement)| self.statement(statement));
            if let Flow::To(block) = row.then {
                assert!(block < d_step.blocks.len(), "a d_step goes on with a block");
            }
        }
    }

    fn statement(&self, statement: &Statement) {
        let takes = matches!(statement.operations[..], [Operation::Receive(_)]);
        match &statement.guard {
            Guard::Always => assert!(!takes, "a receive has found its message"),
            Guard::Test(test) => {
                assert!(!takes, "a receive has found its message");
                self.test(test);
            }
            Guard::Room { channel, .. } => {
                assert!(matches!(statement.operations[..], [Operation::Send { .. }]), "room is for a message");
                self.channel(channel);
            }
            Guard::Message(receive) => {
                assert!(takes, "a message that was found is received");
                self.channel(&receive.channel);
                receive.pattern.iter().for_each(|field| self.field(field));
            }
            Guard::NoQueue { channel, .. } => {
                assert!(statement.operations.is_empty(), "what is never executable does nothing");
                self.channel(channel);
            }
        }
        statement.operations.iter().for_each(|operation| self.operation(operation));
    }

    fn operation(&self, operation: &Operation) {
        match operation {
            Operation::Store { place, value } => {
                assert_eq!(place.ty, value.to, "a value is cut to the type of its place");
                self.stored(place);
                self.cut(value);
            }
            Operation::SetOwnPriority(value) => {
                assert!(self.process.is_some(), "a claim has no priority");
                self.value(value);
            }
            Operation::Host { call, places } => {
                call.arguments.iter().for_each(|argument| self.value(argument));
                places.iter().for_each(|place| self.stored(place));
            }
            Operation::Evaluate(value) => self.value(value),
            Operation::Require(test) | Operation::Assert(test) => self.test(test),
            Operation::Print(parts) => parts.iter().for_each(|part| match part {
                Printed::Text(_) => {}
                Printed::Signed(value)
                | Printed::Unsigned(value)
                | Printed::Octal(value)
                | Printed::Hexadecimal(value)
                | Printed::Character(value)
                | Printed::Symbol(_, value) => self.value(value),
            }),
            Operation::Send { channel, messages, .. } => {
                self.channel(channel);
                let has_queue = |message: &Message| message.sites.iter().all(|site| self.capacity(*site) > 0);
                assert!(messages.iter().all(has_queue), "a message goes to a queue");
                messages.iter().for_each(|message| self.message(message));
            }
            Operation::Receive(receive) => receive.stores.iter().for_each(|received| self.received(received)),
        }
    }

    fn message(&self, message: &Message) {
        let Some(fields) = &message.fields else { return };
        let types = &self.model.sites[message.sites[0]].fields;
        assert!(fields.iter().map(|field| field.to).eq(types.iter().copied()), "a message has its fields");
        fields.iter().for_each(|field| self.cut(field));
    }

    fn received(&self, received: &Received) {
        self.stored(&received.place);
    }

    fn accept(&self, accept: &Accept) {
        self.channel(&accept.channel);
        accept.pattern.iter().for_each(|field| self.field(field));
        accept.stores.iter().for_each(|received| self.received(received));
    }

    fn arrival(&self, arrival: &Arrival, graph: &Graph<'_>) {
        for change in &arrival.changes {
            match change {
                Change::Location(to) => assert!(graph.locations.get(*to).is_some(), "a process arrives somewhere"),
                Change::Reset(variable) => {
                    let owner = self.model.variables[*variable].owner;
                    assert_eq!(Some(owner), self.process.map(model::Owner::Proctype), "a process resets its own");
                }
                Change::End | Change::TakeControl | Change::ReleaseControl | Change::NoteLast => {
                    assert!(self.process.is_some(), "a claim has no control");
                }
            }
        }
    }

    fn value(&self, value: &Value) {
        match value {
            Value::Constant { .. } | Value::ProcessCount | Value::Last => {}
            Value::Load(place) => self.place(place),
            Value::Truth(test) => self.test(test),
            Value::Negate { value, .. } | Value::Complement(value) => self.value(value),
            Value::Binary(_, left, right) => {
                self.value(left);
                self.value(right);
            }
            Value::Choose { test, yes, no } => {
                self.test(test);
                self.value(yes);
                self.value(no);
            }
            Value::Run(run) => {
                assert!(self.process.is_some(), "a claim starts no process");
                let parameters = self.model.parameter_scalars(run.proctype);
                let types = parameters.iter().map(|parameter| parameter.ty);
                assert!(run.arguments.iter().map(|argument| argument.to).eq(types), "each parameter has an argument");
                run.arguments.iter().for_each(|argument| self.cut(argument));
            }
            Value::Length(channel) => self.channel(channel),
            Value::ChannelNumber(declared) => self.declared(declared),
            Value::Pid | Value::OwnPriority => assert!(self.process.is_some(), "a claim has no pid"),
            Value::PriorityOf(pid) | Value::LocationNumber(pid) => self.value(pid),
            Value::SetPriority { pid, priority } => {
                self.value(pid);
                self.value(priority);
            }
            Value::OfProcess { process, value } => {
                self.remote(process);
                Validator { in_found: true, ..*self }.value(value);
            }
            Value::Host(call) => call.arguments.iter().for_each(|argument| self.value(argument)),
        }
    }

    fn test(&self, test: &Test) {
        match test {
            Test::Constant(_) | Test::Timeout | Test::IsYoungest | Test::NonProgress | Test::PollsRendezvous => {}
            Test::Compare(_, left, right) => {
                self.value(left);
                self.value(right);
            }
            Test::Not(inner) => self.test(inner),
            Test::And(left, right) | Test::Or(left, right) => {
                self.test(left);
                self.test(right);
            }
            Test::Enabled { pid, .. } => self.value(pid),
            Test::Host(call) => call.arguments.iter().for_each(|argument| self.value(argument)),
            Test::IsAt { process, .. } => self.remote(process),
            Test::IsEmpty(channel) | Test::IsFull(channel) => self.channel(channel),
            Test::HasMessage { channel, pattern, .. } => {
                self.channel(channel);
                pattern.iter().for_each(|field| self.field(field));
            }
        }
    }

    fn remote(&self, remote: &Remote) {
        remote.pid.iter().for_each(|pid| self.value(pid));
    }

    fn field(&self, field: &Field) {
        match field {
            Field::Any => {}
            Field::Equal(value) => self.value(value),
        }
    }

    fn cut(&self, cut: &Cut) {
        assert!(!matches!(cut.to, Type::Record(_)), "a value is a scalar");
        if let (Some(constant), true) = (cut.value.as_constant(), cut.fits) {
            assert_eq!(cut.to.truncate(constant), constant, "a constant that fits is not changed");
        }
        self.value(&cut.value);
    }

    fn stored(&self, place: &Place) {
        assert_ne!(place.owner, Owner::Found, "nothing is stored in another process");
        self.place(place);
    }

    fn place(&self, place: &Place) {
        self.owner(place.owner, place.variable);
        let variable = &self.model.variables[place.variable];
        let mut lengths: Vec<u32> = variable.length.into_iter().collect();
        let mut ty = variable.ty;
        for field in &place.path {
            let Type::Record(record) = ty else { panic!("only a record has fields") };
            let field = &self.model.records[record].fields[*field as usize];
            lengths.extend(field.length);
            ty = field.ty;
        }
        assert!(!matches!(ty, Type::Record(_)), "a place is a scalar");
        assert!(place.indices.iter().map(|index| index.length).eq(lengths), "each enclosing array has an index");
        place.indices.iter().for_each(|index| self.index(index));
    }

    fn owner(&self, owner: Owner, variable: model::VariableId) {
        let declared = self.model.variables[variable].owner;
        match owner {
            Owner::State => assert!(!matches!(declared, model::Owner::Proctype(_)), "a local belongs to a process"),
            Owner::Own => assert_eq!(Some(declared), self.process.map(model::Owner::Proctype), "a local is its own"),
            Owner::Found => {
                assert!(self.in_found, "another process is found first");
                assert!(matches!(declared, model::Owner::Proctype(_)), "a local belongs to a process");
            }
        }
    }

    fn index(&self, index: &Index) {
        if let (Some(constant), false) = (index.value.as_constant(), index.is_checked) {
            assert!((0..i64::from(index.length)).contains(&constant.into()), "an index outside is checked");
        }
        self.value(&index.value);
    }

    fn channel(&self, channel: &Channel) {
        match channel {
            Channel::Declared(declared) => self.declared(declared),
            Channel::Numbered(numbered) => {
                self.value(&numbered.number);
                numbered.kinds.iter().for_each(|kind| self.kind(kind));
            }
        }
    }

    fn declared(&self, declared: &Declared) {
        let variable = self.model.sites[declared.site].variable;
        self.owner(declared.owner, variable);
        let length = declared.element.as_ref().map(|element| element.length);
        assert_eq!(length, self.model.variables[variable].length, "an element of an array has an index");
        declared.element.iter().for_each(|element| self.index(element));
    }

    fn kind(&self, kind: &Kind) {
        let sites = kind.sites.iter().map(|site| &self.model.sites[*site]);
        let mut shapes = sites.map(|site| (site.capacity, &site.fields));
        let first = shapes.next();
        assert!(first.is_some() && shapes.all(|other| Some(other) == first), "sites of a kind are alike");
    }

    fn capacity(&self, site: SiteId) -> u32 {
        self.model.sites[site].capacity
    }
}
