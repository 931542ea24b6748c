//! The resolved model: what was meant.
//!
//! Before: a tree with names in it. After: every name is an id, every type is known, constants are folded, records in
//! messages are flattened into their scalars, `for` and `select` have become the loops and choices that they are short
//! for. Control flow is still structured; `ir` turns it into graphs.
//!
//! Nothing in here can be ill-formed: later rooms rely on that.

mod channel_types;
mod check;
pub mod codes;
pub mod constants;
mod desugar;
pub mod embedded;
pub mod fold;
mod lints;
mod operators;
mod resolve;
mod statement;
pub mod types;
mod uses;
pub mod visit;

use crate::collections::IdVec;
use crate::diagnostic::Diagnostics;
use crate::ids;
use crate::source::{Name, SourceMap, Span};
use crate::syntax::ast;
pub use crate::syntax::ast::{Probe, Side};
pub use embedded::{BlockId, Embedded};
pub use operators::{BinaryOp, UnaryOp};
pub use statement::{Communication, stored_places};
pub use types::Type;
pub use uses::Use;

ids! {
    /// A variable: global, local, parameter, or made by the resolver.
    VariableId;
    /// A typedef.
    RecordId;
    /// An `mtype:kind` or a scalarset; number 0 is the plain `mtype`.
    MtypeId;
    /// A proctype or `init`.
    ProctypeId;
    /// A label of one process.
    LabelId;
    /// A place in the text where channels are created.
    SiteId;
}

/// Resolves a tree. After errors the result is incomplete, and must not be passed on; what is found all the same cannot
/// follow from them.
pub fn resolve(file: &ast::File, sources: &SourceMap, diagnostics: &mut Diagnostics) -> Model {
    let mut resolved = diagnostics.further(sources, |found| resolve::Resolver::new(sources, found).resolve(file));
    let types = channel_types::infer(&mut resolved.model);
    diagnostics.further(sources, |found| check::check(&resolved, &types, sources, found));
    check::complete_polls(&mut resolved.model);
    diagnostics.further(sources, |found| lints::lint(&resolved.model, &resolved.read_early, sources, found));
    resolved.model
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub mtypes: IdVec<MtypeId, Mtype>,
    pub records: IdVec<RecordId, Record>,
    pub variables: IdVec<VariableId, Variable>,
    /// In the order of declaration.
    pub globals: Vec<VariableId>,
    pub sites: IdVec<SiteId, ChannelSite>,
    /// Proctypes and `init`, in the order of the text.
    pub proctypes: IdVec<ProctypeId, Process>,
    /// The processes of the initial state, by pid.
    pub initial: Vec<ProctypeId>,
    pub never: Vec<Process>,
    pub formulas: Vec<Ltl>,
    pub trace: Option<Trace>,
    /// The text mentions `_last`, though perhaps where folding has removed it, as in `(1 -> b : _last)`. Spin makes it
    /// a part of the state then.
    pub mentions_last: bool,
    /// Searches take time in the abstract (`--timers abstract`).
    pub abstract_time: bool,
    /// The text of each `for` and counting `select`: the statements that it stands for have this place.
    pub loops: Vec<Span>,
    /// Uses of names, in the order in which they were resolved; also in a model with mistakes.
    pub uses: Vec<Use>,
    pub embedded: Embedded,
}

/// A type whose values have names, in a byte: an `mtype:kind`, or a scalarset, whose only name is `none`.
#[derive(Clone, Debug)]
pub struct Mtype {
    /// Nothing for the plain `mtype`.
    pub kind: Option<Name>,
    /// By falling value: the first name has the highest number.
    pub names: Vec<MtypeName>,
    /// For a scalarset.
    pub members: Option<Members>,
}

/// The values of a scalarset: members 0..size-1, and [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Members {
    pub size: u32,
    /// Where the set is mentioned first.
    pub span: Span,
}

/// No member of a scalarset.
pub const NONE: i32 = 255;

