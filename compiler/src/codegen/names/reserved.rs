//! Names that mean something in generated code already: to Rust, or to ourselves.

use super::super::prelude::RUNTIME;

/// Words that are no names in some edition of Rust, those that are only kept for later too. What has a meaning in some
/// places alone (`union`, `auto`, `raw`, `safe`, `default`, `macro_rules`) is a name everywhere else.
pub const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// A type or a module of such a name would hide what Rust means by it.
const RUST_TYPES: &[&str] = &[
    "bool",
    "char",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "AsMut",
    "AsRef",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Future",
    "Hash",
    "Into",
    "IntoFuture",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Vec",
];

/// Types that generated code defines beside those that the model has, and the kinds of transitions in its tables.
const OWN_TYPES: &[&str] = &[
    "Channel",
    "End",
    "Hidden",
    "Internal",
    "Locals",
    "Location",
    "NoMessage",
    "Offer",
    "Other",
    "Process",
    "Receive",
    "Send",
    "State",
    "Verifier",
];

/// Modules of every emitted crate, crates that paths can begin with, files that some systems do not have, and what
/// functions of `independence.rs` begin with that belong to no proctype (`safe_level`, `add_dependencies`).
const OWN_MODULES: &[&str] = &[
    "alloc",
    "aux",
    "channels",
    "con",
    "core",
    "independence",
    "lib",
    "main",
    "model",
    "mtype",
    "nul",
    "part",
    "pmc_runtime",
    "prelude",
    "prn",
    "promises",
    "safe",
    "state",
    "std",
    "tables",
    "test",
];

/// Methods of the locals of a process.
pub const METHODS_OF_LOCALS: &[&str] = &["at", "clone", "pack", "priority", "set_at", "set_priority", "unpack"];

/// Methods of a state. Modules of proctypes give their names to methods, too.
pub const METHODS: &[&str] = &[
    "add_process",
    "at",
    "can_move",
    "channel",
    "channel_is_full",
    "channel_len",
    "clone",
    "enabled",
    "first_channel",
    "initial",
    "is_without_progress",
    "is_youngest",
    "kind",
    "last",
    "location_number",
    "n_processes",
    "next_pid",
    "objections",
    "pack",
    "priority",
    "process",
    "processes",
    "remove_youngest",
    "set_at",
    "set_kind",
    "set_last",
    "set_priority",
    "trace_received",
    "trace_sent",
    "unpack",
    "verifier",
];

/// Methods that look for a process or a queue are named with these.
pub const PREFIXES: [&str; 3] = ["any_", "find_", "like_"];

/// What the functions of a formula's module are called beside, and their parameters.
const OWN_FUNCTIONS: &[&str] = &["at", "locals", "moves", "now", "offer_moves", "timeout"];

/// All names of types that one of the model must not have.
pub fn types() -> impl Iterator<Item = &'static str> {
    RUST_TYPES.iter().chain(OWN_TYPES).copied().chain(imported())
}

/// The same for modules. A module stands where a type can stand, and hides it.
pub fn modules() -> impl Iterator<Item = &'static str> {
    RUST_TYPES.iter().chain(OWN_TYPES).chain(OWN_MODULES).chain(METHODS).copied()
}

/// The same for functions.
pub fn functions() -> impl Iterator<Item = &'static str> {
    OWN_FUNCTIONS.iter().copied().chain(values())
}

/// The same for parameters: they hide functions, and constructors and constants cannot be hidden.
pub fn values() -> impl Iterator<Item = &'static str> {
    OWN_TYPES.iter().chain(&["BESIDE", "Err", "None", "Ok", "SLOTS", "Some", "set_up"]).copied().chain(imported())
}

fn imported() -> impl Iterator<Item = &'static str> {
    RUNTIME.iter().copied()
}
