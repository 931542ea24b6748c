//! Places: variables, elements and fields that hold a value.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Lint};
use crate::model::resolve::scopes::{Binding, Symbol};
use crate::model::{ChannelRef, Expr, ExprKind, FieldAccess, Place, Target, Type, VariableId, codes};
use crate::source::{Name, Span};
use crate::syntax::ast;

/// A place that may still be a whole record or a whole array.
pub(super) struct Reference {
    pub place: Place,
    /// The number of elements, if no index was given to the last array.
    pub array: Option<u32>,
}

/// The indices of a place, resolved where it stands: of the variable, then of each field.
pub(super) type Indices = Vec<Option<Expr>>;

impl<'a> Resolver<'a> {
    /// A scalar that holds a value.
    pub(super) fn scalar(&mut self, place: &'a ast::VarRef) -> Option<Place> {
        let reference = self.reference(place)?;
        let reference = self.first_element(reference, place.span);
        self.no_record(reference.place, place.span)
    }

    /// Says so if a place is a whole record.
    pub(super) fn no_record(&mut self, place: Place, span: Span) -> Option<Place> {
        let Type::Record(record) = place.ty else { return Some(place) };
        let record = &self.model.records[record];
        let message = format!("`{}` is a whole record: say which field", self.text(span));
        let mut error = Diagnostic::error(codes::RECORD_VALUE, span, message);
        if let Some(field) = record.fields.first() {
            error = error.help(format!("for example `{}.{}`", self.text(span), field.name));
        }
        self.diagnostics.add(error);
        None
    }

    /// An array that was given no index becomes its element 0, as in Spin.
    pub(super) fn first_element(&mut self, mut reference: Reference, span: Span) -> Reference {
        if reference.array.take().is_some() {
            self.without_index(self.text(span), span, reference.place.variable);
            let zero = Box::new(Expr::constant(0, span));
            match reference.place.fields.last_mut() {
                Some(field) => field.index = Some(zero),
                None => reference.place.index = Some(zero),
            }
        }
        reference
    }

    fn without_index(&mut self, shown: &str, span: Span, variable: VariableId) {
        let message = format!("`{shown}` is an array: say which element");
        let meaning = format!("element 0, as in `{shown}[0]`");
        let finding = Diagnostic::accident(Lint::ArrayWithoutIndex, span, message, "put an index behind it", &meaning)
            .label(self.model.variables[variable].span, "declared here");
        self.diagnostics.add(finding);
    }

    /// A scalar, a whole record or a whole array.
    pub(super) fn reference(&mut self, place: &'a ast::VarRef) -> Option<Reference> {
        let variable = self.find_variable(&place.name)?;
        let indices = self.indices(place);
        self.locate(variable, place, indices)
    }

    pub(super) fn indices(&mut self, place: &'a ast::VarRef) -> Indices {
        let of_fields = place.fields.iter().map(|field| &field.index);
        let outer = std::mem::replace(&mut self.here.is_value, true);
        let indices =
            std::iter::once(&place.index).chain(of_fields).map(|index| index.as_ref().map(|e| self.expr(e))).collect();
        self.here.is_value = outer;
        indices
    }

    fn find_variable(&mut self, ident: &ast::Ident) -> Option<VariableId> {
        let name = &ident.name;
        match self.scopes.find(name).copied() {
            Some(Binding { symbol: Symbol::Variable(id), span, .. }) => {
                self.note_use(ident, span);
                return Some(id);
            }
            Some(Binding { symbol: Symbol::Constant(..), .. }) => {
                let message = format!("`{name}` is the name of an mtype, not a variable");
                self.error(codes::NOT_ASSIGNABLE, ident.span, message);
            }
            None => return self.ended_variable(ident),
        }
        None
    }

