//! The spelling of parameters: rustc wants an underscore in front of one that the function does not use. This is the
//! only question that generated code is inspected for.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::format_ident;

/// The name of a parameter, marked if it is not used.
pub fn used(name: &str, is_used: bool) -> Ident {
    if is_used { format_ident!("{name}") } else { format_ident!("_{name}") }
}

/// The name of a parameter, marked if the body does not use it.
pub fn parameter(name: &str, body: &TokenStream) -> Ident {
    used(name, mentions(body, name))
}

/// Whether code uses the variable, function or type of a name. A field, a method or an item of a module may have the
/// same name.
pub fn mentions(tokens: &TokenStream, name: &str) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(word) => {
            word == name && matches!(WordPosition::of(&tokens, at), WordPosition::Use | WordPosition::BeginsPath)
        }
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The position of a word, which decides what it can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordPosition {
    /// Alone: a variable, a function, a type.
    Use,
    /// `word::`
    BeginsPath,
    /// `::word`, an item of the path before it.
    EndsPath,
    /// `.word`, a field or a method.
    Member,
    /// `word:`, a field or a parameter with its type or value.
    Named,
    /// Behind `fn`, `struct`, `enum` and the like.
    Definition,
}

impl WordPosition {
    fn of(tokens: &[TokenTree], at: usize) -> Self {
        let is = |offset: isize, mark: char| is_mark(tokens, at, offset, mark);
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let defines = ["const", "enum", "fn", "mod", "struct", "type"];
        if matches!(before, Some(TokenTree::Ident(word)) if defines.iter().any(|other| word == other)) {
            return Self::Definition;
        }
        if is(-1, ':') && is(-2, ':') {
            return Self::EndsPath;
        }
        // Two dots are a range.
        if is(-1, '.') && !is(-2, '.') {
            return Self::Member;
        }
        match (is(1, ':'), is(2, ':')) {
            (true, true) => Self::BeginsPath,
            (true, false) => Self::Named,
            (false, _) => Self::Use,
        }
    }
}

fn is_mark(tokens: &[TokenTree], at: usize, offset: isize, mark: char) -> bool {
    let token = at.checked_add_signed(offset).and_then(|at| tokens.get(at));
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn a_variable_is_told_from_methods_fields_and_items() {
        let body = quote! { now.me() + mtype::next + Locals { steps: 0 } };
        assert!(["me", "next", "steps"].iter().all(|name| !mentions(&body, name)));
        assert!(mentions(&quote! { 0..me }, "me") && mentions(&quote! { (now.at)(next) }, "next"));
        assert_eq!(parameter("me", &quote! { me.0 }), "me");
        assert_eq!(parameter("me", &quote! { now.me }), "_me");
    }
}
