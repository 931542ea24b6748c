//! An uncompressed set of words.
//!
//! The table consists of segments that grow one by one, each from a different size, so that memory grows smoothly and
//! never much beyond the need. A segment has any number of lines of eight words; a word stands in the line that its
//! hash selects, or in the next one with a free slot.

use super::chunks::{Chunks, LINE_WORDS, chunks_for};
use super::{PairSet, Visited, below, segment_lines, spread};
use crate::memory::OutOfMemory;

/// Words of 64 bits, at eight bytes each and the free part of the table.
pub struct PlainSet {
    chunks: Chunks,
    segments: Vec<Segment>,
    /// 0 marks a free slot, so the set represents the word 0 apart.
    has_zero: bool,
    n_words: u64,
}

#[derive(Default)]
struct Segment {
    n_lines: usize,
    chunks: Vec<u32>,
    n_words: usize,
    /// The segment grows when it holds so many words.
    capacity: usize,
}

const SEGMENTS: usize = 64;

impl Default for PlainSet {
    fn default() -> PlainSet {
        let segments = (0..SEGMENTS).map(|_| Segment::default()).collect();
        PlainSet { chunks: Chunks::new(), segments, has_zero: false, n_words: 0 }
    }
}

/// The segment of a word, and the rest of its hash.
#[inline]
fn place(word: u64) -> (usize, u64) {
    let hash = spread(word);
    ((hash >> 58) as usize, hash << 6)
}

impl PlainSet {
    /// Inserts a word into a segment with a free slot, unless it contains the word.
    #[inline]
    fn enter(chunks: &mut Chunks, segment: &mut Segment, rest: u64, word: u64) -> Visited {
        let mut line = below(rest, segment.n_lines);
        loop {
            let words = chunks.line_mut(&segment.chunks, line);
            // All eight at once: comparing costs less than a mispredicted branch.
            if words.iter().fold(false, |found, other| found | (*other == word)) {
                return Visited::Seen;
            }
            if words[LINE_WORDS - 1] == 0 {
                let n_taken = words.iter().take_while(|other| **other != 0).count();
                words[n_taken] = word;
                segment.n_words += 1;
                return Visited::New;
            }
            line = if line + 1 == segment.n_lines { 0 } else { line + 1 };
        }
    }

    #[cold]
    fn grow(&mut self, which: usize) -> Result<(), OutOfMemory> {
        let old = &self.segments[which];
        let n_lines = segment_lines(old.n_lines, which, SEGMENTS);
        let chunks = self.chunks.take(chunks_for(n_lines))?;
        // Above seven eighths runs of full lines get long.
        let mut new = Segment { n_lines, chunks, n_words: 0, capacity: n_lines * LINE_WORDS / 8 * 7 };
        let old = std::mem::take(&mut self.segments[which]);
        for line in 0..old.n_lines {
            for word in *self.chunks.line(&old.chunks, line) {
                if word != 0 {
                    PlainSet::enter(&mut self.chunks, &mut new, place(word).1, word);
                }
            }
        }
        self.chunks.give_back(old.chunks);
        self.segments[which] = new;
        Ok(())
    }
}

impl PairSet for PlainSet {
    const NAME: &'static str = "tree";
    /// Every pair takes 64 bits.
    const WIDEST_WHOLE: usize = 64;

    #[inline]
    fn prefetch(&self, pair: u64) {
        let (segment, rest) = place(pair);
        let segment = &self.segments[segment];
        if segment.n_lines > 0 {
            self.chunks.prefetch(&segment.chunks, below(rest, segment.n_lines));
        }
    }

    #[inline]
    fn insert(&mut self, pair: u64) -> Result<Visited, OutOfMemory> {
        if pair == 0 {
            let visited = if self.has_zero { Visited::Seen } else { Visited::New };
            self.n_words += u64::from(!self.has_zero);
            self.has_zero = true;
            return Ok(visited);
        }
        let (which, rest) = place(pair);
        if self.segments[which].n_words >= self.segments[which].capacity {
            // Without memory the set still finds what it holds.
            if let Err(error) = self.grow(which) {
                return if self.contains(pair) { Ok(Visited::Seen) } else { Err(error) };
            }
        }
        let visited = PlainSet::enter(&mut self.chunks, &mut self.segments[which], rest, pair);
        self.n_words += u64::from(visited == Visited::New);
        Ok(visited)
    }

    fn contains(&self, pair: u64) -> bool {
        let (segment, rest) = place(pair);
        let segment = &self.segments[segment];
        if pair == 0 || segment.n_lines == 0 {
            return pair == 0 && self.has_zero;
        }
        let mut line = below(rest, segment.n_lines);
        loop {
            let words = self.chunks.line(&segment.chunks, line);
            if words.contains(&pair) {
                return true;
            }
            if words[LINE_WORDS - 1] == 0 {
                return false;
            }
            line = if line + 1 == segment.n_lines { 0 } else { line + 1 };
        }
    }

    fn n_pairs(&self) -> u64 {
        self.n_words
    }

    fn memory_bytes(&self) -> u64 {
        self.chunks.memory_bytes()
    }

    fn set_memory_limit(&mut self, bytes: u64) {
        self.chunks.set_memory_limit(bytes);
    }
}
