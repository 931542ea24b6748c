//! All that generated code uses of the runtime. Unstable: it changes with the compiler.
//!
//! The modules in this folder serve no other purpose; the rest of the runtime does not know them.

mod asking;
mod channel;
mod d_step;
mod embedded;
mod moves;
mod outcome;
mod processes;
mod traced;
mod value;
mod words;

pub use crate::control_flow::ControlFlow;
pub use crate::fault::{Fault, TraceError};
pub use crate::model::{
    ClaimInfo, ClaimKind, ClaimLocationInfo, ClaimMoveInfo, Describe, Features, GrowingInfo, LocationInfo, Model,
    ModelInfo, ProctypeInfo, SourcePosition, Tick, TransitionInfo, TransitionKind,
};
pub use crate::pack::{Bytes, Packed, Reader, Words, Writer};
pub use crate::reduction::{
    Cluster, Independence, NEVER, ProcessPart, ReductionInfo, Split, Table, Visibility, add, level,
};
pub use crate::step::{ClaimLocation, ClaimMoves, NoSteps, Pid, PidSet, Steps, TransitionId};
pub use asking::ask_enabled;
pub use channel::{GrowingQueue, Queue};
pub use d_step::{DStep, Flow, offer_d_step, offer_d_step_handshake};
pub use embedded::block_end;
pub use moves::{ClaimMove, go, go_asserting, go_changing, go_d_step};
pub use outcome::{Asserted, Handshake, Outcome, Text, offer, offer_handshake, offer_printing, with_merged};
pub use processes::{GrowingProcesses, Processes};
pub use traced::{Objections, TraceObserver, Traced};
pub use value::{bit, byte, divide, index, int, remainder, shift_left, shift_right, short, unsigned};
pub use words::{
    QueueIn, QueueInMut, Shape, clear, field, field_from, field_of, field_of_from, get, get_from, next_pid, nth,
    number, set, set_from,
};
