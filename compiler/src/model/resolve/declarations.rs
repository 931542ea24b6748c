//! Variables: their types, sizes and initial values.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Lint};
use crate::model::resolve::expressions::Sort;
use crate::model::resolve::scopes::Symbol;
use crate::model::{ChannelSite, Expr, ExprKind, Init, Origin, Owner, Type, Variable, VariableId, codes};
use crate::source::{Name, Span};
use crate::syntax::ast::{self, InitializerKind};

/// Spin's value for an array size that is read from a variable without an initial value.
const DEFAULT_ARRAY_LENGTH: i32 = 8;

const PREDEFINED: [&str; 6] = ["_", "_pid", "_nr_pr", "_last", "_priority", "np_"];

impl<'a> Resolver<'a> {
    /// One variable of a declaration, visible from here on. If `init` says so, its initial value is ignored: then its
    /// declaration is a step.
    pub(super) fn variable(
        &mut self,
        declaration: &'a ast::Declaration,
        declarator: &'a ast::Declarator,
        origin: Origin,
        comment: Option<&Name>,
    ) -> Option<VariableId> {
        let Some((ty, length)) = self.shape(declaration, declarator) else {
            self.misdeclared.insert(declarator.name.name.clone(), ());
            return None;
        };
        if !self.may_declare(declaration, ty) {
            self.misdeclared.insert(declarator.name.name.clone(), ());
            return None;
        }
        let owner = self.here.owner;
        let hidden = self.check_visibility(declaration, declarator, ty);
        let n_scalars = self.n_scalars(ty).saturating_mul(u64::from(length.unwrap_or(1)));
        if !self.fits_variable(n_scalars, declarator.name.span) {
            self.misdeclared.insert(declarator.name.name.clone(), ());
            return None;
        }
        let variable = Variable {
            name: declarator.name.name.clone(),
            owner,
            ty,
            length,
            init: Self::default_init(ty, declarator.name.span),
            hidden,
            promised_local: declaration.visibility == Some(ast::Visibility::Local),
            origin,
            span: declarator.name.span,
            comment: comment.cloned(),
        };
        let id = self.model.variables.push(variable);
        if self.is_new(&declarator.name) {
            self.scopes.declare(&declarator.name.name, Symbol::Variable(id), declarator.name.span);
        }
        if let Owner::Proctype(proctype) = owner {
            self.locals_by_name.or_insert_with((proctype, declarator.name.name.clone()), || id);
        }
        if let Type::Record(_) = ty {
            let count = u64::from(length.unwrap_or(1));
            self.record_sites(id, ty, count, &mut Vec::new());
        }
        Some(id)
    }

    fn shape(
        &mut self,
        declaration: &'a ast::Declaration,
        declarator: &'a ast::Declarator,
    ) -> Option<(Type, Option<u32>)> {
        let ty = self.type_name(&declaration.ty)?;
        let ty = self.with_width(declarator, ty)?;
        Some((ty, self.array_length(declarator)?))
    }

    /// The initial value of the variable.
    pub(super) fn initialize(&mut self, id: VariableId, declarator: &'a ast::Declarator) {
        let (ty, length) = (self.model.variables[id].ty, self.model.variables[id].length);
        let init = match declarator.init.as_ref().map(|init| (&init.kind, init.span)) {
            Some((InitializerKind::Channel { capacity, fields }, span)) => {
                let Some((capacity, fields)) = self.channel_shape(ty, &declarator.name, capacity, fields, span) else {
                    return;
                };
                let count = length.unwrap_or(1);
                let site = ChannelSite { variable: id, path: Vec::new(), count, capacity, fields, span };
                Some(Init::Channel(self.model.sites.push(site)))
            }
            _ => self.values(declarator, ty, length),
        };
        if let Some(init) = init {
            self.model.variables[id].init = init;
        }
    }

