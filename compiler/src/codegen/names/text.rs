//! The author's text in generated code: only in string literals, without characters that mislead a reader.

use proc_macro2::TokenStream;
use quote::quote;

use crate::tables::visible;

/// A line of documentation from text of the model.
pub fn doc(text: &str) -> TokenStream {
    let text = visible(text);
    quote! { #[doc = #text] }
}

/// Text of several lines for a string literal: see [`visible`].
pub fn visible_lines(text: &str) -> String {
    text.lines().map(|line| visible(line.trim())).collect::<Vec<_>>().join("\n")
}

/// A number as an unsuffixed literal, negative ones too.
pub fn literal(value: i32) -> TokenStream {
    if value == i32::MIN {
        return quote! { i32::MIN };
    }
    let digits = proc_macro2::Literal::i32_unsuffixed(value.abs());
    if value < 0 {
        quote! { -#digits }
    } else {
        quote! { #digits }
    }
}

/// A length or another number that is never negative.
pub fn count(value: usize) -> proc_macro2::Literal {
    proc_macro2::Literal::usize_unsuffixed(value)
}
