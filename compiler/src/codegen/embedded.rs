//! Blocks of C: a module of Rust functions that call them, each from the values that a block mentions to those that it
//! changes. It is the only module of an emitted crate with `unsafe` code, and there is none where the model has no C.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::names::count;
use super::{Generator, format};
use crate::collections::Id;
use crate::model::embedded::{Block, BlockId, BlockKind};

impl Generator<'_> {
    pub fn has_c(&self) -> bool {
        !self.program.model.embedded.is_empty()
    }

    /// Everything in `embedded.rs`.
    pub fn embedded(&self) -> TokenStream {
        let blocks = self.program.model.embedded.blocks.iter_enumerated();
        let (declarations, functions): (Vec<_>, Vec<_>) = blocks.map(|(id, block)| self.block(id, block)).unzip();
        let import = Self::import();
        quote! {
            #import

            unsafe extern "C" {
                #(#declarations)*
            }

            #(#functions)*
        }
    }

    /// The C functions of a block, and the Rust functions that call them.
    fn block(&self, id: BlockId, block: &Block) -> (TokenStream, TokenStream) {
        let doc = self.names.source_line(block.span);
        let called = format!("{} line {}", block.word(), self.names.sources().position(block.span).line);
        let precondition = block.precondition.as_deref().map(str::trim).unwrap_or_default();
        let n_values = count(block.slots.len());
        let written = block.slots.iter().enumerate().filter(|(_, slot)| slot.is_written);
        let results: Vec<TokenStream> = written
            .map(|(number, _)| {
                let number = count(number);
                quote! { values[#number] }
            })
            .collect();
        let n_results = count(results.len());
        let safety =
            format::comment("SAFETY: the function uses as many values as there are, and keeps no pointer to them.");
        let call = |c_name: &proc_macro2::Ident| {
            quote! {
                #safety
                let end = unsafe { #c_name(values.as_mut_ptr()) };
                block_end(end, &[#called, #precondition])?;
            }
        };
        let number = id.index();
        match block.kind {
            BlockKind::Code => {
                let (name, c_name) = (format_ident!("block_{number}"), format_ident!("pmc_block_{number}"));
                let call = call(&c_name);
                (
                    quote! { fn #c_name(values: *mut i32) -> i32; },
                    quote! {
                        #doc
                        pub fn #name(mut values: [i32; #n_values]) -> Result<[i32; #n_results], Fault> {
                            #call
                            Ok([#(#results),*])
                        }
                    },
                )
            }
            BlockKind::Expression => {
                let (value, c_value) = (format_ident!("value_{number}"), format_ident!("pmc_value_{number}"));
                let (test, c_test) = (format_ident!("test_{number}"), format_ident!("pmc_test_{number}"));
                let n_values_and_result = count(block.slots.len() + 1);
                let fill = quote! {
                    let mut values = [0; #n_values_and_result];
                    values[..#n_values].copy_from_slice(&given);
                };
                let (call_value, call_test) = (call(&c_value), call(&c_test));
                (
                    quote! {
                        fn #c_value(values: *mut i32) -> i32;
                        fn #c_test(values: *mut i32) -> i32;
                    },
                    quote! {
                        #doc
                        pub fn #value(given: [i32; #n_values]) -> Result<i32, Fault> {
                            #fill
                            #call_value
                            Ok(values[#n_values])
                        }
                        /// Whether it is not zero.
                        pub fn #test(given: [i32; #n_values]) -> Result<bool, Fault> {
                            #fill
                            #call_test
                            Ok(values[#n_values] != 0)
                        }
                    },
                )
            }
        }
    }
}

pub const EMBEDDED_HEADING: &str =
    "The blocks of C of the model, as functions of what they mention. `embedded.c` has their text.";
