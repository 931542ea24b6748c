//! The executable form as text: `pmc explain --exec`.

use std::fmt::Write;

use super::{
    Accept, Answer, AnswerBody, Arithmetic, Arrival, Asker, Body, Change, Channel, Comparison, Cut, DStep, Declared,
    Field, Flow, Guard, Handshake, HostCall, Index, Initial, InitialValues, Message, Offer, Operation, Owner, Place,
    Printed, Program, Received, Remote, Run, Shape, Statement, Step, Test, Timer, Transition, Value,
};
use crate::collections::IdVec;
use crate::exec::effects::{Effects, Executable};
use crate::ir::{self, Graph, LocationId, TransitionId};
use crate::model::{Model, Type, VariableId};
use crate::source::SourceMap;

/// Each process and claim, location by location: the guard (`when`), operations (`do`) and arrival (`then`) of its
/// transitions.
///
/// `a[i?]` is an index that is checked at run time, `byte(e)` a value that is truncated, `+~` an addition that may
/// wrap, `/?` a division that may fail.
pub fn print(program: &Program, ir: &ir::Program<'_>, sources: &SourceMap) -> String {
    let mut printer = Printer { model: ir.model, sources, text: String::new() };
    if !program.initial.is_empty() || !program.timers.is_empty() {
        printer.line(0, "globals");
        printer.initial(&program.initial);
        printer.timers(&program.timers);
    }
    for (id, process) in program.processes.iter_enumerated() {
        printer.line(0, &format!("process {}", ir.model.proctypes[id].name));
        printer.initial(&process.initial);
        printer.timers(&process.timers);
        if let Some(provided) = &process.provided {
            let test = printer.test(provided);
            printer.line(1, &format!("provided {test}"));
        }
        printer.graph(&ir.graphs[id], &process.transitions);
    }
    for ((claim, graph), process) in program.claims.iter().zip(&ir.claims).zip(&ir.model.never) {
        printer.line(0, &format!("never {}", process.name));
        printer.graph(graph, &claim.transitions);
    }
    for (atoms, ltl) in program.formulas.iter().zip(&ir.model.formulas) {
        printer.line(0, &format!("ltl {}", ltl.name));
        for (number, atom) in atoms.iter().enumerate() {
            let test = printer.test(atom);
            printer.line(1, &format!("atom {number}: {test}"));
        }
    }
    printer.text
}

