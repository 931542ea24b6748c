//! Which members are interchangeable: an exchange of two of them must leave the text of the model as it is.
//!
//! Members that the text does not name are interchangeable. Where it names some, the text is written in a normal form, once
//! as it is and once with the numbers of two members exchanged, and the two forms are compared. In the normal form the
//! operands of a commutative operator are sorted, and so are the options of a selection, if their order does not matter:
//! outside of a `d_step`, and where an option is one step, so that control does not rest inside of it. Locations are not
//! permuted, so an option in which control rests has its place.

use std::fmt::Write as _;

use super::claims::Exchanged;
use super::families::{Found, Values};
use super::kinds::{Kinds, MemberKind};
use super::progress::Progress;
use super::walk::Claims;
use super::{Cause, Family, Loss, Who};
use crate::analysis::failing::is_total;
use crate::ir::Program;
use crate::model::{
    BinaryOp, ChannelRef, Choice, Expr, ExprKind, Init, Model, Pattern, Place, Printed, Process, Statement,
    StatementKind, Target, Type, VariableId,
};
use crate::source::Span;

/// The families with their classes.
pub fn families(program: &Program<'_>, found: &[Found], kinds: &Kinds, claims: Claims) -> Vec<Family> {
    found.iter().enumerate().map(|(number, found)| family(program, number, found, kinds, claims)).collect()
}

fn family(program: &Program<'_>, number: usize, found: &Found, kinds: &Kinds, claims: Claims) -> Family {
    let model = program.model;
    let is_same = kinds.same[number] != number;
    let variables = model.variables.ids().filter(|id| kinds.concerns(model, *id, number)).collect();
    let mut losses: Vec<Loss> = found.loss.iter().cloned().collect();
    losses.extend(kinds.losses[number].iter().cloned());
    if !losses.is_empty() || is_same {
        let classes = (0..found.size).map(|member| vec![member]).collect();
        return Family { who: found.who, is_same, base: found.base, classes, losses, variables };
    }
    let swaps = Swaps { program, model, found, number, kinds, claims };
    let (classes, losses) = swaps.classes();
    Family { who: found.who, is_same, base: found.base, classes, losses, variables }
}

struct Swaps<'a, 'm> {
    program: &'a Program<'m>,
    model: &'a Model,
    found: &'a Found,
    number: usize,
    kinds: &'a Kinds,
    claims: Claims,
}

impl Swaps<'_, '_> {
    fn classes(&self) -> (Vec<Vec<u32>>, Vec<Loss>) {
        let named = &self.kinds.named[self.number];
        let started = &self.kinds.started[self.number];
        let is_in = |list: &[(u32, Span)], member: u32| list.iter().any(|(other, _)| *other == member);
        let mut classes: Vec<Vec<u32>> = Vec::new();
        for member in 0..self.found.size {
            let is_named = is_in(named, member);
            let fits = |class: &&mut Vec<u32>| {
                let other = class[0];
                self.start_alike(member, other)
                    && is_in(named, other) == is_named
                    && !is_in(started, other)
                    && (!is_named || self.is_fine(member, other))
            };
            match classes.iter_mut().find(fits).filter(|_| !is_in(started, member)) {
                Some(class) => class.push(member),
                None => classes.push(vec![member]),
            }
        }
        let mut losses = Vec::new();
        for (list, cause) in [(started, Cause::Start), (named, Cause::Named)] {
            for (member, span) in list {
                let is_whole = |class: &Vec<u32>| class.len() == self.found.size as usize;
                let is_pinned = classes.iter().any(|class| class.contains(member) && !is_whole(class));
                let loss = Loss { cause: cause.clone(), span: *span, members: Some(vec![*member]) };
                if is_pinned && !losses.contains(&loss) {
                    losses.push(loss);
                }
            }
        }
        if losses.is_empty() && classes.len() > 1 {
            let span = match self.found.who {
                Who::Processes(proctype) => self.model.proctypes[proctype].span,
                Who::Set(set) => self.model.mtypes[set].members.map_or(Span::default(), |members| members.span),
            };
            losses.push(Loss { cause: Cause::Start, span, members: None });
        }
        (classes, losses)
    }

    /// Whether two members get the same arguments, and arrays that they index have the same initial elements for them.
    fn start_alike(&self, one: u32, other: u32) -> bool {
        let has_same = |values: &Values| match values {
            Values::Each(values) => values[one as usize] == values[other as usize],
            Values::Numbered(_) | Values::SameChannel => true,
        };
        // A numbered parameter that is no member distinguishes them.
        let is_fine = |variable: VariableId, values: &Values| match values {
            Values::Numbered(offset) => {
                self.kinds.value(variable, &[]) == Some(MemberKind { family: self.number, offset: *offset })
            }
            Values::Each(_) | Values::SameChannel => has_same(values),
        };
        self.found.parameters.iter().all(|it| is_fine(it.variable, &it.values))
            && self.model.variables.iter_enumerated().all(|(id, variable)| {
                self.elements_alike(id, &mut Vec::new(), variable.ty, &variable.init, (one, other))
            })
    }

