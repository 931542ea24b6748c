//! Which names are visible, and where.
//!
//! Promela 6 has a scope per block. A name may not hide a visible one, so that
//! at any place a name means at most one thing; what stands further down in the
//! text is not visible yet.

use crate::collections::Lookup;
use crate::model::{MtypeId, VariableId};
use crate::source::{Name, Span};

#[derive(Clone, Copy, Debug)]
pub enum Symbol {
    Variable(VariableId),
    /// A name of an mtype, and its value.
    Constant(MtypeId, i32),
}

#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub symbol: Symbol,
    /// Where the name was declared.
    pub span: Span,
    depth: usize,
}

#[derive(Debug, Default)]
pub struct Scopes {
    entries: Lookup<Name, Vec<Entry>>,
    /// Every visible name, in the order of declaration.
    visible: Vec<Name>,
    /// For each open scope, how many names were visible when it was opened.
    open: Vec<usize>,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.open.push(self.visible.len());
    }

    pub fn leave(&mut self) {
        let length = self.open.pop().unwrap_or(0);
        for name in self.visible.drain(length..) {
            if let Some(entries) = self.entries.get_mut(&name) {
                entries.pop();
            }
        }
    }

    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name).and_then(|entries| entries.last())
    }

    /// Only in the innermost scope.
    pub fn find_here(&self, name: &str) -> Option<&Entry> {
        self.find(name).filter(|entry| entry.depth == self.open.len())
    }

    /// The caller has made sure that it hides nothing.
    pub fn declare(&mut self, name: &Name, symbol: Symbol, span: Span) {
        let entry = Entry { symbol, span, depth: self.open.len() };
        self.entries.or_insert_with(name.clone(), Vec::new).push(entry);
        self.visible.push(name.clone());
    }

    /// Every visible name, the last declared first.
    pub fn visible(&self) -> impl Iterator<Item = &Name> {
        self.visible.iter().rev()
    }
}

/// The candidate that `name` is most likely a misspelling of.
pub fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a Name>) -> Option<&'a Name> {
    const LONGEST: usize = 40;
    let length = name.chars().count();
    if length > LONGEST {
        return None;
    }
    let allowed = match length {
        0..=1 => 0,
        2..=4 => 1,
        _ => 2,
    };
    candidates
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance > 0 && *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be added, left out, replaced or swapped with their neighbour.
pub fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.to_lowercase().chars().collect();
    let right: Vec<char> = right.to_lowercase().chars().collect();
    if left == right {
        return 1;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closest_of(name: &str, candidates: &[&str]) -> Option<String> {
        let names: Vec<Name> = candidates.iter().map(|candidate| Name::from(*candidate)).collect();
        closest(name, names.iter()).map(ToString::to_string)
    }

    #[test]
    fn a_missing_letter_is_found() {
        assert_eq!(closest_of("deliverd", &["x", "delivered", "delay"]).as_deref(), Some("delivered"));
    }

    #[test]
    fn swapped_letters_are_one_mistake() {
        assert_eq!(distance("tunr", "turn"), 1);
    }

    #[test]
    fn short_names_are_not_guessed_at() {
        assert_eq!(closest_of("x", &["y", "z"]), None);
    }

    #[test]
    fn a_scope_forgets_its_names() {
        let mut scopes = Scopes::default();
        let name = Name::from("x");
        scopes.enter();
        scopes.declare(&name, Symbol::Variable(VariableId(0)), Span::default());
        assert!(scopes.find("x").is_some());
        scopes.leave();
        assert!(scopes.find("x").is_none());
    }
}
