//! The code that the machine executes: a flat list of operations on registers and on the words of a state.
//!
//! A test is a conditional jump, so that a guard, its operations and the arrival of a transition are one sequence that
//! ends with [`Op::Done`], or with [`Op::Blocked`] if the transition is disabled.

use pmc_runtime::fault::Fault;
use pmc_runtime::step::TransitionId;

use super::compare::{Interval, Orders};
use super::layout::Base;
use super::spacing::Spacing;
use crate::model::Type;

/// A register of the machine.
pub type Register = u8;

pub const N_REGISTERS: usize = 32;

/// An index into the code.
pub type Target = u32;

/// A scalar at a position that is known but for its base.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub at: u32,
    /// The value that is stored as 0.
    pub low: i32,
    /// 1 to 32.
    pub bits: u8,
    pub base: Base,
}

impl Field {
    pub fn raw(self) -> RawField {
        RawField { at: self.at, bits: self.bits, base: self.base }
    }
}

/// The bits of a scalar as they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawField {
    pub at: u32,
    pub bits: u8,
    pub base: Base,
}

/// The elements of an array.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The first one.
    pub field: Field,
    pub spacing: Spacing,
    pub length: u32,
    /// An index outside is a fault.
    pub is_checked: bool,
}

/// The truncation to a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// The bits that are cut off.
    shift: u8,
    kind: TruncationKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TruncationKind {
    Unsigned,
    Signed,
    /// Every negative value becomes -1.
    Timer,
}

impl Truncation {
    pub const NONE: Self = Self { shift: 0, kind: TruncationKind::Signed };

    pub fn to(ty: Type) -> Self {
        let unsigned = |bits: u8| Self { shift: 32 - bits, kind: TruncationKind::Unsigned };
        match ty {
            Type::Bit | Type::Bool => unsigned(1),
            Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => unsigned(8),
            Type::Short => Self { shift: 16, kind: TruncationKind::Signed },
            Type::Timer => Self { shift: 0, kind: TruncationKind::Timer },
            Type::Int | Type::Record(_) => Self::NONE,
            Type::Unsigned(width) => unsigned(width),
        }
    }

    #[inline(always)]
    pub fn apply(self, value: i32) -> i32 {
        match self.kind {
            TruncationKind::Signed => value << self.shift >> self.shift,
            TruncationKind::Unsigned => (value.cast_unsigned() << self.shift >> self.shift).cast_signed(),
            TruncationKind::Timer => value.max(-1),
        }
    }
}

/// A binary operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

/// A test of the state that is no comparison.
#[derive(Clone, Copy, Debug)]
pub enum StateTest {
    Timeout,
    IsYoungest,
    NonProgress,
    /// The current channel is empty; a rendezvous always is.
    IsEmpty,
    /// The current channel is full; a rendezvous never is.
    IsFull,
    /// A process other than `me` is enabled; to ask about oneself is a fault.
    Enabled(Register),
    /// The same in a claim, which may ask about any process.
    CanMove(Register),
}

/// What happens if the current channel is a rendezvous.
#[derive(Clone, Copy, Debug)]
pub enum AtRendezvous {
    Jump(Target),
    Fail(Fault),
}

/// The index of a channel in its array.
#[derive(Clone, Copy, Debug)]
pub enum Element {
    Constant(u32),
    Register(Register),
}

/// The process whose channel is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelOwner {
    State,
    Own,
    Found,
}

#[derive(Clone, Copy, Debug)]
pub enum Op {
    Constant {
        to: Register,
        value: i32,
    },
    Load {
        to: Register,
        field: Field,
    },
    LoadRow {
        to: Register,
        index: Register,
        row: u32,
    },
    /// A constant array.
    LoadTable {
        to: Register,
        index: Register,
        table: u32,
        is_checked: bool,
    },
    /// The distance of an element from the first one, in bits; added to `to` unless it is the first.
    Offset {
        to: Register,
        index: Register,
        row: u32,
        is_first: bool,
    },
    LoadOffset {
        to: Register,
        offset: Register,
        field: Field,
    },
    StoreOffset {
        from: Register,
        offset: Register,
        field: Field,
        truncation: Truncation,
    },
    /// Stores bits as they are.
    Put {
        field: Field,
        raw: u32,
    },
    Store {
        field: Field,
        from: Register,
        truncation: Truncation,
    },
    StoreRow {
        row: u32,
        index: Register,
        from: Register,
        truncation: Truncation,
    },
    /// Adds to a scalar.
    Add {
        field: Field,
        right: i32,
        truncation: Truncation,
    },
    Binary {
        op: Binary,
        to: Register,
        left: Register,
        right: Register,
    },
    BinaryConstant {
        op: Binary,
        to: Register,
        left: Register,
        right: i32,
    },
    Negate {
        register: Register,
    },
    Complement {
        register: Register,
    },

