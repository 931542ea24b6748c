//! What the statements of a model mean: decoded from the text that the compiler has put into its tables.
//!
//! The text is JSON. An expression is a number, or a list that begins with an operator: `["+", 1, ["v", 3, null, []]]`;
//! a statement is `[kind, flags, text, [line, column of the end], operands ...]`. A model that was written by hand has no
//! such text: then statements have no operands, and a run is shown without the values in its expressions.

use super::decode;
use super::formula::Formula;
use crate::model::ModelInfo;
use std::collections::HashMap;

/// The meaning of a model. All numbers are those of the compiler.
#[derive(Debug, Default)]
pub(crate) struct Meaning {
    /// The source files, with their text.
    pub files: Vec<(String, String)>,
    /// The kind of each mtype, and its names with their values.
    pub mtypes: Vec<(String, Vec<(String, i32)>)>,
    pub records: Vec<Record>,
    pub variables: Vec<Variable>,
    /// Each declaration of channels.
    pub channels: Vec<Channels>,
    /// The declarations of channels of the state, in the order of their numbers.
    pub global_channels: Vec<usize>,
    pub proctypes: Vec<Proctype>,
    /// The statements that leave each location.
    pub leaving: Vec<Vec<usize>>,
    /// By the number of their transition.
    pub statements: Vec<Statement>,
    /// For each claim its moves.
    pub claims: Vec<Vec<Statement>>,
    /// For each claim the formula that it was made from, with its text.
    pub formulas: Vec<Option<(String, Formula)>>,
    /// The run has abstract time: it is not known how long a timer runs.
    pub abstract_time: bool,
    /// Variables by owner and name.
    pub(super) by_name: HashMap<(Option<usize>, String), usize>,
}

#[derive(Debug)]
pub(crate) struct Record {
    pub name: String,
    pub fields: Vec<(String, Type, Option<u32>)>,
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub ty: Type,
    pub length: Option<u32>,
    pub proctype: Option<usize>,
    pub is_hidden: bool,
    /// The author did not declare it.
    pub is_synthetic: bool,
    /// File, line and column of the declaration.
    pub place: [u32; 3],
    /// The first values of a local; the last one repeats, and none means 0.
    pub initial: Vec<Expr>,
}

/// The channels that one declaration makes.
#[derive(Debug)]
pub(crate) struct Channels {
    /// The name of each.
    pub names: Vec<String>,
    /// 0: a rendezvous.
    pub capacity: usize,
    pub fields: Vec<Type>,
}

#[derive(Debug, Default)]
pub(crate) struct Proctype {
    pub name: String,
    /// There never is a second process of it.
    pub is_alone: bool,
    pub parameters: Vec<usize>,
    pub locals: Vec<usize>,
    pub channels: Vec<usize>,
    pub provided: Option<Expr>,
}

