//! Expressions of the executable form: numbers, tests, places, channels.
//!
//! Numbers and truth values are different types, so that no back end has to guess which one is needed. Each node marks
//! the checks that are left for run time: an index outside of its array, a sum that leaves 32 bits, a divisor that may
//! be zero.

use crate::model::{BlockId, MtypeId, ProctypeId, SiteId, Type, VariableId};

/// A 32-bit number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Constant {
        value: i32,
        /// The mtype whose name the author wrote, for readers alone.
        mtype: Option<MtypeId>,
    },
    Load(Place),
    /// 1 or 0.
    Truth(Box<Test>),
    Negate {
        value: Box<Value>,
        may_wrap: bool,
    },
    /// Every bit inverted.
    Complement(Box<Value>),
    Binary(Arithmetic, Box<Value>, Box<Value>),
    Choose {
        test: Box<Test>,
        yes: Box<Value>,
        no: Box<Value>,
    },
    /// Starts a process and gives its pid.
    Run(Run),
    /// How many messages a channel holds.
    Length(Channel),
    /// The number of a channel whose variable always denotes it.
    ChannelNumber(Declared),
    /// The pid of the process that executes this. In a claim, `_pid` is the constant 0 instead.
    Pid,
    ProcessCount,
    /// The process that took the last step.
    Last,
    OwnPriority,
    PriorityOf(Box<Value>),
    /// Sets the priority of a process and gives the new priority.
    SetPriority {
        pid: Box<Value>,
        priority: Box<Value>,
    },
    /// The number of the location of a process, as `pc_value` gives it: 0 if there is no such process.
    LocationNumber(Box<Value>),
    /// A value of another process, read with [`Owner::Found`]; 0 if there is no such process.
    OfProcess {
        process: Remote,
        value: Box<Value>,
    },
    /// The value of a `c_expr`.
    Host(HostCall),
}

/// A call of a block of C. It may be a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCall {
    pub block: BlockId,
    pub arguments: Vec<Value>,
}

/// A binary operation on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add {
        may_wrap: bool,
    },
    Subtract {
        may_wrap: bool,
    },
    Multiply {
        may_wrap: bool,
    },
    Divide {
        may_fail: bool,
    },
    Remainder {
        may_fail: bool,
    },
    And,
    Or,
    Xor,
    /// If the distance may lie outside of 0 to 31, the result is Spin's.
    ShiftLeft {
        any_distance: bool,
    },
    ShiftRight {
        any_distance: bool,
    },
}

impl Arithmetic {
    pub fn can_fail(self) -> bool {
        matches!(self, Self::Divide { may_fail: true } | Self::Remainder { may_fail: true })
    }
}

/// A truth value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    Constant(bool),
    Compare(Comparison, Value, Value),
    Not(Box<Test>),
    /// The right side is evaluated only if the left one holds.
    And(Box<Test>, Box<Test>),
    /// The right side is evaluated only if the left one does not hold.
    Or(Box<Test>, Box<Test>),
    /// No process is enabled without it.
    Timeout,
    /// Whether a process is enabled. In a process it is a fault if the answer would depend on itself.
    Enabled {
        pid: Value,
        asked_by: Asker,
    },
    /// The process that evaluates this is the youngest.
    IsYoungest,
    /// No process is at a progress label.
    NonProgress,
    /// A process is at a label, given as the number of a location.
    IsAt {
        process: Remote,
        location: u32,
    },
    IsEmpty(Channel),
    IsFull(Channel),
    /// The first message matches, or with `random` any message. A poll of a rendezvous channel is a fault.
    HasMessage {
        channel: Channel,
        may_be_rendezvous: bool,
        random: bool,
        pattern: Vec<Field>,
    },
    /// A poll of a rendezvous channel, which is always a fault.
    PollsRendezvous,
    /// Whether the value of a `c_expr` is not zero: asked before it is cut to 32 bits.
    Host(HostCall),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    Process,
    Claim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    /// The comparison that holds exactly when this one does not.
    pub fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }
}

/// The owner of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A global, or a variable of a claim.
    State,
    /// A local of the process that executes this.
    Own,
    /// A local of the process that the enclosing [`Value::OfProcess`] has found.
    Found,
}

/// A scalar of the state that can be read and, unless it is another process's, stored in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub owner: Owner,
    pub variable: VariableId,
    /// The fields that lead from the variable to the scalar.
    pub path: Vec<u32>,
    /// One for each enclosing array, outermost first.
    pub indices: Vec<Index>,
    /// The type that stores it.
    pub ty: Type,
}

/// An index into an array of a known length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    pub value: Value,
    pub length: u32,
    /// The value may lie outside, which is a fault.
    pub is_checked: bool,
}

/// A value as a variable or a message stores it: truncated to a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub value: Value,
    pub to: Type,
    /// The value is of that type already, so that truncation changes nothing.
    pub fits: bool,
}

/// A channel, as a statement or an expression names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The channel that the variable was declared with, since nothing is ever stored in it.
    Declared(Declared),
    /// The channel that a number currently denotes.
    Numbered(Numbered),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub site: SiteId,
    pub owner: Owner,
    /// The index into an array of channels.
    pub element: Option<Box<Index>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    pub number: Box<Value>,
    /// The sites whose channels it may denote, those with the same capacity and messages together. Any other channel is a
    /// fault, and so is none.
    pub kinds: Vec<Kind>,
}

/// Sites with the same capacity and the same messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    pub sites: Vec<SiteId>,
}

/// The test of a receive or a poll for one field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    Any,
    Equal(Value),
}

/// Another process: the one with that pid or, without a pid, the oldest of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    pub proctype: ProctypeId,
    pub pid: Option<Box<Value>>,
}

/// The start of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub proctype: ProctypeId,
    /// One for each scalar of its parameters.
    pub arguments: Vec<Cut>,
    pub priority: Option<i32>,
}

impl Value {
    pub fn constant(value: i32) -> Self {
        Self::Constant { value, mtype: None }
    }

    pub fn as_constant(&self) -> Option<i32> {
        match self {
            Self::Constant { value, .. } => Some(*value),
            _ => None,
        }
    }
}

impl Test {
    /// The test that holds exactly when this one does not.
    pub fn negated(self) -> Self {
        match self {
            Self::Constant(truth) => Self::Constant(!truth),
            Self::Not(inner) => *inner,
            Self::Compare(comparison, left, right) => Self::Compare(comparison.opposite(), left, right),
            other => Self::Not(Box::new(other)),
        }
    }
}
