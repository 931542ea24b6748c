//! How states are packed. A state of a fixed size is its own packed form; a growing one is packed into bytes, without
//! those that are 0.

use pmc_runtime::pack::{Bytes, Packed, Reader, Words, Writer};
use pmc_runtime::step::Pid;

use super::layout::{Form, Open};
use super::program::Program;
use super::state::{Fixed, Growing, Memory};
use crate::collections::Id;
use crate::model::ProctypeId;

/// Memory that can be packed.
pub trait Packing: Memory {
    fn pack(&self, program: &Program, into: &mut Self::Packed);
    fn packed<'s>(&'s self, program: &Program, buffer: &'s mut Self::Packed) -> &'s Self::Packed;
    fn unpack(program: &Program, from: &Self::Packed) -> Self;
}

impl<const N: usize> Packing for Fixed<N> {
    #[inline]
    fn pack(&self, program: &Program, into: &mut Words<N>) {
        *into = self.0;
        if let Form::Fixed { n_stored, n_words } = program.layout.form {
            into.0[n_stored..n_words].fill(0);
        }
    }

    #[inline]
    fn packed<'s>(&'s self, program: &Program, buffer: &'s mut Words<N>) -> &'s Words<N> {
        if let Form::Fixed { n_stored, n_words } = program.layout.form
            && n_stored == n_words
        {
            return &self.0;
        }
        self.pack(program, buffer);
        buffer
    }

    #[inline]
    fn unpack(_: &Program, from: &Words<N>) -> Self {
        Self(*from)
    }
}

impl Growing {
    fn write(&self, program: &Program, writer: &mut impl Writer) {
        let words = self.words();
        match &program.layout.form {
            Form::Fixed { n_stored, .. } => put(writer, &words[..*n_stored]),
            Form::Open(open) => {
                put(writer, &words[..open.stored]);
                let n_before = open.before_the_size();
                for pid in program.pids(words) {
                    let (first, n) = slot(program, open, words, pid);
                    put(writer, &words[first..first + n_before]);
                    put(writer, &words[first + n_before..first + n]);
                }
            }
        }
    }
}

impl Packing for Growing {
    fn pack(&self, program: &Program, into: &mut Bytes) {
        let mut writer = into.writer();
        self.write(program, &mut writer);
        writer.finish();
        debug_assert!(is_read_again(program, into), "what was packed is unpacked");
    }

    fn packed<'s>(&'s self, program: &Program, buffer: &'s mut Bytes) -> &'s Bytes {
        self.pack(program, buffer);
        buffer
    }

    fn unpack(program: &Program, from: &Bytes) -> Self {
        let mut reader = from.reader();
        let mut memory = Self::blank(program.layout.n_words(0));
        match &program.layout.form {
            Form::Fixed { n_stored, .. } => take(&mut reader, &mut memory.words_mut()[..*n_stored]),
            Form::Open(open) => {
                take(&mut reader, &mut memory.words_mut()[..open.stored]);
                let n_processes = program.n_processes(memory.words());
                memory.resize(program.layout.n_words(n_processes));
                let n_before = open.before_the_size();
                for pid in (0..n_processes).map(Pid::from_index) {
                    let first = program.layout.slots[pid.index()].at / 64;
                    take(&mut reader, &mut memory.words_mut()[first..first + n_before]);
                    let (_, n) = slot(program, open, memory.words(), pid);
                    take(&mut reader, &mut memory.words_mut()[first + n_before..first + n]);
                }
            }
        }
        memory
    }
}

impl Open {
    /// The words of a process that are packed by themselves: the proctype, which decides about the number of words, is in
    /// the first one.
    fn before_the_size(&self) -> usize {
        self.of_process.iter().copied().min().unwrap_or(0).min(1)
    }
}

