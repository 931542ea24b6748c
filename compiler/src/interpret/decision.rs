//! Which choices of a location may be enabled, by the value of one scalar.
//!
//! A process with many options mostly tests the same scalar in all of them, and few agree with its value: a table says
//! which, so that the others need not be tested one after the other.

use super::code::RawField;
use super::guard::FieldTest;
use super::layout::Base;
use super::program::Choice;
use super::state::get;

/// The numbers of the choices that may be enabled, in their order.
#[derive(Debug)]
pub enum Decision {
    /// There is no table, or it would not pay.
    All(Vec<u32>),
    ByValue {
        field: RawField,
        candidates: Vec<Vec<u32>>,
    },
}

/// A scalar gets a table if it has at most so many bits, and so many choices test it. A verdict must not wait for tables.
const MOST_BITS: u8 = 6;
const FEWEST_CHOICES: usize = 3;

impl Default for Decision {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Decision {
    /// The tests that block the choices are among these.
    pub fn new(choices: &[Choice], tests: &[FieldTest]) -> Self {
        let blocked_if = |choice: &Choice| {
            let (first, n) = choice.sequence.blocked_if;
            &tests[first as usize..][..n as usize]
        };
        // The numbers of the choices that may be enabled if a test may fail.
        let that = |may_fail: &dyn Fn(&FieldTest) -> bool| -> Vec<u32> {
            let may_be = |choice: &Choice| blocked_if(choice).iter().all(may_fail);
            choices.iter().zip(0..).filter(|(choice, _)| may_be(choice)).map(|(_, number)| number).collect()
        };
        let mut best = Self::All(that(&|_| true));
        let mut tested: Vec<RawField> = Vec::new();
        for test in choices.iter().flat_map(blocked_if) {
            if test.field.bits <= MOST_BITS && !tested.contains(&test.field) {
                tested.push(test.field);
            }
        }
        for field in tested {
            let n_tests = choices.len() - that(&|test| test.field != field).len();
            if n_tests < FEWEST_CHOICES {
                continue;
            }
            let of_value = |value| that(&|test| test.field != field || !test.values.contains(value));
            let table = Self::ByValue { field, candidates: (0..1 << field.bits).map(of_value).collect() };
            if table.mean_size() < best.mean_size() {
                best = table;
            }
        }
        best
    }

    /// How many choices remain in the mean, and one for the look at a table.
    fn mean_size(&self) -> f64 {
        match self {
            Self::All(all) => all.len() as f64,
            Self::ByValue { candidates, .. } => {
                let sum: usize = candidates.iter().map(Vec::len).sum();
                1.0 + sum as f64 / candidates.len() as f64
            }
        }
    }

    /// The numbers of the choices that may be enabled.
    #[inline]
    pub fn candidates(&self, words: &[u64], bases: &[usize; Base::N]) -> &[u32] {
        match self {
            Self::All(all) => all,
            Self::ByValue { field: RawField { at, bits, base }, candidates } => {
                &candidates[get(words, bases[*base as usize] + *at as usize, u32::from(*bits)) as usize]
            }
        }
    }
}
