//! Types: the width of a value, and its truncation when it is stored.

use super::{Members, Model, MtypeId, RecordId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// `unsigned x : n`
    Unsigned(u8),
    Mtype(MtypeId),
    Chan,
    /// The ticks that are left, or -1 if it is off.
    Timer,
    Record(RecordId),
}

impl Type {
    /// How an element of an array of this type is stored: Spin keeps arrays of
    /// `bit` and `bool` as bytes, so that they can hold a 2.
    #[must_use]
    pub fn element(self) -> Self {
        match self {
            Self::Bit | Self::Bool => Self::Byte,
            other => other,
        }
    }

    /// What a variable holds that is of no use: a timer is off.
    #[must_use]
    pub fn idle(self) -> i32 {
        if self == Self::Timer { -1 } else { 0 }
    }

    /// The value after truncation to the type.
    #[must_use]
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Self::Bit | Self::Bool => value & 1,
            Self::Byte | Self::Pid | Self::Mtype(_) | Self::Chan => value & 0xff,
            #[expect(clippy::cast_possible_truncation, reason = "that is what storing in a short does")]
            Self::Short => i32::from(value as i16),
            Self::Int | Self::Record(_) => value,
            // Every negative value is off.
            Self::Timer => value.max(-1),
            Self::Unsigned(width) if width < 32 => value & (i32::MAX >> 31_u32.saturating_sub(u32::from(width))),
            Self::Unsigned(_) => value,
        }
    }
}

impl Model {
    /// The scalarset that a type is.
    pub fn members(&self, ty: Type) -> Option<Members> {
        match ty {
            Type::Mtype(id) => self.mtypes[id].members,
            _ => None,
        }
    }

    /// Whether a value of a type is a timer, or a record with one in it.
    pub fn has_timer(&self, ty: Type) -> bool {
        match ty {
            Type::Timer => true,
            Type::Record(record) => self.records[record].fields.iter().any(|field| self.has_timer(field.ty)),
            _ => false,
        }
    }

    /// The name of a type as an author writes it.
    pub fn type_text(&self, ty: Type) -> String {
        match ty {
            Type::Bit => "bit".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Byte => "byte".to_owned(),
            Type::Pid => "pid".to_owned(),
            Type::Short => "short".to_owned(),
            Type::Int => "int".to_owned(),
            Type::Unsigned(width) => format!("unsigned : {width}"),
            Type::Chan => "chan".to_owned(),
            Type::Timer => "timer".to_owned(),
            Type::Mtype(id) => self.mtypes[id].text(),
            Type::Record(id) => self.records[id].name.to_string(),
        }
    }
}