    fn elements_alike(&self, id: VariableId, path: &mut Vec<u32>, ty: Type, init: &Init, swap: (u32, u32)) -> bool {
        if let Some(kind) = self.kinds.dimension(id, path).filter(|kind| kind.family == self.number)
            && let Init::List(values) = init
        {
            let element = |member: u32| {
                let index = usize::try_from(i64::from(member) + i64::from(kind.offset)).unwrap_or(usize::MAX);
                values.get(index).or(values.last()).and_then(Expr::as_constant)
            };
            let (one, other) = (element(swap.0), element(swap.1));
            if one.is_none() || one != other {
                return false;
            }
        }
        let Type::Record(record) = ty else { return true };
        (0..).zip(&self.model.records[record].fields).all(|(number, field)| {
            path.push(number);
            let alike = self.elements_alike(id, path, field.ty, &field.init, swap);
            path.pop();
            alike
        })
    }

    /// Whether a claim is the same, each location staying where it is.
    fn claims_are_fine(&self, plain: Text<'_>, swapped: Text<'_>) -> bool {
        let mut never = (0..).zip(&self.model.never).filter(|(number, _)| self.claims.has_never(*number));
        let mut formulas =
            self.program.formulas.iter().enumerate().filter(|(number, _)| self.claims.has_formula(*number));
        never.all(|(_, claim)| {
            let progress = Progress::of(self.model, claim, false);
            plain.process(claim, progress) == swapped.process(claim, progress)
        }) && formulas.all(|(_, automaton)| {
            let exchanged = Exchanged {
                plain: &|atom| plain.expr(atom),
                swapped: &|atom| swapped.expr(atom),
                is_total: &|atom| is_total(self.model, atom),
            };
            exchanged.leaves(automaton)
        })
    }

    /// Whether the text of all processes is the same with two members exchanged.
    fn is_fine(&self, one: u32, other: u32) -> bool {
        let text = |swap| Text { model: self.model, kinds: self.kinds, number: self.number, swap };
        let (plain, swapped) = (text(None), text(Some((one, other))));
        let processes = self.model.proctypes.iter_enumerated().all(|(id, process)| {
            let progress = Progress::of(self.model, process, Some(id) == self.found.proctype());
            plain.process(process, progress) == swapped.process(process, progress)
        });
        processes && self.claims_are_fine(plain, swapped)
    }
}

/// Writes the normal form, with two members exchanged.
#[derive(Clone, Copy)]
struct Text<'a> {
    model: &'a Model,
    kinds: &'a Kinds,
    number: usize,
    swap: Option<(u32, u32)>,
}

/// What is around a statement.
#[derive(Clone, Copy)]
struct Around<'a> {
    /// The first open option is taken.
    in_order: bool,
    is_atomic: bool,
    progress: Progress<'a>,
}

