//! Operators on numbers. The temporal ones of the syntax are not among them: they
//! become [`Formula`](super::Formula).

use crate::syntax::ast;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Negate,
    Not,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl UnaryOp {
    /// `None` for a temporal operator.
    pub fn of(op: ast::UnaryOp) -> Option<Self> {
        Some(match op {
            ast::UnaryOp::Negate => Self::Negate,
            ast::UnaryOp::Not => Self::Not,
            ast::UnaryOp::Complement => Self::Complement,
            ast::UnaryOp::Always | ast::UnaryOp::Eventually | ast::UnaryOp::Next => return None,
        })
    }
}

impl BinaryOp {
    /// `None` for a temporal operator, or one that only formulas have.
    pub fn of(op: ast::BinaryOp) -> Option<Self> {
        Some(match op {
            ast::BinaryOp::Add => Self::Add,
            ast::BinaryOp::Subtract => Self::Subtract,
            ast::BinaryOp::Multiply => Self::Multiply,
            ast::BinaryOp::Divide => Self::Divide,
            ast::BinaryOp::Remainder => Self::Remainder,
            ast::BinaryOp::BitAnd => Self::BitAnd,
            ast::BinaryOp::BitOr => Self::BitOr,
            ast::BinaryOp::BitXor => Self::BitXor,
            ast::BinaryOp::ShiftLeft => Self::ShiftLeft,
            ast::BinaryOp::ShiftRight => Self::ShiftRight,
            ast::BinaryOp::Equal => Self::Equal,
            ast::BinaryOp::NotEqual => Self::NotEqual,
            ast::BinaryOp::Less => Self::Less,
            ast::BinaryOp::LessEqual => Self::LessEqual,
            ast::BinaryOp::Greater => Self::Greater,
            ast::BinaryOp::GreaterEqual => Self::GreaterEqual,
            ast::BinaryOp::And => Self::And,
            ast::BinaryOp::Or => Self::Or,
            ast::BinaryOp::Until
            | ast::BinaryOp::WeakUntil
            | ast::BinaryOp::Release
            | ast::BinaryOp::Implies
            | ast::BinaryOp::Equivalent => return None,
        })
    }
}
