//! Packed states of any size, for models whose processes and channels are not bounded at compile time.

use super::{
    OutOfMemory, Packed, PartReader, PartWriter, Pool, Reader, SEED, Writer, check_fits, growth, mix, mix_pair,
};
use crate::prefetch::prefetch;
use crate::store::ExactStore;

/// A state in as many bytes as it needs; each field takes whole bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(Vec<u8>);

impl Packed for Bytes {
    type Writer<'a> = BytesWriter<'a>;
    type Reader<'a> = BytesReader<'a>;
    type Pool = BytesPool;
    type Set = ExactStore<Bytes>;

    fn writer(&mut self) -> BytesWriter<'_> {
        self.0.clear();
        self.0.resize(self.0.capacity(), 0);
        BytesWriter { bytes: &mut self.0, at: 0 }
    }

    fn reader(&self) -> BytesReader<'_> {
        BytesReader { bytes: &self.0 }
    }

    fn hash(&self) -> u64 {
        let mut hash = mix(SEED, self.0.len() as u64);
        // Two words with one multiplication, as for states of a fixed size.
        let (pairs, rest) = self.0.as_chunks::<16>();
        for pair in pairs {
            hash = mix_bytes(hash, pair);
        }
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        hash = mix_bytes(hash, &last);
        mix(hash, SEED.rotate_left(32))
    }

    fn n_bytes(&self) -> usize {
        self.0.len()
    }

    const WORDS: Option<usize> = None;

    fn n_words(&self) -> usize {
        self.0.len() / 8 + 1
    }

    /// Up to seven bytes are in the last word, and how many of them there are, plus 1.
    #[inline]
    fn word(&self, index: usize) -> u64 {
        let rest = self.0.get(index * 8..).unwrap_or(&[]);
        match rest.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None if index * 8 <= self.0.len() => {
                let mut last = [0; 8];
                last[..rest.len()].copy_from_slice(rest);
                last[7] = rest.len() as u8 + 1;
                u64::from_le_bytes(last)
            }
            None => 0,
        }
    }
}

#[inline(always)]
fn mix_bytes(hash: u64, bytes: &[u8; 16]) -> u64 {
    let pair = u128::from_le_bytes(*bytes);
    mix_pair(hash, pair as u64, (pair >> 64) as u64)
}

/// Always writes eight bytes, the last of which the next value overwrites: that is faster than to write as many as there
/// are. The buffer is longer than the state until [`finish`](Writer::finish) cuts it.
pub struct BytesWriter<'a> {
    bytes: &'a mut Vec<u8>,
    at: usize,
}

impl BytesWriter<'_> {
    #[cold]
    fn grow(&mut self) {
        let length = self.bytes.len();
        self.bytes.resize(length + growth(length), 0);
    }
}

impl Writer for BytesWriter<'_> {
    type Part = PartWriter<8>;
    const UNIT: u32 = 8;

    #[inline(always)]
    fn put(&mut self, value: u32, bits: u32) {
        check_fits(value, bits);
        let bits_of_value = u64::from(value) & ((1 << bits) - 1);
        self.put_part(PartWriter { bits: bits_of_value, at: bits.next_multiple_of(8) });
    }

    #[inline(always)]
    fn part(&self) -> PartWriter<8> {
        PartWriter::default()
    }

    #[inline(always)]
    fn put_part(&mut self, part: PartWriter<8>) {
        if self.at + 8 > self.bytes.len() {
            self.grow();
        }
        self.bytes[self.at..self.at + 8].copy_from_slice(&part.bits.to_le_bytes());
        self.at += part.at as usize / 8;
    }

    fn finish(self) {
        self.bytes.truncate(self.at);
    }
}

/// Reads 0 beyond the end.
pub struct BytesReader<'a> {
    bytes: &'a [u8],
}

impl Reader for BytesReader<'_> {
    type Part = PartReader<8>;
    const UNIT: u32 = 8;

    #[inline(always)]
    fn take(&mut self, bits: u32) -> u32 {
        let mut part = self.part();
        let value = part.take(bits);
        self.skip_part(part);
        value
    }

    #[inline(always)]
    fn part(&self) -> PartReader<8> {
        let next = self.bytes.first_chunk().copied().unwrap_or_else(|| {
            let mut last = [0; 8];
            last[..self.bytes.len()].copy_from_slice(self.bytes);
            last
        });
        PartReader::new(u64::from_le_bytes(next))
    }

    #[inline(always)]
    fn skip_part(&mut self, part: PartReader<8>) {
        self.bytes = self.bytes.get(part.at as usize / 8..).unwrap_or(&[]);
    }
}

