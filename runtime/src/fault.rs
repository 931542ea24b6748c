//! Faults: errors inside a step, apart from assertions.
//!
//! Where Spin's verifier would read outside an array, divide by zero or use a channel that does not exist, generated
//! code gets a `Fault` from the helpers in `generated/value.rs` and passes it to
//! [`Steps::fault`](crate::step::Steps::fault). A fault is small and `Copy`, so that a `Result` with it costs little in
//! the inner loop; its text is made for the report.

use std::fmt;

/// A step that cannot be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An index outside its array.
    ArrayIndex {
        /// The index.
        index: i32,
        /// The length of the array.
        length: u32,
    },
    /// `/` or `%` by zero.
    DivideByZero,
    /// `/` or `%` of the least number by -1.
    DivideOverflow,
    /// A channel variable that was never given a channel.
    UninitializedChannel,
    /// A channel whose process has ended, or a number that is not that of a channel.
    BadChannel {
        /// The number of the channel.
        channel: i32,
    },
    /// `c?[...]` polls a rendezvous channel, which never holds a message.
    PollRendezvous,
    /// A message of a shape that the channel does not carry; only possible where channels are not known statically.
    MessageShape,
    /// A `run` beyond `limit` processes.
    ProcessLimit {
        /// The limit.
        limit: u32,
    },
    /// A state that is too large for the layout (too many channels, say).
    StateSize,
    /// A statement inside a `d_step`, not the first, that cannot be executed.
    DStepBlocks,
    /// A send inside a `d_step` that needs a rendezvous partner, which the `d_step` keeps from moving.
    DStepRendezvous,
    /// A `d_step` that executes so many statements that it is taken to be endless.
    DStepEndless,
    /// `enabled(_pid)` asks a process about itself.
    EnabledSelf,
    /// `select (x : low .. high)` with low > high.
    SelectRange {
        /// The least value.
        low: i32,
        /// The greatest value.
        high: i32,
    },
    /// A process is at a statement that receives from a channel, or sends to one, of which another process has
    /// exclusive use by `xr` or `xs`. `len` and similar operators count as both.
    ExclusiveReceive,
    /// A process sends to a channel of which another process promised to be the only sender.
    ExclusiveSend,
    /// The precondition of a block of C does not hold.
    Precondition {
        /// The word and the line of the block, and the precondition: behind one pointer, since every step may return a fault.
        block: &'static [&'static str; 2],
    },
    /// The C code of a block ended with a signal.
    Crash {
        /// The word and the line of the block, and its precondition.
        block: &'static [&'static str; 2],
        /// The number of the signal.
        signal: i32,
    },
    /// The C code of a block does not end.
    EndlessBlock {
        /// The word and the line of the block, and its precondition.
        block: &'static [&'static str; 2],
    },
    /// A `c_expr` has changed the state.
    SideEffect {
        /// The word and the line of the block, and its precondition.
        block: &'static [&'static str; 2],
    },
    /// A remote reference to a process that does not exist or is of another type.
    RemoteReference {
        /// The pid.
        pid: i32,
    },
}

