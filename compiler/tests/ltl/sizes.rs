//! How large never claims are, beside Spin's: the specification patterns
//! (Dwyer, Avrunin, Corbett, 1999) with their negations, some formulas that
//! people check often, and random ones. `sizes.csv` holds what `spin -f` gave.

use pmc::ltl;
use pmc::ltl::print::AutomatonNames;

use crate::formulas::{Named, parse};
use crate::random::Random;
use crate::spin;

struct Row {
    name: &'static str,
    formula: &'static str,
    spin_states: usize,
}

fn rows() -> Vec<Row> {
    let row = |line: &'static str| {
        let [name, formula, spin_states] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("a row has three fields: {line}")
        };
        Row { name, formula, spin_states: spin_states.parse().expect("a number of states") }
    };
    include_str!("sizes.csv").lines().skip(1).map(row).collect()
}

fn our_claim(formula: &str) -> (Named, String) {
    let named = parse(formula);
    let claim = ltl::translate(&named.formula).unwrap_or_else(|error| panic!("{formula}: {error}"));
    let names = AutomatonNames { formula, atoms: &named.atoms, is_stutter_closed: claim.is_stutter_closed };
    let text = claim.buchi.to_never_claim(&names);
    (named, text)
}

#[test]
fn claims_are_never_larger_than_those_of_spin_and_smaller_in_total() {
    let (mut ours, mut theirs) = (0, 0);
    let mut larger = Vec::new();
    for row in rows() {
        let n_states = spin::count_states(&our_claim(row.formula).1);
        ours += n_states;
        theirs += row.spin_states;
        if n_states > row.spin_states {
            larger.push(format!("{n_states} states, Spin {}: {} {}", row.spin_states, row.name, row.formula));
        }
    }
    println!("{ours} states in total, Spin {theirs}");
    assert!(larger.is_empty(), "{}", larger.join("\n"));
    assert!(ours < theirs, "{ours} states in total, Spin {theirs}");
}

/// The rows for which Spin is asked again: some of those that it is quick with,
/// or all if `PMC_LTL_CASES` asks for more.
fn rows_for_spin() -> Vec<Row> {
    let all = rows().into_iter();
    if std::env::var_os("PMC_LTL_CASES").is_some() {
        all.collect()
    } else {
        all.filter(|row| row.spin_states <= 6).step_by(8).collect()
    }
}

#[test]
fn spin_gives_the_recorded_sizes_and_accepts_the_same_words() {
    if !spin::is_installed() {
        return;
    }
    for (number, row) in rows_for_spin().iter().enumerate() {
        let (named, our_text) = our_claim(row.formula);
        let their_text = spin::never_claim(row.formula);
        assert_eq!(spin::count_states(&their_text), row.spin_states, "{}", row.name);
        let (ours, theirs) = (read(&our_text, &named), read(&their_text, &named));
        let mut random = Random::new(number as u64);
        for _ in 0..10 {
            let lasso = random.lasso(u32::try_from(named.atoms.len()).expect("few atoms"));
            let expected = lasso.satisfies(&named.formula);
            assert_eq!(ours.accepts(&lasso), expected, "our claim for {} on {lasso:?}\n{our_text}", row.formula);
            assert_eq!(theirs.accepts(&lasso), expected, "Spin's claim for {} on {lasso:?}\n{their_text}", row.formula);
        }
    }
}

fn read(claim: &str, named: &Named) -> spin::SpinClaim {
    spin::SpinClaim::parse(claim, &named.atoms)
}

#[test]
fn spin_takes_our_claims() {
    if !spin::is_installed() {
        return;
    }
    for row in rows_for_spin() {
        let (named, text) = our_claim(row.formula);
        if let Err(complaint) = spin::accepts_syntax(&text, &named) {
            panic!("Spin refuses the claim of {}: {complaint}", row.formula);
        }
    }
}
