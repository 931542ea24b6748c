//! The arguments of a process: a parameter of its function `run` for each scalar.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::expr::rust_type;
use super::names::{bare, identifier, reserved_values};
use crate::model::{ParameterScalar, ProctypeId, RecordId, Type, VariableId};

pub struct Starting {
    pub scalars: Vec<(Ident, ParameterScalar)>,
}

impl Generator<'_> {
    /// A parameter keeps its name, unless it would shadow a name that the function uses; a field of one is named after
    /// both, `point_x`.
    pub fn starting(&self, id: ProctypeId) -> Starting {
        let model = self.program.model;
        let scalars = model.parameter_scalars(id);
        let mut taken: BTreeSet<Ident> = reserved_values().map(identifier).collect();
        taken.extend(self.state_types().iter().map(|name| identifier(name)));
        taken.extend(["next", "me", "priority", "locals"].map(|name| format_ident!("{name}")));
        let mut name = |scalar: &ParameterScalar| {
            let mut name = bare(self.names.variable(scalar.variable));
            let mut ty = model.variables[scalar.variable].ty;
            for field in &scalar.path {
                let Type::Record(record) = ty else { break };
                name = format!("{name}_{}", bare(self.names.field(record, *field)));
                ty = model.records[record].fields[*field as usize].ty;
            }
            while !taken.insert(identifier(&name)) {
                name.push('_');
            }
            identifier(&name)
        };
        Starting { scalars: scalars.into_iter().map(|scalar| (name(&scalar), scalar)).collect() }
    }
}

impl Starting {
    /// `point_x: u8`
    pub fn parameters(&self) -> impl Iterator<Item = TokenStream> {
        self.scalars.iter().map(|(name, scalar)| {
            let ty = format_ident!("{}", rust_type(scalar.ty));
            quote! { #name: #ty }
        })
    }

    /// The argument for a parameter that is no record.
    pub fn scalar(&self, variable: VariableId) -> Option<&Ident> {
        self.scalars.iter().find(|(_, scalar)| scalar.variable == variable).map(|(name, _)| name)
    }

    /// A record made from the arguments for its fields.
    pub fn record(
        &self,
        generator: &Generator<'_>,
        variable: VariableId,
        record: RecordId,
        path: &mut Vec<u32>,
    ) -> TokenStream {
        let mut fields = TokenStream::new();
        for (number, field) in (0..).zip(&generator.program.model.records[record].fields) {
            path.push(number);
            let given = self.scalars.iter().find(|(_, scalar)| scalar.variable == variable && scalar.path == *path);
            let value = match (field.ty, given) {
                (Type::Record(inner), _) => self.record(generator, variable, inner, path),
                (_, Some((name, _))) => quote! { #name },
                (_, None) => unreachable!("each scalar of a parameter is given, and none has an array in it"),
            };
            path.pop();
            let name = generator.names.field(record, number);
            fields.extend(quote! { #name: #value, });
        }
        let name = generator.names.record(record);
        quote! { #name { #fields } }
    }
}
