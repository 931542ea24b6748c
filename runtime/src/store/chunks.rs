//! Memory for tables, in small chunks that tables take and give back.
//!
//! A table that grows segment by segment frees blocks of all sizes, and what an allocator keeps between them would
//! count as memory in use. So these tables share one stock of equal chunks: the next segment takes the chunks that the
//! last one gave back. The stock never moves, so that the system can hold it in large pages.

use crate::huge_pages;
use crate::memory::OutOfMemory;
use crate::prefetch::prefetch;

/// A cache line, the unit that one look-up reads.
pub(super) const LINE_WORDS: usize = 8;
/// Lines of a chunk: a page of 4 KB.
pub(super) const CHUNK_LINES: usize = 64;
const CHUNK_WORDS: usize = CHUNK_LINES * LINE_WORDS;
/// The bytes of a chunk: its words, and its number in the list of its owner and in that of free chunks.
const CHUNK_BYTES: u64 = CHUNK_WORDS as u64 * 8 + 8;

/// The bits that number the chunks of one slab.
const SLAB_BITS: u32 = 13;
const SLAB_CHUNKS: usize = 1 << SLAB_BITS;
/// The first slab is smaller, so that small models take little memory.
const FIRST_CHUNKS: usize = 1 << 10;
/// Allocators put 16 bytes before a large block, which itself starts a page. A slab skips the words up to the next
/// cache line, so that its lines are cache lines. Only speed depends on it.
const PADDING: usize = 6;

/// Lines of eight words, in chunks.
pub(super) struct Chunks {
    /// Each slab reserves all its chunks at once; that costs no memory until they are written.
    slabs: Vec<Vec<u64>>,
    free: Vec<u32>,
    memory_limit: u64,
}

impl Chunks {
    pub fn new() -> Chunks {
        Chunks { slabs: Vec::new(), free: Vec::new(), memory_limit: u64::MAX }
    }

    pub fn set_memory_limit(&mut self, bytes: u64) {
        self.memory_limit = bytes;
    }

    pub fn memory_bytes(&self) -> u64 {
        self.slabs.iter().map(|slab| slab.len() as u64 / CHUNK_WORDS as u64 * CHUNK_BYTES).sum()
    }

    /// `n` chunks filled with 0, or none if not all can be had.
    pub fn take(&mut self, n: usize) -> Result<Vec<u32>, OutOfMemory> {
        let n_new = n.saturating_sub(self.free.len());
        if n_new > 0 && self.memory_bytes() + n_new as u64 * CHUNK_BYTES > self.memory_limit {
            return Err(OutOfMemory);
        }
        let mut taken = Vec::new();
        taken.try_reserve_exact(n)?;
        for _ in 0..n {
            match self.take_one() {
                Ok(chunk) => taken.push(chunk),
                Err(error) => {
                    self.give_back(taken);
                    return Err(error);
                }
            }
        }
        Ok(taken)
    }

    fn take_one(&mut self) -> Result<u32, OutOfMemory> {
        if let Some(chunk) = self.free.pop() {
            let (slab, start) = position(chunk, 0);
            self.slabs[slab][start..start + CHUNK_WORDS].fill(0);
            return Ok(chunk);
        }
        let n_chunks = slab_chunks(self.slabs.len().saturating_sub(1));
        if self.slabs.last().is_none_or(|slab| slab.len() / CHUNK_WORDS == n_chunks) {
            self.add_slab()?;
        }
        let slab = self.slabs.len() - 1;
        let words = &mut self.slabs[slab];
        let chunk = (slab << SLAB_BITS) + words.len() / CHUNK_WORDS;
        let chunk = u32::try_from(chunk).map_err(|_| OutOfMemory)?;
        words.resize(words.len() + CHUNK_WORDS, 0);
        Ok(chunk)
    }

    fn add_slab(&mut self) -> Result<(), OutOfMemory> {
        let mut words = Vec::new();
        words.try_reserve_exact(PADDING + slab_chunks(self.slabs.len()) * CHUNK_WORDS)?;
        if !self.slabs.is_empty() {
            huge_pages::advise(&mut words);
        }
        words.resize(PADDING, 0);
        self.slabs.try_reserve(1)?;
        self.slabs.push(words);
        Ok(())
    }

    pub fn give_back(&mut self, chunks: Vec<u32>) {
        self.free.extend(chunks);
    }

    /// A line of the table that these chunks are.
    #[inline]
    pub fn line(&self, chunks: &[u32], line: usize) -> &[u64; LINE_WORDS] {
        let (slab, start) = position(chunks[line / CHUNK_LINES], line % CHUNK_LINES);
        self.slabs[slab][start..].first_chunk().expect("chunks consist of whole lines")
    }

    #[inline]
    pub fn line_mut(&mut self, chunks: &[u32], line: usize) -> &mut [u64; LINE_WORDS] {
        let (slab, start) = position(chunks[line / CHUNK_LINES], line % CHUNK_LINES);
        self.slabs[slab][start..].first_chunk_mut().expect("chunks consist of whole lines")
    }

    #[inline]
    pub fn prefetch(&self, chunks: &[u32], line: usize) {
        let (slab, start) = position(chunks[line / CHUNK_LINES], line % CHUNK_LINES);
        prefetch(&self.slabs[slab], start);
    }
}

/// The capacity of a slab.
fn slab_chunks(slab: usize) -> usize {
    if slab == 0 { FIRST_CHUNKS } else { SLAB_CHUNKS }
}

/// How many chunks hold so many lines.
pub(super) fn chunks_for(n_lines: usize) -> usize {
    n_lines.div_ceil(CHUNK_LINES)
}

/// Slab and word where a line starts.
#[inline]
fn position(chunk: u32, line: usize) -> (usize, usize) {
    let in_slab = chunk as usize % SLAB_CHUNKS;
    ((chunk >> SLAB_BITS) as usize, PADDING + in_slab * CHUNK_WORDS + line * LINE_WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_taken_again_and_empty() {
        let mut chunks = Chunks::new();
        let mut all = Vec::new();
        // More than the first slab holds.
        for n in 0..1200_u64 {
            let taken = chunks.take(1).unwrap();
            chunks.line_mut(&taken, 63)[7] = n + 1;
            all.push(taken);
        }
        assert!((0..1200_u64).all(|n| chunks.line(&all[n as usize], 63)[7] == n + 1));
        let bytes = chunks.memory_bytes();
        for n in [1100, 1023, 5] {
            let taken = all.swap_remove(n);
            chunks.give_back(taken);
        }
        let again = chunks.take(3).unwrap();
        assert!((0..192).all(|line| *chunks.line(&again, line) == [0; LINE_WORDS]));
        assert_eq!(chunks.memory_bytes(), bytes);
    }

    #[test]
    fn beyond_the_limit_nothing_is_taken() {
        let mut chunks = Chunks::new();
        chunks.set_memory_limit(10 * CHUNK_BYTES);
        let taken = chunks.take(9).unwrap();
        assert_eq!(chunks.take(2), Err(OutOfMemory));
        chunks.give_back(taken);
        assert_eq!(chunks.take(9).map(|taken| taken.len()), Ok(9));
    }
}