/// All states in one array of bytes, and where each of them ends.
#[derive(Debug, Default)]
pub struct BytesPool {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl BytesPool {
    #[inline]
    fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.ends[index - 1] as usize }
    }

    #[inline]
    fn slice(&self, index: usize) -> &[u8] {
        &self.bytes[self.start(index)..self.ends[index] as usize]
    }
}

impl Pool<Bytes> for BytesPool {
    fn n_states(&self) -> usize {
        self.ends.len()
    }

    fn push(&mut self, state: &Bytes) -> Result<(), OutOfMemory> {
        if self.ends.len() == self.ends.capacity() {
            self.ends.try_reserve_exact(growth(self.ends.len()))?;
        }
        if self.bytes.len() + state.0.len() > self.bytes.capacity() {
            self.bytes.try_reserve_exact(growth(self.bytes.len()).max(state.0.len()))?;
        }
        self.bytes.extend_from_slice(&state.0);
        self.ends.push(self.bytes.len() as u64);
        Ok(())
    }

    fn read(&self, index: usize, into: &mut Bytes) {
        into.0.clear();
        into.0.extend_from_slice(self.slice(index));
    }

    fn is_equal(&self, index: usize, state: &Bytes) -> bool {
        self.slice(index) == state.0
    }

    fn truncate(&mut self, n_states: usize) {
        if n_states < self.ends.len() {
            self.bytes.truncate(self.start(n_states));
            self.ends.truncate(n_states);
        }
    }

    fn memory_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.ends.capacity() * 8) as u64
    }

    fn growth_bytes(&self) -> u64 {
        let mut bytes = 0;
        if self.ends.len() == self.ends.capacity() {
            bytes += growth(self.ends.len()) * 8;
        }
        // A state is seldom much larger than its predecessors.
        let expected = self.bytes.len().checked_div(self.ends.len()).unwrap_or(0) * 2;
        if self.bytes.len() + expected > self.bytes.capacity() {
            bytes += growth(self.bytes.len());
        }
        bytes as u64
    }

    fn prefetch(&self, index: usize) {
        prefetch(&self.ends, index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &[u8]) -> Bytes {
        Bytes(text.to_vec())
    }

    #[test]
    fn fields_come_back_and_the_end_reads_as_zero() {
        let mut packed = bytes(b"old");
        let mut writer = packed.writer();
        writer.put(0xff, 8);
        writer.put(0x1_2345, 17);
        writer.put(1, 1);
        writer.finish();
        assert_eq!(packed.n_bytes(), 5);
        let mut reader = packed.reader();
        assert_eq!([reader.take(8), reader.take(17), reader.take(1), reader.take(32)], [0xff, 0x1_2345, 1, 0]);
    }

    #[test]
    fn a_pool_keeps_states_of_different_sizes_apart() {
        let mut pool = BytesPool::default();
        for text in [&b"one"[..], b"", b"three"] {
            pool.push(&bytes(text)).unwrap();
        }
        assert!(pool.is_equal(0, &bytes(b"one")) && pool.is_equal(1, &bytes(b"")) && !pool.is_equal(2, &bytes(b"")));
        pool.truncate(1);
        pool.push(&bytes(b"2")).unwrap();
        let mut out = Bytes::default();
        pool.read(1, &mut out);
        assert_eq!((pool.n_states(), out), (2, bytes(b"2")));
    }

    #[test]
    fn words_tell_lengths_apart() {
        let words = |text: &[u8]| -> Vec<u64> { (0..3).map(|index| bytes(text).word(index)).collect() };
        assert_eq!(words(&[]), [1 << 56, 0, 0]);
        assert_eq!(words(&[0; 7]), [8 << 56, 0, 0]);
        assert_eq!(words(&[0; 8]), [0, 1 << 56, 0]);
        assert_eq!(words(&[1, 0, 0, 0, 0, 0, 0, 0, 2]), [1, 2 << 56 | 2, 0]);
        assert_eq!((bytes(&[]).n_words(), bytes(&[0; 8]).n_words()), (1, 2));
    }

    #[test]
    fn states_with_equal_words_but_different_lengths_hash_apart() {
        assert_ne!(bytes(&[0; 8]).hash(), bytes(&[0; 9]).hash());
        assert_ne!(bytes(&[]).hash(), bytes(&[0]).hash());
    }
}
