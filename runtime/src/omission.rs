//! The omission probability of a search whose store may take a new state for a visited one.
//!
//! The formulas are those of P. C. Dillinger and P. Manolios (2004, 2005) for bits set by independent hashes, and of U.
//! Stern and D. L. Dill (1996) for signatures in a table. All of them are about the stored states: omitted states are
//! not counted, nor are those that can be reached only through them.

use std::ops::Add;

/// The expected omissions of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Omissions {
    /// The expected number of states that were taken for others, over all hashes.
    pub expected: f64,
    /// The same in the same memory if the number of states had been known.
    pub expected_if_known: f64,
}

/// Combines several sets, each of some of the states.
impl Add for Omissions {
    type Output = Omissions;

    fn add(self, other: Omissions) -> Omissions {
        Omissions {
            expected: self.expected + other.expected,
            expected_if_known: self.expected_if_known + other.expected_if_known,
        }
    }
}

/// The probability that at least one state was omitted.
pub fn probability(expected: f64) -> f64 {
    -(-expected).exp_m1()
}

/// A probability for people: `1.9 %`.
pub fn percent(probability: f64) -> String {
    let percent = probability * 100.0;
    match percent {
        0.0 => "0 %".to_owned(),
        _ if percent < 1e-6 => "less than 0.000001 %".to_owned(),
        _ if percent > 99.9 => "more than 99.9 %".to_owned(),
        _ => format!("{} %", two_digits(percent)),
    }
}

/// Two significant digits: `0.0042`, `1.9`, `23`, `1200`.
fn two_digits(number: f64) -> String {
    let magnitude = number.log10().floor() as i32;
    if magnitude >= 1 {
        let unit = 10_f64.powi(magnitude - 1);
        return format!("{:.0}", (number / unit).round() * unit);
    }
    format!("{number:.*}", (1 - magnitude) as usize)
}

impl Omissions {
    /// The probability that states were omitted.
    pub fn probability(self) -> f64 {
        probability(self.expected)
    }

    /// In words, for the report.
    pub fn odds(self) -> String {
        if self.expected < 1e-8 {
            return format!("states may have been missed, with a probability of {}", percent(self.probability()));
        }
        format!(
            "states may have been missed: about {} are expected to be, so that the probability of one or more is {}",
            two_digits(self.expected),
            percent(self.probability())
        )
    }

    /// What to do about it, if it is worth doing. The advice is a number of states, not of bits: the store derives its
    /// parameters from it.
    pub fn advice(self, n_states: u64) -> Option<String> {
        const SMALL: f64 = 1e-4;
        let (now, then) = (self.probability(), probability(self.expected_if_known));
        if now < SMALL {
            return None;
        }
        // Omitted states count as well, though not those behind them.
        let n_states = (n_states as f64 + self.expected).ceil();
        let lossless = "--store compact, which misses none, takes up to 8 bytes a state";
        if then < 0.01 || then < now / 10.0 {
            return Some(format!(
                "--expect-states {n_states:.0} makes the best of the same memory: the probability would be {}; {lossless}",
                percent(then)
            ));
        }
        Some(format!("more memory is needed for {n_states:.0} states or more (--memory); {lossless}"))
    }
}

/// Expected omissions when each of `n_states` sets `k` of `n_bits` bits.
///
/// State number i finds each of its bits set with probability 1 - e^(-ki/m), and all k of them with that to the power
/// of k. The sum over all states is approximated by an integral, by Simpson's rule.
pub fn bitstate(n_states: u64, n_bits: u64, k: u32) -> f64 {
    let all_set = |i: f64| (-(-f64::from(k) * i / n_bits as f64).exp_m1()).powi(k as i32);
    let (n, n_steps) = (n_states as f64, 4096);
    let mut sum = all_set(0.0) + all_set(n);
    for step in 1..n_steps {
        let weight = if step % 2 == 1 { 4.0 } else { 2.0 };
        sum += weight * all_set(n * f64::from(step) / f64::from(n_steps));
    }
    sum * n / f64::from(n_steps) / 3.0
}

/// Expected omissions by collisions of 64-bit hashes among so many states.
pub fn equal_hashes(n_states: u64) -> f64 {
    let n = n_states as f64;
    n * n / 2_f64.powi(65)
}

/// The number of bits for each state that minimises omissions, about ln 2 · m/n.
pub fn best_k(n_states: u64, n_bits: u64) -> u32 {
    let about = std::f64::consts::LN_2 * n_bits as f64 / n_states.max(1) as f64;
    // More bits cost time, and their gain is smaller than the probability of a hardware error.
    let first = (about.floor() as u32).saturating_sub(1).clamp(1, MAX_K);
    let candidates = first..=(first + 5).min(MAX_K);
    candidates.min_by(|a, b| bitstate(n_states, n_bits, *a).total_cmp(&bitstate(n_states, n_bits, *b))).unwrap_or(1)
}

/// The most bits that a state may set.
pub const MAX_K: u32 = 64;

