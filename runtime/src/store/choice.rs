//! The choice of a store for a model and a machine, if the user does not choose.

use super::StoreOptions;
use crate::options::{Options, Store};

/// States of up to so many words are kept uncompressed unless memory is short: that is the fastest. Longer ones move
/// into trees if there are many of them ([`Store::Auto`], as a store).
const SHORT_WORDS: usize = 16;

/// An estimate of the bytes of a state if sizes differ, made before any state is known.
const USUAL_BYTES: u64 = 80;

/// The bytes of a state in a tree, with what a search keeps beside it.
const TREE_BYTES: u64 = 13;

/// A store, and the reason if pmc chose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoreChoice {
    pub store: Store,
    pub reason: Option<String>,
}

/// For states of so many words, if all have the same size, in so much memory.
pub(crate) fn choose(options: &Options, words: Option<usize>, memory: u64) -> StoreChoice {
    if options.store != Store::Auto {
        return StoreChoice { store: options.store, reason: None };
    }
    // With the free part of the table, and what a search keeps beside the set.
    let exact_bytes = words.map_or(USUAL_BYTES, |words| words as u64 * 8 * 4 / 3 + 3);
    let fits = |bytes: u64| options.expect_states.is_none_or(|n| n.saturating_mul(bytes) <= memory);
    let (store, reason) = match words {
        _ if !fits(TREE_BYTES.min(exact_bytes)) => (Store::Compact, "so many states are expected"),
        _ if !fits(exact_bytes) => (Store::Tree, "so many states are expected"),
        Some(words) if words > SHORT_WORDS => return StoreChoice { store: Store::Auto, reason: None },
        Some(_) | None => return StoreChoice { store: Store::Exact, reason: None },
    };
    StoreChoice { store, reason: Some(format!("chosen since {reason}")) }
}

/// The parameters of a set of this store.
pub(crate) fn store_options(options: &Options, store: Store, memory_limit: u64) -> StoreOptions {
    StoreOptions {
        store,
        memory_limit,
        user_memory: options.limits.memory,
        expect_states: options.expect_states,
        ..StoreOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(words: Option<usize>, expect_states: Option<u64>) -> StoreChoice {
        choose(&Options { expect_states, ..Options::default() }, words, 1 << 30)
    }

    #[test]
    fn short_states_are_kept_as_they_are_and_long_ones_for_a_while() {
        for words in [Some(1), Some(16), None] {
            assert_eq!(chosen(words, None), StoreChoice { store: Store::Exact, reason: None });
            assert_eq!(chosen(words, Some(1_000_000)).store, Store::Exact);
        }
        assert_eq!(chosen(Some(17), None), StoreChoice { store: Store::Auto, reason: None });
        assert_eq!(chosen(Some(17), Some(50_000_000)).store, Store::Tree);
    }

    #[test]
    fn when_memory_is_short_states_are_compressed() {
        let reason = Some("chosen since so many states are expected".to_owned());
        assert_eq!(chosen(Some(2), Some(50_000_000)), StoreChoice { store: Store::Tree, reason: reason.clone() });
        assert_eq!(chosen(None, Some(50_000_000)).store, Store::Tree);
        assert_eq!(chosen(Some(9), Some(100_000_000)), StoreChoice { store: Store::Compact, reason });
    }

    #[test]
    fn what_the_user_says_is_done() {
        for store in [Store::Exact, Store::Compact, Store::Bitstate(Some(2))] {
            let options = Options { store, expect_states: Some(u64::MAX), ..Options::default() };
            assert_eq!(choose(&options, None, 1), StoreChoice { store, reason: None });
        }
    }
}
