//! Expressions in a scene: their values, and the names of the places that they read.
//!
//! What is not known has no value; a report then leaves it out.

use super::meaning::{Expr, Meaning, Pattern, Place, Type};
use super::scene::{ChannelName, Owner, Scene};
use crate::model::ModelInfo;
use crate::step::Pid;

/// A scene as a process sees it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub info: &'a ModelInfo<'a>,
    pub meaning: &'a Meaning,
    pub scene: &'a Scene,
    /// Nothing for a claim.
    pub me: Option<Pid>,
    /// Texts have the values of indices: `a[3]` for `a[i]`.
    pub is_concrete: bool,
}

/// Why an expression has no value, if that is a fault.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mistake {
    Index { text: String, index: i32, array: String, length: u32 },
    Zero { divisor: String, is_constant: bool },
}

impl<'a> View<'a> {
    pub fn value(&self, expr: &Expr) -> Option<i32> {
        let truth = |truth: bool| Some(i32::from(truth));
        match expr {
            Expr::Constant(value) | Expr::Symbol(_, value) => Some(*value),
            Expr::Read(place) => self.read(place),
            Expr::Unary(op, operand) => {
                let value = self.value(operand)?;
                Some(match *op {
                    "!" => i32::from(value == 0),
                    "~" => !value,
                    _ => value.wrapping_neg(),
                })
            }
            Expr::Binary("&&", left, right) => match self.value(left)? {
                0 => truth(false),
                _ => truth(self.value(right)? != 0),
            },
            Expr::Binary("||", left, right) => match self.value(left)? {
                0 => truth(self.value(right)? != 0),
                _ => truth(true),
            },
            Expr::Binary(op, left, right) => binary(op, self.value(left)?, self.value(right)?),
            Expr::Conditional(parts) => {
                let [test, yes, no] = &**parts;
                self.value(if self.value(test)? != 0 { yes } else { no })
            }
            Expr::Run(..) => i32::try_from(self.scene.n_processes()).ok(),
            Expr::Probe(probe, channel) => self.probe(probe, channel),
            Expr::Poll { channel, random, pattern } => {
                let queue = self.scene.queue_of(&self.channel(channel)?)?;
                let mut known = true;
                let mut matches = |message: &Vec<i32>| match self.fits(pattern, message) {
                    Some(fits) => fits,
                    None => {
                        known = false;
                        false
                    }
                };
                let found = match random {
                    true => queue.messages.iter().any(&mut matches),
                    false => queue.messages.first().is_some_and(&mut matches),
                };
                known.then_some(i32::from(found))
            }
            Expr::Word("_pid") => Some(i32::from(self.me.map_or(0, |pid| pid.0))),
            Expr::Word("_nr_pr") => i32::try_from(self.scene.n_processes()).ok(),
            Expr::Word(_) | Expr::Call(..) => None,
            Expr::At { proctype, pid, label } => {
                let pid = self.process(*proctype, pid.as_deref())?;
                let location = self.info.locations.get(*self.scene.locations.get(pid.index())?)?;
                truth(location.labels.contains(&label.as_str()))
            }
            Expr::Of { proctype, pid, place } => {
                let pid = self.process(*proctype, pid.as_deref())?;
                View { me: Some(pid), ..*self }.read(place)
            }
        }
    }