impl Text<'_> {
    fn process(&self, process: &Process, progress: Progress<'_>) -> String {
        // A `provided` clause can stop a process inside of an option.
        let in_order = process.deterministic || progress.has_provided;
        let around = Around { in_order, is_atomic: false, progress };
        let provided = process.provided.as_ref().map(|provided| self.expr(provided)).unwrap_or_default();
        let exclusive: Vec<String> =
            process.exclusive.iter().map(|(side, channel)| format!("{side:?} {}", self.channel(channel))).collect();
        let inits: Vec<String> = process.locals.iter().map(|id| self.init(&self.model.variables[*id].init)).collect();
        format!("{provided};{exclusive:?};{inits:?};{}", self.list(&process.body, around))
    }

    fn init(&self, init: &Init) -> String {
        match init {
            Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => String::new(),
            Init::All(value) => self.expr(value),
            Init::List(values) => values.iter().map(|value| self.expr(value)).collect::<Vec<_>>().join(","),
        }
    }

    fn list(&self, body: &[Statement], around: Around<'_>) -> String {
        body.iter().fold(String::new(), |mut text, statement| {
            let labels = &statement.labels;
            let _ = write!(text, "{labels:?}{};", self.statement(statement, around));
            text
        })
    }

    fn statement(&self, statement: &Statement, around: Around<'_>) -> String {
        match &statement.kind {
            StatementKind::Block(body) => format!("{{{}}}", self.list(body, around)),
            StatementKind::Atomic(body) => {
                format!("atomic{{{}}}", self.list(body, Around { is_atomic: true, ..around }))
            }
            StatementKind::DStep(body) => {
                format!("d_step{{{}}}", self.list(body, Around { in_order: true, is_atomic: true, ..around }))
            }
            StatementKind::If(choices) => format!("if{{{}}}", self.choices(choices, around)),
            StatementKind::Do(choices) => format!("do{{{}}}", self.choices(choices, around)),
            StatementKind::Unless { body, escape } => {
                format!("{{{}}}unless{{{}}}", self.list(body, around), self.list(escape, around))
            }
            StatementKind::Break => "break".to_owned(),
            StatementKind::Goto(label) => format!("goto{label:?}"),
            StatementKind::Condition(condition) => self.expr(condition),
            StatementKind::Else => "else".to_owned(),
            StatementKind::Assign { target, value } => {
                let target = match target {
                    Target::Place(place) => self.place(place),
                    Target::Priority => "_priority".to_owned(),
                    Target::Ignore => "_".to_owned(),
                    Target::Several(places) => places.iter().map(|place| self.place(place)).collect(),
                };
                format!("{target}={}", self.expr(value))
            }
            StatementKind::Send { channel, sorted, message } => {
                let message: Vec<String> = message.iter().map(|value| self.expr(value)).collect();
                format!("{}!{sorted}{message:?}", self.channel(channel))
            }
            StatementKind::Receive { channel, random, peek, pattern } => {
                format!("{}?{random}{peek}{}", self.channel(channel), self.patterns(pattern))
            }
            StatementKind::Assert(condition) => format!("assert {}", self.expr(condition)),
            StatementKind::Print(parts) => {
                let part = |part: &Printed| match part {
                    Printed::Text(text) => text.to_string(),
                    Printed::Signed(value)
                    | Printed::Unsigned(value)
                    | Printed::Octal(value)
                    | Printed::Hexadecimal(value)
                    | Printed::Character(value)
                    | Printed::Symbol(_, value) => self.expr(value),
                };
                format!("print{:?}", parts.iter().map(part).collect::<Vec<_>>())
            }
            StatementKind::Event { side, channel, pattern } => {
                format!("{side:?}{}{}", self.channel(channel), self.patterns(pattern))
            }
        }
    }

    /// Options that are one step are a set, unless the first open one is taken; the others have their places.
    fn choices(&self, choices: &[Choice], around: Around<'_>) -> String {
        let (mut set, mut list) = (Vec::new(), Vec::new());
        for (number, choice) in choices.iter().enumerate() {
            let text = self.list(&choice.body, around);
            if !around.in_order && is_one_step(&choice.body, around.is_atomic, around.progress) {
                set.push(text);
            } else {
                list.push(format!("{number}:{text}"));
            }
        }
        set.sort_unstable();
        format!("{set:?}{list:?}")
    }

    fn patterns(&self, pattern: &[Pattern]) -> String {
        let part = |part: &Pattern| match part {
            Pattern::Store(place) => self.place(place),
            Pattern::Equal(value) => format!("eval({})", self.expr(value)),
            Pattern::Ignore => "_".to_owned(),
        };
        format!("{:?}", pattern.iter().map(part).collect::<Vec<_>>())
    }

    fn channel(&self, channel: &ChannelRef) -> String {
        self.place(&channel.place)
    }

    fn place(&self, place: &Place) -> String {
        let index = |index: Option<&Expr>| index.map(|index| format!("[{}]", self.expr(index))).unwrap_or_default();
        let mut text = format!("v{}{}", place.variable.0, index(place.index.as_deref()));
        for access in &place.fields {
            let _ = write!(text, ".{}{}", access.field, index(access.index.as_deref()));
        }
        text
    }

    fn expr(&self, expression: &Expr) -> String {
        let optional = |expression: Option<&Expr>| expression.map(|it| self.expr(it)).unwrap_or_default();
        match &expression.kind {
            ExprKind::Constant(value) => self.constant(expression, *value).to_string(),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(op, operand) => format!("{op:?}({})", self.expr(operand)),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Conditional(condition, yes, no) => {
                format!("({}->{}:{})", self.expr(condition), self.expr(yes), self.expr(no))
            }
            ExprKind::Run { proctype, arguments, priority } => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.expr(argument)).collect();
                format!("run {proctype:?}{arguments:?}{priority:?}")
            }
            ExprKind::Probe(probe, channel) => format!("{probe:?}({})", self.channel(channel)),
            ExprKind::Poll { channel, random, pattern } => {
                format!("{}?[{random}{}]", self.channel(channel), self.patterns(pattern))
            }
            ExprKind::Timeout => "timeout".to_owned(),
            ExprKind::Pid => "_pid".to_owned(),
            ExprKind::ProcessCount => "_nr_pr".to_owned(),
            ExprKind::Last => "_last".to_owned(),
            ExprKind::NonProgress => "np_".to_owned(),
            ExprKind::Priority => "_priority".to_owned(),
            ExprKind::Enabled(pid) => format!("enabled({})", self.expr(pid)),
            ExprKind::PcValue(pid) => format!("pc_value({})", self.expr(pid)),
            ExprKind::GetPriority(pid) => format!("get_priority({})", self.expr(pid)),
            ExprKind::SetPriority(pid, priority) => {
                format!("set_priority({},{})", self.expr(pid), self.expr(priority))
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                format!("{proctype:?}[{}]@{label:?}", optional(pid.as_deref()))
            }
            ExprKind::RemoteVariable { proctype, pid, place } => {
                format!("{proctype:?}[{}]:{}", optional(pid.as_deref()), self.place(place))
            }
            // With embedded C there is no symmetry.
            ExprKind::Host(call) => format!("{call:?}"),
        }
    }

    /// A constant that names a member is exchanged with the other.
    fn constant(&self, expression: &Expr, value: i32) -> i32 {
        let Some((one, other)) = self.swap else { return value };
        let Some(kind) = self.kinds.constant(expression).filter(|kind| kind.family == self.number) else {
            return value;
        };
        let number = |member: u32| i64::from(member) + i64::from(kind.offset);
        let swapped = match i64::from(value) {
            it if it == number(one) => number(other),
            it if it == number(other) => number(one),
            it => it,
        };
        i32::try_from(swapped).unwrap_or(value)
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> String {
        let commutes = match op {
            BinaryOp::Add
            | BinaryOp::Multiply
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::Equal
            | BinaryOp::NotEqual => true,
            // The right side is not computed if the left side decides.
            BinaryOp::And | BinaryOp::Or => is_total(self.model, left) && is_total(self.model, right),
            BinaryOp::Subtract
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => false,
        };
        if !commutes {
            return format!("({}{op:?}{})", self.expr(left), self.expr(right));
        }
        let mut operands = Vec::new();
        let is_flat = !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        for side in [left, right] {
            self.operands(op, side, is_flat, &mut operands);
        }
        operands.sort_unstable();
        format!("{op:?}{operands:?}")
    }

    /// The operands of a chain of one operator.
    fn operands(&self, op: BinaryOp, expression: &Expr, is_flat: bool, operands: &mut Vec<String>) {
        match &expression.kind {
            ExprKind::Binary(inner, left, right) if is_flat && *inner == op => {
                self.operands(op, left, is_flat, operands);
                self.operands(op, right, is_flat, operands);
            }
            _ => operands.push(self.expr(expression)),
        }
    }
}

