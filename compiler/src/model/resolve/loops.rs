//! `for` and `select`: their counters and ranges.

use super::Resolver;
use super::statements::LabelTarget;
use crate::diagnostic::{Diagnostic, Lint};
use crate::model::resolve::scopes::Symbol;
use crate::model::{ChannelRef, Expr, Init, Label, Origin, Place, Statement, Type, Variable, codes, desugar};
use crate::source::{ExpansionKind, Name, Span};
use crate::syntax::ast;

/// The counter of `for (m in q)`: one in each scope, as in Spin. No author can write this name.
const COUNTER: &str = "for (.. in ..)";

impl<'a> Resolver<'a> {
    pub(super) fn for_range(
        &mut self,
        variable: &'a ast::VarRef,
        from: &'a ast::Expr,
        to: &'a ast::Expr,
        body: &'a ast::Block,
        out: &mut Vec<Statement>,
    ) -> LabelTarget {
        let span = variable.span.to(to.span);
        let place = self.counter_place(variable);
        let (from, to) = self.range(from, to);
        if let (Some(first), Some(last)) = (from.as_constant(), to.as_constant())
            && first > last
        {
            self.error(codes::RANGE, span, format!("the range {first} .. {last} is empty"));
        }
        let body = self.loop_body(body);
        self.model.loops.push(span);
        if let Some(place) = place {
            out.extend(desugar::for_range(place, from, to, body, span));
        }
        LabelTarget::BehindInitialisation(format!("`{}`", self.text(variable.span)))
    }

    /// Warns of each `goto` that enters a loop without setting its counter.
    pub(super) fn check_jumps_into_loops(&mut self) {
        let behind = std::mem::take(&mut self.here.behind_initialisation);
        for (label, span) in std::mem::take(&mut self.here.jumps) {
            let Some((_, counter)) = behind.iter().find(|(of, _)| *of == label) else { continue };
            let Label { name, span: at } = &self.here.labels.list[label];
            let message = format!("this jumps behind the initialisation of {counter}");
            let warning = Diagnostic::warning(Lint::LoopLabel, span, message)
                .label(*at, "the label stands between the initialisation and the loop, as in Spin")
                .help(format!("write `{name}: skip;` in front of it to set the counter again"));
            self.diagnostics.add(warning);
        }
    }

    /// The bounds of a `select` that Spin recognises by its text, before it parses: only such a one
    /// is listed, value by value. Between the parentheses stand, on one line, a name without `_` and
    /// two plain numbers. The text of an inline is not looked at.
    pub(super) fn plain_bounds(
        &self,
        variable: &ast::VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        span: Span,
    ) -> Option<(i32, i32)> {
        let is_name = variable.index.is_none() && variable.fields.is_empty() && !variable.name.name.contains('_');
        let inside = Span { start: variable.span.start, ..variable.span.to(span) };
        let opening = Span { end: variable.span.start, ..span };
        let is_one_line = !self.text(inside).contains('\n')
            && !self.text(opening).rsplit('(').next().unwrap_or_default().contains('\n');
        let is_plain = is_name && is_one_line && !self.here.position.is_in_call();
        if is_plain { self.literal(from).zip(self.literal(to)) } else { None }
    }

    /// A plain number, without parentheses; a macro may bring them along.
    fn literal(&self, expr: &ast::Expr) -> Option<i32> {
        let ast::ExprKind::Number(value) = expr.kind else { return None };
        // A character constant is a number to the tree.
        if self.text(expr.span).starts_with('\'') {
            return None;
        }
        let mut inner = expr.span.expansion.map(|id| self.sources.expansion(id));
        while let Some(expansion) = inner.filter(|expansion| expansion.kind == ExpansionKind::Macro) {
            let body = self.text(expansion.site).strip_prefix(&*expansion.name).unwrap_or_default().trim();
            if body.starts_with(['(', '\'']) && body.chars().all(|c| "()' _".contains(c) || c.is_ascii_alphanumeric()) {
                return None;
            }
            inner = expansion.site.expansion.map(|id| self.sources.expansion(id));
        }
        let file = self.sources.file(expr.span);
        let before = file.text.get(..(expr.span.start - file.base) as usize).unwrap_or_default();
        (!before.trim_end().ends_with('(')).then_some(value)
    }

    fn range(&mut self, from: &'a ast::Expr, to: &'a ast::Expr) -> (Expr, Expr) {
        let outer = self.here.run_ban.or(self.here.run_ban.replace("a range"));
        let range = (self.expr(from), self.expr(to));
        self.here.run_ban = outer;
        range
    }

    fn loop_body(&mut self, body: &'a ast::Block) -> Vec<Statement> {
        self.here.loops.push(self.here.position.d_step);
        let body = self.block(body, false);
        self.here.loops.pop();
        body
    }

