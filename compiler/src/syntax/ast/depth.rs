//! How deep a tree is, counted as it grows.

use super::{Block, Expr, ExprKind, ReceiveArgument, ReceiveKind, Statement, StatementKind, VarRef};
use crate::source::Span;

impl VarRef {
    fn depth(&self) -> u32 {
        let fields = self.fields.iter().filter_map(|field| field.index.as_deref());
        self.index.as_deref().into_iter().chain(fields).map(Expr::depth).max().unwrap_or(0)
    }
}

impl Expr {
    pub fn new(kind: ExprKind, span: Span) -> Self {
        let depth = 1 + kind.depth_below();
        Self { kind, span, depth }
    }

    /// How many expressions lie within each other here, this one included.
    pub fn depth(&self) -> u32 {
        self.depth
    }
}

impl ExprKind {
    fn depth_below(&self) -> u32 {
        let deepest = |list: &[Expr]| list.iter().map(Expr::depth).max().unwrap_or(0);
        match self {
            Self::Number(_) | Self::Bool(_) | Self::Skip | Self::Timeout | Self::NonProgress => 0,
            Self::CExpr { .. } | Self::Broken => 0,
            Self::Place(place) | Self::Probe(_, place) => place.depth(),
            Self::Unary(_, e) | Self::Enabled(e) | Self::PcValue(e) | Self::GetPriority(e) => e.depth,
            Self::Binary(_, left, right) | Self::SetPriority(left, right) => left.depth.max(right.depth),
            Self::Conditional(condition, yes, no) => condition.depth.max(yes.depth).max(no.depth),
            Self::Run { arguments, priority, .. } => {
                deepest(arguments).max(priority.as_ref().map_or(0, |priority| priority.depth))
            }
            Self::Poll { channel, arguments, .. } => {
                arguments.iter().map(ReceiveArgument::depth).max().unwrap_or(0).max(channel.depth())
            }
            Self::Timer { arguments, .. } => deepest(arguments),
            Self::RemoteLabel { pid, .. } => pid.as_ref().map_or(0, |pid| pid.depth),
            Self::RemoteVariable { pid, variable, .. } => pid.as_ref().map_or(0, |pid| pid.depth).max(variable.depth()),
        }
    }
}

impl ReceiveArgument {
    fn depth(&self) -> u32 {
        match &self.kind {
            ReceiveKind::Place(place) => place.depth(),
            ReceiveKind::Constant(value) | ReceiveKind::Eval(value) => value.depth,
            ReceiveKind::Ignore => 0,
        }
    }
}

impl Block {
    fn depth(&self) -> u32 {
        self.statements.iter().map(Statement::depth).max().unwrap_or(0)
    }
}

impl Statement {
    pub fn new(kind: StatementKind, span: Span) -> Self {
        let depth = 1 + kind.depth_below();
        Self { labels: Vec::new(), kind, span, depth }
    }

    /// How many statements lie within each other here, this one included.
    pub fn depth(&self) -> u32 {
        self.depth
    }
}

impl StatementKind {
    fn depth_below(&self) -> u32 {
        match self {
            Self::Block(body) | Self::Atomic(body) | Self::DStep(body) => body.depth(),
            Self::ForRange { body, .. } | Self::ForIn { body, .. } => body.depth(),
            Self::Inlined(inlined) => inlined.body.depth(),
            Self::If(options) | Self::Do(options) => options.iter().map(Block::depth).max().unwrap_or(0),
            Self::Unless { body, escape } => body.depth.max(escape.depth),
            Self::Declaration(_) | Self::Exclusive { .. } | Self::Select { .. } | Self::Expr(_) => 0,
            Self::Skip | Self::Else | Self::Break | Self::Goto(_) | Self::Assign { .. } => 0,
            Self::Increment(_) | Self::Decrement(_) | Self::Send { .. } | Self::Receive { .. } => 0,
            Self::Timer { .. } | Self::Assert(_) | Self::Printf { .. } | Self::Printm(_) | Self::Return(_) => 0,
            Self::CCode { .. } | Self::Broken => 0,
        }
    }
}
