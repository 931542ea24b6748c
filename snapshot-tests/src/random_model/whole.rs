//! Models that use the whole language, from a seed.
//!
//! They are made to be compiled: anything that pmc accepts must become code that rustc accepts without a warning. So a
//! model has as many kinds of declarations, names, statements and expressions as fit in, sensible or not; most of its
//! state spaces are small all the same, so that a share of them can be run and compared.

mod declarations;
mod expressions;
mod messages;
mod processes;
mod statements;
pub mod words;

use std::collections::BTreeSet;

use super::RandomModel;
use super::random::Random;

/// The model of a seed: always the same.
pub fn random_whole_model(seed: u64) -> RandomModel {
    let mut random = Random::new(seed ^ 0x77_401e);
    let traits = Traits {
        odd_names: random.one_in(3),
        records: random.one_in(2),
        channels: !random.one_in(4),
        channel_variables: random.one_in(2),
        subtypes: random.one_in(3),
        runs: random.one_in(2),
        priorities: random.one_in(8),
        remote: random.one_in(3),
        inlines: random.one_in(4),
        claims: random.one_in(4),
        trace: random.one_in(8),
        asks: random.one_in(6),
        wild: random.one_in(4),
    };
    Whole { random, traits, ..Whole::default() }.model()
}

/// The features of a model: each model concentrates on some of them.
#[derive(Clone, Copy, Default)]
struct Traits {
    /// Names that Rust or generated code uses for something else.
    odd_names: bool,
    records: bool,
    channels: bool,
    /// Variables, parameters and fields that hold channels.
    channel_variables: bool,
    /// Several kinds of mtypes.
    subtypes: bool,
    runs: bool,
    priorities: bool,
    remote: bool,
    inlines: bool,
    claims: bool,
    trace: bool,
    /// `enabled`, `pc_value`, `_last`, `np_`.
    asks: bool,
    /// Values are not kept small.
    wild: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ty {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Pid,
    Unsigned(u32),
    /// The plain one, or a kind of its own.
    Mtype(usize),
    /// Of messages with this signature.
    Chan(usize),
    Record(usize),
}

#[derive(Clone, Debug)]
struct Var {
    name: String,
    ty: Ty,
    length: Option<u32>,
    /// Of a channel: how many messages it holds, if it is known to be one channel.
    capacity: Option<u32>,
}

#[derive(Clone, Debug)]
struct Record {
    name: String,
    fields: Vec<Var>,
}

/// The declaration of a process, before its body is generated.
#[derive(Clone, Debug)]
struct Proc {
    name: String,
    parameters: Vec<Var>,
    locals: Vec<Var>,
    labels: Vec<String>,
}

#[derive(Clone, Debug)]
struct Inline {
    name: String,
    n_parameters: usize,
}

#[derive(Default)]
struct Whole {
    random: Random,
    traits: Traits,
    /// Names that are used everywhere.
    taken: BTreeSet<String>,
    n_names: u32,
    records: Vec<Record>,
    /// The name of each kind; nothing for the plain one.
    mtypes: Vec<(String, Vec<String>)>,
    signatures: Vec<Vec<Ty>>,
    globals: Vec<Var>,
    procs: Vec<Proc>,
    inlines: Vec<Inline>,
    /// The locals in scope.
    locals: Vec<Var>,
    /// Labels of the process that have been placed, and those that are targets of jumps.
    placed: BTreeSet<String>,
    wanted: BTreeSet<String>,
    /// How many statements the process may still get.
    steps_left: u32,
    /// Inside a claim or a trace: only globals can be used.
    in_claim: bool,
}

/// The position of a statement.
#[derive(Clone, Copy, Default)]
struct Position {
    depth: u32,
    in_loop: bool,
    in_d_step: bool,
    /// The first of a sequence.
    first: bool,
}

impl Whole {
    /// A name that nothing else in the model has.
    fn name(&mut self, plain: &str) -> String {
        loop {
            self.n_names += 1;
            let candidate = if self.traits.odd_names && !self.random.one_in(4) {
                let all: Vec<&str> = words::all().collect();
                self.random.pick(&all).to_owned()
            } else if self.random.one_in(60) {
                format!("{plain}_{}_{}", "a_rather_long_name_".repeat(3), self.n_names)
            } else {
                format!("{plain}{}", self.n_names)
            };
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }

    fn one_of<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let count = u32::try_from(from.len()).unwrap_or(0);
        (count > 0).then(|| from[self.random.below(count) as usize].clone())
    }

    /// A type of a variable that is no channel and no record.
    fn scalar(&mut self) -> Ty {
        match self.random.below(12) {
            0 => Ty::Bit,
            1 => Ty::Bool,
            2 => Ty::Short,
            3 => Ty::Int,
            4 => Ty::Pid,
            5 => Ty::Unsigned(1 + self.random.below(if self.traits.wild { 31 } else { 4 })),
            6 | 7 => Ty::Mtype(self.random.below(self.mtypes.len() as u32) as usize),
            _ => Ty::Byte,
        }
    }

    /// The word in front of a name, and the text behind it.
    fn written(&self, ty: Ty) -> (String, String) {
        let plain = |word: &str| (word.to_owned(), String::new());
        match ty {
            Ty::Bit => plain("bit"),
            Ty::Bool => plain("bool"),
            Ty::Byte => plain("byte"),
            Ty::Short => plain("short"),
            Ty::Int => plain("int"),
            Ty::Pid => plain("pid"),
            Ty::Unsigned(bits) => ("unsigned".to_owned(), format!(" : {bits}")),
            Ty::Mtype(0) => plain("mtype"),
            Ty::Mtype(kind) => plain(&format!("mtype:{}", self.mtypes[kind].0)),
            Ty::Chan(_) => plain("chan"),
            Ty::Record(record) => plain(&self.records[record].name),
        }
    }
}