    /// The counter of a `for` or `select`.
    fn counter_place(&mut self, variable: &'a ast::VarRef) -> Option<Place> {
        let reference = self.reference(variable)?;
        if reference.array.is_some() {
            // Spin refuses this, so that no lint can allow it.
            let message = format!("`{}` is an array: say which element", self.text(variable.span));
            self.error(codes::ARRAY_INDEX, variable.span, message);
            return None;
        }
        let place = self.no_record(reference.place, variable.span)?;
        if place.ty == Type::Chan {
            let message = format!("`{}` is a channel, and cannot count", self.text(place.span));
            self.error(codes::CHANNEL_VALUE, place.span, message);
            return None;
        }
        if !self.may_store(&place, variable.span) {
            return None;
        }
        Some(place)
    }

    pub(super) fn for_in(
        &mut self,
        variable: &'a ast::VarRef,
        container: &'a ast::VarRef,
        body: &'a ast::Block,
        out: &mut Vec<Statement>,
    ) -> LabelTarget {
        let span = variable.span.to(container.span);
        let Some(over) = self.reference(container) else { return LabelTarget::First };
        if let Some(length) = over.array {
            let Some(place) = self.counter_place(variable) else { return LabelTarget::First };
            let last = i32::try_from(length - 1).unwrap_or(i32::MAX);
            let body = self.loop_body(body);
            self.model.loops.push(span);
            let (from, to) = (Expr::constant(0, span), Expr::constant(last, span));
            out.extend(desugar::for_range(place, from, to, body, span));
            return LabelTarget::BehindInitialisation(format!("`{}`", self.text(variable.span)));
        }
        if over.place.ty != Type::Chan {
            let message = format!("`{}` is neither an array nor a channel", self.text(container.span));
            self.error(codes::LOOP, container.span, message);
            return LabelTarget::First;
        }
        let Some(message) = self.reference(variable) else { return LabelTarget::First };
        if !matches!(message.place.ty, Type::Record(_)) || message.array.is_some() {
            let error = Diagnostic::error(
                codes::LOOP,
                container.span,
                format!(
                    "`for` takes the messages of `{}` as records, but `{}` is none",
                    self.text(container.span),
                    self.text(variable.span)
                ),
            )
            .help("give the channel one field of a typedef, and the loop a variable of that typedef");
            self.diagnostics.add(error);
            return LabelTarget::First;
        }
        if !self.fits_message(self.n_scalars(message.place.ty), variable.span) {
            return LabelTarget::First;
        }
        let mut places = Vec::new();
        self.each_scalar(&message, &mut |place| places.push(place));
        if let Some(timer) = places.iter().find(|place| place.ty == Type::Timer) {
            self.may_store(timer, variable.span);
            return LabelTarget::First;
        }
        let counter = self.message_counter(span);
        let body = self.loop_body(body);
        self.model.loops.push(span);
        let channel = ChannelRef { place: over.place, sites: Vec::new() };
        out.extend(desugar::for_messages(counter, channel, places, body, span));
        LabelTarget::BehindInitialisation(format!("the loop over `{}`", self.text(container.span)))
    }

    fn message_counter(&mut self, span: Span) -> Place {
        let known = self.scopes.find_in_block(COUNTER).map(|entry| entry.symbol);
        let variable = match known {
            Some(Symbol::Variable(id)) => id,
            _ => {
                let id = self.model.variables.push(Variable {
                    name: Name::from("for_counter"),
                    owner: self.here.owner,
                    ty: Type::Byte,
                    length: None,
                    init: Init::Zero,
                    hidden: false,
                    promised_local: false,
                    origin: Origin::Synthetic,
                    span,
                    comment: None,
                });
                self.here.locals.push(id);
                self.scopes.declare(&Name::from(COUNTER), Symbol::Variable(id), span);
                id
            }
        };
        Place { variable, index: None, fields: Vec::new(), ty: Type::Byte, span }
    }

    pub(super) fn select(
        &mut self,
        variable: &'a ast::VarRef,
        from: &'a ast::Expr,
        to: &'a ast::Expr,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> LabelTarget {
        let place = self.counter_place(variable);
        let literals = self.plain_bounds(variable, from, to, span);
        let (from, to) = self.range(from, to);
        if let (Some(first), Some(last)) = (from.as_constant(), to.as_constant())
            && first > last
        {
            let whole = variable.span.to(to.span);
            self.error(codes::RANGE, whole, format!("the range {first} .. {last} is empty"));
            return LabelTarget::First;
        }
        let Some(place) = place else { return LabelTarget::First };
        match literals {
            Some((first, last)) if last.saturating_sub(first) <= desugar::LISTED_RANGE => {
                out.push(desugar::select_listed(&place, first, last, span));
                LabelTarget::First
            }
            // Spin writes this loop out as text behind the label, so that the assignment has it.
            Some(_) => {
                self.model.loops.push(span);
                out.extend(desugar::select_counted(place, from, to, true, span));
                LabelTarget::First
            }
            None => {
                self.model.loops.push(span);
                out.extend(desugar::select_counted(place, from, to, false, span));
                LabelTarget::BehindInitialisation(format!("`{}`", self.text(variable.span)))
            }
        }
    }
}
