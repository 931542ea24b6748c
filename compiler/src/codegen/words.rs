//! Which names a piece of generated code uses, so that it imports these and no
//! others.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

#[derive(Default)]
pub struct Words {
    /// Every identifier but those inside a path.
    pub mentioned: BTreeSet<String>,
    /// Functions that are called by their bare name.
    pub called: BTreeSet<String>,
    /// Types and functions that the code itself defines, at the top.
    pub defined: BTreeSet<String>,
    /// What stands first in a path: `worker` in `worker::run`.
    pub paths: BTreeSet<String>,
}

impl Words {
    pub fn read(&mut self, tokens: TokenStream) {
        self.read_nested(tokens, true);
    }

    fn read_nested(&mut self, tokens: TokenStream, is_top: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_mark = |at: Option<usize>, mark: char| matches!(at.and_then(|at| tokens.get(at)), Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(identifier) => {
                    let word = identifier.to_string();
                    let (before, after) = (at.checked_sub(1), Some(at + 1));
                    let is_argument_list = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
                    let is_defined =
                        matches!(before.map(|before| &tokens[before]), Some(TokenTree::Ident(word)) if word == "fn");
                    if tokens.get(at + 1).is_some_and(is_argument_list) && !is_mark(before, '.') && !is_defined {
                        self.called.insert(word.clone());
                    }
                    let ends_path = is_mark(before, ':') && is_mark(at.checked_sub(2), ':');
                    if is_mark(after, ':') && is_mark(Some(at + 2), ':') && !ends_path {
                        self.paths.insert(word.clone());
                    }
                    let is_definition = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "fn" || word == "struct" || word == "enum");
                    if is_top && before.is_some_and(|before| is_definition(&tokens[before])) {
                        self.defined.insert(word.clone());
                    }
                    if !ends_path {
                        self.mentioned.insert(word);
                    }
                }
                TokenTree::Group(group) => self.read_nested(group.stream(), false),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn a_call_is_told_from_a_method_a_field_and_a_variable() {
        let mut words = Words::default();
        words.read(quote! { fn f() { let index: Kind = a.byte(); let other: maker::Kind; worker::run(int(self.short), Process::Channel); } });
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(list(&words.called), "int run");
        assert_eq!(list(&words.defined), "f");
        assert_eq!(list(&words.paths), "Process maker worker");
        assert!(words.mentioned.contains("index") && words.mentioned.contains("Kind"));
        assert!(!words.mentioned.contains("Channel"));
    }
}
