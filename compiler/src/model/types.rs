//! Types: how wide a value is, and what is left of it when it is stored.

use super::{MtypeId, RecordId};

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

    /// What is left of a value when it is stored.
    #[must_use]
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Self::Bit | Self::Bool => value & 1,
            Self::Byte | Self::Pid | Self::Mtype(_) | Self::Chan => value & 0xff,
            #[expect(clippy::cast_possible_truncation, reason = "that is what storing in a short does")]
            Self::Short => i32::from(value as i16),
            Self::Int | Self::Record(_) => value,
            Self::Unsigned(width) if width < 32 => value & ((1 << width) - 1),
            Self::Unsigned(_) => value,
        }
    }
}
