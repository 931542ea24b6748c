//! Renaming: every occurrence of a name is found, or nothing is changed.

use std::collections::BTreeSet;

use super::index::{FilePlace, Index, Symbol};
use super::words::Word;
use crate::syntax::token::Keyword;

/// The names that the language gives a meaning to.
const PREDEFINED: &[&str] = &["_", "_pid", "_nr_pr", "_last", "_priority", "STDIN"];

/// The place of the word that would be renamed.
pub fn prepare(index: &Index, file: usize, offset: usize) -> Result<FilePlace, String> {
    let (word, symbol) = target(index, file, offset)?;
    places(index, symbol)?;
    Ok(FilePlace { file, start: word.start, end: word.end })
}

/// Every place where the new name goes.
pub fn rename(index: &Index, file: usize, offset: usize, name: &str) -> Result<Vec<FilePlace>, String> {
    let (_, symbol) = target(index, file, offset)?;
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_word {
        return Err(format!("`{name}` is not a name: letters, digits and _"));
    }
    if Keyword::from_text(name).is_some_and(|keyword| !keyword.is_of_time()) || PREDEFINED.contains(&name) {
        return Err(format!("`{name}` is a word of the language"));
    }
    if name == symbol.name {
        return Ok(Vec::new());
    }
    if let Some((file, word)) = all_words(index).find(|(_, word)| word.text == name) {
        return Err(format!("`{name}` is in use already, {}", position(index, file, word)));
    }
    places(index, symbol)
}

fn target(index: &Index, file: usize, offset: usize) -> Result<(&Word, &Symbol), String> {
    if index.is_wrong {
        return Err("the model has errors: names are not known for sure".to_owned());
    }
    let word = index.files[file].words.at(offset).ok_or("there is no name here")?;
    if let Some((_, found)) = definition(index, &word.text) {
        return Err(format!("`{found}` is a macro or an inline, which cannot be renamed"));
    }
    let symbol = index.symbol_at(file, offset).ok_or_else(|| match word.is_in_directive {
        true => format!("`{}` stands in a macro: rename it where it is declared", word.text),
        false => format!("`{}` is not a name of the model", word.text),
    })?;
    Ok((word, symbol))
}

fn definition<'i>(index: &'i Index, name: &str) -> Option<(usize, &'i str)> {
    let mut all = index.files.iter().enumerate().flat_map(|(number, file)| {
        file.words.definitions.iter().map(move |definition| (number, definition.name.as_str()))
    });
    all.find(|(_, found)| *found == name)
}

/// All uses of a symbol. An occurrence of its name that the front end has not resolved, in a macro or in a region that is
/// left out, may mean it or not: then nothing is renamed.
fn places(index: &Index, symbol: &Symbol) -> Result<Vec<FilePlace>, String> {
    let own: BTreeSet<FilePlace> = index.uses_of(symbol).map(|used| used.place).collect();
    let others: BTreeSet<FilePlace> = index
        .uses
        .iter()
        .filter(|used| index.symbols[used.symbol].place != symbol.place)
        .map(|used| used.place)
        .collect();
    for (file, word) in all_words(index).filter(|(_, word)| word.text == symbol.name) {
        let place = FilePlace { file, start: word.start, end: word.end };
        let reason = match (own.contains(&place), others.contains(&place)) {
            (true, false) | (false, true) => continue,
            (true, true) => "means something else in another call of this inline",
            (false, false) if word.is_in_directive => "stands in a macro",
            (false, false) => {
                "is not resolved: in an argument of a macro, in an inline that is never called, or left out"
            }
        };
        return Err(format!("`{}` {reason}, {}", symbol.name, position(index, file, word)));
    }
    Ok(own.into_iter().collect())
}

fn all_words(index: &Index) -> impl Iterator<Item = (usize, &Word)> {
    index.files.iter().enumerate().flat_map(|(number, file)| file.words.names.iter().map(move |word| (number, word)))
}

fn position(index: &Index, file: usize, word: &Word) -> String {
    let file = &index.files[file];
    let line = file.lines.position(word.start).line + 1;
    let name = file.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    format!("in line {line} of {name}")
}
