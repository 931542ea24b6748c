//! Names that are already used in generated code: by Rust, or by pmc.

use super::super::prelude::RUNTIME;

/// Words that are keywords or reserved in some edition of Rust. Words with a meaning in some contexts only (`union`,
/// `auto`, `raw`, `safe`, `default`, `macro_rules`) are names everywhere else.
pub const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// A type or a module of such a name would shadow that of Rust.
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

/// Types that generated code defines for every model, and the kinds of transitions in its tables.
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

/// Modules of every emitted crate, crates that paths can begin with, file names that some systems forbid, and prefixes
/// of functions of `independence.rs` that belong to no proctype (`safe_level`, `add_dependencies`).
const OWN_MODULES: &[&str] = &[
    "alloc",
    "aux",
    "channels",
    "con",
    "core",
    "embedded",
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
    "symmetry",
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

/// Methods that look up a process or a queue have these prefixes.
pub const PREFIXES: [&str; 3] = ["any_", "find_", "like_"];

/// Other functions in the module of a formula, and their parameters.
const OWN_FUNCTIONS: &[&str] = &["at", "locals", "moves", "now", "offer_moves", "timeout"];

/// Parameters of generated functions. A module of such a name would look like a use of the parameter.
const PARAMETERS: &[&str] = &["bit_set", "me", "moves", "next", "now", "offer", "steps"];

/// All names of types that the model must not use.
pub fn types() -> impl Iterator<Item = &'static str> {
    RUST_TYPES.iter().chain(OWN_TYPES).copied().chain(imported())
}

/// The same for modules. A module is in the namespace of types, and shadows them.
pub fn modules() -> impl Iterator<Item = &'static str> {
    RUST_TYPES.iter().chain(OWN_TYPES).chain(OWN_MODULES).chain(METHODS).chain(PARAMETERS).copied()
}

/// The same for functions.
pub fn functions() -> impl Iterator<Item = &'static str> {
    OWN_FUNCTIONS.iter().copied().chain(values())
}

/// The same for parameters: they shadow functions, and constructors and constants cannot be shadowed.
pub fn values() -> impl Iterator<Item = &'static str> {
    OWN_TYPES.iter().chain(&["BESIDE", "Err", "None", "Ok", "SLOTS", "Some", "set_up"]).copied().chain(imported())
}

fn imported() -> impl Iterator<Item = &'static str> {
    RUNTIME.iter().copied()
}