/// Whether a state comes back from its packed form, as far as it is stored.
fn is_read_again(program: &Program, packed: &Bytes) -> bool {
    let (again, mut buffer) = (Growing::unpack(program, packed), Bytes::default());
    let mut writer = buffer.writer();
    again.write(program, &mut writer);
    writer.finish();
    buffer == *packed
}

/// The first word of a process, and the number of its stored words.
fn slot(program: &Program, open: &Open, words: &[u64], pid: Pid) -> (usize, usize) {
    let proctype = ProctypeId::from_index(program.proctype(words, pid));
    (program.layout.slots[pid.index()].at / 64, open.of_process[proctype])
}

/// Words that are marked together: each has a bit that says whether it is 0.
const MARKED: usize = 32;

/// So few words are not marked.
const UNMARKED: usize = 2;

/// Writes the words that are not 0: for each the number of bytes in its halves, and those bytes.
fn put(writer: &mut impl Writer, words: &[u64]) {
    for words in words.chunks(MARKED) {
        let mut left = all_of(words.len());
        if words.len() > UNMARKED {
            left = words.iter().rev().fold(0, |marks, word| marks << 1 | u32::from(*word != 0));
            writer.put(left, bits(words.len()));
        }
        while left != 0 {
            put_word(writer, words[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
    }
}

fn take(reader: &mut impl Reader, words: &mut [u64]) {
    for words in words.chunks_mut(MARKED) {
        words.fill(0);
        let mut left = all_of(words.len());
        if words.len() > UNMARKED {
            left = reader.take(bits(words.len()));
        }
        while left != 0 {
            words[left.trailing_zeros() as usize] = take_word(reader);
            left &= left - 1;
        }
    }
}

#[inline(always)]
fn put_word(writer: &mut impl Writer, word: u64) {
    let (low, high) = halves(word);
    let (n_low, n_high) = (n_bytes(low), n_bytes(high));
    writer.put(n_low | n_high << 4, 8);
    let mut part = writer.part();
    part.put(low, 8 * n_low);
    part.put(high, 8 * n_high);
    writer.put_part(part);
}

#[inline(always)]
fn take_word(reader: &mut impl Reader) -> u64 {
    let sizes = reader.take(8);
    let mut part = reader.part();
    let low = part.take(8 * (sizes & 0xf));
    let high = part.take(8 * (sizes >> 4));
    reader.skip_part(part);
    u64::from(high) << 32 | u64::from(low)
}

/// The number of bytes up to the last one that is not 0.
#[inline(always)]
fn n_bytes(half: u32) -> u32 {
    (39 - half.leading_zeros()) / 8
}

#[expect(clippy::cast_possible_truncation, reason = "each half has 32 bits")]
#[inline(always)]
fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

fn all_of(n: usize) -> u32 {
    u32::MAX >> (32 - bits(n))
}

fn bits(n: usize) -> u32 {
    u32::try_from(n).expect("at most 32 words are marked together")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let words = [0, 1, u64::MAX, 0x00ff_0000_1200_0080, 1 << 63, 0x0100_0000_0000_0001];
        for n in 0..=100 {
            let words: Vec<u64> = words.iter().copied().cycle().take(n).collect();
            let mut packed = Bytes::default();
            let mut writer = packed.writer();
            put(&mut writer, &words);
            writer.finish();
            let mut back = vec![7; n];
            take(&mut packed.reader(), &mut back);
            assert_eq!(back, words);
        }
    }

    #[test]
    fn words_take_few_bytes() {
        let size = |words: &[u64]| {
            let mut packed = Bytes::default();
            let mut writer = packed.writer();
            put(&mut writer, words);
            writer.finish();
            packed.n_bytes()
        };
        assert_eq!((size(&[0]), size(&[1]), size(&[u64::MAX]), size(&[0x0100_0000_0000_0001])), (1, 2, 9, 6));
        assert_eq!((size(&[0; 8]), size(&[0; 64]), size(&[0, 0, 5])), (1, 8, 3));
    }
}
