//! Expressions: their meaning in their context.

use super::Context;
use crate::analysis::ranges;
use crate::exec::effects::Executable;
use crate::exec::{
    Arithmetic, Asker, Channel, Comparison, Cut, Declared, Field, HostCall, Index, Kind, Numbered, Owner, Place,
    Remote, Run, Test, Value,
};
use crate::model::{
    self, BinaryOp, ChannelRef, Expr, ExprKind, Init, Pattern, Probe, ProctypeId, SiteId, Type, UnaryOp,
};

impl Context<'_> {
    /// The value of an expression.
    pub fn value(&self, expression: &Expr) -> Value {
        match &expression.kind {
            ExprKind::Constant(value) => Value::Constant { value: *value, mtype: expression.mtype },
            ExprKind::Read(place) => self.load(place),
            ExprKind::Unary(op, inner) => self.unary(*op, inner),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Conditional(test, yes, no) => Value::Choose {
                test: Box::new(self.test(test)),
                yes: Box::new(self.value(yes)),
                no: Box::new(self.value(no)),
            },
            ExprKind::Run { proctype, arguments, priority } => Value::Run(self.run(*proctype, arguments, *priority)),
            ExprKind::Probe(probe, channel) => self.probed_value(*probe, channel),
            ExprKind::Poll { channel, random, pattern } => truth(self.poll(channel, *random, pattern)),
            ExprKind::Timeout => truth(Test::Timeout),
            ExprKind::Pid => match self.process {
                Some(_) => Value::Pid,
                None => Value::constant(0),
            },
            ExprKind::ProcessCount => Value::ProcessCount,
            ExprKind::Last => Value::Last,
            ExprKind::NonProgress => truth(Test::NonProgress),
            ExprKind::Priority => Value::OwnPriority,
            ExprKind::Enabled(pid) => truth(self.enabled(pid)),
            ExprKind::PcValue(pid) => Value::LocationNumber(self.boxed(pid)),
            ExprKind::GetPriority(pid) => Value::PriorityOf(self.boxed(pid)),
            ExprKind::SetPriority(pid, priority) => {
                Value::SetPriority { pid: self.boxed(pid), priority: self.boxed(priority) }
            }
            ExprKind::RemoteLabel { proctype, pid, label } => truth(self.is_at(*proctype, pid.as_deref(), *label)),
            ExprKind::RemoteVariable { proctype, pid, place } => {
                let process = self.remote(*proctype, pid.as_deref());
                Value::OfProcess { process, value: Box::new(self.load_of(Owner::Found, place)) }
            }
            ExprKind::Host(call) => Value::Host(self.host(call)),
        }
    }

    pub fn host(&self, call: &model::HostCall) -> HostCall {
        HostCall { block: call.block, arguments: call.arguments.iter().map(|argument| self.value(argument)).collect() }
    }

    /// Whether the value of an expression is not zero.
    pub fn test(&self, expression: &Expr) -> Test {
        match self.value(expression) {
            Value::Constant { value, .. } => Test::Constant(value != 0),
            Value::Truth(test) => *test,
            Value::Host(call) => Test::Host(call),
            value => Test::Compare(Comparison::NotEqual, value, Value::constant(0)),
        }
    }

    /// The value as a variable or a message of a type stores it.
    pub fn cut(&self, ty: Type, expression: &Expr) -> Cut {
        let fits = match &expression.kind {
            ExprKind::Constant(value) => ty.truncate(*value) == *value,
            ExprKind::Read(place) => place.ty == ty,
            _ => false,
        };
        Cut { value: self.value(expression), to: ty, fits }
    }

    /// The values that an expression can have.
    fn range(&self, expression: &Expr) -> ranges::Range {
        self.facts.ranges.expression(self.program.model, expression)
    }

    fn boxed(&self, expression: &Expr) -> Box<Value> {
        Box::new(self.value(expression))
    }

    fn unary(&self, op: UnaryOp, inner: &Expr) -> Value {
        match op {
            UnaryOp::Not => truth(self.test(inner).negated()),
            UnaryOp::Complement => Value::Complement(self.boxed(inner)),
            UnaryOp::Negate => {
                let may_wrap = !ranges::unwrapped_negation(self.range(inner)).is_int();
                Value::Negate { value: self.boxed(inner), may_wrap }
            }
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Value {
        let (left_range, right_range) = (self.range(left), self.range(right));
        let may_wrap = !ranges::of_binary(op, left_range, right_range).is_int();
        let may_fail = right_range.low < 1;
        let any_distance = right_range.low < 0 || right_range.high > 31;
        let number = |op: Arithmetic| Value::Binary(op, self.boxed(left), self.boxed(right));
        let compared = |comparison| truth(Test::Compare(comparison, self.value(left), self.value(right)));
        match op {
            BinaryOp::Add => number(Arithmetic::Add { may_wrap }),
            BinaryOp::Subtract => number(Arithmetic::Subtract { may_wrap }),
            BinaryOp::Multiply => number(Arithmetic::Multiply { may_wrap }),
            BinaryOp::Divide => number(Arithmetic::Divide { may_fail }),
            BinaryOp::Remainder => number(Arithmetic::Remainder { may_fail }),
            BinaryOp::BitAnd => number(Arithmetic::And),
            BinaryOp::BitOr => number(Arithmetic::Or),
            BinaryOp::BitXor => number(Arithmetic::Xor),
            BinaryOp::ShiftLeft => number(Arithmetic::ShiftLeft { any_distance }),
            BinaryOp::ShiftRight => number(Arithmetic::ShiftRight { any_distance }),
            BinaryOp::Equal => compared(Comparison::Equal),
            BinaryOp::NotEqual => compared(Comparison::NotEqual),
            BinaryOp::Less => compared(Comparison::Less),
            BinaryOp::LessEqual => compared(Comparison::LessEqual),
            BinaryOp::Greater => compared(Comparison::Greater),
            BinaryOp::GreaterEqual => compared(Comparison::GreaterEqual),
            BinaryOp::And => truth(Test::And(Box::new(self.test(left)), Box::new(self.test(right)))),
            BinaryOp::Or => truth(Test::Or(Box::new(self.test(left)), Box::new(self.test(right)))),
        }
    }

    pub fn run(&self, proctype: ProctypeId, arguments: &[Expr], priority: Option<i32>) -> Run {
        let parameters = self.program.model.parameter_scalars(proctype);
        let arguments = parameters.iter().zip(arguments).map(|(parameter, argument)| self.cut(parameter.ty, argument));
        Run { proctype, arguments: arguments.collect(), priority }
    }

    fn enabled(&self, pid: &Expr) -> Test {
        let asked_by = if self.process.is_some() { Asker::Process } else { Asker::Claim };
        Test::Enabled { pid: self.value(pid), asked_by }
    }

    fn is_at(&self, proctype: ProctypeId, pid: Option<&Expr>, label: model::LabelId) -> Test {
        let graph = &self.program.graphs[proctype];
        match graph.labels[label] {
            Some(location) => {
                Test::IsAt { process: self.remote(proctype, pid), location: graph.locations[location].number }
            }
            None => self.is_nowhere(pid),
        }
    }

    /// No process is ever at a label where control never rests; to ask for one can still fail.
    fn is_nowhere(&self, pid: Option<&Expr>) -> Test {
        match pid.map(|pid| self.value(pid)) {
            Some(pid) if pid.effects().can_fail => Test::Compare(Comparison::NotEqual, pid.clone(), pid),
            _ => Test::Constant(false),
        }
    }

    fn remote(&self, proctype: ProctypeId, pid: Option<&Expr>) -> Remote {
        Remote { proctype, pid: pid.map(|pid| self.boxed(pid)) }
    }

    fn probed_value(&self, probe: Probe, channel: &ChannelRef) -> Value {
        match probe {
            Probe::Len if self.is_declared_rendezvous(channel) => truth(self.probe(probe, channel)),
            Probe::Len => Value::Length(self.channel(channel)),
            Probe::Empty | Probe::Nempty | Probe::Full | Probe::Nfull => truth(self.probe(probe, channel)),
        }
    }

    /// `empty(q)` and similar tests. `len` tests whether there is a message.
    pub fn probe(&self, probe: Probe, channel: &ChannelRef) -> Test {
        let (is_empty, is_full) = match self.channel(channel) {
            // A rendezvous channel is always empty and never full.
            Channel::Declared(declared) if self.is_declared_rendezvous(channel) => {
                let exists = exists(declared);
                (exists.clone(), exists.negated())
            }
            channel => (Test::IsEmpty(channel.clone()), Test::IsFull(channel)),
        };
        match probe {
            Probe::Empty => is_empty,
            Probe::Nempty | Probe::Len => is_empty.negated(),
            Probe::Full => is_full,
            Probe::Nfull => is_full.negated(),
        }
    }

    /// Whether a receive would be possible.
    pub fn poll(&self, channel: &ChannelRef, random: bool, pattern: &[Pattern]) -> Test {
        if self.is_declared_rendezvous(channel) {
            return Test::PollsRendezvous;
        }
        let channel = self.channel(channel);
        let is_rendezvous = |site: &SiteId| self.program.model.sites[*site].is_rendezvous();
        let may_be_rendezvous = channel.sites().iter().any(is_rendezvous);
        Test::HasMessage { channel, may_be_rendezvous, random, pattern: self.fields(pattern) }
    }

    pub fn fields(&self, pattern: &[Pattern]) -> Vec<Field> {
        let field = |field: &Pattern| match field {
            Pattern::Equal(value) => Field::Equal(self.value(value)),
            Pattern::Store(_) | Pattern::Ignore => Field::Any,
        };
        pattern.iter().map(field).collect()
    }

    /// The value of a place of this process, or of the state.
    pub fn load(&self, place: &model::Place) -> Value {
        self.load_of(self.owner_of(place.variable), place)
    }

    fn load_of(&self, owner: Owner, place: &model::Place) -> Value {
        match self.declared_site(place) {
            Some(site) => Value::ChannelNumber(self.declared(site, owner, place)),
            None => Value::Load(self.place_of(owner, place)),
        }
    }

    /// A place of this process, or of the state.
    pub fn place(&self, place: &model::Place) -> Place {
        self.place_of(self.owner_of(place.variable), place)
    }

    fn owner_of(&self, variable: model::VariableId) -> Owner {
        match self.program.model.variables[variable].owner {
            model::Owner::Proctype(_) => Owner::Own,
            model::Owner::Global | model::Owner::Never(_) => Owner::State,
        }
    }

    fn place_of(&self, owner: Owner, place: &model::Place) -> Place {
        let model = self.program.model;
        let variable = &model.variables[place.variable];
        let mut indices: Vec<Index> = Vec::new();
        let mut path = Vec::new();
        indices.extend(self.index(place.index.as_deref(), variable.length));
        let mut ty = variable.ty;
        for access in &place.fields {
            let Type::Record(record) = ty else { unreachable!("only a record has fields") };
            let field = &model.records[record].fields[access.field as usize];
            path.push(access.field);
            indices.extend(self.index(access.index.as_deref(), field.length));
            ty = field.ty;
        }
        Place { owner, variable: place.variable, path, indices, ty: place.ty }
    }

    /// An index, if there is an array; it is checked unless its range lies inside.
    fn index(&self, index: Option<&Expr>, length: Option<u32>) -> Option<Index> {
        let (index, length) = (index?, length?);
        let range = self.range(index);
        let is_checked = range.low < 0 || range.high >= i64::from(length);
        Some(Index { value: self.value(index), length, is_checked })
    }

    /// A channel as a statement or an expression names it.
    pub fn channel(&self, channel: &ChannelRef) -> Channel {
        let model = self.program.model;
        if let Some(site) = self.declared_site(&channel.place) {
            let owner = self.owner_of(channel.place.variable);
            return Channel::Declared(self.declared(site, owner, &channel.place));
        }
        let mut kinds: Vec<Kind> = Vec::new();
        for id in &channel.sites {
            let site = &model.sites[*id];
            let is_like = |other: &SiteId| {
                let other = &model.sites[*other];
                other.capacity == site.capacity && other.fields == site.fields
            };
            match kinds.iter_mut().find(|kind| kind.sites.iter().any(is_like)) {
                Some(kind) => kind.sites.push(*id),
                None => kinds.push(Kind { sites: vec![*id] }),
            }
        }
        Channel::Numbered(Numbered { number: Box::new(self.load(&channel.place)), kinds })
    }

    fn declared(&self, site: SiteId, owner: Owner, place: &model::Place) -> Declared {
        let length = self.program.model.variables[place.variable].length;
        let element = self.index(place.index.as_deref(), length).map(Box::new);
        Declared { site, owner, element }
    }

    /// The site whose channels a place always denotes.
    fn declared_site(&self, place: &model::Place) -> Option<SiteId> {
        let is_fixed = self.facts.is_fixed_channel[place.variable] && place.fields.is_empty();
        match self.program.model.variables[place.variable].init {
            Init::Channel(site) if is_fixed => Some(site),
            _ => None,
        }
    }

    fn is_declared_rendezvous(&self, channel: &ChannelRef) -> bool {
        self.declared_site(&channel.place).is_some_and(|site| self.program.model.sites[site].is_rendezvous())
    }
}

/// True: the numbers of channels begin at 1. A wrong index into an array of channels is a fault even if the test does
/// not depend on the channel.
fn exists(declared: Declared) -> Test {
    match &declared.element {
        Some(element) if element.is_checked => {
            Test::Compare(Comparison::Greater, Value::ChannelNumber(declared), Value::constant(0))
        }
        _ => Test::Constant(true),
    }
}

fn truth(test: Test) -> Value {
    match test {
        Test::Constant(truth) => Value::constant(truth.into()),
        test => Value::Truth(Box::new(test)),
    }
}
