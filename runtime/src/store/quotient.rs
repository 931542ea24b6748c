//! A set of pairs that stores only a part of each: its position implies the rest (J. G. Cleary, 1984).
//!
//! A permutation shuffles the bits of a pair of numbers, each of a certain width. The result is divided by the number
//! of lines: the remainder selects the line; the line stores the quotient, with the number of lines by which the entry
//! was displaced because its own were full. Line and quotient give back the pair, so nothing is lost: ten million pairs
//! of 40 bits take 20 bits each.
//!
//! The table consists of segments that grow one by one, each from a different size. Each segment has its own widths of
//! the numbers, and is rewritten when a number does not fit. The segment of a pair does not depend on the widths: six
//! bits of the pair, shuffled with the others, select it.

use super::chunks::{Chunks, LINE_WORDS, chunks_for};
use super::permutation::Permutation;
use super::{PairSet, Visited, segment_lines, spread};
use crate::memory::OutOfMemory;

/// Pairs of numbers of 32 bits: the left one in the high half of a word.
pub struct QuotientSet {
    chunks: Chunks,
    segments: Vec<Segment>,
    n_pairs: u64,
    /// The greatest numbers so far.
    max_left: u32,
    max_right: u32,
}

const SEGMENT_BITS: u32 = 6;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
/// An entry stands in the line that its pair selects or in one of the next seven.
const DISPLACEMENT_BITS: u32 = 3;
const MAX_DISPLACEMENT: u64 = (1 << DISPLACEMENT_BITS) - 1;
const LINE_BITS: usize = LINE_WORDS * 64;

impl Default for QuotientSet {
    fn default() -> QuotientSet {
        let segments = (0..SEGMENTS).map(|_| Segment::new(Widths::of(0, 0), 0, Vec::new())).collect();
        QuotientSet { chunks: Chunks::new(), segments, n_pairs: 0, max_left: 0, max_right: 0 }
    }
}

/// The widths of the numbers of a segment. The lowest six bits of the right number are not counted: they select the
/// segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Widths {
    left: u32,
    right: u32,
}

impl Widths {
    /// The widths that these numbers need.
    fn of(left: u32, right: u32) -> Widths {
        let bits = |number: u32| u32::BITS - number.leading_zeros();
        Widths { left: bits(left), right: bits(right >> SEGMENT_BITS).max(1) }
    }

    #[inline]
    fn fit(self, pair: u64) -> bool {
        let (left, right) = (pair >> 32, (pair & 0xffff_ffff) >> SEGMENT_BITS);
        left >> self.left == 0 && right >> self.right == 0
    }
}

struct Segment {
    n_lines: usize,
    chunks: Vec<u32>,
    n_pairs: usize,
    /// The segment grows when it holds so many pairs.
    capacity: usize,
    widths: Widths,
    permutation: Permutation,
    /// The width of a quotient.
    quotient_bits: u32,
    /// Bits of an entry, and entries of a line.
    entry_bits: u32,
    n_entries: usize,
}

/// The position of a pair in its segment.
#[derive(Clone, Copy)]
struct Home {
    line: usize,
    quotient: u64,
}

/// The result of a look-up.
enum PairLookUp {
    Found,
    /// The pair would be written into this line, from this bit on.
    Free {
        line: usize,
        at: usize,
        entry: u64,
    },
    /// Eight lines are full.
    Crowded,
}

/// The segment of a pair: six of its bits, shuffled by all others so that segments fill evenly.
#[inline]
fn segment_of(pair: u64) -> usize {
    ((pair & (SEGMENTS as u64 - 1)) ^ spread(pair >> SEGMENT_BITS) >> (64 - SEGMENT_BITS)) as usize
}

impl Segment {
    fn new(widths: Widths, n_lines: usize, chunks: Vec<u32>) -> Segment {
        let permutation = Permutation::new(widths.left + widths.right);
        let highest_quotient = permutation.mask() / n_lines.max(1) as u64;
        let quotient_bits = u64::BITS - highest_quotient.leading_zeros();
        // 0 marks a free slot.
        let entry_bits = u64::BITS - (highest_quotient + 1).leading_zeros() + DISPLACEMENT_BITS;
        let n_entries = LINE_BITS / entry_bits as usize;
        let capacity = (n_lines * n_entries) as f64 * 0.92;
        let capacity = capacity as usize;
        Segment { n_lines, chunks, n_pairs: 0, capacity, widths, permutation, quotient_bits, entry_bits, n_entries }
    }