impl Fault {
    /// The name of the kind in reports (`violation.kind` in the JSON report).
    pub fn kind(self) -> &'static str {
        match self {
            Fault::ArrayIndex { .. } => "array-index",
            Fault::DivideByZero => "divide-by-zero",
            Fault::DivideOverflow => "divide-overflow",
            Fault::UninitializedChannel | Fault::BadChannel { .. } | Fault::PollRendezvous | Fault::MessageShape => {
                "channel"
            }
            Fault::ProcessLimit { .. } => "process-limit",
            Fault::StateSize => "state-size",
            Fault::DStepBlocks | Fault::DStepRendezvous => "d-step-blocks",
            Fault::DStepEndless => "d-step-endless",
            Fault::EnabledSelf => "enabled-self",
            Fault::SelectRange { .. } => "select-range",
            Fault::ExclusiveReceive | Fault::ExclusiveSend => "xr-xs",
            Fault::Precondition { .. } => "precondition",
            Fault::Crash { .. } => "crash",
            Fault::EndlessBlock { .. } => "endless-block",
            Fault::SideEffect { .. } => "side-effect",
            Fault::RemoteReference { .. } => "remote-reference",
        }
    }

    /// Whether the search ends here even with `--all-errors`: the rest of the run has no meaning.
    pub fn ends_search(self) -> bool {
        match self {
            Fault::BadChannel { .. }
            | Fault::MessageShape
            | Fault::ProcessLimit { .. }
            | Fault::StateSize
            | Fault::DStepBlocks
            | Fault::DStepRendezvous
            | Fault::DStepEndless
            | Fault::EnabledSelf
            // The memory of the verifier may be damaged.
            | Fault::Crash { .. }
            | Fault::EndlessBlock { .. }
            | Fault::SideEffect { .. } => true,
            Fault::ArrayIndex { .. }
            | Fault::DivideByZero
            | Fault::DivideOverflow
            | Fault::UninitializedChannel
            | Fault::PollRendezvous
            | Fault::SelectRange { .. }
            | Fault::ExclusiveReceive
            | Fault::ExclusiveSend
            | Fault::Precondition { .. }
            | Fault::RemoteReference { .. } => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Fault::ArrayIndex { index, length: 1 } => {
                write!(f, "array index {index} is outside of an array with 1 element")
            }
            Fault::ArrayIndex { index, length } => {
                write!(f, "array index {index} is outside of an array with {length} elements")
            }
            Fault::DivideByZero => write!(f, "division by zero"),
            Fault::DivideOverflow => write!(f, "division of -2147483648 by -1, which does not fit in 32 bits"),
            Fault::UninitializedChannel => write!(f, "channel variable has no channel"),
            Fault::BadChannel { channel } => write!(f, "no channel has the number {channel}"),
            Fault::PollRendezvous => write!(f, "poll of a rendezvous channel, which never holds a message"),
            Fault::MessageShape => write!(f, "message does not have the fields that the channel carries"),
            Fault::ProcessLimit { limit } => write!(f, "too many processes (the limit is {limit})"),
            Fault::StateSize => write!(f, "the state does not fit its layout"),
            Fault::DStepBlocks => write!(f, "statement inside d_step cannot be executed"),
            Fault::DStepRendezvous => write!(f, "rendezvous inside d_step"),
            Fault::DStepEndless => write!(f, "d_step does not end"),
            Fault::EnabledSelf => write!(f, "enabled() asks a process about itself"),
            Fault::SelectRange { low, high } => write!(f, "select from the empty range {low} .. {high}"),
            Fault::ExclusiveReceive => {
                write!(f, "uses the receiving side of a channel that another process has for itself (xr)")
            }
            Fault::ExclusiveSend => {
                write!(f, "uses the sending side of a channel that another process has for itself (xs)")
            }
            Fault::Precondition { block: [block, text] } => write!(f, "{block} precondition false: {text}"),
            Fault::Crash { block: [block, _], signal } => write!(f, "{block} crashed: {}", signal_name(signal)),
            Fault::EndlessBlock { block: [block, _] } => {
                write!(f, "{block} has used ten seconds of processor time, and is taken to be endless")
            }
            Fault::SideEffect { block: [block, _] } => write!(f, "{block} has changed a variable of the model"),
            Fault::RemoteReference { pid } => write!(f, "reference to process {pid}, which is not there"),
        }
    }
}

/// What a signal is called, and what it means.
fn signal_name(signal: i32) -> String {
    match signal {
        4 => "SIGILL, an instruction that does not exist".to_owned(),
        6 => "SIGABRT, as by `abort`".to_owned(),
        8 => "SIGFPE, as by a division by zero".to_owned(),
        7 | 10 => "SIGBUS, memory that is not there".to_owned(),
        11 => "SIGSEGV, memory that is not its own".to_owned(),
        other => format!("signal {other}"),
    }
}

impl std::error::Error for Fault {}

/// The ways in which a run violates a trace assertion, which prescribes the order of sends and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// A message that a `trace` mentions, but does not allow now.
    NoMatch,
    /// The whole sequence that a `notrace` forbids has happened.
    Matched,
    /// No process is enabled, and a `trace` expects more.
    Unfinished,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TraceError::NoMatch => "the trace does not allow this now",
            TraceError::Matched => "all events of the notrace have happened",
            TraceError::Unfinished => "the trace is not at its end, and no process can move",
        })
    }
}
