//! A permutation of the numbers of a given width, with its inverse.
//!
//! A table that stores only a part of a key, the rest being implied by its position, needs keys that are spread evenly
//! and a function back from position and stored part to the key. A permutation of the numbers of exactly that many bits
//! provides both.

/// A permutation of the numbers below 2^`bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Permutation {
    bits: u32,
}

/// Odd, hence invertible modulo any power of two.
const FACTORS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xff51_afd7_ed55_8ccd];

impl Permutation {
    /// For 1 to 64 bits.
    pub fn new(bits: u32) -> Permutation {
        assert!((1..=64).contains(&bits), "a permutation of {bits} bits");
        Permutation { bits }
    }

    /// The greatest number, all ones.
    #[inline]
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// At least half of the bits: then folding by it is its own inverse.
    #[inline]
    fn shift(self) -> u32 {
        self.bits.div_ceil(2)
    }

    #[inline]
    fn fold(self, number: u64) -> u64 {
        // One bit cannot be folded.
        if self.bits > 1 { number ^ number >> self.shift() } else { number }
    }

    /// Multiplication carries upwards, folding brings it down again.
    #[inline]
    pub fn apply(self, number: u64) -> u64 {
        let mut number = self.fold(number);
        for factor in FACTORS {
            number = self.fold(number.wrapping_mul(factor) & self.mask());
        }
        number
    }

    pub fn invert(self, number: u64) -> u64 {
        let mut number = number;
        for factor in FACTORS.iter().rev() {
            number = self.fold(number).wrapping_mul(inverse(*factor)) & self.mask();
        }
        self.fold(number)
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each round doubles the number of right bits, and
/// every odd number is its own inverse in three.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_ones_are_permutations() {
        for bits in 1..=16 {
            let permutation = Permutation::new(bits);
            let mut met = vec![false; 1 << bits];
            for number in 0..1 << bits {
                let shuffled = permutation.apply(number);
                assert_eq!(permutation.invert(shuffled), number, "{bits} bits");
                assert!(!std::mem::replace(&mut met[shuffled as usize], true));
            }
        }
    }

    #[test]
    fn every_width_has_an_inverse() {
        for bits in 1..=64 {
            let permutation = Permutation::new(bits);
            let mut number = 0x0123_4567_89ab_cdef_u64;
            for _ in 0..20_000 {
                number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let key = (number >> 7).rotate_left(bits) & permutation.mask();
                let shuffled = permutation.apply(key);
                assert!(shuffled <= permutation.mask());
                assert_eq!(permutation.invert(shuffled), key, "{bits} bits");
            }
            for key in [0, permutation.mask()] {
                assert_eq!(permutation.invert(permutation.apply(key)), key);
            }
        }
    }

    /// Consecutive keys, and keys that differ only in the high bits, are spread evenly over some hundred positions.
    #[test]
    fn neighbours_are_spread() {
        for (bits, step) in [(24, 1), (40, 1), (40, 1 << 26), (60, 1 << 40), (33, 1 << 15)] {
            let permutation = Permutation::new(bits);
            let mut counts = [0_i32; 101];
            for n in 0..10_100 {
                counts[(permutation.apply((n * step) & permutation.mask()) % 101) as usize] += 1;
            }
            // A hundred at each position, plus or minus five standard deviations.
            assert!(counts.iter().all(|count| (50..150).contains(count)), "{bits} {step}: {counts:?}");
        }
    }
}
