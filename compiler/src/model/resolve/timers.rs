//! Timers: what may be declared, and the operations on them.
//!
//! A timer is a variable of a type of its own, which holds the ticks that are left, or -1 if it is off. `set` and `reset`
//! are assignments to it, which no other statement can make, and `expire` and `on` are comparisons. So only the tick
//! itself is new to later rooms.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Lint};
use crate::model::resolve::expressions::Sort;
use crate::model::resolve::processes::Setting;
use crate::model::{
    BinaryOp, Choice, Expr, ExprKind, Init, Place, Statement, StatementKind, Type, codes, desugar, fold,
};
use crate::source::Span;
use crate::syntax::ast::{self, TimerOperation, TimerQuestion};

/// The value of a timer that is off.
const OFF: i32 = -1;

impl<'a> Resolver<'a> {
    /// The initial value of a variable that is given none.
    pub(super) fn default_init(ty: Type, span: Span) -> Init {
        if ty == Type::Timer { Init::All(Expr::constant(OFF, span)) } else { Init::Zero }
    }

    /// The value that a declaration behind a statement stores, if it has none.
    pub(super) fn default_value(ty: Type, span: Span) -> Expr {
        Expr::constant(if ty == Type::Timer { OFF } else { 0 }, span)
    }

    /// Whether variables with timers in them may be declared here.
    pub(super) fn may_declare(&mut self, declaration: &ast::Declaration, ty: Type) -> bool {
        if !self.model.has_timer(ty) {
            return true;
        }
        let (message, help) = if declaration.visibility == Some(ast::Visibility::Hidden) {
            ("a timer cannot be hidden: it would be no part of the state, which time changes", "leave out `hidden`")
        } else if self.here.setting.is_claim() {
            ("a claim has no timers of its own", "declare the timer as a global, which a process sets")
        } else {
            return true;
        };
        self.diagnostics.add(Diagnostic::error(codes::TIMER, declaration.span, message).help(help));
        false
    }

    /// Whether a value of a type can be the field of a message, or a parameter.
    pub(super) fn may_be_handed_on(&mut self, ty: Type, span: Span) -> bool {
        if !self.model.has_timer(ty) {
            return true;
        }
        let message = "a timer is no value that could be handed on: a copy would be another timer";
        let error =
            Diagnostic::error(codes::TIMER, span, message).help("use a global timer, or hand on how long it is to run");
        self.diagnostics.add(error);
        false
    }

    /// Whether a statement may store in a place. Only `set` and `reset` store in timers.
    pub(super) fn may_store(&mut self, place: &Place, span: Span) -> bool {
        if place.ty != Type::Timer {
            return true;
        }
        let name = self.text(place.span);
        let error = Diagnostic::error(codes::TIMER, span, format!("a timer is set with `set({name}, ...)`"))
            .help(format!("`reset({name})` switches it off"));
        self.diagnostics.add(error);
        false
    }

    /// A statement about a timer.
    pub(super) fn timer_statement(
        &mut self,
        operation: TimerOperation,
        arguments: &'a [ast::Expr],
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        self.check_event(span, false);
        let is_delay = matches!(operation, TimerOperation::Delay | TimerOperation::UnboundedDelay);
        if is_delay && self.here.position.d_step != 0 {
            let message = format!("a `d_step` cannot wait, and `{}` does", operation.text());
            let error = Diagnostic::error(codes::D_STEP_WAITS, span, message)
                .help("use `atomic`, which may be left and entered again");
            self.diagnostics.add(error);
            return;
        }
        if is_delay && self.here.setting == Setting::Never {
            self.error(codes::CLAIM, span, "a claim cannot wait for a timer that it sets");
            return;
        }
        match (operation, arguments) {
            (TimerOperation::Set, [timer, value]) => {
                let set = self.set(timer, value, span);
                out.extend(set);
            }
            (TimerOperation::Delay, [timer, value]) => {
                let set = self.set(timer, value, span);
                let Some(place) = set.as_ref().and_then(|set| set.kind.assignment()).map(|(place, _)| place.clone())
                else {
                    return;
                };
                out.extend(set);
                out.push(step(StatementKind::Condition(expired(place, span)), span));
            }
            (TimerOperation::Reset, [timer]) => {
                if let Some(place) = self.timer(timer, operation.text()) {
                    out.push(store(place, Expr::constant(OFF, span), span));
                }
            }
            (TimerOperation::UnboundedDelay, [timer]) => {
                if let Some(place) = self.timer(timer, operation.text()) {
                    out.push(unbounded_delay(&place, span));
                }
            }
            (TimerOperation::Set | TimerOperation::Delay, _) => {
                self.wrong_arguments(operation.text(), "a timer and a value", span);
            }
            (TimerOperation::Reset | TimerOperation::UnboundedDelay, _) => {
                self.wrong_arguments(operation.text(), "a timer", span);
            }
        }
    }

