//! Packed states of a fixed size: `N` words of 64 bits.

use super::{OutOfMemory, Packed, PartReader, PartWriter, Pool, Reader, SEED, Writer, check_fits, mix, mix_pair};
use crate::memory::growth;
use crate::prefetch::prefetch;

/// A state in `N` words, its fields side by side without gaps. A field may cross a word boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<const N: usize>(pub [u64; N]);

impl<const N: usize> Default for Words<N> {
    #[inline]
    fn default() -> Words<N> {
        Words([0; N])
    }
}

impl<const N: usize> Packed for Words<N> {
    type Writer<'a> = WordsWriter<'a, N>;
    type Reader<'a> = WordsReader<'a, N>;
    type Pool = WordsPool<N>;

    #[inline]
    fn writer(&mut self) -> WordsWriter<'_, N> {
        self.0 = [0; N];
        WordsWriter { words: &mut self.0, current: 0, at: 0 }
    }

    #[inline]
    fn reader(&self) -> WordsReader<'_, N> {
        WordsReader { words: &self.0, at: 0 }
    }

    #[inline]
    fn hash(&self) -> u64 {
        // Two words with one multiplication, as wyhash does.
        let (pairs, rest) = self.0.as_chunks::<2>();
        let mut hash = SEED;
        for &[first, second] in pairs {
            hash = mix_pair(hash, first, second);
        }
        for &word in rest {
            hash = mix(hash, word);
        }
        mix(hash, SEED.rotate_left(32))
    }

    fn n_bytes(&self) -> usize {
        N * 8
    }

    const WORDS: Option<usize> = Some(N);

    #[inline]
    fn n_words(&self) -> usize {
        N
    }

    #[inline]
    fn word(&self, index: usize) -> u64 {
        if index < N { self.0[index] } else { 0 }
    }

    #[inline]
    fn set_words(&mut self, _: usize, word: impl Fn(usize) -> u64) {
        self.0 = std::array::from_fn(word);
    }
}

/// Collects bits in a register and writes word after word. Where positions are constants after inlining, a sequence of
/// `put` becomes a few shifts and one store per word.
pub struct WordsWriter<'a, const N: usize> {
    words: &'a mut [u64; N],
    current: u64,
    at: u32,
}

impl<const N: usize> Writer for WordsWriter<'_, N> {
    #[inline(always)]
    fn put(&mut self, value: u32, bits: u32) {
        check_fits(value, bits);
        self.put_part(PartWriter { bits: u64::from(value) & ((1 << bits) - 1), at: bits });
    }

    #[inline(always)]
    fn put_part(&mut self, PartWriter { bits: value, at: bits }: PartWriter) {
        if bits == 0 {
            return;
        }
        let shift = self.at % 64;
        self.current |= value << shift;
        if shift + bits >= 64 {
            self.words[(self.at / 64) as usize] = self.current;
            // The bits that did not fit. A shift by 64 overflows in Rust, so it takes two shifts.
            self.current = value >> (63 - shift) >> 1;
        }
        self.at += bits;
    }

    #[inline(always)]
    fn finish(self) {
        if let Some(word) = self.words.get_mut((self.at / 64) as usize) {
            *word = self.current;
        }
    }
}

/// Reads values from words.
pub struct WordsReader<'a, const N: usize> {
    words: &'a [u64; N],
    at: u32,
}

impl<const N: usize> Reader for WordsReader<'_, N> {
    #[inline(always)]
    fn take(&mut self, bits: u32) -> u32 {
        if bits == 0 {
            return 0;
        }
        let (word, shift) = ((self.at / 64) as usize, self.at % 64);
        let mut value = self.words[word] >> shift;
        if shift + bits > 64 {
            value |= self.words[word + 1] << (64 - shift);
        }
        self.at += bits;
        (value & ((1 << bits) - 1)) as u32
    }

    #[inline(always)]
    fn part(&self) -> PartReader {
        let (word, shift) = ((self.at / 64) as usize, self.at % 64);
        let at = |word: usize| self.words.get(word).copied().unwrap_or(0);
        // A shift by 64 overflows in Rust, so it takes two shifts.
        PartReader::new(at(word) >> shift | at(word + 1) << 1 << (63 - shift))
    }

    #[inline(always)]
    fn skip_part(&mut self, part: PartReader) {
        self.at += part.at;
    }
}