    /// The channels in the fields of a record are created with the variable.
    fn record_sites(&mut self, id: VariableId, ty: Type, count: u64, path: &mut Vec<u32>) {
        let Type::Record(record) = ty else { return };
        for number in 0..self.model.records[record].fields.len() {
            let field = &self.model.records[record].fields[number];
            let count = count.saturating_mul(u64::from(field.length.unwrap_or(1)));
            path.push(u32::try_from(number).unwrap_or(u32::MAX));
            match &field.init {
                Init::FieldChannel { capacity, fields } => {
                    let site = ChannelSite {
                        variable: id,
                        path: path.clone(),
                        count: u32::try_from(count).unwrap_or(u32::MAX),
                        capacity: *capacity,
                        fields: fields.clone(),
                        span: field.span,
                    };
                    self.model.sites.push(site);
                }
                Init::Zero | Init::All(_) | Init::List(_) | Init::Channel(_) => {
                    let inner = field.ty;
                    self.record_sites(id, inner, count, path);
                }
            }
            path.pop();
        }
    }

    fn check_visibility(&mut self, declaration: &ast::Declaration, declarator: &ast::Declarator, ty: Type) -> bool {
        let hidden = declaration.visibility == Some(ast::Visibility::Hidden);
        let is_global = self.here.owner == Owner::Global;
        if hidden && !is_global {
            let message = format!("`{}` cannot be hidden: only globals can", declarator.name.name);
            self.error(codes::DECLARATION_PLACE, declarator.name.span, message);
        } else if hidden && ty == Type::Chan {
            let message = format!("`{}` is a hidden channel, which Spin refuses", declarator.name.name);
            let warning = Diagnostic::warning(Lint::Portability, declarator.name.span, message)
                .help("the messages in it are part of the state in any case: leave out `hidden`");
            self.diagnostics.add(warning);
        }
        hidden && is_global
    }

    /// Reports a name that is declared already.
    fn is_new(&mut self, ident: &ast::Ident) -> bool {
        let name = &ident.name;
        let (message, earlier) = if PREDEFINED.contains(&&**name) {
            (format!("`{name}` is predefined"), None)
        } else if let Some(entry) = self.scopes.find(name) {
            let message = match entry.symbol {
                Symbol::Constant(..) => format!("`{name}` is already the name of an mtype"),
                Symbol::Variable(other) => {
                    if self.scopes.find_here(name).is_some() {
                        format!("`{name}` is declared twice")
                    } else {
                        let what = match (self.model.variables[other].owner, self.model.variables[other].origin) {
                            (Owner::Global, _) => "the global",
                            (_, Origin::Parameter) => "the parameter",
                            _ => "the variable",
                        };
                        format!("`{name}` hides {what} of that name, which Promela does not allow")
                    }
                }
            };
            (message, Some(entry.span))
        } else if let Some(id) = self.proctypes.get(name).filter(|id| self.headers[**id].span.start < ident.span.start)
        {
            (format!("`{name}` is already the name of a proctype"), Some(self.headers[*id].span))
        } else if let Some(id) = self.records.get(name) {
            (format!("`{name}` is already the name of a type"), Some(self.model.records[*id].span))
        } else {
            if self.scopes.has_ended(name) {
                let message = format!("`{name}` is declared in another option too");
                let warning = Diagnostic::warning(Lint::Portability, ident.span, message)
                    .help("to Spin options have no scope of their own, and it refuses the second declaration");
                self.diagnostics.add(warning);
            }
            return true;
        };
        let mut error = Diagnostic::error(codes::REDECLARED, ident.span, message);
        if let Some(span) = earlier {
            error = error.label(span, "declared here");
        }
        self.diagnostics.add(error);
        false
    }

    /// Puts the width of `unsigned x : n` in the type.
    pub(super) fn with_width(&mut self, declarator: &'a ast::Declarator, ty: Type) -> Option<Type> {
        match (ty, &declarator.width) {
            (Type::Unsigned(_), Some(width)) => {
                let value = self.constant(width, "a width")?;
                match u8::try_from(value) {
                    Ok(bits @ 1..=32) => Some(Type::Unsigned(bits)),
                    _ => {
                        self.error(codes::SIZE, width.span, format!("a width of {value} bits: it must be 1 to 32"));
                        None
                    }
                }
            }
            (Type::Unsigned(_), None) => {
                let name = &declarator.name;
                let error = Diagnostic::error(codes::SIZE, name.span, format!("`{}` has no width", name.name))
                    .help(format!("write `unsigned {} : 8` for 8 bits", name.name));
                self.diagnostics.add(error);
                None
            }
            (_, Some(width)) => {
                let message = format!("only `unsigned` has a width, and `{}` is not", declarator.name.name);
                self.error(codes::SIZE, width.span, message);
                None
            }
            (ty, None) => Some(ty),
        }
    }

