//! Prints tokens as text, formatted item by item with blank lines between.
//!
//! If syn cannot parse the tokens, that is a bug of pmc, and our tests find it before the user's compiler does.

use proc_macro2::TokenStream;
use quote::quote;

/// Formats the items of one file under a heading of `//!` lines.
pub fn file(heading: &str, tokens: TokenStream) -> String {
    let parsed: syn::File = match syn::parse2(tokens.clone()) {
        Ok(parsed) => parsed,
        Err(error) => panic!("generated code must be Rust, but: {error}\n{tokens}"),
    };
    let mut text = String::new();
    for line in heading.lines() {
        text.push_str(if line.is_empty() { "//!" } else { "//! " });
        text.push_str(line);
        text.push('\n');
    }
    if !parsed.attrs.is_empty() {
        text.push_str(&print(syn::File { items: Vec::new(), ..parsed.clone() }));
    }
    let mut before = None;
    for item in parsed.items {
        let kind = std::mem::discriminant(&item);
        let is_short = matches!(item, syn::Item::Use(_) | syn::Item::Mod(_) | syn::Item::Const(_));
        if !(is_short && before == Some(kind)) {
            text.push('\n');
        }
        before = Some(kind);
        let is_impl = matches!(item, syn::Item::Impl(_));
        let printed = print(syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] });
        text.push_str(&if is_impl { apart(&printed) } else { printed });
    }
    text
}

/// Inserts a blank line between the functions of an `impl`, and before the first.
fn apart(printed: &str) -> String {
    let mut text = String::with_capacity(printed.len());
    let mut ends_item = false;
    for line in printed.lines() {
        let is_constant = ["    const ", "    pub const ", "    type "].iter().any(|start| line.starts_with(start));
        if ends_item && line != "}" && !is_constant {
            text.push('\n');
        }
        text.push_str(line);
        text.push('\n');
        let is_outermost = line.starts_with("    ") && !line.starts_with("     ");
        ends_item = is_outermost && (line == "    }" || line.ends_with(';'));
    }
    text
}

fn print(file: syn::File) -> String {
    let printed = prettyplease::unparse(&file);
    let mut text = String::with_capacity(printed.len());
    let mut lines = printed.lines();
    while let Some(line) = lines.next() {
        // The printer breaks a call that is too long.
        let literal = match line.trim_start().strip_prefix("comment!(") {
            Some("") => {
                let literal = lines.next().map(str::trim);
                lines.next();
                literal
            }
            Some(rest) => rest.strip_suffix(");"),
            None => None,
        };
        match literal.and_then(|literal| syn::parse_str::<syn::LitStr>(literal).ok()) {
            Some(comment) => {
                text.extend(line.chars().take_while(|c| *c == ' '));
                text.push_str("// ");
                text.push_str(&comment.value());
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// A comment between statements. Tokens cannot contain one, so a macro call stands for it.
pub fn comment(text: &str) -> TokenStream {
    let text = super::names::visible(text);
    quote! { comment!(#text); }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_stays_one_line_whatever_is_in_it() {
        let long = "x ".repeat(200);
        for text in ["plain", "\"quoted\" \\", "two\nlines", "*/ }", &long] {
            let comment = comment(text);
            let printed = file("", quote! { fn f() { #comment g(); } });
            let shown = super::super::names::visible(text);
            assert!(printed.contains(&format!("\n    // {shown}\n    g();\n")), "{printed}");
        }
    }
}