    /// A variable of an option that has ended, which Spin finds up to the end of the enclosing block.
    fn ended_variable(&mut self, ident: &ast::Ident) -> Option<VariableId> {
        let Some(Binding { symbol: Symbol::Variable(id), span, .. }) = self.scopes.find_ended(&ident.name) else {
            self.unknown_name(ident);
            return None;
        };
        let name = &ident.name;
        let message = format!("`{name}` is declared in another option, and its scope has ended there");
        let advice = "declare it in front of the `if` or `do`";
        let meaning = "the variable is visible up to the end of the block around the `if` or `do`";
        let finding =
            Diagnostic::accident(Lint::OptionScope, ident.span, message, advice, meaning).label(span, "declared here");
        self.diagnostics.add(finding);
        self.note_use(ident, span);
        Some(id)
    }

    pub(super) fn unknown_name(&mut self, ident: &ast::Ident) {
        let name = &ident.name;
        if self.misdeclared.contains(name) {
            return;
        }
        let error = match &**name {
            "_" => {
                Diagnostic::error(codes::WRITE_ONLY, ident.span, "`_` can only be written: it forgets what it is given")
            }
            "_pid" | "_nr_pr" | "_last" => {
                let message = format!("`{name}` can be read but not set, and has no parts");
                Diagnostic::error(codes::NOT_ASSIGNABLE, ident.span, message)
            }
            "STDIN" => {
                let message = "`STDIN` cannot be read: a verification has no input";
                Diagnostic::error(codes::UNSUPPORTED, ident.span, message)
            }
            _ if self.proctypes.contains(name) => {
                let message = format!("`{name}` is a proctype, not a variable");
                Diagnostic::error(codes::UNKNOWN_NAME, ident.span, message)
                    .help(format!("`run {name}(...)` starts one"))
            }
            _ => {
                let message = format!("no variable `{name}` in scope");
                let error = Diagnostic::error(codes::UNKNOWN_NAME, ident.span, message);
                match self.globals.get(name) {
                    Some(later) => error
                        .label(*later, "declared here, below its use")
                        .help("a declaration must stand above what uses it"),
                    None => self.with_meant_word(self.with_suggestion(error, name), name),
                }
            }
        };
        self.diagnostics.add(error);
    }

    /// Follows the fields; the place's own index comes first in `indices`.
    pub(super) fn locate(&mut self, id: VariableId, place: &ast::VarRef, indices: Indices) -> Option<Reference> {
        let variable = &self.model.variables[id];
        let (mut ty, mut length) = (variable.ty, variable.length);
        let mut shown: Name = variable.name.clone();
        let mut indices = indices.into_iter();
        let mut end = place.name.span;
        let last = |number: usize| number == place.fields.len();

        let index = indices.next().flatten();
        let index = self.check_index(id, &shown, length, index, last(0), end, place)?;
        let mut array = length.filter(|_| index.is_none());
        if length.is_some() {
            ty = ty.element();
        }
        let mut fields = Vec::with_capacity(place.fields.len());
        for (number, (field, field_index)) in place.fields.iter().zip(indices).enumerate() {
            let Type::Record(record) = ty else {
                let message = format!("`{shown}` has no fields: it is a {}", self.type_text(ty));
                let span = Span { start: end.end, ..end.to(field.name.span) };
                self.error(codes::UNKNOWN_FIELD, span, message);
                return None;
            };
            let Some(field_number) = self.fields.get(&(record, field.name.name.clone())).copied() else {
                self.unknown_field(record, &field.name);
                return None;
            };
            let declared = &self.model.records[record].fields[field_number as usize];
            (ty, length) = (declared.ty, declared.length);
            shown = declared.name.clone();
            let span = declared.span;
            self.note_use(&field.name, span);
            end = field.name.span;
            let index = self.check_index(id, &shown, length, field_index, last(number + 1), end, place)?;
            array = length.filter(|_| index.is_none());
            if length.is_some() {
                ty = ty.element();
            }
            fields.push(FieldAccess { field: field_number, index: index.map(Box::new) });
        }
        let place = Place { variable: id, index: index.map(Box::new), fields, ty, span: place.span };
        Some(Reference { place, array })
    }

