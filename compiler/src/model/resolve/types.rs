//! Type names, typedefs and mtype lists.

use super::Resolver;
use crate::collections::Id;
use crate::diagnostic::Diagnostic;
use crate::model::resolve::scopes::Symbol;
use crate::model::{Init, Mtype, MtypeId, MtypeName, Record, RecordField, RecordId, Type, codes};
use crate::source::Span;
use crate::syntax::ast::{self, TypeKind};

/// How many values a variable may hold.
const MOST_SCALARS: u64 = 1 << 20;

/// How many values a message may hold.
const MOST_FIELDS: u64 = 4096;

/// An mtype is stored in a byte.
const MOST_MTYPE_NAMES: usize = 255;

impl<'a> Resolver<'a> {
    /// `unsigned` has no width yet: that stands with the variable.
    pub(super) fn type_name(&mut self, name: &'a ast::TypeName) -> Option<Type> {
        Some(match &name.kind {
            TypeKind::Bit => Type::Bit,
            TypeKind::Bool => Type::Bool,
            TypeKind::Byte => Type::Byte,
            TypeKind::Pid => Type::Pid,
            TypeKind::Short => Type::Short,
            TypeKind::Int => Type::Int,
            TypeKind::Unsigned => Type::Unsigned(32),
            TypeKind::Chan => Type::Chan,
            TypeKind::Timer => Type::Timer,
            TypeKind::Scalarset { size, name: set } => return self.scalarset(size, set.as_ref(), name.span),
            TypeKind::Mtype(None) => Type::Mtype(MtypeId(0)),
            TypeKind::Mtype(Some(kind)) => {
                let id = self.mtype_kind(kind);
                self.mtype_uses.push((id, kind.span));
                Type::Mtype(id)
            }
            TypeKind::Record(record) => match self.records.get(&record.name) {
                Some(id) => {
                    let id = *id;
                    self.note_use(record, self.model.records[id].span);
                    Type::Record(id)
                }
                None => {
                    self.unknown_type(record);
                    return None;
                }
            },
        })
    }

