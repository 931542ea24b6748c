//! Free names: in one scope of the generated code no two items have the same name.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};

use super::reserved::{KEYWORDS, PREFIXES};

/// The names that are used in one scope of the generated code.
#[derive(Default)]
pub(super) struct NameScope {
    taken: BTreeSet<String>,
}

impl NameScope {
    pub fn reserving<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self { taken: names.into_iter().map(str::to_lowercase).collect() }
    }

    /// These are used, too, exactly as they are written.
    pub fn reserve<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.taken.extend(names.map(str::to_owned));
    }

    /// The name itself, or with a number appended if it is used. Upper and lower case do not make a difference, since
    /// modules are files.
    pub fn take(&mut self, name: &str) -> Ident {
        let mut candidate = name.to_owned();
        let mut number = 2;
        while !self.taken.insert(candidate.to_lowercase()) {
            candidate = format!("{name}_{number}");
            number += 1;
        }
        identifier(&candidate)
    }

    /// The same where upper and lower case do make a difference.
    pub fn take_exactly(&mut self, name: &str) -> Ident {
        let mut candidate = name.to_owned();
        while !self.taken.insert(bare(&identifier(&candidate))) {
            candidate.push('_');
        }
        identifier(&candidate)
    }

    /// The name of a module, which is also that of methods, with and without `_mut`.
    pub fn take_module(&mut self, name: &str) -> Ident {
        let mut name = snake_case(name);
        let is_ours = PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || name.ends_with("_mut");
        if is_ours || identifier(&name) != name {
            name.push('_');
        }
        self.take(&name)
    }

    /// The same with letters: `line_6`, `line_6_b`, `line_6_c`.
    pub fn take_lettered(&mut self, name: &str, separator: &str) -> Ident {
        let mut candidate = name.to_owned();
        let mut number = 1;
        while !self.taken.insert(candidate.clone()) {
            let is_upper = separator.is_empty();
            candidate = format!("{name}{separator}{}", letters(number, is_upper));
            number += 1;
        }
        identifier(&candidate)
    }
}

/// 1 is `b`, 25 is `z`, 26 is `aa`.
fn letters(mut number: usize, is_upper: bool) -> String {
    let first = if is_upper { b'A' } else { b'a' };
    let mut text = Vec::new();
    loop {
        text.push(char::from(first + u8::try_from(number % 26).expect("a remainder of 26")));
        number /= 26;
        if number == 0 {
            break;
        }
        number -= 1;
    }
    text.iter().rev().collect()
}

/// A Rust identifier for a Promela one. Promela's are letters, digits and underscores; any other character is replaced,
/// so that no text can become code.
pub fn identifier(name: &str) -> Ident {
    let mut clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if clean.is_empty() || clean.starts_with(|c: char| c.is_ascii_digit()) || clean.chars().all(|c| c == '_') {
        clean.insert_str(0, "x_");
    }
    match clean.as_str() {
        // These cannot be raw.
        "crate" | "self" | "Self" | "super" => Ident::new(&format!("{clean}_"), Span::call_site()),
        word if KEYWORDS.contains(&word) => Ident::new_raw(word, Span::call_site()),
        word => Ident::new(word, Span::call_site()),
    }
}

/// An identifier as text, without the mark of a raw one.
pub fn bare(identifier: &Ident) -> String {
    let text = identifier.to_string();
    text.strip_prefix("r#").map_or(text.clone(), ToOwned::to_owned)
}

/// `WorkerTwo` and `workerTwo` become `worker_two`.
fn snake_case(name: &str) -> String {
    let mut text = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && was_lower {
            text.push('_');
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        text.push(c.to_ascii_lowercase());
    }
    text
}

/// `worker_two` becomes `WorkerTwo`.
pub fn camel_case(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    let text: String = words
        .map(|word| {
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            first.to_uppercase() + rest
        })
        .collect();
    // The name of a type begins with a capital letter, which distinguishes it from a function.
    if text.starts_with(|c: char| c.is_ascii_uppercase()) { text } else { format!("X{text}") }
}
