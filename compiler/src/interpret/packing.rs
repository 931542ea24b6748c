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

impl Packing for Growing {
    fn pack(&self, program: &Program, into: &mut Bytes) {
        let mut writer = into.writer();
        let words = self.words();
        match &program.layout.form {
            Form::Fixed { n_stored, .. } => put(&mut writer, &words[..*n_stored]),
            Form::Open(open) => {
                put(&mut writer, &words[..open.stored]);
                for pid in program.pids(words) {
                    let (first, n) = slot(program, open, words, pid);
                    put(&mut writer, &words[first..first + n]);
                }
            }
        }
        writer.finish();
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
                for pid in (0..n_processes).map(Pid::from_index) {
                    // The proctype, which decides about the size, is in the first word.
                    let first = program.layout.slots[pid.index()].at / 64;
                    let n_before = open.of_process.iter().copied().min().unwrap_or(0).min(1);
                    take(&mut reader, &mut memory.words_mut()[first..first + n_before]);
                    let (_, n) = slot(program, open, memory.words(), pid);
                    take(&mut reader, &mut memory.words_mut()[first + n_before..first + n]);
                }
            }
        }
        memory
    }
}

/// The first word of a process, and the number of its stored words.
fn slot(program: &Program, open: &Open, words: &[u64], pid: Pid) -> (usize, usize) {
    let proctype = ProctypeId::from_index(program.proctype(words, pid));
    (program.layout.slots[pid.index()].at / 64, open.of_process[proctype])
}

/// Writes for each word which of its bytes are not 0, and those bytes.
fn put(writer: &mut impl Writer, words: &[u64]) {
    for &word in words {
        let mask = nonzero_bytes(word);
        writer.put(mask, 8);
        let mut part = writer.part();
        let mut left = mask;
        while left != 0 {
            part.put(byte(word, left.trailing_zeros()), 8);
            left &= left - 1;
        }
        writer.put_part(part);
    }
}

fn take(reader: &mut impl Reader, words: &mut [u64]) {
    for word in words {
        *word = 0;
        let mut left = reader.take(8);
        let mut part = reader.part();
        while left != 0 {
            *word |= u64::from(part.take(8)) << (8 * left.trailing_zeros());
            left &= left - 1;
        }
        reader.skip_part(part);
    }
}

/// A bit for each byte of a word that is not 0.
fn nonzero_bytes(word: u64) -> u32 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // The highest bit of each byte that is not 0, then all of them side by side.
    let high = (((word & LOW) + LOW) | word) & !LOW;
    byte((high >> 7).wrapping_mul(0x0102_0408_1020_4080), 7)
}

fn byte(word: u64, number: u32) -> u32 {
    u32::from(word.to_le_bytes()[number as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let words = [0, 1, u64::MAX, 0x00ff_0000_1200_0080, 1 << 63, 0x0100_0000_0000_0001];
        assert_eq!(words.map(nonzero_bytes), [0, 1, 0xff, 0b0100_1001, 0x80, 0x81]);
        let mut packed = Bytes::default();
        let mut writer = packed.writer();
        put(&mut writer, &words);
        writer.finish();
        assert_eq!(packed.n_bytes(), words.len() + 1 + 8 + 3 + 1 + 2);
        let mut back = [7; 6];
        take(&mut packed.reader(), &mut back);
        assert_eq!(back, words);
    }
}