#[derive(Clone, Debug)]
pub struct MtypeName {
    pub name: Name,
    pub value: i32,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Record {
    pub name: Name,
    pub fields: Vec<RecordField>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct RecordField {
    pub name: Name,
    pub ty: Type,
    /// Number of elements, if an array.
    pub length: Option<u32>,
    pub init: Init,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Name,
    /// The process that owns it; nothing for a global.
    pub owner: Owner,
    /// As declared; an array of `bit` is stored as bytes, see [`Type::element`].
    pub ty: Type,
    /// Number of elements, if an array.
    pub length: Option<u32>,
    pub init: Init,
    /// `hidden`: not part of the state.
    pub hidden: bool,
    /// `local`: the author declares that only one process uses this global.
    pub promised_local: bool,
    pub origin: Origin,
    /// The name in its declaration.
    pub span: Span,
    /// The comment above the declaration.
    pub comment: Option<Name>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Global,
    Proctype(ProctypeId),
    /// The claim of that number in [`Model::never`].
    Never(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Declared,
    Parameter,
    /// Made by the resolver, as the counter of `for (m in q)`.
    Synthetic,
}

/// The initial value of a variable.
///
/// Of a global every value is a constant, already cut to its type; of a global
/// channel that copies another it is a `Read` of that one. (Spin sets globals
/// grouped by width, so that a `bit` can see an `int` above it that is still 0:
/// the constants take that into account.) Locals are set in the order of
/// [`Process::locals`], after the parameters, and may read both and globals.
#[derive(Clone, Debug)]
pub enum Init {
    Zero,
    /// The same for every element.
    All(Expr),
    /// By element; the last value repeats.
    List(Vec<Expr>),
    /// A new channel for every element.
    Channel(SiteId),
    /// A new channel for every element of a field of a record. The sites belong
    /// to the variables of that record type; see [`ChannelSite::path`].
    FieldChannel {
        capacity: u32,
        fields: Vec<Type>,
    },
}

/// Where channels are created: a declaration `chan q[n] = [capacity] of { fields }`
/// of a variable, or a field of that kind within a variable of a record type.
#[derive(Clone, Debug)]
pub struct ChannelSite {
    pub variable: VariableId,
    /// Field numbers that lead from the variable to the channel.
    pub path: Vec<u32>,
    /// How many channels: the product of the array lengths on the way.
    pub count: u32,
    /// 0: rendezvous.
    pub capacity: u32,
    /// Scalars only: records are spread.
    pub fields: Vec<Type>,
    pub span: Span,
}

impl ChannelSite {
    /// Sender and receiver take one step together.
    pub fn is_rendezvous(&self) -> bool {
        self.capacity == 0
    }
}

/// A proctype, `init`, or a never claim.
#[derive(Clone, Debug)]
pub struct Process {
    pub name: Name,
    pub kind: ProcessKind,
    pub parameters: Vec<VariableId>,
    /// Declared and synthetic locals in the order of the text, without the
    /// parameters. All exist, and have their initial value, from the start.
    pub locals: Vec<VariableId>,
    pub labels: IdVec<LabelId, Label>,
    pub body: Vec<Statement>,
    /// Where the closing brace is.
    pub end: Span,
    /// The priority it starts with, if one was given.
    pub priority: Option<i32>,
    pub provided: Option<Expr>,
    /// `D_proctype`
    pub deterministic: bool,
    /// `xr` and `xs`
    pub exclusive: Vec<(Side, ChannelRef)>,
    /// The name in its declaration.
    pub span: Span,
    pub comment: Option<Name>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessKind {
    Proctype,
    Init,
    Never,
}

#[derive(Clone, Debug)]
pub struct Label {
    pub name: Name,
    pub span: Span,
}

/// A scalar parameter of a `run`: a parameter, or a field of one.
#[derive(Clone, Debug)]
pub struct ParameterScalar {
    pub variable: VariableId,
    /// The fields that lead to it.
    pub path: Vec<u32>,
    pub ty: Type,
}

impl Model {
    /// The scalar parameters that the arguments of a `run` set, one by one. There are no arrays in parameters.
    pub fn parameter_scalars(&self, proctype: ProctypeId) -> Vec<ParameterScalar> {
        let mut found = Vec::new();
        for variable in &self.proctypes[proctype].parameters {
            self.collect_scalars(*variable, self.variables[*variable].ty, &mut Vec::new(), &mut found);
        }
        found
    }

    fn collect_scalars(&self, variable: VariableId, ty: Type, path: &mut Vec<u32>, found: &mut Vec<ParameterScalar>) {
        let Type::Record(record) = ty else {
            found.push(ParameterScalar { variable, path: path.clone(), ty });
            return;
        };
        for (number, field) in (0..).zip(&self.records[record].fields) {
            path.push(number);
            self.collect_scalars(variable, field.ty, path, found);
            path.pop();
        }
    }

    /// The globals, and behind them the variables of claims: all variables of the state that belong to no process.
    pub fn state_variables(&self) -> impl Iterator<Item = VariableId> {
        self.globals.iter().chain(self.never.iter().flat_map(|claim| &claim.locals)).copied()
    }

    /// The variable that a channel is declared with and the fields that lead from it to the channel.
    pub fn site_name(&self, site: &ChannelSite, separator: &str) -> String {
        let variable = &self.variables[site.variable];
        let mut name = variable.name.to_string();
        let mut ty = variable.ty;
        for field in &site.path {
            if let Type::Record(record) = ty {
                let field = &self.records[record].fields[*field as usize];
                name = format!("{name}{separator}{}", field.name);
                ty = field.ty;
            }
        }
        name
    }
}

impl Model {
    /// The scalarsets, in the order in which they are mentioned.
    pub fn sets(&self) -> impl Iterator<Item = (MtypeId, Members)> + '_ {
        self.mtypes.iter_enumerated().filter_map(|(id, mtype)| Some((id, mtype.members?)))
    }
}

impl Mtype {
    /// As an author names the type.
    pub fn text(&self) -> String {
        match (&self.kind, self.members) {
            // `scalarset(3)`
            (Some(set), Some(_)) => set.to_string(),
            (Some(kind), None) => format!("mtype:{kind}"),
            (None, _) => "mtype".to_owned(),
        }
    }
}

impl Label {
    pub fn is_end(&self) -> bool {
        self.name.starts_with("end")
    }
    pub fn is_accept(&self) -> bool {
        self.name.starts_with("accept")
    }
    pub fn is_progress(&self) -> bool {
        self.name.starts_with("progress")
    }
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub labels: Vec<LabelId>,
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    // Structure.
    Block(Vec<Statement>),
    Atomic(Vec<Statement>),
    DStep(Vec<Statement>),
    If(Vec<Choice>),
    Do(Vec<Choice>),
    Unless {
        body: Vec<Statement>,
        escape: Vec<Statement>,
    },
    Break,
    Goto(LabelId),

    // Steps.
    /// An expression as a statement, `skip` and `timeout` included: executable
    /// when not zero.
    Condition(Expr),
    /// The first step of an option, though perhaps within a block, `atomic` or
    /// `d_step` that stands there.
    Else,
    /// `x++` is here too, as `x = x + 1`; so is a declaration that does not stand
    /// at the head of its process: each pass stores the initial value again, of
    /// an array only in element 0. (For a record, Spin makes it a `skip`.)
    Assign {
        target: Target,
        value: Expr,
    },
    Send {
        channel: ChannelRef,
        sorted: bool,
        message: Vec<Expr>,
    },
    Receive {
        channel: ChannelRef,
        random: bool,
        peek: bool,
        pattern: Vec<Pattern>,
    },
    Assert(Expr),
    Print(Vec<Printed>),
    /// In a trace only, and there the only step beside `Condition` and `Else`:
    /// a send or a receive whose message matches. The pattern stores nothing.
    Event {
        side: Side,
        channel: ChannelRef,
        pattern: Vec<Pattern>,
    },
}

/// An option of `if` or `do`. Never empty; its first statement is its guard.
#[derive(Clone, Debug)]
pub struct Choice {
    pub body: Vec<Statement>,
    pub span: Span,
}

/// What an assignment or a receive stores in.
#[derive(Clone, Debug)]
pub enum Target {
    Place(Place),
    /// `_priority` of the process itself.
    Priority,
    /// `_`: forgotten.
    Ignore,
    /// What a `c_code` changes. The value is its [`ExprKind::Host`].
    Several(Vec<Place>),
}

/// One field of a receive, a poll or a traced event.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Matches anything; a receive stores it, a poll does not.
    Store(Place),
    /// Matches equal values: a constant, or `eval(e)`.
    Equal(Expr),
    /// `_`
    Ignore,
}

/// A part of what a `printf` or `printm` prints.
#[derive(Clone, Debug)]
pub enum Printed {
    Text(Name),
    /// `%d`
    Signed(Expr),
    /// `%u`
    Unsigned(Expr),
    /// `%o`
    Octal(Expr),
    /// `%x`
    Hexadecimal(Expr),
    /// `%c`
    Character(Expr),
    /// `%e`, `printm`: the name of an mtype value.
    Symbol(MtypeId, Expr),
}

/// A scalar that can be read or stored in.
#[derive(Clone, Debug)]
pub struct Place {
    pub variable: VariableId,
    /// Given exactly when the variable is an array.
    pub index: Option<Box<Expr>>,
    /// From the outermost record to the scalar; empty for a scalar variable.
    pub fields: Vec<FieldAccess>,
    /// The type it is stored with: never a record.
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct FieldAccess {
    /// Number of the field in its record.
    pub field: u32,
    /// Given exactly when the field is an array.
    pub index: Option<Box<Expr>>,
}

/// A channel as a statement or expression names it.
#[derive(Clone, Debug)]
pub struct ChannelRef {
    pub place: Place,
    /// Every site whose channels it may denote, ascending. Empty: it can only
    /// hold "no channel", and using it is an error at run time.
    pub sites: Vec<SiteId>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Of a constant that was written as a name of an mtype: which mtype that is. Only messages to the user depend on
    /// it.
    pub mtype: Option<MtypeId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Constant(i32),
    Read(Place),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The new process's pid, or 0 if there was no room. At most one in a
    /// statement, never in a claim or a `provided` clause. Arguments are scalars:
    /// a record is spread, over as many as the parameter has fields.
    Run {
        proctype: ProctypeId,
        arguments: Vec<Expr>,
        priority: Option<i32>,
    },
    Probe(Probe, ChannelRef),
    /// The pattern may be shorter than the message, if the channel may be one of
    /// several with messages of different lengths: what is left matches anything.
    Poll {
        channel: ChannelRef,
        random: bool,
        pattern: Vec<Pattern>,
    },
    Timeout,
    /// `_pid`
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_last`
    Last,
    /// `np_`
    NonProgress,
    /// `_priority` of the process itself
    Priority,
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    SetPriority(Box<Expr>, Box<Expr>),
    RemoteLabel {
        proctype: ProctypeId,
        pid: Option<Box<Expr>>,
        label: LabelId,
    },
    RemoteVariable {
        proctype: ProctypeId,
        pid: Option<Box<Expr>>,
        place: Box<Place>,
    },
    /// The value of a `c_expr`, or what a `c_code` does.
    Host(HostCall),
}

/// A block of C and the values of what it mentions: it depends on nothing else. It may fail.
#[derive(Clone, Debug)]
pub struct HostCall {
    pub block: BlockId,
    pub arguments: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub struct Ltl {
    /// Given or made up (`ltl_0`).
    pub name: Name,
    pub formula: Formula,
    /// The name in its declaration, or all of it.
    pub span: Span,
    /// The text between the braces.
    pub written: Span,
}

/// A formula of linear temporal logic over boolean expressions.
#[derive(Clone, Debug)]
pub enum Formula {
    /// True when not zero.
    Atom(Expr),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    WeakUntil(Box<Formula>, Box<Formula>),
    Release(Box<Formula>, Box<Formula>),
}

/// `trace` or `notrace`: its body is a process whose steps are events.
#[derive(Clone, Debug)]
pub struct Trace {
    pub negated: bool,
    pub process: Process,
    pub span: Span,
}