    pub(super) fn array_length(&mut self, declarator: &'a ast::Declarator) -> Option<Option<u32>> {
        let Some(size) = &declarator.size else { return Some(None) };
        let n_errors = self.diagnostics.n_errors();
        let expr = self.expr(size);
        if self.diagnostics.n_errors() != n_errors {
            return None;
        }
        let value = match &expr.kind {
            ExprKind::Constant(value) => *value,
            ExprKind::Read(place) if place.index.is_none() && place.fields.is_empty() => {
                self.length_from_variable(place.variable, size.span)
            }
            _ => {
                self.not_constant("an array size", size.span);
                return None;
            }
        };
        match u32::try_from(value) {
            Ok(length) if length > 0 => Some(Some(length)),
            _ => {
                let message = format!("`{}` would have {value} elements: it must be 1 or more", declarator.name.name);
                self.error(codes::SIZE, size.span, message);
                None
            }
        }
    }

    /// Spin reads the initial value of the variable, with a warning; so does pmc.
    fn length_from_variable(&mut self, variable: VariableId, span: Span) -> i32 {
        self.read_early.push(variable);
        let value = match &self.model.variables[variable].init {
            Init::All(value) => value.as_constant().unwrap_or(0),
            _ => 0,
        };
        let value = if value == 0 { DEFAULT_ARRAY_LENGTH } else { value };
        let name = self.variable_name(variable);
        let message =
            format!("an array size should be constant; `{name}` is taken to be {value}, whatever it holds later");
        self.diagnostics.add(Diagnostic::warning(Lint::ArraySize, span, message));
        value
    }

    fn not_constant(&mut self, what: &str, span: Span) {
        self.error(codes::NOT_CONSTANT, span, format!("{what} must be a constant"));
    }

    /// `None` if it is not a constant, which is then reported.
    pub(super) fn constant(&mut self, expr: &'a ast::Expr, what: &str) -> Option<i32> {
        if let ast::ExprKind::Broken = expr.kind {
            return None;
        }
        let n_errors = self.diagnostics.n_errors();
        let resolved = self.expr(expr);
        let value = resolved.as_constant();
        if value.is_none() && self.diagnostics.n_errors() == n_errors {
            self.not_constant(what, expr.span);
        }
        value.filter(|_| self.diagnostics.n_errors() == n_errors)
    }

    /// Capacity and fields of `[capacity] of { fields }`.
    pub(super) fn channel_shape(
        &mut self,
        ty: Type,
        name: &ast::Ident,
        capacity: &'a ast::Expr,
        fields: &'a [ast::TypeName],
        span: Span,
    ) -> Option<(u32, Vec<Type>)> {
        if ty != Type::Chan {
            let message = format!("`{}` is a {}, and cannot be given a channel", name.name, self.type_text(ty));
            self.error(codes::INITIALIZER, span, message);
            return None;
        }
        let size = self.constant(capacity, "a channel's capacity")?;
        let size = match u32::try_from(size) {
            Ok(size @ 0..=255) => size,
            _ => {
                let message = format!("a capacity of {size}: it must be 0 to 255");
                self.error(codes::SIZE, capacity.span, message);
                return None;
            }
        };
        let mut scalars = Vec::new();
        let mut n_scalars: u64 = 0;
        for field in fields {
            if field.kind == ast::TypeKind::Unsigned {
                let error = Diagnostic::error(codes::UNKNOWN_TYPE, field.span, "a message field cannot be `unsigned`")
                    .help("use `byte`, `short` or `int`");
                self.diagnostics.add(error);
                return None;
            }
            let ty = self.type_name(field)?;
            if !self.may_be_handed_on(ty, field.span) {
                return None;
            }
            n_scalars = n_scalars.saturating_add(self.n_scalars(ty));
            if !self.fits_message(n_scalars, span) {
                return None;
            }
            self.spread(ty, &mut scalars);
        }
        Some((size, scalars))
    }