    /// Whether a message has the values that a pattern asks for.
    pub fn fits(&self, pattern: &[Pattern], message: &[i32]) -> Option<bool> {
        for (field, value) in pattern.iter().zip(message) {
            if let Pattern::Equal(wanted) = field
                && self.value(wanted)? != *value
            {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The process of a remote reference: that of the pid, or the oldest one.
    pub fn process(&self, proctype: usize, pid: Option<&Expr>) -> Option<Pid> {
        match pid {
            Some(pid) => {
                let pid = usize::try_from(self.value(pid)?).ok()?;
                (pid < self.scene.n_processes()).then(|| Pid::from_index(pid))
            }
            None => self.scene.pids().find(|pid| self.scene.proctypes[pid.index()] == proctype),
        }
    }

    fn probe(&self, probe: &str, channel: &Place) -> Option<i32> {
        let channel = self.channel(channel)?;
        let capacity = self.meaning.channels.get(channel.declaration)?.capacity;
        let length = match capacity {
            0 => 0,
            _ => self.scene.queue_of(&channel)?.messages.len(),
        };
        Some(match probe {
            "len" => i32::try_from(length).ok()?,
            "empty" => i32::from(length == 0),
            "nempty" => i32::from(length > 0),
            "full" => i32::from(capacity > 0 && length >= capacity),
            _ => i32::from(capacity == 0 || length < capacity),
        })
    }

    pub fn read(&self, place: &Place) -> Option<i32> {
        let (owner, name) = self.name(place)?;
        match self.scene.value(owner, &name) {
            Some(value) => value.number,
            // A channel that a variable always has is no part of a state.
            None => {
                let channel = self.scene.declared_channel(self.meaning, owner, &name)?;
                self.scene.channel_number(self.meaning, &channel)
            }
        }
    }

    pub fn channel_text(&self, channel: &ChannelName) -> String {
        self.scene.channel_text(self.meaning, channel, self.me)
    }

    /// The owner and the name of a place, with the values of its indices.
    pub fn name(&self, place: &Place) -> Option<(Owner, String)> {
        let variable = self.meaning.variables.get(place.variable)?;
        let owner = match variable.proctype {
            None => None,
            Some(_) => Some(self.me?),
        };
        let mut name = variable.name.clone();
        self.add_index(place.index.as_deref(), &mut name)?;
        let mut ty = variable.ty;
        for (number, index) in &place.fields {
            let Type::Record(record) = ty else { return None };
            let (field, of, _) = self.meaning.records.get(record)?.fields.get(*number)?;
            name = format!("{name}.{field}");
            self.add_index(index.as_deref(), &mut name)?;
            ty = *of;
        }
        Some((owner, name))
    }

    fn add_index(&self, index: Option<&Expr>, name: &mut String) -> Option<()> {
        if let Some(index) = index {
            *name = format!("{name}[{}]", self.value(index)?);
        }
        Some(())
    }

    /// The type of a place, and whether it is an element of an array.
    pub fn ty(&self, place: &Place) -> Option<(Type, bool)> {
        let variable = self.meaning.variables.get(place.variable)?;
        let (mut ty, mut is_element) = (variable.ty, place.index.is_some());
        for (number, index) in &place.fields {
            let Type::Record(record) = ty else { return None };
            ty = self.meaning.records.get(record)?.fields.get(*number)?.1;
            is_element = index.is_some();
        }
        Some((ty, is_element))
    }

    /// The channel that a place denotes: that of its value, or the one that it was declared with and always has.
    pub fn channel(&self, place: &Place) -> Option<ChannelName> {
        let (owner, name) = self.name(place)?;
        match self.scene.value(owner, &name) {
            Some(value) => self.scene.channel(self.meaning, value.number?),
            None => self.scene.declared_channel(self.meaning, owner, &name),
        }
    }

    /// The type of the values of an expression, for what is shown.
    pub fn type_of(&self, expr: &Expr) -> Option<Type> {
        match expr {
            Expr::Read(place) => self.ty(place).map(|(ty, _)| ty),
            Expr::Of { proctype: _, pid: _, place } => self.ty(place).map(|(ty, _)| ty),
            Expr::Symbol(mtype, _) => Some(Type::Mtype(*mtype)),
            Expr::Unary("!", _) | Expr::Poll { .. } | Expr::At { .. } => Some(Type::Bool),
            Expr::Probe(probe, _) if *probe != "len" => Some(Type::Bool),
            Expr::Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||", ..) => Some(Type::Bool),
            Expr::Word("timeout" | "np_") | Expr::Call("enabled", _) => Some(Type::Bool),
            Expr::Conditional(parts) => self.type_of(&parts[1]),
            _ => None,
        }
    }

    /// The value of an expression as the author would write it.
    pub fn shown(&self, expr: &Expr) -> Option<String> {
        let value = self.value(expr)?;
        Some(match self.type_of(expr) {
            Some(ty) => self.scene.shown(self.meaning, ty, value),
            None => value.to_string(),
        })
    }

    /// The first index outside its array, or division by zero, in an expression.
    pub fn mistake(&self, expr: &Expr) -> Option<Mistake> {
        let of_place = |place: &Place| self.mistake_in_place(place);
        match expr {
            Expr::Read(place) | Expr::Probe(_, place) => of_place(place),
            Expr::Of { pid, place, .. } => {
                let inner = pid.as_deref().and_then(|pid| self.mistake(pid));
                inner.or_else(|| of_place(place))
            }
            Expr::Poll { channel, .. } => of_place(channel),
            Expr::Unary(_, operand) => self.mistake(operand),
            Expr::Binary(op @ ("&&" | "||"), left, right) => self.mistake(left).or_else(|| {
                let decides = i32::from(*op == "||");
                let goes_on = self.value(left).is_some_and(|value| i32::from(value != 0) != decides);
                if goes_on { self.mistake(right) } else { None }
            }),
            Expr::Binary(op, left, right) => self.mistake(left).or_else(|| self.mistake(right)).or_else(|| {
                let is_division = matches!(*op, "/" | "%") && self.value(right) == Some(0);
                is_division.then(|| Mistake::Zero {
                    divisor: self.text(right),
                    is_constant: matches!(**right, Expr::Constant(_)),
                })
            }),
            Expr::Conditional(parts) => {
                let [test, yes, no] = &**parts;
                let chosen = self.value(test).map(|value| if value != 0 { yes } else { no });
                self.mistake(test).or_else(|| chosen.and_then(|chosen| self.mistake(chosen)))
            }
            Expr::Run(_, arguments) | Expr::Call(_, arguments) => {
                arguments.iter().find_map(|argument| self.mistake(argument))
            }
            Expr::At { pid, .. } => pid.as_deref().and_then(|pid| self.mistake(pid)),
            Expr::Constant(_) | Expr::Symbol(..) | Expr::Word(_) => None,
        }
    }

    pub fn mistake_in_place(&self, place: &Place) -> Option<Mistake> {
        let variable = self.meaning.variables.get(place.variable)?;
        let mut name = variable.name.clone();
        if let Some(found) = self.outside(place.index.as_deref(), &name, variable.length) {
            return Some(found);
        }
        self.add_index(place.index.as_deref(), &mut name)?;
        let mut ty = variable.ty;
        for (number, index) in &place.fields {
            let Type::Record(record) = ty else { return None };
            let (field, of, length) = self.meaning.records.get(record)?.fields.get(*number)?;
            name = format!("{name}.{field}");
            if let Some(found) = self.outside(index.as_deref(), &name, *length) {
                return Some(found);
            }
            self.add_index(index.as_deref(), &mut name)?;
            ty = *of;
        }
        None
    }

    fn outside(&self, index: Option<&Expr>, array: &str, length: Option<u32>) -> Option<Mistake> {
        let expr = index?;
        if let Some(inner) = self.mistake(expr) {
            return Some(inner);
        }
        let (index, length) = (self.value(expr)?, length?);
        let is_outside = u32::try_from(index).map_or(true, |index| index >= length);
        is_outside.then(|| Mistake::Index { text: self.text(expr), index, array: array.to_owned(), length })
    }
}

fn binary(op: &str, left: i32, right: i32) -> Option<i32> {
    let truth = |truth: bool| Some(i32::from(truth));
    match op {
        "+" => Some(left.wrapping_add(right)),
        "-" => Some(left.wrapping_sub(right)),
        "*" => Some(left.wrapping_mul(right)),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        "&" => Some(left & right),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "<<" => Some(left.wrapping_shl(right.cast_unsigned())),
        ">>" => Some(left.wrapping_shr(right.cast_unsigned())),
        "==" => truth(left == right),
        "!=" => truth(left != right),
        "<" => truth(left < right),
        "<=" => truth(left <= right),
        ">" => truth(left > right),
        ">=" => truth(left >= right),
        _ => None,
    }
}

impl Scene {
    pub fn queue_of(&self, channel: &ChannelName) -> Option<&super::scene::Queue> {
        self.queue(channel.owner, &channel.name)
    }
}