    /// Nothing inside if there is none: the last array of a place may go without.
    #[expect(clippy::too_many_arguments, reason = "one part of `locate`, apart for its cases")]
    fn check_index(
        &mut self,
        variable: VariableId,
        name: &Name,
        length: Option<u32>,
        index: Option<Expr>,
        is_last: bool,
        before: Span,
        place: &ast::VarRef,
    ) -> Option<Option<Expr>> {
        match (length, index) {
            (None, None) => Some(None),
            (Some(length), Some(index)) => {
                if let Some(constant) = index.as_constant()
                    && u32::try_from(constant).map_or(true, |constant| constant >= length)
                {
                    let message = format!("index {constant} is outside of `{name}`, which has {length} elements");
                    let warning = Diagnostic::warning(Lint::IndexBounds, index.span, message);
                    self.diagnostics.add(warning);
                }
                Some(Some(index))
            }
            (Some(_), None) if is_last => Some(None),
            (Some(_), None) => {
                self.without_index(name, before, variable);
                Some(Some(Expr::constant(0, before)))
            }
            // Spin takes `x[0]` for a scalar x.
            (None, Some(index)) if index.as_constant() == Some(0) => Some(None),
            (None, Some(_)) => {
                let span = if is_last { Span { start: before.end, ..before.to(place.span) } } else { before };
                let message = format!("`{name}` is not an array, so it cannot be indexed");
                self.error(codes::ARRAY_INDEX, span, message);
                None
            }
        }
    }

    fn unknown_field(&mut self, record: crate::model::RecordId, field: &ast::Ident) {
        let record = &self.model.records[record];
        let message = format!("`{}` has no field `{}`", record.name, field.name);
        let mut error = Diagnostic::error(codes::UNKNOWN_FIELD, field.span, message)
            .label(record.span, format!("typedef `{}` is declared here", record.name));
        let names = record.fields.iter().take(100).map(|field| &field.name);
        if let Some(other) = self.closest(&field.name, names) {
            error = error.help(format!("did you mean `{other}`?"));
        }
        self.diagnostics.add(error);
    }

    /// A channel that is sent to, received from or polled.
    pub(super) fn channel(&mut self, place: &'a ast::VarRef, whole: Span) -> Option<ChannelRef> {
        let place = self.scalar(place)?;
        if place.ty != Type::Chan {
            let message = format!("`{}` is a {}, not a channel", self.text(place.span), self.type_text(place.ty));
            let error = Diagnostic::error(codes::NOT_A_CHANNEL, whole, message)
                .label(self.model.variables[place.variable].span, "declared here");
            self.diagnostics.add(error);
            return None;
        }
        Some(ChannelRef { place, sites: Vec::new() })
    }

    /// The target of an assignment.
    pub(super) fn target(&mut self, place: &'a ast::VarRef) -> Option<Target> {
        let is_plain = place.index.is_none() && place.fields.is_empty();
        match &*place.name.name {
            "_" if is_plain => Some(Target::Ignore),
            "_priority" if is_plain => {
                if self.here.setting.is_claim() {
                    let message = "`_priority` is that of a process, and this is none";
                    self.error(codes::CLAIM, place.span, message);
                }
                Some(Target::Priority)
            }
            _ => {
                let target = self.scalar(place)?;
                let own_index = matches!(
                    target.index.as_deref().map(|index| &index.kind),
                    Some(ExprKind::Read(inner)) if inner.variable == target.variable
                );
                // `a[a] = 1` escapes Spin's check, and is `a[a[0]] = 1`.
                let is_bare = matches!(
                    place.index.as_deref().map(|index| &index.kind),
                    Some(ast::ExprKind::Place(inner)) if inner.index.is_none()
                );
                if own_index && !is_bare && target.fields.is_empty() {
                    let name = self.variable_name(target.variable);
                    let message = format!("`{name}` is indexed with an element of itself in an assignment");
                    let error = Diagnostic::error(codes::ARRAY_INDEX, place.span, message)
                        .help("Spin does not allow this: put the index in a variable first");
                    self.diagnostics.add(error);
                    return None;
                }
                Some(Target::Place(target))
            }
        }
    }

    /// The author's text of a place, for messages.
    pub(super) fn text(&self, span: Span) -> &'a str {
        self.sources.text(span)
    }
}