    /// A value or a list of values to start with.
    pub(super) fn values(&mut self, declarator: &'a ast::Declarator, ty: Type, length: Option<u32>) -> Option<Init> {
        let name = &declarator.name.name;
        let element = if length.is_some() { ty.element() } else { ty };
        let Some(init) = &declarator.init else {
            self.check_first_member(ty, &declarator.name);
            return Some(Self::default_init(ty, declarator.name.span));
        };
        if let Type::Record(_) = ty {
            return self.record_value(declarator, init, length);
        }
        match &init.kind {
            InitializerKind::Value(value) => Some(Init::All(self.initial_value(value, element))),
            InitializerKind::List(values) => {
                let Some(length) = length else {
                    self.error(
                        codes::INITIALIZER,
                        init.span,
                        format!("`{name}` is not an array, so it cannot be given a list"),
                    );
                    return None;
                };
                if let Some(extra) = values.get(length as usize) {
                    let message = format!("{} values for the {length} elements of `{name}`", values.len());
                    let (advice, meaning) = ("leave out what has no element", "values without an element are ignored");
                    let finding = Diagnostic::accident(Lint::LongArrayList, extra.span, message, advice, meaning);
                    self.diagnostics.add(finding);
                }
                let values = values.iter().take(length as usize);
                Some(Init::List(values.map(|value| self.initial_value(value, element)).collect()))
            }
            InitializerKind::Channel { .. } => {
                self.error(codes::INITIALIZER, init.span, format!("`{name}` cannot be given a channel"));
                None
            }
        }
    }

    /// Spin parses the initial value of a whole record, and ignores it.
    fn record_value(
        &mut self,
        declarator: &'a ast::Declarator,
        init: &'a ast::Initializer,
        length: Option<u32>,
    ) -> Option<Init> {
        let name = &declarator.name.name;
        let message = format!("`{name}` is a record, and cannot be given a value as a whole");
        match &init.kind {
            InitializerKind::Value(value) => {
                self.initial_value(value, Type::Int);
            }
            InitializerKind::List(values) if length.is_some() => {
                for value in values {
                    self.initial_value(value, Type::Int);
                }
            }
            InitializerKind::List(_) | InitializerKind::Channel { .. } => {
                self.error(codes::INITIALIZER, declarator.span, message);
                return None;
            }
        }
        let meaning = "the value is ignored, and the fields start with their own";
        let advice = "give values to its fields, in the typedef or by assignments";
        let finding = Diagnostic::accident(Lint::RecordInitializer, declarator.span, message, advice, meaning);
        self.diagnostics.add(finding);
        Some(Init::Zero)
    }

    pub(super) fn initial_value(&mut self, value: &'a ast::Expr, ty: Type) -> Expr {
        let outer = self.here.run_ban.replace("the initial value of a variable");
        let (expr, sort) = self.value(value);
        self.here.run_ban = outer;
        self.check_store(ty, &expr, sort, value.span);
        expr
    }

    /// Warns of information that is lost or confused when a value is stored.
    pub(super) fn check_store(&mut self, ty: Type, value: &Expr, sort: Sort, span: Span) {
        if let Some(constant) = value.as_constant() {
            let kept = ty.truncate(constant);
            if ty == Type::Chan && constant == 0 {
                // "No channel".
            } else if ty == Type::Chan && matches!(sort, Sort::MtypeName(_)) {
                self.check_channel_use(ty, sort, span);
            } else if ty == Type::Chan {
                let error = Diagnostic::error(codes::CHANNEL_VALUE, span, "a number where a channel is wanted");
                self.diagnostics.add(error.help("give it a channel: the name of a `chan` variable"));
            } else if kept != constant {
                let message = format!("{constant} does not fit in `{}`; {kept} will be stored", self.type_text(ty));
                self.diagnostics.add(Diagnostic::warning(Lint::Truncation, value.span, message));
            }
        } else {
            self.check_channel_use(ty, sort, value.span);
        }
    }

    /// A channel may be stored in a number, but that is rarely intended.
    pub(super) fn check_channel_use(&mut self, ty: Type, sort: Sort, span: Span) {
        let message = match (ty, sort) {
            (Type::Chan, Sort::Channel) => return,
            (Type::Chan, _) => "a number where a channel is wanted",
            (_, Sort::Channel) => "a channel where a number is wanted",
            _ => return,
        };
        self.diagnostics.add(Diagnostic::warning(Lint::ChannelAsNumber, span, message));
    }
}