/// Many states of a fixed size, numbered.
#[derive(Debug, Default)]
pub struct WordsPool<const N: usize> {
    states: Vec<Words<N>>,
}

impl<const N: usize> Pool<Words<N>> for WordsPool<N> {
    #[inline]
    fn n_states(&self) -> usize {
        self.states.len()
    }

    #[inline]
    fn push(&mut self, state: &Words<N>) -> Result<(), OutOfMemory> {
        if self.states.len() == self.states.capacity() {
            self.states.try_reserve_exact(growth(self.states.len()))?;
        }
        self.states.push(*state);
        Ok(())
    }

    #[inline]
    fn read(&self, index: usize, into: &mut Words<N>) {
        *into = self.states[index];
    }

    #[inline]
    fn get<'s>(&'s self, index: usize, _: &'s mut Words<N>) -> &'s Words<N> {
        &self.states[index]
    }

    #[inline]
    fn is_equal(&self, index: usize, state: &Words<N>) -> bool {
        let stored = &self.states[index];
        // Short states are compared in place: a call of `memcmp` costs more.
        if N <= 8 {
            stored.0.iter().zip(&state.0).fold(0, |differences, (one, other)| differences | (one ^ other)) == 0
        } else {
            stored == state
        }
    }

    fn truncate(&mut self, n_states: usize) {
        self.states.truncate(n_states);
    }

    fn memory_bytes(&self) -> u64 {
        (self.states.capacity() * size_of::<Words<N>>()) as u64
    }

    #[inline]
    fn growth_bytes(&self) -> u64 {
        if self.states.len() < self.states.capacity() {
            return 0;
        }
        (growth(self.states.len()) * size_of::<Words<N>>()) as u64
    }

    #[inline]
    fn prefetch(&self, index: usize) {
        prefetch(&self.states, index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_cross_words_come_back() {
        let mut packed = Words::<3>([u64::MAX; 3]);
        let fields = [(1, 1), (0x7fff_fffe, 31), (u32::MAX, 32), (5, 3), (0xdead_beef, 32), (9, 30), (0x1234_5678, 32)];
        let mut writer = packed.writer();
        for (value, bits) in fields {
            writer.put(value, bits);
        }
        writer.finish();
        let mut reader = packed.reader();
        for (value, bits) in fields {
            assert_eq!(reader.take(bits), value & (u32::MAX >> (32 - bits)));
        }
    }

    #[test]
    fn a_field_that_ends_with_its_word_comes_back() {
        let mut packed = Words::<2>([u64::MAX; 2]);
        let mut writer = packed.writer();
        writer.put(7, 32);
        writer.put(9, 32);
        writer.finish();
        assert_eq!(packed.0, [9 << 32 | 7, 0]);
        let mut writer = packed.writer();
        for value in 1..=4 {
            writer.put(value, 32);
        }
        writer.finish();
        assert_eq!(packed.0, [2 << 32 | 1, 4 << 32 | 3]);
    }

    #[test]
    fn a_field_of_no_bits_takes_no_room() {
        let mut packed = Words::<0>::default();
        let mut writer = packed.writer();
        writer.put(0, 0);
        writer.finish();
        assert_eq!(packed.reader().take(0), 0);
    }

    #[test]
    fn the_hash_tells_small_differences_apart() {
        let mut hashes: Vec<u64> = (0..4096).map(|i| Words([i, 0]).hash() >> 40).collect();
        hashes.extend((1..4096).map(|i| Words([0, i]).hash() >> 40));
        hashes.sort_unstable();
        hashes.dedup();
        // 8191 balls in 2^24 boxes: about two collisions are expected.
        assert!(hashes.len() > 8180, "{} different hashes", hashes.len());
    }
}
