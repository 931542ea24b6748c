//! Packed states of any size, for models whose processes and channels are not bounded at compile time.

use super::{OutOfMemory, Packed, PartReader, PartWriter, Pool, Reader, SEED, Writer, check_fits, mix, mix_pair};
use crate::memory::growth;
use crate::prefetch::prefetch;

/// A state in as many bytes as it needs. A part takes the least number of whole bytes that holds it.
#[derive(Default)]
pub struct Bytes {
    /// The state and, once a longer one was written, the space of that one: so nothing is allocated or cleared again.
    /// The [`PADDING`] bytes behind a state are 0, so that it can be read in whole words.
    buffer: Vec<u8>,
    len: usize,
}

/// Bytes of 0 behind a state; the empty default state has none.
const PADDING: usize = 16;

impl Bytes {
    #[inline]
    fn as_slice(&self) -> &[u8] {
        &self.buffer[..self.len]
    }

    #[inline]
    fn set(&mut self, state: &[u8]) {
        self.len = state.len();
        let end = self.len + PADDING;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        self.buffer[..self.len].copy_from_slice(state);
        self.buffer[self.len..end].fill(0);
    }
}

/// Without the padding.
impl Clone for Bytes {
    fn clone(&self) -> Bytes {
        let mut copy = Bytes::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Bytes) {
        self.set(other.as_slice());
    }
}

impl PartialEq for Bytes {
    #[inline]
    fn eq(&self, other: &Bytes) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Bytes {}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Bytes").field(&self.as_slice()).finish()
    }
}

impl Packed for Bytes {
    type Writer<'a> = BytesWriter<'a>;
    type Reader<'a> = BytesReader<'a>;
    type Pool = BytesPool;

    #[inline]
    fn writer(&mut self) -> BytesWriter<'_> {
        let buffer = std::mem::take(&mut self.buffer);
        self.len = 0;
        BytesWriter { state: self, buffer, at: 0 }
    }

    #[inline]
    fn reader(&self) -> BytesReader<'_> {
        let end = self.buffer.len().min(self.len + PADDING);
        BytesReader { bytes: &self.buffer[..end], at: 0 }
    }

    #[inline]
    fn hash(&self) -> u64 {
        let mut hash = mix(SEED, self.len as u64);
        // Two words with one multiplication, as for states of a fixed size.
        let (pairs, _) = self.buffer[..self.len.next_multiple_of(16)].as_chunks::<16>();
        for pair in pairs {
            hash = mix_bytes(hash, pair);
        }
        mix(hash, SEED.rotate_left(32))
    }

    fn n_bytes(&self) -> usize {
        self.len
    }

    const WORDS: Option<usize> = None;

    fn n_words(&self) -> usize {
        self.len / 8 + 1
    }

    /// The last word holds up to seven bytes, and their number plus 1.
    #[inline]
    fn word(&self, index: usize) -> u64 {
        let rest = self.as_slice().get(index * 8..).unwrap_or(&[]);
        match rest.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None if index * 8 <= self.len => {
                let mut last = [0; 8];
                last[..rest.len()].copy_from_slice(rest);
                last[7] = rest.len() as u8 + 1;
                u64::from_le_bytes(last)
            }
            None => 0,
        }
    }

    fn set_words(&mut self, n_words: usize, word: impl Fn(usize) -> u64) {
        let n_whole = n_words.saturating_sub(1);
        let last = word(n_whole).to_le_bytes();
        let n_rest = usize::from(last[7]).saturating_sub(1);
        self.len = n_whole * 8 + n_rest;
        let end = self.len + PADDING;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        for (index, bytes) in self.buffer.chunks_exact_mut(8).take(n_whole).enumerate() {
            bytes.copy_from_slice(&word(index).to_le_bytes());
        }
        self.buffer[n_whole * 8..self.len].copy_from_slice(&last[..n_rest]);
        self.buffer[self.len..end].fill(0);
    }
}

#[inline(always)]
fn mix_bytes(hash: u64, bytes: &[u8; 16]) -> u64 {
    let pair = u128::from_le_bytes(*bytes);
    mix_pair(hash, pair as u64, (pair >> 64) as u64)
}

/// Always writes eight bytes, the last of which the next value overwrites: that is faster than to write the exact
/// number.
pub struct BytesWriter<'a> {
    state: &'a mut Bytes,
    /// The buffer of the state, until [`finish`](Writer::finish) puts it back. As long as no function that is not
    /// inlined borrows it, it can stay in registers.
    buffer: Vec<u8>,
    at: usize,
}

