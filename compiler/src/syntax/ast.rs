//! The tree: what was written.
//!
//! Every node has a span, which equality ignores. Parentheses, separators and macros are gone; an inlined call is a
//! [`StatementKind::Inlined`] that keeps its name.
//!
//! No tree that the parser returns is deeper than [`MAX_DEPTH`]: nodes are made through [`Expr::new`] and
//! [`Statement::new`], which count, so that recursion in later rooms cannot overflow the stack.

mod depth;

use crate::source::{Name, Span};

/// How deep statements may nest in statements, and expressions in expressions.
pub const MAX_DEPTH: u32 = 8_000;

#[derive(Clone, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// One model: all its files, in the order read.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct File {
    pub items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub span: Span,
    /// The comment directly above, without its markers: it becomes the documentation of the generated item.
    pub comment: Option<Name>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `mtype = { a, b }`, `mtype:kind = { c }`
    Mtype {
        kind: Option<Ident>,
        names: Vec<Ident>,
    },
    Typedef {
        name: Ident,
        fields: Vec<Declaration>,
    },
    Global(Declaration),
    Proctype(Box<Proctype>),
    Init {
        priority: Option<Expr>,
        body: Block,
    },
    Never {
        name: Option<Ident>,
        body: Block,
    },
    /// `trace` or, negated, `notrace`
    Trace {
        negated: bool,
        body: Block,
    },
    Ltl {
        name: Option<Ident>,
        formula: Expr,
    },
    /// `c_decl`, `c_state`, `c_track`, or `c_code` outside of a process.
    C {
        kind: CKind,
        text: Name,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CKind {
    Code,
    Decl,
    State,
    Track,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Proctype {
    pub name: Ident,
    pub active: Option<Active>,
    /// `D_proctype`: the author declares that the type is deterministic.
    pub deterministic: bool,
    pub parameters: Vec<Declaration>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Block,
}

/// `active` or `active [n]`.
#[derive(Clone, Debug)]
pub struct Active {
    pub count: Option<Expr>,
    pub span: Span,
}

/// `hidden byte a = 1, b[3]`: one type, one or more variables.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub visibility: Option<Visibility>,
    pub ty: TypeName,
    pub variables: Vec<Declarator>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Hidden,
    Show,
    Local,
}

#[derive(Clone, Debug)]
pub struct TypeName {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Chan,
    Timer,
    /// `scalarset(size, name)`
    Scalarset {
        size: Box<Expr>,
        name: Option<Ident>,
    },
    Mtype(Option<Ident>),
    /// The name of a typedef.
    Record(Ident),
}

#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Ident,
    /// `: n` of `unsigned x : n`.
    pub width: Option<Expr>,
    /// `[n]` of an array.
    pub size: Option<Expr>,
    pub init: Option<Initializer>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Initializer {
    pub kind: InitializerKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InitializerKind {
    Value(Expr),
    List(Vec<Expr>),
    /// `[capacity] of { fields }`
    Channel {
        capacity: Expr,
        fields: Vec<TypeName>,
    },
}

/// `{ ... }`, or the body of an option: statements and declarations in order.
#[derive(Clone, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    /// From brace to brace, or from the first statement to the last.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Statement {
    /// All labels on it, first to last.
    pub labels: Vec<Ident>,
    pub kind: StatementKind,
    /// Without the labels.
    pub span: Span,
    pub(super) depth: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    Declaration(Declaration),
    /// `xr q, r` or `xs q`
    Exclusive {
        side: Side,
        channels: Vec<VarRef>,
    },

    Block(Block),
    Atomic(Block),
    DStep(Block),
    If(Vec<Block>),
    Do(Vec<Block>),
    /// `for (variable : from .. to) body`
    ForRange {
        variable: VarRef,
        from: Expr,
        to: Expr,
        body: Block,
    },
    /// `for (variable in container) body`: an array's indices, or a channel's messages.
    ForIn {
        variable: VarRef,
        container: VarRef,
        body: Block,
    },
    Unless {
        body: Box<Statement>,
        escape: Box<Statement>,
    },
    /// A call of an inline, with the call's arguments already in place.
    Inlined(Inlined),

    Select {
        variable: VarRef,
        from: Expr,
        to: Expr,
    },
    Expr(Expr),
    /// `skip`; it means `(true)`.
    Skip,
    Else,
    Break,
    Goto(Ident),
    Assign {
        target: VarRef,
        value: Expr,
    },
    Increment(VarRef),
    Decrement(VarRef),
    Send {
        channel: VarRef,
        sorted: bool,
        arguments: Vec<Expr>,
    },
    Receive {
        channel: VarRef,
        random: bool,
        peek: bool,
        arguments: Vec<ReceiveArgument>,
    },
    /// `set(t, e)` and the like.
    Timer {
        operation: TimerOperation,
        arguments: Vec<Expr>,
    },
    Assert(Expr),
    Printf {
        format: Name,
        arguments: Vec<Expr>,
    },
    Printm(Expr),
    /// Inside an inline: its value.
    Return(Expr),
    CCode {
        guard: Option<Name>,
        text: Name,
    },
    /// A statement with an error, which was already reported.
    Broken,
}

/// The side of a channel of which a process claims exclusive use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `xr`: only it receives.
    Receive,
    /// `xs`: only it sends.
    Send,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Inlined {
    pub name: Ident,
    /// `x = f(...)`: where the value of `return` goes.
    pub result: Option<VarRef>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct ReceiveArgument {
    pub kind: ReceiveKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ReceiveKind {
    /// A variable to store the field in, or a constant's name to compare with:
    /// only the declarations tell.
    Place(VarRef),
    /// `3`, `-1`, `true`: compare.
    Constant(Expr),
    /// `eval(e)`: compare.
    Eval(Expr),
    /// `_`: take and forget.
    Ignore,
}

/// A reference to a variable, `varref` in the grammar of Promela: `a`, `a[i]`, `a.f[j].g`.
#[derive(Clone, Debug)]
pub struct VarRef {
    pub name: Ident,
    pub index: Option<Box<Expr>>,
    /// `.f[j]` and so on, outermost first.
    pub fields: Vec<FieldRef>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FieldRef {
    pub name: Ident,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    pub(super) depth: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number or a character constant.
    Number(i32),
    Bool(bool),
    /// `skip` where an expression may stand; it is 1.
    Skip,
    /// A variable, an mtype name, or a predefined one (`_pid`, `_nr_pr`, `_last`, `_priority`, `_`).
    Place(VarRef),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(condition -> yes : no)`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        proctype: Ident,
        arguments: Vec<Expr>,
        priority: Option<Box<Expr>>,
    },
    /// `len(q)`, `empty(q)`, ...
    Probe(Probe, VarRef),
    /// `q?[...]`, `q??[...]`
    Poll {
        channel: VarRef,
        random: bool,
        arguments: Vec<ReceiveArgument>,
    },
    /// `expire(t)`, `on(t)`
    Timer {
        question: TimerQuestion,
        arguments: Vec<Expr>,
    },
    Timeout,
    /// `np_`
    NonProgress,
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    SetPriority(Box<Expr>, Box<Expr>),
    /// `P[pid]@label`, `P@label`
    RemoteLabel {
        proctype: Ident,
        pid: Option<Box<Expr>>,
        label: Ident,
    },
    /// `P[pid]:x`, `P:x`
    RemoteVariable {
        proctype: Ident,
        pid: Option<Box<Expr>>,
        variable: VarRef,
    },
    CExpr {
        guard: Option<Name>,
        text: Name,
    },
    /// An expression with an error, which was already reported.
    Broken,
}

/// What a statement does with a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerOperation {
    Set,
    Reset,
    Delay,
    /// `udelay`
    UnboundedDelay,
}

impl TimerOperation {
    pub fn text(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Reset => "reset",
            Self::Delay => "delay",
            Self::UnboundedDelay => "udelay",
        }
    }
}

/// What an expression asks about a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerQuestion {
    /// `expire`
    Expired,
    On,
}

impl TimerQuestion {
    pub fn text(self) -> &'static str {
        match self {
            Self::Expired => "expire",
            Self::On => "on",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    Len,
    Empty,
    Full,
    Nempty,
    Nfull,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
    // Formulas only.
    Always,
    Eventually,
    Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    // Formulas only.
    Until,
    WeakUntil,
    /// `V` or `R`
    Release,
    Implies,
    Equivalent,
}

/// Equality that ignores spans.
macro_rules! equal_but_for_spans {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field == other.$field)&&*
            }
        }
    )*};
}

equal_but_for_spans! {
    Ident { name }
    Item { kind }
    Active { count }
    Declaration { visibility, ty, variables }
    TypeName { kind }
    Declarator { name, width, size, init }
    Initializer { kind }
    Block { statements }
    Statement { labels, kind }
    ReceiveArgument { kind }
    VarRef { name, index, fields }
    Expr { kind }
}

impl Ident {
    pub fn new(name: impl Into<Name>, span: Span) -> Self {
        Self { name: name.into(), span }
    }
}

impl VarRef {
    /// A plain variable.
    pub fn new(name: Ident) -> Self {
        let span = name.span;
        Self { name, index: None, fields: Vec::new(), span }
    }
}