    /// Precondition: the pair fits the widths, and the segment has lines.
    #[inline]
    fn home(&self, pair: u64) -> Home {
        let (left, right) = (pair >> 32, (pair & 0xffff_ffff) >> SEGMENT_BITS);
        self.home_of(self.permutation.apply(left << self.widths.right | right))
    }

    #[inline]
    fn home_of(&self, number: u64) -> Home {
        let n_lines = self.n_lines as u64;
        Home { line: (number % n_lines) as usize, quotient: number / n_lines }
    }

    /// The shuffled number of an entry in a line.
    #[inline]
    fn number(&self, line: usize, entry: u64) -> u64 {
        let displacement = (entry & MAX_DISPLACEMENT) as usize;
        let home = if line >= displacement { line - displacement } else { line + self.n_lines - displacement };
        let quotient = (entry >> DISPLACEMENT_BITS) - 1;
        quotient * self.n_lines as u64 + home as u64
    }

    /// The pair that has this number in this segment.
    fn pair(&self, segment: usize, number: u64) -> u64 {
        let number = self.permutation.invert(number);
        let (left, right) = (number >> self.widths.right, number & (u64::MAX >> (64 - self.widths.right)));
        let high = left << 32 | right << SEGMENT_BITS;
        high | (segment as u64 ^ spread(high >> SEGMENT_BITS) >> (64 - SEGMENT_BITS))
    }

    /// Looks through the line that a pair selects and then through the next ones. The position in the line at which it
    /// starts depends on the quotient, so that it takes few comparisons until it meets the pair or a free slot. A free
    /// slot ends the look-up, since no entry is ever removed.
    #[inline]
    fn search(&self, chunks: &Chunks, home: Home) -> PairLookUp {
        let mask = u64::MAX >> (64 - self.entry_bits);
        let first = ((home.quotient * self.n_entries as u64) >> self.quotient_bits) as usize;
        let mut line = home.line;
        for displacement in 0..=MAX_DISPLACEMENT {
            let entry = (home.quotient + 1) << DISPLACEMENT_BITS | displacement;
            let words = chunks.line(&self.chunks, line);
            let mut at = first * self.entry_bits as usize;
            for _ in 0..self.n_entries {
                let other = read_bits(words, at) & mask;
                if other == entry {
                    return PairLookUp::Found;
                }
                if other == 0 {
                    return PairLookUp::Free { line, at, entry };
                }
                at += self.entry_bits as usize;
                if at == self.n_entries * self.entry_bits as usize {
                    at = 0;
                }
            }
            line = if line + 1 == self.n_lines { 0 } else { line + 1 };
        }
        PairLookUp::Crowded
    }
}

/// The bits from `at` on; as many as fit, with others behind them.
#[inline]
fn read_bits(words: &[u64; LINE_WORDS], at: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    // A shift by 64 overflows in Rust, so it takes two shifts. What comes from beyond the end is behind the entry.
    words[word] >> shift | words[(word + 1) % LINE_WORDS] << 1 << (63 - shift)
}

/// Sets bits that are 0 so far.
#[inline]
fn write_bits(words: &mut [u64; LINE_WORDS], at: usize, bits: u64) {
    let (word, shift) = (at / 64, at % 64);
    words[word] |= bits << shift;
    let rest = bits >> 1 >> (63 - shift);
    if rest != 0 {
        words[word + 1] |= rest;
    }
}

impl QuotientSet {
    /// Rewrites the pairs of a segment, with more lines or larger widths. `n_lines` is 0 to keep the number of lines.
    #[cold]
    fn remake(&mut self, which: usize, mut n_lines: usize) -> Result<(), OutOfMemory> {
        // A bit more than now, lest the next number need yet another one.
        let more = |number: u32| number.saturating_add(number / 16);
        let widths = Widths::of(more(self.max_left), more(self.max_right));
        loop {
            n_lines = segment_lines(n_lines, which, SEGMENTS).max(self.segments[which].n_lines);
            let chunks = self.chunks.take(chunks_for(n_lines))?;
            let mut new = Segment::new(widths, n_lines, chunks);
            if self.copy(which, &mut new) {
                let old = std::mem::replace(&mut self.segments[which], new);
                self.chunks.give_back(old.chunks);
                return Ok(());
            }
            self.chunks.give_back(new.chunks);
        }
    }

