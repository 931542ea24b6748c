//! Names of mtypes: constants of the module `mtype`, with the model's own names.
//!
//! Each is an `i32`, the type of expressions, and is used wherever the model uses the name. The names of `mtype:fruit`
//! are in `mtype::fruit`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::expr::{literal_of, rust_type};
use super::names::{self, bare, doc, literal, visible};
use crate::model::{Mtype, MtypeId, Type};

impl Generator<'_> {
    pub fn has_mtypes(&self) -> bool {
        self.program.model.mtypes.iter().any(|mtype| !mtype.names.is_empty())
    }

    /// Everything in `mtype.rs`.
    pub fn mtypes(&self) -> TokenStream {
        let lists = self.program.model.mtypes.iter_enumerated().map(|(id, mtype)| {
            let names = &self.names.mtypes[id];
            let constants = mtype.names.iter().zip(&names.values).map(|(entry, name)| {
                let value = literal(entry.value);
                quote! { pub const #name: i32 = #value; }
            });
            match (&mtype.kind, &names.module) {
                (Some(_), Some(module)) => {
                    let title = doc(&format!(" {}", mtype.text()));
                    quote! { #title pub mod #module { #(#constants)* } }
                }
                _ => quote! { #(#constants)* },
            }
        });
        quote! { #(#lists)* }
    }

    /// A constant by its name, if the model gives it by name: `mtype::ack`.
    pub fn symbol(&self, written: Option<MtypeId>, value: i32) -> Option<TokenStream> {
        let id = written?;
        let mtype = &self.program.model.mtypes[id];
        let at = mtype.names.iter().position(|entry| entry.value == value)?;
        let names = &self.names.mtypes[id];
        let (module, name) = (names.module.iter(), &names.values[at]);
        Some(quote! { mtype::#(#module::)*#name })
    }

    /// A constant as a value of a type; by its name, unless the type truncates it.
    pub fn constant_of(&self, ty: Type, written: Option<MtypeId>, value: i32) -> TokenStream {
        let symbol = self.symbol(written, value).filter(|_| ty.truncate(value) == value);
        match (symbol, rust_type(ty)) {
            (Some(symbol), "u8") => quote! { byte(#symbol) },
            (Some(symbol), "i32") => symbol,
            _ => literal_of(ty, value),
        }
    }

    /// The function that names the values of an mtype.
    pub fn mtype_function(&self, id: MtypeId) -> Ident {
        let mtype = &self.program.model.mtypes[id];
        match &mtype.kind {
            None => format_ident!("mtype_name"),
            Some(_) if mtype.members.is_some() => format_ident!("scalarset_{}_name", id.0),
            Some(kind) => format_ident!("mtype_{}_name", bare(&names::identifier(kind))),
        }
    }

    /// The names of mtype values, where the model prints them.
    pub fn mtype_functions(&self) -> TokenStream {
        let is_used = |(_, mtype): &(MtypeId, &Mtype)| !mtype.names.is_empty();
        let functions = self.program.model.mtypes.iter_enumerated().filter(is_used).map(|(id, mtype)| {
            let name = self.mtype_function(id);
            let names = &self.names.mtypes[id];
            let module = names.module.as_ref();
            let arms = mtype.names.iter().zip(&names.values).map(|(entry, name)| {
                let (module, text) = (module.iter(), visible(&entry.name));
                quote! { mtype::#(#module::)*#name => #text }
            });
            if mtype.members.is_some() {
                return quote! {
                    /// A member of a scalarset, or none.
                    pub fn #name(value: i32) -> String {
                        match value { #(#arms.to_owned(),)* member => member.to_string() }
                    }
                };
            }
            quote! {
                /// The name of an mtype value.
                pub fn #name(value: i32) -> &'static str {
                    match value { #(#arms,)* _ => "?" }
                }
            }
        });
        quote! { #(#functions)* }
    }
}
