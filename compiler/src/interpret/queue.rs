//! Queues of channels in the words of a state. Unused slots are 0, so that equal contents are equal words.

use std::sync::atomic::Ordering;

use super::layout::{Queue, QueueField};
use super::state::{get, set};

const WORD: usize = 64;

impl Queue {
    #[inline]
    pub fn len(&self, words: &[u64], at: usize) -> usize {
        get(words, at + self.length.at, self.length.bits) as usize
    }

    fn set_len(&self, words: &mut [u64], at: usize, len: usize) {
        let len = u32::try_from(len).expect("a queue is shorter than 2^32");
        set(words, at + self.length.at, self.length.bits, len);
    }

    fn slot(&self, at: usize, position: usize) -> usize {
        at + self.messages + self.spacing.of(position)
    }

    /// A field of a message; 0 if messages have no such field.
    #[inline]
    pub fn field(&self, words: &[u64], at: usize, position: usize, field: usize) -> i32 {
        let Some(field) = self.fields.get(field) else { return 0 };
        let raw = match field.scalar.bits {
            0 => 0,
            bits => get(words, self.slot(at, position) + field.at, bits),
        };
        raw.cast_signed().wrapping_add(field.scalar.low)
    }

    /// Appends a message, unless the queue is full: then it is lost.
    pub fn send(&self, words: &mut [u64], at: usize, message: &[i32]) {
        let len = self.len(words, at);
        if len < self.capacity {
            self.put(words, self.slot(at, len), message);
            self.set_len(words, at, len + 1);
            self.note_full(len + 1);
        }
    }

    /// Inserts a message in front of the first that is larger, also if the queue is not sorted.
    pub fn send_sorted(&self, words: &mut [u64], at: usize, message: &[i32]) {
        let len = self.len(words, at);
        if len >= self.capacity {
            return;
        }
        let is_larger = |position: &usize| {
            let pairs = self.fields.iter().zip(message).enumerate();
            let mut differing = pairs.map(|(number, (field, value))| {
                let own = self.field(words, at, *position, number);
                if field.is_unsigned { own.cast_unsigned().cmp(&value.cast_unsigned()) } else { own.cmp(value) }
            });
            differing.find(|order| order.is_ne()).is_some_and(std::cmp::Ordering::is_gt)
        };
        let place = (0..len).find(is_larger).unwrap_or(len);
        for position in (place..len).rev() {
            self.copy(words, self.slot(at, position), self.slot(at, position + 1));
        }
        self.clear(words, self.slot(at, place));
        self.put(words, self.slot(at, place), message);
        self.set_len(words, at, len + 1);
        self.note_full(len + 1);
    }

    /// Notes that some run fills the queue. It is read first, so that threads do not wait for each other.
    fn note_full(&self, len: usize) {
        if len == self.capacity && !self.was_full.load(Ordering::Relaxed) {
            self.was_full.store(true, Ordering::Relaxed);
        }
    }

    /// Removes a message; those behind it move up.
    pub fn remove(&self, words: &mut [u64], at: usize, position: usize) {
        let len = self.len(words, at);
        if self.is_one_word {
            let (first, end) = (self.slot(at, position), self.slot(at, len));
            let word = &mut words[first / WORD];
            // From the message on up to the end of the last one: at least one bit.
            let mask = u64::MAX >> (WORD - (end - first)) << (first % WORD);
            *word = *word & !mask | (*word & mask) >> self.message_bits & mask;
            self.set_len(words, at, len - 1);
            return;
        }
        for next in position + 1..len {
            self.copy(words, self.slot(at, next), self.slot(at, next - 1));
        }
        self.clear(words, self.slot(at, len - 1));
        self.set_len(words, at, len - 1);
    }

    /// Stores a message in an empty slot.
    fn put(&self, words: &mut [u64], slot: usize, message: &[i32]) {
        for (QueueField { at, scalar, .. }, value) in self.fields.iter().zip(message) {
            if scalar.bits > 0 {
                set(words, slot + at, scalar.bits, value.wrapping_sub(scalar.low).cast_unsigned());
            }
        }
    }

    fn copy(&self, words: &mut [u64], from: usize, to: usize) {
        if self.message_bits <= WORD {
            let mask = u64::MAX >> (WORD - self.message_bits);
            let message = words[from / WORD] >> (from % WORD) & mask;
            let word = &mut words[to / WORD];
            *word = *word & !(mask << (to % WORD)) | message << (to % WORD);
        } else {
            words.copy_within(from / WORD..(from + self.message_bits) / WORD, to / WORD);
        }
    }

    fn clear(&self, words: &mut [u64], slot: usize) {
        super::state::clear(words, slot, self.message_bits);
    }
}