/// Whether control rests nowhere inside an option.
fn is_one_step(body: &[Statement], is_atomic: bool, progress: Progress<'_>) -> bool {
    match body {
        _ if has_labels(body) => false,
        [only] => is_simple(only, is_atomic, progress),
        [first, rest @ ..] => {
            // In a rendezvous control may pass to the other process.
            let meets = matches!(first.kind, StatementKind::Send { .. } | StatementKind::Receive { .. });
            is_atomic
                && !meets
                && is_simple(first, true, progress)
                && rest.iter().all(|statement| progress.goes_on(statement))
        }
        [] => false,
    }
}

/// Whether a statement is one step, or inside an atomic sequence many that cannot block behind the first.
fn is_simple(statement: &Statement, is_atomic: bool, progress: Progress<'_>) -> bool {
    match &statement.kind {
        StatementKind::DStep(_) => true,
        StatementKind::Atomic(body) => is_one_step(body, true, progress),
        StatementKind::Block(body) => is_one_step(body, is_atomic, progress),
        StatementKind::If(_) | StatementKind::Do(_) | StatementKind::Unless { .. } => {
            is_atomic && progress.goes_on(statement)
        }
        StatementKind::Goto(_) | StatementKind::Break => false,
        StatementKind::Condition(_)
        | StatementKind::Else
        | StatementKind::Assign { .. }
        | StatementKind::Send { .. }
        | StatementKind::Receive { .. }
        | StatementKind::Assert(_)
        | StatementKind::Print(_)
        | StatementKind::Event { .. } => true,
    }
}

fn has_labels(body: &[Statement]) -> bool {
    let mut found = false;
    crate::model::visit::each_statement(body, &mut |statement| found |= !statement.labels.is_empty());
    found
}