/// How many bytes hold a part. `div_ceil` takes twice the instructions, since it allows for any number of bits.
#[inline(always)]
fn n_bytes_of(n_bits: u32) -> usize {
    (n_bits as usize + 7) >> 3
}

/// Makes room for some more values. The buffer is passed by value, so that that of the writer need not be in memory.
#[cold]
#[inline(never)]
fn with_room(mut buffer: Vec<u8>) -> Vec<u8> {
    let length = buffer.len();
    buffer.resize(length + growth(length), 0);
    buffer
}

impl Writer for BytesWriter<'_> {
    #[inline(always)]
    fn put(&mut self, value: u32, bits: u32) {
        check_fits(value, bits);
        self.put_part(PartWriter { bits: u64::from(value) & ((1 << bits) - 1), at: bits });
    }

    #[inline(always)]
    fn put_part(&mut self, part: PartWriter) {
        if self.buffer.len() < self.at + 8 {
            self.buffer = with_room(std::mem::take(&mut self.buffer));
        }
        self.buffer[self.at..self.at + 8].copy_from_slice(&part.bits.to_le_bytes());
        self.at += n_bytes_of(part.at);
    }

    #[inline]
    fn finish(mut self) {
        if self.buffer.len() < self.at + PADDING {
            self.buffer = with_room(std::mem::take(&mut self.buffer));
        }
        self.buffer[self.at..self.at + PADDING].fill(0);
        (self.state.buffer, self.state.len) = (self.buffer, self.at);
    }
}

/// Reads 0 beyond the end.
pub struct BytesReader<'a> {
    /// With the padding: where fewer than eight bytes are left, the state has ended.
    bytes: &'a [u8],
    at: usize,
}

impl Reader for BytesReader<'_> {
    #[inline(always)]
    fn take(&mut self, bits: u32) -> u32 {
        let mut part = self.part();
        let value = part.take(bits);
        self.skip_part(part);
        value
    }

    #[inline(always)]
    fn part(&self) -> PartReader {
        let next = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
        PartReader::new(next.map_or(0, |next| u64::from_le_bytes(*next)))
    }

    #[inline(always)]
    fn skip_part(&mut self, part: PartReader) {
        self.at += n_bytes_of(part.at);
    }
}

/// All states in one array of bytes, and the end of each.
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
    #[inline]
    fn n_states(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    fn push(&mut self, state: &Bytes) -> Result<(), OutOfMemory> {
        if self.ends.len() == self.ends.capacity() {
            self.ends.try_reserve_exact(growth(self.ends.len()))?;
        }
        if self.bytes.len() + state.len > self.bytes.capacity() {
            self.bytes.try_reserve_exact(growth(self.bytes.len()).max(state.len))?;
        }
        self.bytes.extend_from_slice(state.as_slice());
        self.ends.push(self.bytes.len() as u64);
        Ok(())
    }

    #[inline]
    fn read(&self, index: usize, into: &mut Bytes) {
        into.set(self.slice(index));
    }

    #[inline]
    fn is_equal(&self, index: usize, state: &Bytes) -> bool {
        self.slice(index) == state.as_slice()
    }

    #[inline]
    fn truncate(&mut self, n_states: usize) {
        if n_states < self.ends.len() {
            self.bytes.truncate(self.start(n_states));
            self.ends.truncate(n_states);
        }
    }

    fn memory_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.ends.capacity() * 8) as u64
    }

    #[inline]
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

    #[inline]
    fn prefetch(&self, index: usize) {
        prefetch(&self.ends, index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &[u8]) -> Bytes {
        let mut bytes = Bytes::default();
        bytes.set(text);
        bytes
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
    fn what_was_in_the_buffer_has_no_influence() {
        let mut used = bytes(&[0xff; 80]);
        for length in [0, 1, 15, 16, 17, 40] {
            let mut writer = used.writer();
            (0..length).for_each(|value| writer.put(value, 8));
            writer.finish();
            let new = bytes(&(0..length as u8).collect::<Vec<_>>());
            assert_eq!((&used, used.hash(), used.wide_hash()), (&new, new.hash(), new.wide_hash()));
            assert_eq!((used.clone(), used.clone().hash()), (bytes(new.as_slice()), new.hash()));
            let mut reader = used.reader();
            (0..length).for_each(|value| assert_eq!(reader.take(8), value));
            (0..100).for_each(|_| assert_eq!(reader.take(8), 0, "beyond the end"));
            used.set(&[0xff; 80]);
        }
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
