//! Global variables, and the constants of their initial values.
//!
//! Spin sets globals grouped by width, each group in the order of the text. So
//! `bit d = b` sees an `int b` above it as 0:
//!
//! ```promela
//! int b = 7;
//! bit d = b;    // 0
//! ```

use super::Resolver;
use crate::collections::{IdVec, Lookup};
use crate::diagnostic::Diagnostic;
use crate::model::fold::{apply_binary, apply_unary};
use crate::model::visit;
use crate::model::{BinaryOp, Expr, ExprKind, Init, Model, Origin, Place, Probe, Type, VariableId, codes};
use crate::source::Name;
use crate::syntax::ast;

impl<'a> Resolver<'a> {
    pub(super) fn global(&mut self, declaration: &'a ast::Declaration, comment: Option<&Name>) {
        for declarator in &declaration.variables {
            if let Some(id) = self.variable(declaration, declarator, Origin::Declared, comment) {
                self.initialize(id, declarator);
                self.model.globals.push(id);
            }
        }
    }

    /// Replaces what globals start with by constants.
    pub(super) fn fold_globals(&mut self) {
        let mut order = self.model.globals.clone();
        order.sort_by_key(|id| width_group(&self.model, *id));
        let lengths = self.model.variables.iter().map(|variable| variable.length).collect();
        let mut values = Values { known: Lookup::new(), lengths };
        for id in order {
            let variable = &self.model.variables[id];
            let ty = if variable.length.is_some() { variable.ty.element() } else { variable.ty };
            let folded = match &variable.init {
                Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => continue,
                // A copy of a channel stays a copy: its number is not known here.
                Init::All(_) | Init::List(_) if ty == Type::Chan => continue,
                Init::All(value) => values.eval(value).map(|n| vec![n]),
                Init::List(list) => list.iter().map(|value| values.eval(value)).collect(),
            };
            let (message, span) = match folded {
                Ok(constants) => {
                    let constants: Vec<i32> = constants.into_iter().map(|n| ty.truncate(n)).collect();
                    let last = constants.last().copied().unwrap_or(0);
                    let exprs = |init: &Init| match init {
                        Init::List(list) => list.iter().zip(&constants).map(|(e, n)| constant(e, *n)).collect(),
                        _ => Vec::new(),
                    };
                    let init = match &variable.init {
                        Init::All(value) => Init::All(constant(value, last)),
                        other => Init::List(exprs(other)),
                    };
                    let init = std::mem::replace(&mut self.model.variables[id].init, init);
                    visit::in_init(&init, &mut |expr| {
                        if let ExprKind::Read(place) = &expr.kind {
                            self.read_early.push(place.variable);
                        }
                    });
                    values.known.insert(id, constants);
                    continue;
                }
                Err(why) => why,
            };
            self.diagnostics.add(Diagnostic::error(codes::NOT_CONSTANT, span, message));
        }
    }
}

/// The constant value of an expression. A constant that was written as a name keeps it, unless it was truncated.
fn constant(written: &Expr, value: i32) -> Expr {
    if written.as_constant() == Some(value) { written.clone() } else { Expr::constant(value, written.span) }
}

/// Which of Spin's groups sets the variable: bits and unsigned fields, bytes, shorts, ints, records.
fn width_group(model: &Model, id: VariableId) -> u8 {
    let variable = &model.variables[id];
    match variable.ty {
        Type::Bit | Type::Bool if variable.length.is_none() => 0,
        Type::Unsigned(_) => 0,
        Type::Bit | Type::Bool | Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => 1,
        Type::Short => 2,
        Type::Int | Type::Timer => 3,
        Type::Record(_) => 4,
    }
}

/// The globals that were set so far; the others are still 0.
struct Values {
    /// How many elements there are, and their values; the last one repeats.
    known: Lookup<VariableId, Vec<i32>>,
    /// Of every variable.
    lengths: IdVec<VariableId, Option<u32>>,
}

type Failure = (String, crate::source::Span);

impl Values {
    fn eval(&self, expr: &Expr) -> Result<i32, Failure> {
        let fail = |message: &str| Err((message.to_owned(), expr.span));
        match &expr.kind {
            ExprKind::Constant(value) => Ok(*value),
            ExprKind::Read(place) => self.read(place),
            ExprKind::Unary(op, operand) => Ok(apply_unary(*op, self.eval(operand)?)),
            ExprKind::Binary(op, left, right) => {
                let left = self.eval(left)?;
                match (op, left != 0) {
                    (BinaryOp::And, false) => return Ok(0),
                    (BinaryOp::Or, true) => return Ok(1),
                    _ => {}
                }
                apply_binary(*op, left, self.eval(right)?).or_else(|why| fail(why.message()))
            }
            ExprKind::Conditional(condition, yes, no) => self.eval(if self.eval(condition)? != 0 { yes } else { no }),
            // All channels are empty, and no process exists yet.
            ExprKind::Probe(probe, _) => Ok(match probe {
                Probe::Len | Probe::Full | Probe::Nempty => 0,
                Probe::Empty | Probe::Nfull => 1,
            }),
            ExprKind::ProcessCount | ExprKind::Pid | ExprKind::Last | ExprKind::Priority => Ok(0),
            ExprKind::Run { .. }
            | ExprKind::Poll { .. }
            | ExprKind::Timeout
            | ExprKind::NonProgress
            | ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::GetPriority(_)
            | ExprKind::SetPriority(..)
            | ExprKind::RemoteLabel { .. }
            | ExprKind::RemoteVariable { .. }
            | ExprKind::Host(_) => fail("the initial value of a global must be known before any process runs"),
        }
    }

    fn read(&self, place: &Place) -> Result<i32, Failure> {
        if !place.fields.is_empty() {
            return Err(("the initial value of a global cannot be a field of a record".to_owned(), place.span));
        }
        let index = match &place.index {
            Some(index) => self.eval(index)?,
            None => 0,
        };
        let length = self.lengths[place.variable].unwrap_or(1);
        let Some(index) = u32::try_from(index).ok().filter(|index| *index < length) else {
            return Err((format!("the initial value has index {index}, outside of 0..{length}"), place.span));
        };
        // What comes later is still 0.
        let Some(values) = self.known.get(&place.variable) else { return Ok(0) };
        Ok(*values.get(index as usize).or(values.last()).expect("what is known has a value"))
    }
}