    fn unknown_type(&mut self, name: &ast::Ident) {
        let message = format!("there is no type `{}`", name.name);
        let error = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, message);
        let known = self.model.records.iter().map(|record| &record.name);
        let error = match self.closest(&name.name, known) {
            Some(other) => error.help(format!("did you mean `{other}`?")),
            None => error.help(
                "a type is bit, bool, byte, pid, short, int, unsigned, mtype, chan, or a typedef that stands above",
            ),
        };
        self.diagnostics.add(error);
    }

    fn mtype_kind(&mut self, kind: &ast::Ident) -> MtypeId {
        let mtypes = &mut self.model.mtypes;
        *self.mtypes.or_insert_with(kind.name.clone(), || {
            mtypes.push(Mtype { kind: Some(kind.name.clone()), names: Vec::new(), members: None })
        })
    }

    /// Names are numbered from the end of a list; a second list continues above the first.
    pub(super) fn mtype_list(&mut self, item: &ast::Item, kind: Option<&ast::Ident>, names: &[ast::Ident]) {
        let id = kind.map_or(MtypeId(0), |kind| self.mtype_kind(kind));
        let n_before = self.model.mtypes[id].names.len();
        let total = n_before + names.len();
        if total > MOST_MTYPE_NAMES {
            let message = format!("this makes {total} mtype names, but a byte has room for {MOST_MTYPE_NAMES}");
            self.error(codes::LIMIT, item.span, message);
            for ident in names {
                self.misdeclared.insert(ident.name.clone(), ());
            }
            return;
        }
        let mut list = Vec::with_capacity(total);
        for (ident, value) in names.iter().zip((1..=total).rev()) {
            let value = i32::try_from(value).expect("at most 255");
            if let Some(earlier) = self.scopes.find(&ident.name)
                && let Symbol::Constant(..) = earlier.symbol
            {
                let message = format!("`{}` is already the name of an mtype", ident.name);
                let error = Diagnostic::error(codes::REDECLARED, ident.span, message)
                    .label(earlier.span, "first declared here");
                self.diagnostics.add(error);
            } else {
                self.scopes.declare(&ident.name, Symbol::Constant(id, value), ident.span);
            }
            list.push(MtypeName { name: ident.name.clone(), value, span: ident.span });
        }
        let all = &mut self.model.mtypes[id].names;
        list.append(all);
        *all = list;
    }

    pub(super) fn check_mtype_kinds(&mut self) {
        let uses = std::mem::take(&mut self.mtype_uses);
        for (id, span) in uses {
            let mtype = &self.model.mtypes[id];
            if let (true, Some(kind)) = (mtype.names.is_empty(), &mtype.kind) {
                let message = format!("there is no `mtype:{kind}`");
                let help = format!("declare its names with `mtype:{kind} = {{ ... }}`");
                self.diagnostics.add(Diagnostic::error(codes::UNKNOWN_TYPE, span, message).help(help));
            }
        }
    }

    pub(super) fn typedef(&mut self, name: &'a ast::Ident, fields: &'a [ast::Declaration]) {
        if let Some(earlier) = self.records.get(&name.name) {
            let error =
                Diagnostic::error(codes::REDECLARED, name.span, format!("typedef `{}` is declared twice", name.name))
                    .label(self.model.records[*earlier].span, "first declared here");
            self.diagnostics.add(error);
            return;
        }
        let id = RecordId::from_index(self.model.records.len());
        let mut resolved: Vec<RecordField> = Vec::new();
        let mut size: u64 = 0;
        for declaration in fields {
            let contains_itself = matches!(&declaration.ty.kind, TypeKind::Record(inner) if inner.name == name.name);
            if contains_itself {
                let message = format!("typedef `{}` contains itself", name.name);
                self.error(codes::UNKNOWN_TYPE, declaration.ty.span, message);
                continue;
            }
            let Some(ty) = self.type_name(&declaration.ty) else { continue };
            for declarator in &declaration.variables {
                if let Some(field) = self.field(declarator, ty) {
                    let number = u32::try_from(resolved.len()).unwrap_or(u32::MAX);
                    if let Some(earlier) = self.fields.insert((id, field.name.clone()), number) {
                        let message = format!("field `{}` is declared twice", field.name);
                        let first = resolved[earlier as usize].span;
                        let error = Diagnostic::error(codes::REDECLARED, field.span, message)
                            .label(first, "first declared here");
                        self.diagnostics.add(error);
                    }
                    let one = self.n_scalars(field.ty);
                    size = size.saturating_add(one.saturating_mul(u64::from(field.length.unwrap_or(1))));
                    resolved.push(field);
                }
            }
        }
        self.fits_variable(size, name.span);
        self.model.records.push(Record { name: name.name.clone(), fields: resolved, span: name.span });
        self.record_sizes.push(size);
        self.records.insert(name.name.clone(), id);
    }

    fn field(&mut self, declarator: &'a ast::Declarator, ty: Type) -> Option<RecordField> {
        let ty = self.with_width(declarator, ty)?;
        let length = self.array_length(declarator)?;
        let init = match declarator.init.as_ref().map(|init| (&init.kind, init.span)) {
            Some((ast::InitializerKind::Channel { capacity, fields }, span)) => {
                let (capacity, fields) = self.channel_shape(ty, &declarator.name, capacity, fields, span)?;
                Init::FieldChannel { capacity, fields }
            }
            _ => self.values(declarator, ty, length)?,
        };
        let all_constant = match &init {
            Init::All(value) => value.as_constant().is_some(),
            Init::List(values) => values.iter().all(|value| value.as_constant().is_some()),
            Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => true,
        };
        if !all_constant {
            let message = format!("the initial value of field `{}` is not constant", declarator.name.name);
            self.error(codes::NOT_CONSTANT, declarator.span, message);
        }
        Some(RecordField { name: declarator.name.name.clone(), ty, length, init, span: declarator.name.span })
    }

    /// The number of scalars of a value of that type.
    pub(super) fn n_scalars(&self, ty: Type) -> u64 {
        match ty {
            Type::Record(record) => self.record_sizes[record],
            _ => 1,
        }
    }

    /// Says so if a variable is too large to go on with.
    pub(super) fn fits_variable(&mut self, n_scalars: u64, span: Span) -> bool {
        if n_scalars > MOST_SCALARS {
            let message = format!("this holds {n_scalars} values, but at most {MOST_SCALARS} fit one variable");
            self.error(codes::LIMIT, span, message);
        }
        n_scalars <= MOST_SCALARS
    }

    /// Says so if a message is too long to go on with.
    pub(super) fn fits_message(&mut self, n_scalars: u64, span: Span) -> bool {
        if n_scalars > MOST_FIELDS {
            let message = format!("this holds {n_scalars} values, but at most {MOST_FIELDS} fit one message");
            self.error(codes::LIMIT, span, message);
        }
        n_scalars <= MOST_FIELDS
    }

    /// The scalars of a message, with records flattened.
    pub(super) fn spread(&self, ty: Type, out: &mut Vec<Type>) {
        match ty {
            Type::Record(record) => {
                for field in &self.model.records[record].fields {
                    let element = if field.length.is_some() { field.ty.element() } else { field.ty };
                    for _ in 0..field.length.unwrap_or(1) {
                        self.spread(element, out);
                    }
                }
            }
            scalar => out.push(scalar),
        }
    }

    /// As an author calls it.
    pub(super) fn type_text(&self, ty: Type) -> String {
        self.model.type_text(ty)
    }
}