struct Printer<'a> {
    model: &'a Model,
    sources: &'a SourceMap,
    text: String,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        let indent = "  ".repeat(depth);
        writeln!(self.text, "{indent}{line}").expect("writing to a string cannot fail");
    }

    /// The initial values of variables, where not 0.
    fn initial(&mut self, initial: &[Initial]) {
        for one in initial {
            let name = self.leaf(one.variable, &one.path);
            let all = if one.lengths.is_empty() { "" } else { "[..]" };
            let values = match &one.values {
                InitialValues::All(value) => self.cut(value),
                InitialValues::List(values) => self.cuts(values),
                InitialValues::Channels(_) => "its own channel".to_owned(),
            };
            self.line(1, &format!("{name}{all} starts as {values}"));
        }
    }

    /// What a tick lowers.
    fn timers(&mut self, timers: &[Timer]) {
        for timer in timers {
            let name = self.leaf(timer.variable, &timer.path);
            let all = if timer.lengths.is_empty() { "" } else { "[..]" };
            self.line(1, &format!("{name}{all} is lowered by each tick"));
        }
    }

    /// The name of a variable, or of a field of it.
    fn leaf(&self, variable: VariableId, path: &[u32]) -> String {
        let mut name = self.model.variables[variable].name.to_string();
        let mut ty = self.model.variables[variable].ty;
        for field in path {
            let Type::Record(record) = ty else { break };
            let field = &self.model.records[record].fields[*field as usize];
            name += &format!(".{}", field.name);
            ty = field.ty;
        }
        name
    }

    fn graph(&mut self, graph: &Graph<'_>, transitions: &IdVec<TransitionId, Transition>) {
        for (id, location) in graph.locations.iter_enumerated() {
            let start = if id == graph.start { " (start)" } else { "" };
            self.line(1, &format!("at {}{start}", id.0));
            let escapes = location.escapes.iter().map(|group| ("escape ", group));
            for (prefix, group) in escapes.chain([("", &location.leaving)]) {
                for transition in group {
                    let source = self.source(graph.transitions[*transition].span);
                    let source = if transitions[*transition].is_else { "else".to_owned() } else { source };
                    self.line(2, &format!("{prefix}{source}"));
                    self.transition(&transitions[*transition]);
                }
            }
        }
    }

    fn source(&self, span: crate::source::Span) -> String {
        self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn transition(&mut self, transition: &Transition) {
        transition.step.iter().for_each(|step| self.step(step));
        transition.offer.iter().for_each(|offer| self.offer(offer));
        transition.answer.iter().for_each(|answer| self.answer(answer));
    }

    fn step(&mut self, step: &Step) {
        match &step.body {
            Body::Statement(statement) => self.statement(3, statement),
            Body::DStep(d_step) => self.d_step(d_step),
        }
        step.merged.iter().for_each(|merged| self.statement(3, merged));
        self.arrival(&step.arrival);
        self.effects(&step.effects());
    }

    fn d_step(&mut self, d_step: &DStep) {
        for (number, block) in d_step.blocks.iter().enumerate() {
            let start = if number == d_step.start { " (start)" } else { "" };
            self.line(3, &format!("block {number}{start}"));
            for row in &block.rows {
                row.statements.iter().for_each(|(_, statement)| self.statement(4, statement));
                let then = match row.then {
                    Flow::Done => "done".to_owned(),
                    Flow::To(block) => format!("block {block}"),
                    Flow::Nowhere => "nowhere".to_owned(),
                };
                self.line(4, &format!("go   {then}"));
            }
        }
    }

    fn statement(&mut self, depth: usize, statement: &Statement) {
        let guard = match &statement.guard {
            Guard::Always => None,
            Guard::Test(test) => Some(self.test(test)),
            Guard::Room { loses: true, channel, .. } => Some(format!("{} has a queue", self.channel(channel))),
            Guard::Room { channel, .. } => Some(format!("room in {}", self.channel(channel))),
            Guard::Message(receive) => {
                let which = if receive.random { "any" } else { "first" };
                let pattern = self.pattern(&receive.pattern);
                Some(format!("{which} message of {} is {pattern}", self.channel(&receive.channel)))
            }
            Guard::NoQueue { channel, handshake } => {
                let fault = if *handshake == Handshake::Fails { ", which is a fault" } else { "" };
                Some(format!("never ({} has no queue{fault})", self.channel(channel)))
            }
        };
        guard.iter().for_each(|guard| self.line(depth, &format!("when {guard}")));
        for operation in &statement.operations {
            let text = self.operation(operation);
            self.line(depth, &format!("do   {text}"));
        }
    }

    fn operation(&self, operation: &Operation) -> String {
        match operation {
            Operation::Host { call, places } => {
                let places: Vec<String> = places.iter().map(|place| self.place(place)).collect();
                format!("({}) = {}", places.join(", "), self.host(call))
            }
            Operation::Store { place, value } => format!("{} = {}", self.place(place), self.cut(value)),
            Operation::SetOwnPriority(value) => format!("_priority = {}", self.value(value)),
            Operation::Evaluate(value) => self.value(value),
            Operation::Require(test) => format!("require {}", self.test(test)),
            Operation::Assert(test) => format!("assert {}", self.test(test)),
            Operation::Print(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.printed(part)).collect();
                format!("print {}", parts.join(", "))
            }
            Operation::Send { channel, sorted, messages, is_traced } => {
                let (messages, channel) = (self.messages(messages), self.channel(channel));
                let sorted = if *sorted { " sorted" } else { "" };
                format!("send{sorted} {messages} to {channel}{}", traced(*is_traced))
            }
            Operation::Receive(receive) => {
                let verb = if receive.keeps { "copy" } else { "take" };
                let misfit = misfit(&receive.shapes);
                let (channel, stores) = (self.channel(&receive.channel), self.stores(&receive.stores));
                format!("{verb} from {channel}{stores}{misfit}{}", traced(receive.is_traced))
            }
        }
    }

    /// The values that are sent; for several kinds of channels, one list for each.
    fn messages(&self, messages: &[Message]) -> String {
        let message = |message: &Message| match &message.fields {
            Some(fields) => self.cuts(fields),
            None => "a fault: wrong number of fields".to_owned(),
        };
        messages.iter().map(message).collect::<Vec<_>>().join(" or ")
    }

    fn stores(&self, stores: &[Received]) -> String {
        let store = |received: &Received| format!("{} = field {}", self.place(&received.place), received.field);
        let stores: Vec<String> = stores.iter().map(store).collect();
        if stores.is_empty() { String::new() } else { format!(": {}", stores.join(", ")) }
    }

    fn printed(&self, part: &Printed) -> String {
        match part {
            Printed::Text(text) => format!("{text:?}"),
            Printed::Signed(value) => format!("%d {}", self.value(value)),
            Printed::Unsigned(value) => format!("%u {}", self.value(value)),
            Printed::Octal(value) => format!("%o {}", self.value(value)),
            Printed::Hexadecimal(value) => format!("%x {}", self.value(value)),
            Printed::Character(value) => format!("%c {}", self.value(value)),
            Printed::Symbol(_, value) => format!("%e {}", self.value(value)),
        }
    }

    fn offer(&mut self, offer: &Offer) {
        let only = if offer.only.is_some() { ", if it is a rendezvous" } else { "" };
        let text = format!("offer {} on {}{only}", self.messages(&offer.messages), self.channel(&offer.channel));
        self.line(3, &text);
        self.arrival(&offer.arrival);
        self.effects(&offer.effects());
    }

    fn answer(&mut self, answer: &Answer) {
        match &answer.body {
            AnswerBody::Receive(accept) => self.accept(accept, None),
            AnswerBody::DStep(accepts) => {
                accepts.iter().for_each(|(_, accept, flow)| self.accept(accept, Some(*flow)));
            }
        }
        self.arrival(&answer.arrival);
        self.effects(&answer.effects());
    }

    fn accept(&mut self, accept: &Accept, flow: Option<Flow>) {
        let (channel, pattern) = (self.channel(&accept.channel), self.pattern(&accept.pattern));
        let then = match flow {
            Some(Flow::To(block)) => format!(", go on with block {block}"),
            Some(Flow::Done | Flow::Nowhere) | None => String::new(),
        };
        let stores = self.stores(&accept.stores);
        let misfit = misfit(&accept.shapes);
        self.line(3, &format!("answer {pattern} on {channel}{stores}{misfit}{then}"));
    }

    fn arrival(&mut self, arrival: &Arrival) {
        let location = |location: &LocationId| format!("at {}", location.0);
        let change = |change: &Change| match change {
            Change::Location(to) => location(to),
            Change::End => "end".to_owned(),
            Change::Reset(variable) => {
                let variable = &self.model.variables[*variable];
                format!("{} = {}", variable.name, variable.ty.idle())
            }
            Change::TakeControl => "take control".to_owned(),
            Change::ReleaseControl => "release control".to_owned(),
            Change::NoteLast => "note _last".to_owned(),
        };
        let changes: Vec<String> = arrival.changes.iter().map(change).collect();
        if !changes.is_empty() {
            self.line(3, &format!("then {}", changes.join(", ")));
        }
    }

    fn effects(&mut self, effects: &Effects) {
        let marks = [(effects.can_fail, "can fail"), (effects.uses_timeout, "uses timeout")];
        let marks: Vec<&str> = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| *mark).collect();
        if !marks.is_empty() {
            self.line(3, &format!("note {}", marks.join(", ")));
        }
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Constant { value, .. } => value.to_string(),
            Value::Load(place) => self.place(place),
            Value::Truth(test) => format!("int({})", self.test(test)),
            Value::Negate { value, may_wrap } => {
                format!("-{}{}", if *may_wrap { "~" } else { "" }, self.value(value))
            }
            Value::Complement(value) => format!("~{}", self.value(value)),
            Value::Binary(op, left, right) => {
                format!("({} {} {})", self.value(left), arithmetic(*op), self.value(right))
            }
            Value::Choose { test, yes, no } => {
                format!("({} -> {} : {})", self.test(test), self.value(yes), self.value(no))
            }
            Value::Run(run) => self.run(run),
            Value::Length(channel) => format!("len({})", self.channel(channel)),
            Value::ChannelNumber(declared) => format!("number of {}", self.declared(declared)),
            Value::Pid => "_pid".to_owned(),
            Value::ProcessCount => "_nr_pr".to_owned(),
            Value::Last => "_last".to_owned(),
            Value::OwnPriority => "_priority".to_owned(),
            Value::PriorityOf(pid) => format!("get_priority({})", self.value(pid)),
            Value::SetPriority { pid, priority } => {
                format!("set_priority({}, {})", self.value(pid), self.value(priority))
            }
            Value::LocationNumber(pid) => format!("pc_value({})", self.value(pid)),
            Value::Host(call) => self.host(call),
            Value::OfProcess { process, value } => format!("{}:{}", self.remote(process), self.value(value)),
        }
    }

    fn host(&self, call: &HostCall) -> String {
        let block = &self.model.embedded.blocks[call.block];
        let arguments: Vec<String> = call.arguments.iter().map(|argument| self.value(argument)).collect();
        format!("{}({})", block.word(), arguments.join(", "))
    }

    fn run(&self, run: &Run) -> String {
        let priority = run.priority.map(|priority| format!(" priority {priority}")).unwrap_or_default();
        format!("run {}{}{priority}", self.model.proctypes[run.proctype].name, self.cuts(&run.arguments))
    }

    fn test(&self, test: &Test) -> String {
        match test {
            Test::Constant(truth) => truth.to_string(),
            Test::Compare(comparison, left, right) => {
                format!("{} {} {}", self.value(left), compared(*comparison), self.value(right))
            }
            Test::Not(inner) => format!("!({})", self.test(inner)),
            Test::And(left, right) => format!("({} && {})", self.test(left), self.test(right)),
            Test::Or(left, right) => format!("({} || {})", self.test(left), self.test(right)),
            Test::Timeout => "timeout".to_owned(),
            Test::Enabled { pid, asked_by } => {
                let by = if *asked_by == Asker::Claim { "" } else { "?" };
                format!("enabled{by}({})", self.value(pid))
            }
            Test::IsYoungest => "youngest".to_owned(),
            Test::Host(call) => self.host(call),
            Test::NonProgress => "np_".to_owned(),
            Test::PollsRendezvous => "poll of a rendezvous channel".to_owned(),
            Test::IsAt { process, location } => {
                format!("{}@{location}", self.remote(process))
            }
            Test::IsEmpty(channel) => format!("empty({})", self.channel(channel)),
            Test::IsFull(channel) => format!("full({})", self.channel(channel)),
            Test::HasMessage { channel, random, pattern, .. } => {
                let which = if *random { "any" } else { "first" };
                format!("({which} message of {} is {})", self.channel(channel), self.pattern(pattern))
            }
        }
    }

    fn remote(&self, remote: &Remote) -> String {
        let name = &self.model.proctypes[remote.proctype].name;
        match &remote.pid {
            Some(pid) => format!("{name}[{}]", self.value(pid)),
            None => name.to_string(),
        }
    }

    fn pattern(&self, pattern: &[Field]) -> String {
        let field = |field: &Field| match field {
            Field::Any => "_".to_owned(),
            Field::Equal(value) => self.value(value),
        };
        format!("({})", pattern.iter().map(field).collect::<Vec<_>>().join(", "))
    }

    fn cuts(&self, cuts: &[Cut]) -> String {
        format!("({})", cuts.iter().map(|cut| self.cut(cut)).collect::<Vec<_>>().join(", "))
    }

    fn cut(&self, cut: &Cut) -> String {
        let value = self.value(&cut.value);
        match (cut.fits, cut.to) {
            (true, _) | (false, Type::Int) => value,
            (false, ty) => format!("{}({value})", type_name(ty)),
        }
    }

    fn place(&self, place: &Place) -> String {
        let variable = &self.model.variables[place.variable];
        let found = if place.owner == Owner::Found { "its " } else { "" };
        let mut text = format!("{found}{}", variable.name);
        let mut indices = place.indices.iter();
        let mut ty = variable.ty;
        if variable.length.is_some() {
            indices.next().iter().for_each(|index| text += &self.index(index));
        }
        for field in &place.path {
            let Type::Record(record) = ty else { break };
            let field = &self.model.records[record].fields[*field as usize];
            text += &format!(".{}", field.name);
            if field.length.is_some() {
                indices.next().iter().for_each(|index| text += &self.index(index));
            }
            ty = field.ty;
        }
        text
    }

    fn index(&self, index: &Index) -> String {
        format!("[{}{}]", self.value(&index.value), if index.is_checked { "?" } else { "" })
    }

    fn channel(&self, channel: &Channel) -> String {
        match channel {
            Channel::Declared(declared) => self.declared(declared),
            Channel::Numbered(numbered) => format!("channel {}", self.value(&numbered.number)),
        }
    }

    fn declared(&self, declared: &Declared) -> String {
        let name = self.model.site_name(&self.model.sites[declared.site], ".");
        let element = declared.element.as_ref().map(|element| self.index(element)).unwrap_or_default();
        let found = if declared.owner == Owner::Found { "its " } else { "" };
        format!("{found}{name}{element}")
    }
}