    /// Inserts all pairs of a segment into `new`. Returns whether all of them fit.
    fn copy(&mut self, which: usize, new: &mut Segment) -> bool {
        let old = &self.segments[which];
        if new.capacity <= old.n_pairs {
            return false;
        }
        let mask = u64::MAX >> (64 - old.entry_bits);
        for line in 0..old.n_lines {
            let words = *self.chunks.line(&old.chunks, line);
            let entries = (0..old.n_entries).map(|n| read_bits(&words, n * old.entry_bits as usize) & mask);
            for entry in entries.filter(|entry| *entry != 0) {
                let number = old.number(line, entry);
                // With the same widths the shuffled number is valid for any number of lines.
                let is_same = old.widths == new.widths;
                let home = if is_same { new.home_of(number) } else { new.home(old.pair(which, number)) };
                match new.search(&self.chunks, home) {
                    PairLookUp::Free { line, at, entry } => {
                        write_bits(self.chunks.line_mut(&new.chunks, line), at, entry);
                        new.n_pairs += 1;
                    }
                    PairLookUp::Crowded => return false,
                    PairLookUp::Found => unreachable!("a pair stands in a table once"),
                }
            }
        }
        true
    }

    #[inline]
    fn note(&mut self, pair: u64) {
        self.max_left = self.max_left.max((pair >> 32) as u32);
        self.max_right = self.max_right.max(pair as u32);
    }

    #[inline]
    fn has_room(&self, which: usize, pair: u64) -> bool {
        let segment = &self.segments[which];
        segment.n_pairs < segment.capacity && segment.widths.fit(pair)
    }

    /// Afterwards the segment can take this pair, unless it is crowded.
    #[cold]
    fn make_room(&mut self, which: usize, pair: u64) -> Result<(), OutOfMemory> {
        self.note(pair);
        let segment = &self.segments[which];
        let is_full = segment.n_pairs >= segment.capacity;
        self.remake(which, if is_full { segment.n_lines } else { 0 })
    }
}

impl PairSet for QuotientSet {
    const NAME: &'static str = "compact";
    /// A longer state takes less space as two numbers.
    const WIDEST_WHOLE: usize = 40;

    #[inline]
    fn prefetch(&self, pair: u64) {
        let segment = &self.segments[segment_of(pair)];
        if segment.n_lines > 0 && segment.widths.fit(pair) {
            self.chunks.prefetch(&segment.chunks, segment.home(pair).line);
        }
    }

    #[inline]
    fn insert(&mut self, pair: u64) -> Result<Visited, OutOfMemory> {
        let which = segment_of(pair);
        if !self.has_room(which, pair) {
            // Without memory the set still finds what it holds.
            if let Err(error) = self.make_room(which, pair) {
                return if self.contains(pair) { Ok(Visited::Seen) } else { Err(error) };
            }
        }
        loop {
            let segment = &mut self.segments[which];
            match segment.search(&self.chunks, segment.home(pair)) {
                PairLookUp::Found => return Ok(Visited::Seen),
                PairLookUp::Free { line, at, entry } => {
                    write_bits(self.chunks.line_mut(&segment.chunks, line), at, entry);
                    segment.n_pairs += 1;
                    self.n_pairs += 1;
                    self.note(pair);
                    return Ok(Visited::New);
                }
                PairLookUp::Crowded => {
                    let n_lines = segment.n_lines;
                    self.remake(which, n_lines)?;
                }
            }
        }
    }

    fn contains(&self, pair: u64) -> bool {
        let segment = &self.segments[segment_of(pair)];
        segment.n_lines > 0
            && segment.widths.fit(pair)
            && matches!(segment.search(&self.chunks, segment.home(pair)), PairLookUp::Found)
    }

    fn n_pairs(&self) -> u64 {
        self.n_pairs
    }

    fn memory_bytes(&self) -> u64 {
        self.chunks.memory_bytes()
    }

    fn set_memory_limit(&mut self, bytes: u64) {
        self.chunks.set_memory_limit(bytes);
    }
}