    Jump(Target),
    JumpCompare {
        orders: Orders,
        left: Register,
        right: Register,
        target: Target,
    },
    /// Jumps if a value is one of these.
    JumpValue {
        value: Register,
        values: Interval,
        target: Target,
    },
    /// Jumps if a scalar is stored as one of these.
    JumpField {
        field: RawField,
        values: Interval,
        target: Target,
    },
    /// Jumps if a field of the current message has one of these values.
    JumpMessageField {
        number: u32,
        values: Interval,
        target: Target,
    },
    JumpState {
        test: StateTest,
        holds: bool,
        target: Target,
    },

    /// The pid of the process that executes.
    Pid {
        to: Register,
    },
    PriorityOf {
        to: Register,
        pid: Register,
    },
    OwnPriority {
        to: Register,
    },
    SetPriority {
        pid: Register,
        priority: Register,
    },
    SetOwnPriority {
        from: Register,
    },
    LocationNumber {
        to: Register,
        pid: Register,
    },
    /// Finds a process of a proctype, by its pid or the oldest one. The last field is where to go if there is none.
    FindProcess {
        proctype: u16,
        pid: Option<Register>,
        target: Target,
    },
    /// The location number of the process that was found.
    FoundLocationNumber {
        to: Register,
    },

    /// An index outside of its array is a fault.
    CheckIndex {
        index: Register,
        length: u32,
    },
    /// The current channel is the one that a variable was declared with.
    Channel {
        site: u32,
        owner: ChannelOwner,
        element: Element,
    },
    /// The current channel is the one that a number denotes.
    FindChannel {
        number: Register,
    },
    /// A fault from here on is none, but leads there.
    Catch {
        target: Target,
    },
    EndCatch,
    /// The current channel must belong to one of these sites.
    CheckKind {
        sites: u32,
        at_rendezvous: AtRendezvous,
    },
    /// Jumps unless the current channel belongs to one of these sites.
    JumpUnlessKind {
        sites: u32,
        target: Target,
    },
    /// The number of the channel of a process: the offset is that within the process.
    ChannelNumber {
        to: Register,
        owner: ChannelOwner,
        offset: u32,
    },
    /// Adds the index of a channel in its array, and truncates as a channel variable does.
    ChannelElement {
        to: Register,
        element: Register,
    },
    Length {
        to: Register,
    },
    /// The first message is the current one.
    FirstMessage {
        target: Target,
    },
    /// The first message that matches is the current one.
    FindMessage {
        pattern: u32,
        target: Target,
    },
    /// A field of the current message; 0 if it has no such field.
    MessageField {
        to: Register,
        field: u32,
    },
    /// Stores a field of the current message.
    StoreMessageField {
        number: u32,
        field: Field,
        truncation: Truncation,
    },
    TraceReceived,
    /// Removes the current message.
    Take,
    /// Appends a value to the list of a message, of arguments, or of what is printed.
    Push {
        from: Register,
        truncation: Truncation,
    },
    PushConstant(i32),
    PushField {
        field: Field,
        truncation: Truncation,
    },
    /// Removes the last value.
    Pop {
        to: Register,
    },
    /// Sends the last values as a message.
    Send {
        n: u32,
        is_sorted: bool,
        is_traced: bool,
    },

    /// Jumps unless the current channel is that of the offer.
    JumpUnlessOffered {
        target: Target,
    },
    OfferedField {
        to: Register,
        field: u32,
    },
    /// Jumps unless the offered message matches. A field that it lacks equals nothing.
    MatchOffered {
        pattern: u32,
        target: Target,
    },
    TraceOffered {
        send: bool,
        receive: bool,
    },

    /// Starts a process with the last values as arguments.
    Run {
        to: Register,
        proctype: u16,
        priority: u8,
    },
    /// The process ends.
    End,
    TakeControl,
    ReleaseControl,
    NoteLast,

    Assert {
        holds: Register,
    },
    Print {
        text: u32,
    },
    /// A statement inside a `d_step` is tried.
    At(TransitionId),
    /// It is executed.
    Reach(TransitionId),
    AssertInside {
        transition: TransitionId,
        holds: Register,
    },
    /// No statement of a `d_step` can be executed here.
    DStepBlocked,

    Done,
    Blocked,
    Fail(Fault),
}

/// The values that some fields of a message must have.
pub struct Pattern {
    pub fields: Vec<(u32, Wanted)>,
    /// So many are the last of the list of values.
    pub n_values: usize,
}

#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    Constant(i32),
    /// By its place among the last values.
    Value(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_truncated_as_their_types_do() {
        let types = [
            Type::Bit,
            Type::Bool,
            Type::Byte,
            Type::Short,
            Type::Int,
            Type::Timer,
            Type::Unsigned(5),
            Type::Unsigned(32),
        ];
        for ty in types {
            for value in [0, 1, 2, -1, 255, 256, 40_000, -40_000, i32::MAX, i32::MIN] {
                assert_eq!(Truncation::to(ty).apply(value), ty.truncate(value), "{ty:?} {value}");
            }
        }
    }

    #[test]
    fn an_operation_is_small() {
        assert!(size_of::<Op>() <= 24, "{}", size_of::<Op>());
    }
}
