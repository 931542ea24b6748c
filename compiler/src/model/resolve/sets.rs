//! Scalarsets: types whose values are only copied and compared.
//!
//! A set is stored like an `mtype:kind` whose only name is `none`. What may be done with its members is not checked here:
//! that needs the kinds of all values (`analysis::symmetry`).

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::model::{Expr, Members, Mtype, MtypeName, NONE, Type, codes};
use crate::source::{Name, Span};
use crate::syntax::ast;

/// Sets of one size are one set, unless they have names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SetName {
    Named(Name),
    OfSize(u32),
}

/// A byte has room for so many members beside `none`.
const MOST_MEMBERS: i32 = 255;

impl<'a> Resolver<'a> {
    /// `scalarset(size, name)`
    pub(super) fn scalarset(&mut self, size: &'a ast::Expr, name: Option<&ast::Ident>, span: Span) -> Option<Type> {
        let value = self.constant(size, "the size of a scalarset")?;
        let Some(size) = u32::try_from(value).ok().filter(|_| (1..=MOST_MEMBERS).contains(&value)) else {
            let message = format!("a scalarset with {value} members: it must have 1 to {MOST_MEMBERS}");
            self.error(codes::SIZE, size.span, message);
            return None;
        };
        let key = name.map_or(SetName::OfSize(size), |name| SetName::Named(name.name.clone()));
        let known = self.sets.iter().find(|(other, _)| *other == key).map(|(_, id)| *id);
        let Some(id) = known else {
            let text = name.map_or(format!("scalarset({size})"), |name| format!("scalarset({size}, {})", name.name));
            let none = MtypeName { name: Name::from("none"), value: NONE, span };
            let members = Some(Members { size, span });
            let set = Mtype { kind: Some(Name::from(text.as_str())), names: vec![none], members };
            let id = self.model.mtypes.push(set);
            self.sets.push((key, id));
            return Some(Type::Mtype(id));
        };
        if let Some(earlier) = self.model.mtypes[id].members.filter(|earlier| earlier.size != size) {
            let name = name.map_or("", |name| &name.name);
            let message = format!("the scalarset `{name}` has {size} members here and {} elsewhere", earlier.size);
            let error = Diagnostic::error(codes::SIZE, span, message).label(earlier.span, "first mentioned here");
            self.diagnostics.add(error);
            return None;
        }
        Some(Type::Mtype(id))
    }

    /// `none`, in a model that has scalarsets and nothing else of that name.
    pub(super) fn none(&mut self, place: &ast::VarRef) -> Option<Expr> {
        let name = &*place.name.name;
        let is_plain = name == "none" && place.index.is_none() && place.fields.is_empty();
        let (_, set) = self.sets.first().filter(|_| is_plain)?;
        let is_free = self.scopes.find(name).is_none()
            && self.scopes.find_ended(name).is_none()
            && self.globals.get(name).is_none();
        is_free.then(|| Expr::symbol(*set, NONE, place.span))
    }

    /// Without an initial value a variable would be member 0.
    pub(super) fn check_first_member(&mut self, ty: Type, name: &ast::Ident) {
        if self.model.members(ty).is_none() {
            return;
        }
        let message = format!("a variable of `{}` has no initial value: `{}`", self.set_text(ty), name.name);
        let error = Diagnostic::error(codes::SCALARSET, name.span, message);
        self.diagnostics.add(error.help("it would be member 0; write `= none` behind it"));
    }

    /// Before its declaration a variable has no value of its own, and is member 0.
    pub(super) fn late_member(&mut self, ty: Type, name: &ast::Ident) {
        let message = format!("a variable of `{}` is declared behind a statement: `{}`", self.set_text(ty), name.name);
        let error = Diagnostic::error(codes::SCALARSET, name.span, message);
        self.diagnostics
            .add(error.help("it would be member 0 before; move its declaration to the head of the process"));
    }

    /// What an author calls the set.
    fn set_text(&self, ty: Type) -> String {
        match ty {
            Type::Mtype(id) => self.model.mtypes[id].author_text(self.sources),
            _ => self.type_text(ty),
        }
    }
}

impl Mtype {
    /// The macro that stands for a scalarset, or the type as it is written.
    pub fn author_text(&self, sources: &crate::source::SourceMap) -> String {
        let macro_name = self.members.map(|members| sources.text(members.span)).filter(|text| is_name(text));
        macro_name.map_or_else(|| self.text(), str::to_owned)
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
