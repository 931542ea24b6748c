//! The files of a verifier as one module, to be included in another crate.
//!
//! Before: a crate, whose modules use paths from its root. After: one text with all modules in it, with paths that are
//! valid wherever it is included.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::{AttrStyle, Attribute, Item, parse_quote};

use super::GeneratedFile;
use super::names::bare;

/// The text for `mod name { include!(...); }`.
pub fn module(files: &[GeneratedFile]) -> String {
    let root = parse(files, "lib");
    let (documentation, items) = (root.attrs, root.items);
    let items = items.into_iter().map(|item| match item {
        Item::Mod(module) if module.content.is_none() => inline(module, files),
        Item::Mod(module) => Item::Mod(module),
        Item::Use(mut import) => {
            // The including crate decides whether to use the verifier as a library.
            import.attrs.push(parse_quote!(#[allow(unused_imports)]));
            Item::Use(import)
        }
        Item::Fn(mut function) => {
            function.attrs.push(parse_quote!(#[allow(dead_code)]));
            Item::Fn(function)
        }
        other => other,
    });
    let items = items.collect();
    // An included file cannot have inner attributes, so the documentation becomes a comment.
    let heading: String = documentation.iter().filter_map(text_of).map(|line| format!("//{line}\n")).collect();
    let file = syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items };
    format!("{heading}\n{}", prettyplease::unparse(&file))
}

/// `pub mod state;` with the contents of its file.
fn inline(module: syn::ItemMod, files: &[GeneratedFile]) -> Item {
    let file = parse(files, &bare(&module.ident));
    let documentation = file.attrs.into_iter().map(|attribute| Attribute { style: AttrStyle::Outer, ..attribute });
    let allowed = parse_quote!(#[allow(dead_code, non_snake_case, non_camel_case_types, non_upper_case_globals, unused_comparisons, clippy::all)]);
    Item::Mod(syn::ItemMod {
        attrs: documentation.chain([allowed]).collect(),
        content: Some((syn::token::Brace::default(), file.items)),
        semi: None,
        ..module
    })
}

/// A file of the crate, with paths from the module above it instead of the root.
fn parse(files: &[GeneratedFile], name: &str) -> syn::File {
    let path = format!("src/{name}.rs");
    let file = files.iter().find(|file| file.path == path);
    let text = file.map(|file| file.text.as_str()).expect("every module that is declared was generated");
    let tokens: TokenStream = text.parse().expect("generated code is Rust");
    syn::parse2(from_above(tokens)).expect("`super` may stand where `crate` may")
}

fn from_above(tokens: TokenStream) -> TokenStream {
    let one = |token: TokenTree| match token {
        TokenTree::Ident(ident) if ident == "crate" => TokenTree::Ident(Ident::new("super", ident.span())),
        TokenTree::Group(group) => TokenTree::Group(Group::new(group.delimiter(), from_above(group.stream()))),
        other => other,
    };
    tokens.into_iter().map(one).collect()
}

/// The text of a line of documentation.
fn text_of(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}
