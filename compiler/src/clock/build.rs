//! Pieces of Promela.

use crate::collections::Lookup;
use crate::source::{Name, Span};
use crate::syntax::ast::{
    Active, BinaryOp, Block, Expr, ExprKind, FieldRef, File, Ident, Item, ItemKind, Proctype, Statement, StatementKind,
    UnaryOp, VarRef,
};
use crate::syntax::print;

/// None of it is in the author's text.
pub const MADE: Span = Span { start: 0, end: 0, expansion: None };

pub fn ident(name: &str) -> Ident {
    Ident::new(name, MADE)
}

pub fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, MADE)
}

pub fn statement(kind: StatementKind) -> Statement {
    Statement::new(kind, MADE)
}

pub fn block(statements: Vec<Statement>) -> Block {
    Block { statements, span: MADE }
}

/// A number; the grammar has no negative ones.
pub fn int(value: i32) -> Expr {
    let number = |value| expr(ExprKind::Number(value));
    if value < 0 {
        expr(ExprKind::Unary(UnaryOp::Negate, Box::new(number(value.wrapping_neg()))))
    } else {
        number(value)
    }
}

pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

pub fn conditional(condition: Expr, yes: Expr, no: Expr) -> Expr {
    expr(ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)))
}

pub fn read(place: VarRef) -> Expr {
    expr(ExprKind::Place(place))
}

/// A value and a number to add, or to take away.
pub fn plus(value: Expr, number: i32) -> Expr {
    match (&value.kind, number) {
        (_, 0) => value,
        (ExprKind::Number(known), _) if known.checked_add(number).is_some_and(|sum| sum >= 0) => int(known + number),
        (_, 1..) => binary(BinaryOp::Add, value, int(number)),
        _ => binary(BinaryOp::Subtract, value, int(-number)),
    }
}

pub fn field(name: &str, index: Option<Expr>) -> FieldRef {
    FieldRef { name: ident(name), index: index.map(Box::new) }
}

/// `holder[index].name`
pub fn in_record(holder: &str, index: Option<Expr>, name: &str) -> VarRef {
    VarRef { name: ident(holder), index: index.map(Box::new), fields: vec![field(name, None)], span: MADE }
}

/// Puts an index behind the last name of a place.
pub fn set_index(place: &mut VarRef, index: Expr) {
    match place.fields.last_mut() {
        Some(last) => last.index = Some(Box::new(index)),
        None => place.index = Some(Box::new(index)),
    }
}

/// `t == 0`
pub fn is_zero(timer: VarRef) -> Expr {
    binary(BinaryOp::Equal, read(timer), int(0))
}

/// `t >= 0`
pub fn at_least_zero(timer: VarRef) -> Expr {
    binary(BinaryOp::GreaterEqual, read(timer), int(0))
}

/// What a timer holds that is set to a value: every negative one is -1.
pub fn cut(value: Expr) -> Expr {
    match &value.kind {
        ExprKind::Number(0..) => value,
        ExprKind::Unary(UnaryOp::Negate, inner) if matches!(inner.kind, ExprKind::Number(1..)) => int(-1),
        _ => conditional(binary(BinaryOp::Less, value.clone(), int(0)), int(-1), value),
    }
}

pub fn assign(target: VarRef, value: Expr) -> Statement {
    statement(StatementKind::Assign { target, value })
}

/// `t = (t >= 0 -> t - 1 : t)`
pub fn lowered(timer: &VarRef) -> Statement {
    let value = conditional(at_least_zero(timer.clone()), plus(read(timer.clone()), -1), read(timer.clone()));
    assign(timer.clone(), value)
}

/// `active proctype Clock() { end: do :: d_step { tick } od }`
pub fn clock(name: &Name, tick: Vec<Statement>) -> Item {
    let mut forever = statement(StatementKind::Do(vec![block(vec![statement(StatementKind::DStep(block(tick)))])]));
    forever.labels.push(ident("end"));
    let proctype = Proctype {
        name: ident(name),
        active: Some(Active { count: None, span: MADE }),
        deterministic: false,
        parameters: Vec::new(),
        priority: None,
        provided: None,
        body: block(vec![forever]),
    };
    let comment = Some(Name::from("lowers every timer that is on, where nobody else can move"));
    Item { kind: ItemKind::Proctype(Box::new(proctype)), span: MADE, comment }
}

/// The names that a model uses.
pub struct Names(Lookup<Name, ()>);

impl Names {
    pub fn of(file: &File) -> Self {
        let mut names = Lookup::new();
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        for word in print::file(file).split(|c| !is_letter(c)).filter(|word| !word.is_empty()) {
            names.insert(Name::from(word), ());
        }
        Self(names)
    }

    /// A name like this one that is not used, and is used from now on.
    pub fn fresh(&mut self, wanted: &str) -> Name {
        let mut name = wanted.to_owned();
        while self.0.contains(name.as_str()) {
            name.push('_');
        }
        let name = Name::from(name);
        self.0.insert(name.clone(), ());
        name
    }
}
