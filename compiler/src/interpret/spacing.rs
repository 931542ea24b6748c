//! The distance between elements, without a division.

use crate::analysis::places::Stride;

const WORD: u32 = 64;

const SHIFT: u32 = 36;

/// Where the elements of an array lie, from the first one on: a [`Stride`] in the form that the machine computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spacing {
    /// From one element to the next in the same word.
    bits: u32,
    /// What is added to that at the end of a word, where some bits may be unused.
    gap: u32,
    /// 2^36 divided by the number of elements in a word, rounded up; 0 if there is no gap.
    reciprocal: u64,
}

impl From<Stride> for Spacing {
    fn from(stride: Stride) -> Self {
        match stride {
            Stride::Bits(bits) => Self { bits: size(bits), gap: 0, reciprocal: 0 },
            Stride::InWords(bits) => {
                let bits = size(bits);
                let n_in_word = WORD / bits;
                match WORD - n_in_word * bits {
                    0 => Self { bits, gap: 0, reciprocal: 0 },
                    // A gap of one element in a word is a larger element.
                    gap if n_in_word == 1 => Self { bits: bits + gap, gap: 0, reciprocal: 0 },
                    gap => Self { bits, gap, reciprocal: (1_u64 << SHIFT).div_ceil(u64::from(n_in_word)) },
                }
            }
        }
    }
}

impl Spacing {
    /// The position of an element.
    ///
    /// The reciprocal of `n` elements in a word is less than 1 too large, so that a quotient is less than `index / 2^36`
    /// too large. It is right as long as that is at most `1 / n`. A state has fewer than 2^31 bits, and with a gap an
    /// element has 3 or more, so that `index * n` is less than `2^31 / 3 * 64 / 3`; the product with the reciprocal is less
    /// than 2^63, since 32 or more bits of a word are in use.
    #[inline(always)]
    pub fn of(self, index: usize) -> usize {
        let n_words_before = (index as u64 * self.reciprocal) >> SHIFT;
        let gaps = n_words_before as usize * self.gap as usize;
        index * self.bits as usize + gaps
    }
}

fn size(bits: usize) -> u32 {
    u32::try_from(bits).expect("a state has fewer than 2^31 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_lie_where_their_stride_says() {
        for bits in 1..=64 {
            for stride in [Stride::Bits(bits), Stride::InWords(bits)] {
                let spacing = Spacing::from(stride);
                let far = [1_000_000, 33_554_431, (1 << 31) / bits - 1, (1 << 31) / bits];
                for index in (0..2_000).chain(far) {
                    assert_eq!(spacing.of(index), stride.of(index), "{stride:?} {index}");
                }
            }
        }
        assert_eq!(Spacing::from(Stride::Bits(192)).of(3), 576);
    }
}