/// Expected omissions when `n_states` signatures of so many bits stand in a table of `n_cells` cells.
pub fn hash_compact(n_states: u64, n_cells: u64, signature_bits: u32) -> f64 {
    let signatures = 2_f64.powi(signature_bits as i32) - 1.0;
    let fullness = n_states as f64 / n_cells as f64;
    // -a - ln(1 - a) loses its digits when a is small.
    let probes = if fullness < 1e-4 {
        fullness * fullness / 2.0 + fullness.powi(3) / 3.0
    } else {
        -fullness - (-fullness).ln_1p()
    };
    n_cells as f64 * probes / signatures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: f64, expected: &str) {
        // As many digits as the figure has.
        let digits = expected.trim_start_matches(['0', '.']).replace('.', "").len();
        let (figure, unit) = (expected.parse::<f64>().unwrap(), 10_f64.powi(1 - digits as i32));
        let tolerance = 0.5001 * unit * 10_f64.powi(figure.log10().floor() as i32);
        assert!((found - figure).abs() <= tolerance, "{found} is not {expected}");
    }

    #[test]
    fn expected_omissions_of_bits() {
        check(bitstate(300_000_000, 1024 << 23, 21), "20.7");
        check(bitstate(300_000_000, 1750 << 23, 21), "0.00416");
        check(bitstate(300_000_000, 1750 << 23, 35), "0.000735");
        check(bitstate(100_000_000, 400 << 23, 24), "0.563");
        check(bitstate(1000, 8192, 3), "8.03");
        check(bitstate(10_000, 65_536, 3), "141.7");
    }

    #[test]
    fn probabilities() {
        let percent = |expected| probability(expected) * 100.0;
        check(percent(bitstate(300_000_000, 1750 << 23, 21)), "0.42");
        check(percent(bitstate(300_000_000, 1750 << 23, 35)), "0.073");
        assert_eq!(percent(0.0), 0.0);
        assert!(percent(1000.0) > 99.999);
    }

    #[test]
    fn odds_are_words() {
        let few = Omissions { expected: 0.019_234, expected_if_known: 1.234e-5 };
        assert_eq!(
            few.odds(),
            "states may have been missed: about 0.019 are expected to be, so that the probability of one or more is 1.9 %"
        );
        assert_eq!(
            few.advice(5_000_000).unwrap(),
            "--expect-states 5000001 makes the best of the same memory: the probability would be 0.0012 %; \
             --store compact, which misses none, takes up to 8 bytes a state"
        );
        let many = Omissions { expected: 1234.0, expected_if_known: 900.0 };
        assert!(many.odds().contains("about 1200 are expected") && many.odds().ends_with("more than 99.9 %"));
        assert!(many.advice(1000).unwrap().starts_with("more memory is needed for 2234 states or more"));
        let none = Omissions { expected: 1e-9, expected_if_known: 0.0 };
        assert_eq!((none.advice(10), percent(none.probability())), (None, "less than 0.000001 %".to_owned()));
        assert_eq!(percent(0.0), "0 %");
    }

    #[test]
    fn the_best_number_of_bits() {
        let (n_states, n_bits) = (100_000_000, 400 << 23);
        let about = std::f64::consts::LN_2 * n_bits as f64 / n_states as f64;
        check(about, "23.3");
        let best = best_k(n_states, n_bits);
        assert!((23..=26).contains(&best), "{best}");
        for k in 1..=MAX_K {
            assert!(bitstate(n_states, n_bits, best) <= bitstate(n_states, n_bits, k), "{k} is better than {best}");
        }
        assert_eq!(best_k(1_000_000, 1000), 1);
        assert_eq!(best_k(1, 1 << 40), MAX_K);
    }

    #[test]
    fn expected_omissions_of_signatures() {
        check(hash_compact(100_000_000, 104_857_600, 32), "0.0517");
        check(hash_compact(7000, 8192, 12), "2.15");
        check(hash_compact(5000, 8192, 16), "0.0415");
    }

    #[test]
    fn a_small_part_of_a_table_is_no_different() {
        let (just_below, just_above) = (hash_compact(9_999, 100_000_000, 16), hash_compact(10_001, 100_000_000, 16));
        assert!((just_above / just_below - 1.0004).abs() < 0.0001, "{just_below} {just_above}");
        assert_eq!(hash_compact(0, 100, 32), 0.0);
    }

    /// They differ by at most half of the last summand.
    #[test]
    fn the_sum_can_be_an_integral() {
        for (n_states, n_bits, k) in [(5000, 40_000, 3), (20_000, 100_000, 1), (3000, 100_000, 20), (3, 100_000, 2)] {
            let all_set = |i: u64| (1.0 - (-f64::from(k) * i as f64 / n_bits as f64).exp()).powi(k);
            let sum: f64 = (0..n_states).map(all_set).sum();
            let found = bitstate(n_states, n_bits, k as u32);
            assert!(sum <= found && found - sum <= all_set(n_states), "{found} {sum}");
        }
    }
}