fn misfit(shapes: &[Shape]) -> &'static str {
    if shapes.iter().all(|shape| shape.fits) { "" } else { " (or a fault: number of fields)" }
}

fn traced(is_traced: bool) -> &'static str {
    if is_traced { ", seen by the trace" } else { "" }
}

fn arithmetic(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Add { may_wrap: false } => "+",
        Arithmetic::Add { may_wrap: true } => "+~",
        Arithmetic::Subtract { may_wrap: false } => "-",
        Arithmetic::Subtract { may_wrap: true } => "-~",
        Arithmetic::Multiply { may_wrap: false } => "*",
        Arithmetic::Multiply { may_wrap: true } => "*~",
        Arithmetic::Divide { may_fail: false } => "/",
        Arithmetic::Divide { may_fail: true } => "/?",
        Arithmetic::Remainder { may_fail: false } => "%",
        Arithmetic::Remainder { may_fail: true } => "%?",
        Arithmetic::And => "&",
        Arithmetic::Or => "|",
        Arithmetic::Xor => "^",
        Arithmetic::ShiftLeft { .. } => "<<",
        Arithmetic::ShiftRight { .. } => ">>",
    }
}

fn compared(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}

fn type_name(ty: Type) -> String {
    match ty {
        Type::Bit => "bit".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Byte => "byte".to_owned(),
        Type::Pid => "pid".to_owned(),
        Type::Short => "short".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Timer => "timer".to_owned(),
        Type::Unsigned(width) => format!("unsigned:{width}"),
        Type::Mtype(_) => "mtype".to_owned(),
        Type::Chan => "chan".to_owned(),
        Type::Record(_) => "record".to_owned(),
    }
}
