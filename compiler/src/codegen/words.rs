//! Which names a piece of generated code uses, so that it imports these and no
//! others.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

#[derive(Default)]
pub struct Words {
    /// Names of variables, functions, types and modules that it uses.
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
        let mut is_enum = false;
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(identifier) => {
                    let word = identifier.to_string();
                    is_enum |= word == "enum";
                    let place = Place::of(&tokens, at);
                    if is_top && matches!(place, Place::Definition) {
                        self.defined.insert(word);
                        continue;
                    }
                    if !matches!(place, Place::Use | Place::BeginsPath) {
                        continue;
                    }
                    let arguments = tokens.get(at + 1);
                    let is_call = matches!(arguments, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                    if is_call {
                        self.called.insert(word.clone());
                    }
                    if place == Place::BeginsPath {
                        self.paths.insert(word.clone());
                    }
                    self.mentioned.insert(word);
                }
                // Attributes name derives, which are no types.
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket && is_mark(&tokens, at, -1, '#') => {
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && is_enum => {
                    is_enum = false;
                    self.read_variants(group.stream());
                }
                TokenTree::Group(group) => self.read_nested(group.stream(), false),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// The names of variants are nobody else's; what they hold is read.
    fn read_variants(&mut self, tokens: TokenStream) {
        for token in tokens {
            if let TokenTree::Group(group) = token
                && group.delimiter() != Delimiter::Bracket
            {
                self.read_nested(group.stream(), false);
            }
        }
    }
}

/// Whether code uses the variable, function or type of a name. A field, a method or an item of a module may have the same.
pub fn mentions(tokens: &TokenStream, name: &str) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(word) => word == name && matches!(Place::of(&tokens, at), Place::Use | Place::BeginsPath),
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Where a word stands, and so what it can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Alone: a variable, a function, a type.
    Use,
    /// `word::`
    BeginsPath,
    /// `::word`, which belongs to what stands before it.
    EndsPath,
    /// `.word`, a field or a method.
    Member,
    /// `word:`, a field or a parameter with its type or value.
    Named,
    /// Behind `fn`, `struct`, `enum` and the like.
    Definition,
}

impl Place {
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
    fn a_call_is_told_from_a_method_a_field_and_a_variable() {
        let mut words = Words::default();
        words.read(quote! { fn f() { let index: Kind = a.byte(); let other: maker::Kind; worker::run(int(self.short), Process::Channel); } });
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(list(&words.called), "int");
        assert_eq!(list(&words.defined), "f");
        assert_eq!(list(&words.paths), "Process maker worker");
        assert!(!words.mentioned.contains("index") && words.mentioned.contains("Kind"));
        assert!(!words.mentioned.contains("Channel"));
    }

    #[test]
    fn names_of_the_model_are_told_from_types_and_variables() {
        let mut words = Words::default();
        words.read(quote! {
            #[derive(Clone, Debug)]
            pub struct State { pub ProcessPart: [u8; 1] }
            pub enum Process { Cluster(worker::Locals), Queue }
            impl State { fn Shape(&self) -> i32 { self.Words + mtype::Table } }
        });
        for name in ["Debug", "ProcessPart", "Cluster", "Queue", "Shape", "Words", "Table"] {
            assert!(!words.mentioned.contains(name), "{name}");
        }
        let body = quote! { now.me() + mtype::next + Locals { steps: 0 } };
        assert!(["me", "next", "steps"].iter().all(|name| !mentions(&body, name)));
        assert!(mentions(&quote! { 0..me }, "me") && mentions(&quote! { (now.at)(next) }, "next"));
    }
}
