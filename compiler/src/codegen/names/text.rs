//! The author's text in generated code: only in string literals, without characters that mislead a reader.

use proc_macro2::TokenStream;
use quote::quote;

/// A line of documentation from text of the model.
pub fn doc(text: &str) -> TokenStream {
    let text = visible(text);
    quote! { #[doc = #text] }
}

/// Text of the model for a string literal. Control characters and those that change the direction of writing are
/// escaped: rustc rejects the latter even in comments, and both mislead a reader.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let changes_direction =
            matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let is_invisible = matches!(c, '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
        if c.is_control() || changes_direction || is_invisible {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The same for text of several lines.
pub fn visible_lines(text: &str) -> String {
    text.lines().map(|line| visible(line.trim())).collect::<Vec<_>>().join("\n")
}

pub(super) fn shorten(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} ...", text[..end].trim_end()),
    }
}

/// A path without its folders: the same model gives the same bytes in every folder.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
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
