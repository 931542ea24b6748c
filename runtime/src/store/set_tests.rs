//! Every set of states, compared with a `HashSet`, on states of several sizes.

use super::pair_tests::Random;
use super::*;
use crate::pack::{Bytes, Keyed, Words, Writer};
use std::collections::HashSet;

/// States as a search produces them: each is an earlier one with one field changed, or now and then an earlier one
/// itself. Fields have 5 to 32 bits; states of variable size have a variable number of them.
fn states<P: Packed>(n: usize, seed: u64) -> Vec<P> {
    let mut random = Random(seed);
    let n_fields = P::WORDS.map_or(40, |n_words| n_words * 3);
    let width = |field: usize| [5, 11, 31][field % 3];
    let pack = |fields: &[u32]| {
        let mut packed = P::default();
        let mut writer = packed.writer();
        fields.iter().enumerate().for_each(|(n, value)| writer.put(*value % (1 << width(n)), width(n)));
        writer.finish();
        packed
    };
    let mut all: Vec<Vec<u32>> = vec![vec![0; n_fields]];
    let mut states = vec![pack(&all[0])];
    while states.len() < n {
        let from = random.below(all.len() as u64) as usize;
        let mut fields = all[from].clone();
        let range = [1 << 5, 40, 3][random.below(3) as usize];
        if P::WORDS.is_none() && random.below(4) == 0 {
            fields.resize(random.below(n_fields as u64) as usize, 0);
        } else if !fields.is_empty() && random.below(8) != 0 {
            let field = random.below(fields.len() as u64) as usize;
            fields[field] = random.below(range) as u32;
        }
        states.push(pack(&fields));
        all.push(fields);
    }
    states
}

fn words<P: Packed>(state: &P) -> Vec<u64> {
    (0..state.n_words()).map(|index| state.word(index)).collect()
}

fn check<P: Packed, S: StateSet<P>>(options: &StoreOptions) {
    let mut set = S::new(options).unwrap();
    let mut all = HashSet::new();
    // Keys are made some time before they are used.
    for states in states::<P>(12_000, 7).chunks(50) {
        let keys: Vec<S::Key> = states.iter().map(|state| set.key(state, state.hash()).unwrap()).collect();
        for (state, key) in states.iter().zip(keys) {
            let is_new = all.insert(words(state));
            assert_eq!(set.contains(state, key), !is_new);
            assert_eq!(set.insert(state, key), Ok(if is_new { Visited::New } else { Visited::Seen }));
        }
        assert_eq!(set.n_states(), all.len() as u64);
    }
}

/// Words and lengths identify states.
#[test]
fn different_states_have_different_words() {
    let states = states::<Bytes>(5000, 3);
    for pair in states.windows(2) {
        assert_eq!(pair[0] == pair[1], words(&pair[0]) == words(&pair[1]));
    }
}

fn check_lossless<P: Packed>() {
    check::<P, ExactStore<P>>(&StoreOptions::default());
    check::<P, TreeSet<P>>(&StoreOptions::default());
    check::<P, CompactSet<P>>(&StoreOptions::default());
    for store in [Store::Auto, Store::Exact, Store::Tree, Store::Compact] {
        check::<P, ChosenSet<P>>(&StoreOptions { store, ..StoreOptions::default() });
    }
}

#[test]
fn states_of_one_word() {
    check_lossless::<Words<1>>();
}

#[test]
fn states_of_two_words() {
    check_lossless::<Words<2>>();
    check_lossless::<Keyed<Words<1>>>();
}

#[test]
fn states_of_several_words() {
    check_lossless::<Words<3>>();
    check_lossless::<Words<5>>();
    check_lossless::<Words<9>>();
}

#[test]
fn states_of_different_sizes() {
    check_lossless::<Bytes>();
    check_lossless::<Keyed<Bytes>>();
}

#[test]
fn states_without_fields() {
    let mut set = CompactSet::<Words<0>>::new(&StoreOptions::default()).unwrap();
    let state = Words([]);
    let key = set.key(&state, state.hash()).unwrap();
    assert_eq!([set.insert(&state, key), set.insert(&state, key)], [Ok(Visited::New), Ok(Visited::Seen)]);
}

/// Fields fill 47 bits for every word: what is behind them may be left out.
#[test]
fn states_of_which_not_all_bits_are_used() {
    let options = |bits| StoreOptions { state_bits: Some(bits), ..StoreOptions::default() };
    check::<Words<2>, TreeSet<Words<2>>>(&options(94));
    check::<Words<3>, CompactSet<Words<3>>>(&options(141));
    check::<Words<9>, TreeSet<Words<9>>>(&options(423));
    check::<Words<1>, CompactSet<Words<1>>>(&options(47));
}

#[test]
#[should_panic(expected = "more bits than its model said")]
fn a_bit_that_is_said_not_to_be_there_is_not_overlooked() {
    let mut set = TreeSet::<Words<2>>::new(&StoreOptions { state_bits: Some(70), ..StoreOptions::default() }).unwrap();
    let state = Words([0, 1 << 6]);
    let _ = set.key(&state, state.hash());
}
