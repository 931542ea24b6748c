//! Formulas of linear temporal logic.

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::model::resolve::processes::Setting;
use crate::model::{Formula, Ltl, codes};
use crate::source::{Name, Span};
use crate::syntax::ast::{self, BinaryOp, UnaryOp};

impl<'a> Resolver<'a> {
    pub(super) fn formula(&mut self, item: &'a ast::Item, name: Option<&ast::Ident>, formula: &'a ast::Expr) {
        let n_before = self.model.formulas.len();
        let (name, span) = match name {
            Some(ident) => (ident.name.clone(), ident.span),
            None => (Name::from(format!("ltl_{n_before}")), item.span),
        };
        self.claim_name(&name, span);
        self.here.setting = Setting::Formula;
        self.here.run_ban = Some("a formula");
        let written = formula.span;
        let formula = self.temporal(formula);
        self.here.setting = Setting::Outside;
        self.here.run_ban = None;
        self.model.formulas.push(Ltl { name, formula, span, written });
    }

    /// Claims and formulas are chosen by name, so that each needs its own.
    pub(super) fn claim_name(&mut self, name: &Name, span: Span) {
        if let Some(earlier) = self.claims.insert(name.clone(), span) {
            let error = Diagnostic::error(codes::REDECLARED, span, format!("there are two claims named `{name}`"))
                .label(earlier, "first declared here");
            self.diagnostics.add(error);
        }
    }

    fn temporal(&mut self, expr: &'a ast::Expr) -> Formula {
        match &expr.kind {
            ast::ExprKind::Unary(op, operand) => match op {
                UnaryOp::Always => Formula::Always(self.boxed_temporal(operand)),
                UnaryOp::Eventually => Formula::Eventually(self.boxed_temporal(operand)),
                UnaryOp::Next => Formula::Next(self.boxed_temporal(operand)),
                UnaryOp::Not => Formula::Not(self.boxed_temporal(operand)),
                UnaryOp::Negate | UnaryOp::Complement => Formula::Atom(self.expr(expr)),
            },
            ast::ExprKind::Binary(op, left, right) => {
                let make: fn(Box<Formula>, Box<Formula>) -> Formula = match op {
                    BinaryOp::And => Formula::And,
                    BinaryOp::Or => Formula::Or,
                    BinaryOp::Implies => Formula::Implies,
                    BinaryOp::Equivalent => Formula::Equivalent,
                    BinaryOp::Until => Formula::Until,
                    BinaryOp::WeakUntil => Formula::WeakUntil,
                    BinaryOp::Release => Formula::Release,
                    BinaryOp::Add
                    | BinaryOp::Subtract
                    | BinaryOp::Multiply
                    | BinaryOp::Divide
                    | BinaryOp::Remainder
                    | BinaryOp::BitAnd
                    | BinaryOp::BitOr
                    | BinaryOp::BitXor
                    | BinaryOp::ShiftLeft
                    | BinaryOp::ShiftRight
                    | BinaryOp::Equal
                    | BinaryOp::NotEqual
                    | BinaryOp::Less
                    | BinaryOp::LessEqual
                    | BinaryOp::Greater
                    | BinaryOp::GreaterEqual => return Formula::Atom(self.expr(expr)),
                };
                let left = self.boxed_temporal(left);
                make(left, self.boxed_temporal(right))
            }
            _ => Formula::Atom(self.expr(expr)),
        }
    }

    fn boxed_temporal(&mut self, expr: &'a ast::Expr) -> Box<Formula> {
        Box::new(self.temporal(expr))
    }
}