/// The value of a timer that has run out.
pub(crate) const EXPIRED: &str = "0 (expired)";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Timer,
    Unsigned(u32),
    Mtype(usize),
    Chan,
    Record(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Constant(i32),
    /// A name of an mtype.
    Symbol(usize, i32),
    Read(Place),
    /// `!`, `~` or `neg`.
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    Run(usize, Vec<Expr>),
    /// `len` and the like.
    Probe(&'static str, Place),
    Poll {
        channel: Place,
        random: bool,
        pattern: Vec<Pattern>,
    },
    /// `_pid`, `timeout` and others without operands.
    Word(&'static str),
    /// `enabled(...)` and the like, of which only the text is known.
    Call(&'static str, Vec<Expr>),
    /// `P[pid]@label`
    At {
        proctype: usize,
        pid: Option<Box<Expr>>,
        label: String,
    },
    /// `P[pid]:x`
    Of {
        proctype: usize,
        pid: Option<Box<Expr>>,
        place: Place,
    },
}

impl Expr {
    /// Whether it can start a process.
    pub fn starts_process(&self) -> bool {
        match self {
            Expr::Run(..) => true,
            Expr::Unary(_, operand) => operand.starts_process(),
            Expr::Binary(_, left, right) => left.starts_process() || right.starts_process(),
            _ => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub variable: usize,
    pub index: Option<Box<Expr>>,
    /// The number of each field, and its index.
    pub fields: Vec<(usize, Option<Box<Expr>>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pattern {
    Store(Place),
    Equal(Expr),
    Ignore,
}

/// What a statement does.
#[derive(Debug, Default)]
pub(crate) enum Action {
    Condition(Expr),
    Else,
    Jump,
    Assign {
        /// Nothing for `_` and `_priority`.
        target: Option<Place>,
        value: Expr,
    },
    Send {
        channel: Place,
        sorted: bool,
        message: Vec<Expr>,
    },
    Receive {
        channel: Place,
        random: bool,
        peek: bool,
        pattern: Vec<Pattern>,
    },
    Assert(Expr),
    Print(Vec<Expr>),
    DStep {
        start: usize,
        /// For each location inside the statements that leave it, and where they lead.
        locations: Vec<Vec<(usize, Option<usize>)>>,
    },
    End,
    /// The condition of a claim that is too large to show, an event of a trace.
    #[default]
    Other,
}

#[derive(Debug, Default)]
pub(crate) struct Statement {
    pub action: Action,
    /// It is a part of what `for` or `select` stands for, and this is the text of that.
    pub of_loop: Option<String>,
    /// The text is that of a macro or in an inline, and says less than the statement does.
    pub is_expanded: bool,
    pub keeps_control: bool,
    /// Line and column behind its last character.
    pub end: Option<(u32, u32)>,
}

impl Meaning {
    /// Nothing is known if there is no text, or one that another version has made.
    pub fn of(info: &ModelInfo<'_>) -> Meaning {
        let mut meaning = decode::meaning(info.story).unwrap_or_default();
        for (number, proctype) in meaning.proctypes.iter_mut().enumerate() {
            info.proctype_name(number).clone_into(&mut proctype.name);
        }
        for (number, variable) in meaning.variables.iter().enumerate() {
            meaning.by_name.insert((variable.proctype, variable.name.clone()), number);
        }
        meaning
    }

    /// Whether the compiler has said what statements mean.
    pub fn is_known(&self) -> bool {
        !self.statements.is_empty()
    }

    /// The number of the variable that `a[1].b` is a part of.
    pub fn number_of(&self, proctype: Option<usize>, name: &str) -> Option<usize> {
        let end = name.find(['[', '.']).unwrap_or(name.len());
        self.by_name.get(&(proctype, name[..end].to_owned())).copied()
    }

    /// The type of `a[1].b`, of a variable of the state or of a proctype.
    pub fn type_of(&self, proctype: Option<usize>, name: &str) -> Option<Type> {
        let end = name.find(['[', '.']).unwrap_or(name.len());
        let variable = &self.variables[self.number_of(proctype, name)?];
        let mut ty = variable.ty;
        for field in name[end..].split('.').skip(1) {
            let Type::Record(record) = ty else { return None };
            let field = field.split('[').next()?;
            ty = self.records.get(record)?.fields.iter().find(|(name, ..)| name == field)?.1;
        }
        Some(ty)
    }

    /// A value as the author would write it.
    pub fn shown(&self, ty: Type, value: i32) -> String {
        match (ty, value) {
            (Type::Bool, 0) => "false".to_owned(),
            (Type::Bool, 1) => "true".to_owned(),
            (Type::Mtype(mtype), value) => match self.symbol(mtype, value) {
                Some(name) => name.to_owned(),
                None => value.to_string(),
            },
            (Type::Unsigned(_), value) => value.cast_unsigned().to_string(),
            (Type::Timer, ..0) => "off".to_owned(),
            (Type::Timer, 0) => EXPIRED.to_owned(),
            (Type::Timer, _) if self.abstract_time => "running".to_owned(),
            (_, value) => value.to_string(),
        }
    }

    /// A value as a variable of this type stores it, or an element of an array.
    pub fn stored(&self, ty: Type, value: i32, is_element: bool) -> i32 {
        let value = ty.truncate(value, is_element);
        if self.abstract_time && ty == Type::Timer { value.min(1) } else { value }
    }

    /// The name of the value of an mtype.
    pub fn symbol(&self, mtype: usize, value: i32) -> Option<&str> {
        let (_, names) = self.mtypes.get(mtype)?;
        names.iter().find(|(_, of)| *of == value).map(|(name, _)| name.as_str())
    }

    /// Whether the model has timers, so that its steps have a time.
    pub fn has_timers(&self) -> bool {
        let fields = self.records.iter().flat_map(|record| &record.fields).map(|(_, ty, _)| ty);
        self.variables.iter().map(|variable| &variable.ty).chain(fields).any(|ty| *ty == Type::Timer)
    }

    /// The name of a type as the author writes it.
    pub fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Bit => "bit".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Byte => "byte".to_owned(),
            Type::Pid => "pid".to_owned(),
            Type::Short => "short".to_owned(),
            Type::Int => "int".to_owned(),
            Type::Timer => "timer".to_owned(),
            Type::Unsigned(width) => format!("unsigned : {width}"),
            Type::Chan => "chan".to_owned(),
            Type::Mtype(mtype) => match self.mtypes.get(mtype) {
                // A scalarset.
                Some((kind, _)) if kind.ends_with(')') => kind.clone(),
                Some((kind, _)) if !kind.is_empty() => format!("mtype:{kind}"),
                _ => "mtype".to_owned(),
            },
            Type::Record(record) => {
                self.records.get(record).map_or_else(|| "?".to_owned(), |record| record.name.clone())
            }
        }
    }
}

impl Type {
    /// The value after truncation to the type, or to that of an element of an array of it.
    pub fn truncate(self, value: i32, is_element: bool) -> i32 {
        match self {
            Type::Bit | Type::Bool if !is_element => value & 1,
            Type::Bit | Type::Bool | Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => value & 0xff,
            Type::Short => i32::from(value as i16),
            Type::Int | Type::Record(_) => value,
            Type::Timer => value.max(-1),
            Type::Unsigned(width) if width < 32 => value & ((1_u32 << width) - 1) as i32,
            Type::Unsigned(_) => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_width_keeps_its_bits() {
        for width in 1..32 {
            let most = ((1_u64 << width) - 1) as i32;
            assert_eq!([-1, most].map(|value| Type::Unsigned(width).truncate(value, false)), [most, most], "{width}");
        }
        assert_eq!(Type::Unsigned(32).truncate(-1, false), -1);
    }
}
