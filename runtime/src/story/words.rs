//! Expressions and statements as text: as Promela, and with the values in it.

use super::evaluate::{Mistake, View};
use super::meaning::{Action, Expr, Pattern, Place, Type};

/// What binds an expression: `||` least.
fn strength(op: &str) -> u8 {
    match op {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | "<=" | ">" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        _ => 10,
    }
}

const TIGHTEST: u8 = 11;

impl View<'_> {
    /// An expression as Promela.
    pub fn text(&self, expr: &Expr) -> String {
        self.in_context(expr, 0)
    }

    fn in_context(&self, expr: &Expr, around: u8) -> String {
        let list = |parts: &[Expr]| parts.iter().map(|part| self.text(part)).collect::<Vec<_>>().join(",");
        match expr {
            Expr::Constant(value) => value.to_string(),
            Expr::Symbol(mtype, value) => self.meaning.shown(Type::Mtype(*mtype), *value),
            Expr::Read(place) => self.place_text(place),
            Expr::Unary(op, operand) => {
                let op = if *op == "neg" { "-" } else { op };
                format!("{op}{}", self.in_context(operand, TIGHTEST))
            }
            Expr::Binary(op, left, right) => {
                if let Some(text) = self.question(op, left, right) {
                    return text;
                }
                let own = strength(op);
                let (left, right) = (&self.like(left, right), &self.like(right, left));
                let text = format!("{} {op} {}", self.in_context(left, own), self.in_context(right, own + 1));
                if own < around { format!("({text})") } else { text }
            }
            Expr::Conditional(parts) => {
                let [test, yes, no] = &**parts;
                format!("({} -> {} : {})", self.text(test), self.text(yes), self.text(no))
            }
            Expr::Run(proctype, arguments) => {
                format!("run {}({})", self.info.proctype_name(*proctype), list(arguments))
            }
            Expr::Probe(probe, channel) => format!("{probe}({})", self.place_text(channel)),
            Expr::Poll { channel, random, pattern } => {
                let op = if *random { "??" } else { "?" };
                format!("{}{op}[{}]", self.place_text(channel), self.pattern_text(pattern))
            }
            Expr::Word(word) => (*word).to_owned(),
            Expr::Call(name, arguments) => format!("{name}({})", list(arguments)),
            Expr::At { proctype, pid, label } => format!("{}@{label}", self.process_text(*proctype, pid.as_deref())),
            Expr::Of { proctype, pid, place } => {
                format!("{}:{}", self.process_text(*proctype, pid.as_deref()), self.place_text(place))
            }
        }
    }

    /// A constant beside a `bool`: `true`, not 1.
    fn like(&self, expr: &Expr, other: &Expr) -> Expr {
        match (expr, self.type_of(other)) {
            (Expr::Constant(1), Some(Type::Bool)) => Expr::Word("true"),
            (Expr::Constant(0), Some(Type::Bool)) => Expr::Word("false"),
            _ => expr.clone(),
        }
    }

    fn process_text(&self, proctype: usize, pid: Option<&Expr>) -> String {
        let name = self.info.proctype_name(proctype);
        pid.map_or_else(|| name.to_owned(), |pid| format!("{name}[{}]", self.text(pid)))
    }

    fn pattern_text(&self, pattern: &[Pattern]) -> String {
        let field = |field: &Pattern| match field {
            Pattern::Store(place) => self.place_text(place),
            Pattern::Equal(value @ (Expr::Constant(_) | Expr::Symbol(..))) => self.text(value),
            Pattern::Equal(value) => format!("eval({})", self.text(value)),
            Pattern::Ignore => "_".to_owned(),
        };
        pattern.iter().map(field).collect::<Vec<_>>().join(",")
    }

    pub fn place_text(&self, place: &Place) -> String {
        if self.is_concrete
            && let Some((_, name)) = self.name(place)
        {
            return name;
        }
        let Some(variable) = self.meaning.variables.get(place.variable) else { return "?".to_owned() };
        // `#2` tells equal names apart, and is not what the author wrote.
        let name = variable.name.split('#').next().unwrap_or_default();
        let index = |index: &Option<Box<Expr>>| match index {
            Some(index) => format!("[{}]", self.text(index)),
            None => String::new(),
        };
        let mut text = format!("{name}{}", index(&place.index));
        let mut ty = variable.ty;
        for (number, at) in &place.fields {
            let Type::Record(record) = ty else { break };
            let Some((field, of, _)) = self.meaning.records.get(record).and_then(|record| record.fields.get(*number))
            else {
                break;
            };
            text += &format!(".{field}{}", index(at));
            ty = *of;
        }
        text
    }

    /// The name of a place with the values of its indices, or its text.
    pub fn place_now(&self, place: &Place) -> String {
        self.name(place).map_or_else(|| self.place_text(place), |(_, name)| name)
    }

    /// A statement as Promela.
    pub fn statement(&self, action: &Action) -> Option<String> {
        let list = |values: &[Expr]| values.iter().map(|value| self.text(value)).collect::<Vec<_>>().join(",");
        Some(match action {
            // A macro says more than its value.
            Action::Condition(Expr::Constant(_)) => return None,
            Action::Condition(condition) => self.text(condition),
            Action::Else => "else".to_owned(),
            Action::Assign { target: Some(target), value } if self.is_timer(target) => match value {
                Expr::Constant(-1) => format!("reset({})", self.place_text(target)),
                value => format!("set({}, {})", self.place_text(target), self.text(value)),
            },
            Action::Assign { target: Some(target), value } => match self.step_by_one(target, value) {
                Some(op) => format!("{}{op}", self.place_text(target)),
                None => {
                    let like = Expr::Read(target.clone());
                    format!("{} = {}", self.place_text(target), self.text(&self.like(value, &like)))
                }
            },
            Action::Send { channel, sorted, message } => {
                let op = if *sorted { "!!" } else { "!" };
                format!("{}{op}{}", self.place_text(channel), list(message))
            }
            Action::Receive { channel, random, peek, pattern } => {
                let op = if *random { "??" } else { "?" };
                let fields = self.pattern_text(pattern);
                let fields = if *peek { format!("<{fields}>") } else { fields };
                format!("{}{op}{fields}", self.place_text(channel))
            }
            Action::Assert(condition) => format!("assert({})", self.text(condition)),
            Action::Assign { target: None, .. }
            | Action::Jump
            | Action::Print(_)
            | Action::DStep { .. }
            | Action::End
            | Action::Other => return None,
        })
    }

    fn is_timer(&self, place: &Place) -> bool {
        self.type_of(&Expr::Read(place.clone())) == Some(Type::Timer)
    }

    /// A comparison that asks whether a timer has expired, or is on.
    fn question(&self, op: &str, left: &Expr, right: &Expr) -> Option<String> {
        let word = match (op, right) {
            ("==", Expr::Constant(0)) => "expire",
            (">=", Expr::Constant(0)) => "on",
            _ => return None,
        };
        let Expr::Read(place) = left else { return None };
        self.is_timer(place).then(|| format!("{word}({})", self.place_text(place)))
    }

    fn step_by_one(&self, target: &Place, value: &Expr) -> Option<&'static str> {
        let Expr::Binary(op @ ("+" | "-"), left, right) = value else { return None };
        let is_own = matches!((&**left, &**right), (Expr::Read(place), Expr::Constant(1)) if place == target);
        is_own.then_some(if *op == "+" { "++" } else { "--" })
    }

    /// The places that an expression reads, with their values; indices are part of a name.
    pub fn reads(&self, expr: &Expr, reads: &mut Vec<(String, String)>) {
        let mut add = |name: String, value: Option<String>| {
            if let Some(value) = value.filter(|value| !value.is_empty())
                && !reads.iter().any(|(other, _)| *other == name)
            {
                reads.push((name, value));
            }
        };
        match expr {
            Expr::Constant(_) | Expr::Symbol(..) | Expr::Word("..." | "timeout" | "_pid") => {}
            Expr::Read(place) => {
                if let Some((owner, name)) = self.name(place) {
                    add(name.clone(), self.scene.value(owner, &name).map(|value| value.text.clone()));
                }
            }
            Expr::Unary(_, operand) => self.reads(operand, reads),
            Expr::Binary(op @ ("&&" | "||"), left, right) => {
                self.reads(left, reads);
                // What decides is enough.
                let decides = i32::from(*op == "||");
                if self.value(left).is_none_or(|value| i32::from(value != 0) != decides) {
                    self.reads(right, reads);
                }
            }
            Expr::Binary(_, left, right) => [left, right].into_iter().for_each(|operand| self.reads(operand, reads)),
            Expr::Conditional(parts) => parts.iter().for_each(|part| self.reads(part, reads)),
            Expr::Run(_, arguments) | Expr::Call(_, arguments) => {
                arguments.iter().for_each(|argument| self.reads(argument, reads));
            }
            Expr::Probe(probe, channel) => {
                let name = match self.channel(channel) {
                    Some(channel) => self.channel_text(&channel),
                    None => self.place_text(channel),
                };
                add(format!("{probe}({name})"), self.shown(expr));
            }
            Expr::Word(_) => add(self.text(expr), self.shown(expr)),
            Expr::Poll { channel, .. } => {
                if let Some(queue) = self.channel(channel).and_then(|channel| self.scene.queue_of(&channel)) {
                    add(queue.name.clone(), Some(self.queue_text(queue)));
                }
            }
            Expr::At { proctype, pid, .. } => {
                if let Some(of) = self.process(*proctype, pid.as_deref()) {
                    let location = self.scene.locations.get(of.index()).and_then(|at| self.info.locations.get(*at));
                    let place = location.map(|location| format!("at {}", self.info.line(location.place)));
                    add(self.process_text(*proctype, pid.as_deref()), place);
                }
            }
            Expr::Of { proctype, pid, place } => {
                if let Some(of) = self.process(*proctype, pid.as_deref()) {
                    let there = View { me: Some(of), ..*self };
                    let name = format!("{}:{}", self.process_text(*proctype, pid.as_deref()), there.place_now(place));
                    let value = there.name(place).and_then(|(owner, name)| self.scene.value(owner, &name));
                    add(name, value.map(|value| value.text.clone()));
                }
            }
        }
    }

    /// `[vote(0,1)][ack]`, or `[]`.
    pub fn queue_text(&self, queue: &super::scene::Queue) -> String {
        queue_text(&self.scene.messages(self.meaning, queue))
    }

    /// Why an expression does not have the truth that was expected, with values: `n[1] = 2, expected 1`.
    pub fn why_not(&self, expr: &Expr, expected: bool) -> Vec<String> {
        let is_met = |expr: &Expr| self.value(expr).is_some_and(|value| (value != 0) == expected);
        match expr {
            Expr::Unary("!", operand) => self.why_not(operand, !expected),
            // One of them is enough to fail, and every one that does is named.
            Expr::Binary(op @ ("&&" | "||"), left, right) if (*op == "&&") == expected => {
                let parts = [left, right].into_iter().filter(|part| !is_met(part));
                // The right one is not looked at if the left one decides.
                parts.take(1).flat_map(|part| self.why_not(part, expected)).collect()
            }
            Expr::Binary("&&" | "||", left, right) => {
                let mut lines = self.why_not(left, expected);
                lines.extend(self.why_not(right, expected));
                lines
            }
            Expr::Binary(op @ ("==" | "!=" | "<" | "<=" | ">" | ">="), left, right) => {
                self.why_not_compared(op, left, right, expected).into_iter().collect()
            }
            Expr::Constant(_) => Vec::new(),
            _ => {
                let name = View { is_concrete: true, ..*self }.text(expr);
                let value = self.shown(expr).filter(|value| !value.is_empty());
                let wanted = match self.type_of(expr) {
                    Some(Type::Bool) => String::new(),
                    _ if expected => ", expected another value".to_owned(),
                    _ => ", expected 0".to_owned(),
                };
                value.map(|value| format!("{name} = {value}{wanted}")).into_iter().collect()
            }
        }
    }

    fn why_not_compared(&self, op: &str, left: &Expr, right: &Expr, expected: bool) -> Option<String> {
        let op = if expected { op } else { opposite(op) };
        // The constant comes last.
        let is_fixed = |expr: &Expr| matches!(expr, Expr::Constant(_) | Expr::Symbol(..));
        let (op, left, right) = if is_fixed(left) { (mirrored(op), right, left) } else { (op, left, right) };
        let ty = self.type_of(left).or_else(|| self.type_of(right));
        let shown = |expr: &Expr| {
            let value = self.value(expr)?;
            Some(ty.map_or_else(|| value.to_string(), |ty| self.scene.shown(self.meaning, ty, value)))
        };
        let name = |expr: &Expr| View { is_concrete: true, ..*self }.text(expr);
        let mut line = format!("{} = {}", name(left), shown(left)?);
        if is_fixed(right) {
            let wanted = shown(right)?;
            line += &match op {
                "==" => format!(", expected {wanted}"),
                "!=" => ", expected another value".to_owned(),
                "<" => format!(", expected less than {wanted}"),
                "<=" => format!(", expected at most {wanted}"),
                ">" => format!(", expected more than {wanted}"),
                _ => format!(", expected at least {wanted}"),
            };
        } else {
            let wanted = match op {
                "==" => "to be equal",
                "!=" => "to be different",
                "<" => "the first to be less",
                "<=" => "the first to be at most the second",
                ">" => "the first to be more",
                _ => "the first to be at least the second",
            };
            line += &format!(", {} = {}, expected {wanted}", name(right), shown(right)?);
        }
        // What an expression is made of.
        let mut parts = Vec::new();
        for side in [left, right].into_iter().filter(|side| !is_fixed(side) && !matches!(side, Expr::Read(_))) {
            self.reads(side, &mut parts);
        }
        if !parts.is_empty() {
            let parts: Vec<String> = parts.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            line += &format!(" ({})", parts.join(", "));
        }
        Some(line)
    }

    /// A message that a statement sends, as values and as text.
    pub fn sent(&self, channel: &Place, message: &[Expr]) -> Option<(super::scene::ChannelName, Vec<i32>)> {
        let channel = self.channel(channel)?;
        let types = &self.meaning.channels.get(channel.declaration)?.fields;
        let values: Option<Vec<i32>> = message
            .iter()
            .enumerate()
            .map(|(n, value)| {
                let value = self.value(value)?;
                Some(types.get(n).map_or(value, |ty| ty.truncate(value, false)))
            })
            .collect();
        Some((channel, values?))
    }
}

impl Mistake {
    pub fn explanation(&self) -> String {
        match self {
            Mistake::Index { text, index, array, length } => {
                let value = if *text == index.to_string() { text.clone() } else { format!("{text} = {index}") };
                let last = length.saturating_sub(1);
                let elements =
                    if *length == 1 { format!("{array}[0] alone") } else { format!("{array}[0] to {array}[{last}]") };
                format!("the index is {value}, and there are {elements}")
            }
            Mistake::Zero { divisor, is_constant } if *is_constant => format!("the divisor is {divisor}"),
            Mistake::Zero { divisor, .. } => format!("the divisor is {divisor} = 0"),
        }
    }
}

pub(crate) fn queue_text(messages: &[String]) -> String {
    if messages.is_empty() {
        return "[]".to_owned();
    }
    messages.iter().map(|message| format!("[{message}]")).collect()
}

fn opposite(op: &str) -> &'static str {
    match op {
        "==" => "!=",
        "!=" => "==",
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        _ => "<",
    }
}

fn mirrored(op: &str) -> &'static str {
    match op {
        "==" => "==",
        "!=" => "!=",
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        _ => "<=",
    }
}
