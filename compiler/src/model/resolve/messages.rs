//! Messages: the values of sends and the patterns of receives. Records are flattened into their scalars.

use super::Resolver;
use crate::model::resolve::expressions::Sort;
use crate::model::resolve::places::Reference;
use crate::model::resolve::scopes::Symbol;
use crate::model::{Expr, ExprKind, FieldAccess, Pattern, Place, Type, codes};
use crate::source::Span;
use crate::syntax::ast::{self, ReceiveArgument, ReceiveKind};

impl<'a> Resolver<'a> {
    /// The values of a send, or the arguments of a `run`.
    pub(super) fn message(&mut self, arguments: &'a [ast::Expr]) -> Vec<Expr> {
        let mut message = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match &argument.kind {
                ast::ExprKind::Place(place) if self.is_variable(place) => {
                    let Some(reference) = self.record_or_scalar(place) else { continue };
                    self.each_scalar(&reference, &mut |place| {
                        message.push(Expr::new(ExprKind::Read(place), argument.span));
                    });
                }
                _ => {
                    let (value, sort) = self.value(argument);
                    if let Sort::MtypeName(_) = sort {
                        self.symbols.insert(value.span, ());
                    }
                    message.push(value);
                }
            }
        }
        message
    }

    fn is_variable(&self, place: &ast::VarRef) -> bool {
        let name = &place.name.name;
        match self.scopes.find(name) {
            Some(entry) => matches!(entry.symbol, Symbol::Variable(_)),
            None => self.scopes.find_ended(name).is_some(),
        }
    }

    fn record_or_scalar(&mut self, place: &'a ast::VarRef) -> Option<Reference> {
        let reference = self.reference(place)?;
        let reference = self.first_element(reference, place.span);
        let n_scalars = self.n_scalars(reference.place.ty);
        self.fits_message(n_scalars, place.span).then_some(reference)
    }

    /// Every scalar of a place, in the order of the declarations.
    pub(super) fn each_scalar(&self, reference: &Reference, found: &mut impl FnMut(Place)) {
        self.spread_place(&reference.place, found);
    }

    fn spread_place(&self, place: &Place, found: &mut impl FnMut(Place)) {
        let Type::Record(record) = place.ty else {
            found(place.clone());
            return;
        };
        for (number, field) in (0..).zip(&self.model.records[record].fields) {
            let ty = if field.length.is_some() { field.ty.element() } else { field.ty };
            for element in 0..field.length.unwrap_or(1) {
                let index = field
                    .length
                    .map(|_| Box::new(Expr::constant(i32::try_from(element).unwrap_or(i32::MAX), place.span)));
                let mut inner = place.clone();
                inner.fields.push(FieldAccess { field: number, index });
                inner.ty = ty;
                self.spread_place(&inner, found);
            }
        }
    }

    pub(super) fn poll(
        &mut self,
        channel: &'a ast::VarRef,
        random: bool,
        arguments: &'a [ReceiveArgument],
        span: Span,
    ) -> ExprKind {
        let channel = self.channel(channel, span);
        let pattern = self.pattern(arguments);
        match channel {
            Some(channel) => ExprKind::Poll { channel, random, pattern },
            None => ExprKind::Constant(0),
        }
    }

    pub(super) fn pattern(&mut self, arguments: &'a [ReceiveArgument]) -> Vec<Pattern> {
        let mut pattern = Vec::with_capacity(arguments.len());
        let outer = self.here.run_ban.or(self.here.run_ban.replace("a message"));
        for argument in arguments {
            match &argument.kind {
                ReceiveKind::Place(place) => self.place_pattern(place, &mut pattern),
                ReceiveKind::Constant(value) => {
                    let (value, _) = self.value(value);
                    pattern.push(Pattern::Equal(value));
                }
                ReceiveKind::Eval(value) => {
                    let compared = self.message(std::slice::from_ref(value));
                    pattern.extend(compared.into_iter().map(Pattern::Equal));
                }
                ReceiveKind::Ignore => pattern.push(Pattern::Ignore),
            }
        }
        self.here.run_ban = outer;
        pattern
    }

    fn place_pattern(&mut self, place: &'a ast::VarRef, pattern: &mut Vec<Pattern>) {
        let is_plain = place.index.is_none() && place.fields.is_empty();
        if is_plain && &*place.name.name == "_" {
            pattern.push(Pattern::Ignore);
            return;
        }
        if is_plain
            && let Some(entry) = self.scopes.find(&place.name.name).copied()
            && let Symbol::Constant(mtype, value) = entry.symbol
        {
            self.note_use(&place.name, entry.span);
            pattern.push(Pattern::Equal(Expr::symbol(mtype, value, place.span)));
            self.symbols.insert(place.span, ());
            return;
        }
        if let Some(none) = self.none(place) {
            pattern.push(Pattern::Equal(none));
            return;
        }
        if let Some(reference) = self.record_or_scalar(place) {
            let first = pattern.len();
            self.each_scalar(&reference, &mut |place| pattern.push(Pattern::Store(place)));
            let is_timer = |part: &Pattern| matches!(part, Pattern::Store(place) if place.ty == Type::Timer);
            if let Some(Pattern::Store(timer)) = pattern[first..].iter().find(|part| is_timer(part)).cloned() {
                self.may_store(&timer, place.span);
            }
        }
    }

    /// One variable may not take two fields of a message.
    pub(super) fn check_distinct(&mut self, pattern: &[Pattern], span: Span) {
        let plain = |pattern: &Pattern| match pattern {
            Pattern::Store(place) if place.index.is_none() && place.fields.is_empty() => Some(place.variable),
            Pattern::Store(_) | Pattern::Equal(_) | Pattern::Ignore => None,
        };
        let mut variables: Vec<_> = pattern.iter().filter_map(plain).collect();
        variables.sort_unstable();
        if let Some(twice) = variables.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("`{}` is to take two fields of one message", self.variable_name(twice[0]));
            self.error(codes::RECEIVE, span, message);
        }
    }
}
