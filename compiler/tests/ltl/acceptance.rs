//! The automaton of a formula accepts exactly the words that satisfy it.

use pmc::ltl;
use pmc::ltl::formula::Formula;
use pmc::ltl::print::AutomatonNames;

use crate::formulas::parse;
use crate::random::Random;

const N_ATOMS: u32 = 3;

fn name(atom: ltl::formula::AtomId) -> String {
    format!("p{}", atom.0)
}

fn check(formula: &Formula, random: &mut Random, n_words: u32) {
    let claim = ltl::translate(formula).unwrap_or_else(|error| panic!("{}: {error}", formula.text(&name)));
    for _ in 0..n_words {
        let lasso = random.lasso(N_ATOMS);
        let expected = lasso.satisfies(formula);
        for (kind, automaton) in [("generalized", &claim.generalized), ("buchi", &claim.buchi)] {
            let accepted = lasso.is_accepted_by(automaton);
            assert_eq!(accepted, expected, "{kind} automaton of {} on {lasso:?}", formula.text(&name));
        }
    }
}

/// How many formulas to try; `PMC_LTL_CASES` asks for more.
fn n_cases() -> u64 {
    std::env::var("PMC_LTL_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(400)
}

#[test]
fn random_formulas_and_their_negations_accept_what_they_say() {
    for seed in 0..n_cases() {
        let mut random = Random::new(seed);
        let size = 2 + random.below(12);
        let formula = random.formula(size, N_ATOMS, true);
        check(&formula, &mut random, 5);
        check(&formula.negated(), &mut random, 5);
    }
}

#[test]
fn the_same_formula_gives_the_same_text() {
    for seed in 0..50 {
        let formula = Random::new(seed).formula(12, N_ATOMS, true);
        let print = || {
            let claim = ltl::translate(&formula).expect("a small formula");
            let atoms: Vec<String> = (0..N_ATOMS).map(|atom| format!("p{atom}")).collect();
            let names = AutomatonNames { formula: "", atoms: &atoms, is_stutter_closed: claim.is_stutter_closed };
            claim.buchi.to_never_claim(&names) + &claim.generalized.to_hoa(&names) + &claim.buchi.to_dot(&names)
        };
        assert_eq!(print(), print());
    }
}

#[test]
fn a_formula_is_stutter_closed_unless_next_matters() {
    let check = |text: &str, expected: bool| {
        let claim = ltl::translate(&parse(text).formula).expect("a small formula");
        assert_eq!(claim.is_stutter_closed, expected, "{text}");
    };
    check("[] (p -> (<> q))", true);
    check("[] (p -> (X q))", false);
    check("<> (X p)", false);
    check("X ([] (<> p))", true);
    check("p || (true || (X q))", true);
}