    fn wrong_arguments(&mut self, word: &str, wanted: &str, span: Span) {
        self.error(codes::ARGUMENTS, span, format!("`{word}` takes {wanted}"));
    }

    fn set(&mut self, timer: &'a ast::Expr, value: &'a ast::Expr, span: Span) -> Option<Statement> {
        let place = self.timer(timer, "set");
        let outer = std::mem::replace(&mut self.here.is_value, true);
        let (value, sort) = self.value(value);
        self.here.is_value = outer;
        match value.as_constant() {
            Some(constant) if constant < OFF => {
                let message = format!("a timer that is set to {constant} is off, as with -1");
                let warning = Diagnostic::warning(Lint::SetNegative, value.span, message);
                self.diagnostics.add(warning.help("`reset` switches a timer off"));
            }
            Some(_) => {}
            None => self.check_channel_use(Type::Timer, sort, value.span),
        }
        Some(store(place?, value, span))
    }

    /// `expire(t)`, which is true in the slice in which t has run out, and `on(t)`.
    pub(super) fn timer_question(
        &mut self,
        question: TimerQuestion,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> (Expr, Sort) {
        let [timer] = arguments else {
            self.wrong_arguments(question.text(), "a timer", span);
            return (Expr::constant(0, span), Sort::Number);
        };
        let Some(place) = self.timer(timer, question.text()) else { return (Expr::constant(0, span), Sort::Number) };
        let asked = match question {
            TimerQuestion::Expired => expired(place, span),
            TimerQuestion::On => compare(BinaryOp::GreaterEqual, place, span),
        };
        (asked, Sort::Number)
    }

    /// The timer that an operation is about.
    fn timer(&mut self, argument: &'a ast::Expr, word: &str) -> Option<Place> {
        let ast::ExprKind::Place(place) = &argument.kind else {
            let message = format!("`{word}` takes a timer, and this is an expression");
            self.error(codes::TIMER, argument.span, message);
            return None;
        };
        let place = self.scalar(place)?;
        if place.ty == Type::Timer {
            return Some(place);
        }
        let message = format!("`{}` is a {}, not a timer", self.text(place.span), self.type_text(place.ty));
        let declared = self.model.variables[place.variable].span;
        self.diagnostics.add(Diagnostic::error(codes::TIMER, argument.span, message).label(declared, "declared here"));
        None
    }
}

/// `do :: set(t, 1); expire(t) :: break od`: any number of ticks.
fn unbounded_delay(timer: &Place, span: Span) -> Statement {
    let wait = vec![
        store(timer.clone(), Expr::constant(1, span), span),
        step(StatementKind::Condition(expired(timer.clone(), span)), span),
    ];
    let stop = vec![step(StatementKind::Break, span)];
    step(StatementKind::Do(vec![Choice { body: wait, span }, Choice { body: stop, span }]), span)
}

fn expired(timer: Place, span: Span) -> Expr {
    compare(BinaryOp::Equal, timer, span)
}

/// Compares the value of a timer with 0.
fn compare(op: BinaryOp, timer: Place, span: Span) -> Expr {
    let read = Expr::new(ExprKind::Read(timer), span);
    fold::binary(op, read, Expr::constant(0, span), span).0
}

fn store(timer: Place, value: Expr, span: Span) -> Statement {
    desugar::assign(timer, value, span)
}

fn step(kind: StatementKind, span: Span) -> Statement {
    desugar::step(kind, span)
}
