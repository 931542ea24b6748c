//! Scopes: the visible names.
//!
//! Promela 6 has a scope per block. A name may not hide a visible one, so that
//! at any place a name means at most one thing; what stands further down in the
//! text is not visible yet.
//!
//! An option of `if` or `do` has a scope here, but none in Spin, where a name that
//! an option declares is visible up to the end of the block around:
//!
//! ```promela
//! if :: byte n = 1; x = n :: x = n fi; x = n    // Spin finds all three
//! ```
//!
//! So names of options that have ended are kept beside the visible ones.

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
pub struct Binding {
    pub symbol: Symbol,
    /// Where the name was declared.
    pub span: Span,
    depth: usize,
}

#[derive(Debug, Default)]
pub struct Scopes {
    entries: Lookup<Name, Vec<Binding>>,
    /// Every visible name, in the order of declaration.
    visible: Vec<Name>,
    open: Vec<Scope>,
}

#[derive(Debug)]
struct Scope {
    /// How many names were visible when it was opened.
    n_visible: usize,
    is_option: bool,
    /// The declarations of options within it that have ended.
    ended: Vec<(Name, Binding)>,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.open.push(Scope { n_visible: self.visible.len(), is_option: false, ended: Vec::new() });
    }

    /// Opens the scope of an option of `if` or `do`.
    pub fn enter_option(&mut self) {
        self.open.push(Scope { n_visible: self.visible.len(), is_option: true, ended: Vec::new() });
    }

    pub fn leave(&mut self) {
        let Some(mut scope) = self.open.pop() else { return };
        for name in self.visible.drain(scope.n_visible..) {
            if let Some(entry) = self.entries.get_mut(&name).and_then(Vec::pop)
                && scope.is_option
            {
                scope.ended.push((name, entry));
            }
        }
        if let (true, Some(around)) = (scope.is_option, self.open.last_mut()) {
            around.ended.append(&mut scope.ended);
        }
    }

    /// The declaration of that name in an option that has ended, where Spin still finds it. `None` if there are
    /// several: Spin rejects that.
    pub fn find_ended(&self, name: &str) -> Option<Binding> {
        let mut found = self.all_ended(name);
        found.next().filter(|_| found.next().is_none())
    }

    /// Whether Spin takes another declaration of the name for a second one in the same scope.
    pub fn has_ended(&self, name: &str) -> bool {
        self.all_ended(name).next().is_some()
    }

    fn all_ended(&self, name: &str) -> impl Iterator<Item = Binding> {
        let all = self.open.iter().flat_map(|scope| &scope.ended);
        all.filter(move |(other, _)| &**other == name).map(|(_, entry)| *entry)
    }

    /// Only in what Spin takes for the innermost scope: options belong to the block around them.
    pub fn find_in_block(&self, name: &str) -> Option<Binding> {
        let n_options = self.open.iter().rev().take_while(|scope| scope.is_option).count();
        let block = self.open.len() - n_options;
        let visible = self.find(name).filter(|entry| entry.depth >= block).copied();
        visible.or_else(|| {
            let ended = self.open.get(block.saturating_sub(1)..).unwrap_or_default();
            ended.iter().flat_map(|scope| &scope.ended).find(|(other, _)| &**other == name).map(|(_, entry)| *entry)
        })
    }

    pub fn find(&self, name: &str) -> Option<&Binding> {
        self.entries.get(name).and_then(|entries| entries.last())
    }

    /// Only in the innermost scope.
    pub fn find_here(&self, name: &str) -> Option<&Binding> {
        self.find(name).filter(|entry| entry.depth == self.open.len())
    }

    /// The caller has made sure that it hides nothing.
    pub fn declare(&mut self, name: &Name, symbol: Symbol, span: Span) {
        let entry = Binding { symbol, span, depth: self.open.len() };
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

/// The number of letters to be added, removed, replaced or swapped with their neighbour.
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
    fn what_an_option_declares_lives_on_in_the_block_around() {
        let mut scopes = Scopes::default();
        let name = Name::from("x");
        scopes.enter();
        scopes.enter_option();
        scopes.enter_option();
        scopes.declare(&name, Symbol::Variable(VariableId(0)), Span::default());
        scopes.leave();
        assert!(scopes.find("x").is_none() && scopes.find_ended("x").is_some() && scopes.find_in_block("x").is_some());
        scopes.leave();
        assert!(scopes.find("x").is_none() && scopes.find_ended("x").is_some());
        scopes.enter();
        assert!(scopes.find_ended("x").is_some() && scopes.find_in_block("x").is_none());
        scopes.leave();
        scopes.enter_option();
        scopes.declare(&name, Symbol::Variable(VariableId(1)), Span::default());
        scopes.leave();
        assert!(scopes.has_ended("x") && scopes.find_ended("x").is_none());
        scopes.leave();
        assert!(!scopes.has_ended("x"));
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
