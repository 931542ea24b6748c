//! Expressions as Promela.

use super::Printer;
use crate::syntax::ast::{
    BinaryOp, Expr, ExprKind, FieldRef, Ident, Probe, ReceiveArgument, ReceiveKind, UnaryOp, VarRef,
};

impl Printer {
    pub(super) fn receive_argument(&mut self, argument: &ReceiveArgument) {
        match &argument.kind {
            ReceiveKind::Place(place) => self.place(place),
            ReceiveKind::Constant(value) => self.expr(value),
            ReceiveKind::Eval(value) => self.function("eval", value),
            ReceiveKind::Ignore => self.text("_"),
        }
    }

    pub(super) fn ident(&mut self, ident: &Ident) {
        self.text(&ident.name);
    }

    pub(super) fn index(&mut self, index: &Expr) {
        self.text("[");
        self.expr(index);
        self.text("]");
    }

    pub(super) fn place(&mut self, place: &VarRef) {
        self.ident(&place.name);
        if let Some(index) = &place.index {
            self.index(index);
        }
        for FieldRef { name, index } in &place.fields {
            self.text(".");
            self.ident(name);
            if let Some(index) = index {
                self.index(index);
            }
        }
    }

    pub(super) fn function(&mut self, name: &str, argument: &Expr) {
        self.text(name);
        self.text("(");
        self.expr(argument);
        self.text(")");
    }

    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            // Spin reads a number beyond 31 bits as the negative one that has its bits.
            ExprKind::Number(value) => self.text(&value.cast_unsigned().to_string()),
            ExprKind::Bool(value) => self.text(if *value { "true" } else { "false" }),
            ExprKind::Skip => self.text("skip"),
            ExprKind::Place(place) => self.place(place),
            ExprKind::Unary(op, operand) => {
                self.text(unary_text(*op));
                // `- -x` and `! !x` are not `--x` and `!!x`.
                let is_sign = |op: UnaryOp| matches!(op, UnaryOp::Negate | UnaryOp::Not | UnaryOp::Complement);
                let is_doubled = matches!(operand.kind, ExprKind::Unary(inner, _) if is_sign(inner));
                self.text(if is_doubled || !is_sign(*op) { " " } else { "" });
                self.operand(operand, level(&expr.kind));
            }
            ExprKind::Binary(op, left, right) => {
                let level = level(&expr.kind);
                self.operand(left, level);
                self.text(&format!(" {} ", binary_text(*op)));
                self.operand(right, level - 1);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.text("(");
                self.expr(condition);
                self.text(" -> ");
                self.expr(yes);
                self.text(" : ");
                self.expr(no);
                self.text(")");
            }
            ExprKind::Run { proctype, arguments, priority } => {
                self.text(&format!("run {}(", proctype.name));
                self.list(arguments, ", ", Self::expr);
                self.text(")");
                self.clause(" priority ", priority.as_deref());
            }
            ExprKind::Probe(probe, channel) => {
                self.text(probe_text(*probe));
                self.text("(");
                self.place(channel);
                self.text(")");
            }
            ExprKind::Poll { channel, random, arguments } => {
                self.place(channel);
                self.text(query(*random));
                self.text("[");
                self.list(arguments, ",", Self::receive_argument);
                self.text("]");
            }
            ExprKind::Timer { question, arguments } => {
                self.text(question.text());
                self.text("(");
                self.list(arguments, ", ", Self::expr);
                self.text(")");
            }
            ExprKind::Timeout => self.text("timeout"),
            ExprKind::NonProgress => self.text("np_"),
            ExprKind::Enabled(pid) => self.function("enabled", pid),
            ExprKind::PcValue(pid) => self.function("pc_value", pid),
            ExprKind::GetPriority(pid) => self.function("get_priority", pid),
            ExprKind::SetPriority(pid, priority) => {
                self.text("set_priority(");
                self.expr(pid);
                self.text(", ");
                self.expr(priority);
                self.text(")");
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                self.remote(proctype, pid.as_deref(), "@");
                self.ident(label);
            }
            ExprKind::RemoteVariable { proctype, pid, variable } => {
                self.remote(proctype, pid.as_deref(), ":");
                self.place(variable);
            }
            ExprKind::CExpr { guard, text } => {
                let guard = guard.as_ref().map_or(String::new(), |guard| format!("[{guard}] "));
                self.text(&format!("c_expr {guard}{{{text}}}"));
            }
            ExprKind::Broken => self.text("1 /* broken */"),
        }
    }

    pub(super) fn remote(&mut self, proctype: &Ident, pid: Option<&Expr>, sign: &str) {
        self.ident(proctype);
        if let Some(pid) = pid {
            self.index(pid);
        }
        self.text(sign);
    }

    /// An operand where only what binds as tightly as `loosest` needs no parentheses.
    pub(super) fn operand(&mut self, operand: &Expr, loosest: u8) {
        if level(&operand.kind) > loosest {
            self.text("(");
            self.expr(operand);
            self.text(")");
        } else {
            self.expr(operand);
        }
    }
}

/// The level of precedence in the grammar: the higher, the looser.
fn level(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Unary(..) => 2,
        ExprKind::Binary(op, ..) => match op {
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 3,
            BinaryOp::Add | BinaryOp::Subtract => 4,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 5,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 6,
            BinaryOp::Equal | BinaryOp::NotEqual => 7,
            BinaryOp::BitAnd => 8,
            BinaryOp::BitXor => 9,
            BinaryOp::BitOr => 10,
            BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release => 11,
            BinaryOp::And => 12,
            BinaryOp::Or => 13,
            BinaryOp::Implies | BinaryOp::Equivalent => 14,
        },
        _ => 1,
    }
}

fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "-",
        UnaryOp::Not => "!",
        UnaryOp::Complement => "~",
        UnaryOp::Always => "[]",
        UnaryOp::Eventually => "<>",
        UnaryOp::Next => "X",
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Until => "U",
        BinaryOp::WeakUntil => "W",
        BinaryOp::Release => "V",
        BinaryOp::Implies => "->",
        BinaryOp::Equivalent => "<->",
    }
}

fn probe_text(probe: Probe) -> &'static str {
    match probe {
        Probe::Len => "len",
        Probe::Empty => "empty",
        Probe::Full => "full",
        Probe::Nempty => "nempty",
        Probe::Nfull => "nfull",
    }
}

pub(super) fn query(random: bool) -> &'static str {
    if random { "??" } else { "?" }
}
