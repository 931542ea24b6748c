//! States that are computed with in their packed form: fields at fixed positions in a few words.
//!
//! If the number of processes and messages is bounded before a run, every field has a fixed position, and no field
//! crosses a word boundary. Then reading one is a shift and a mask, copying a state copies a few words, and nothing has
//! to be packed or unpacked. Generated code has a pair of functions for each field, made of [`get`] and [`set`]; it
//! reads queues through [`QueueIn`] and changes them through [`QueueInMut`]. Unused parts (messages that were received,
//! processes that have ended) are 0, so that equal states are equal words.

use crate::fault::Fault;
use crate::pack::Scalar;
use crate::step::Pid;
use std::fmt::Debug;
use std::marker::PhantomData;

/// The value of `bits` (1 to 32) bits from bit `at` on, which lie in one word.
#[inline(always)]
pub fn get<T: Scalar>(words: &[u64], at: usize, bits: u32) -> T {
    T::from_bits(get_wide(words, at, bits) as u32)
}

/// Sets `bits` (1 to 32) bits from bit `at` on to `value`, which fits.
#[inline(always)]
pub fn set<T: Scalar + PartialEq>(words: &mut [u64], at: usize, bits: u32, value: T) {
    let cut = u64::from(value.to_bits()) & mask(bits);
    debug_assert!(T::from_bits(cut as u32) == value, "a value fits in the bits of its field");
    set_wide(words, at, bits, cut);
}

/// The same for a value that is stored as its distance from `low`.
#[inline(always)]
pub fn get_from<T: Scalar>(words: &[u64], at: usize, bits: u32, low: i32) -> T {
    from_distance(get_wide(words, at, bits), low)
}

#[inline(always)]
pub fn set_from<T: Scalar>(words: &mut [u64], at: usize, bits: u32, low: i32, value: T) {
    set_wide(words, at, bits, distance(value, low, bits));
}

#[inline(always)]
fn from_distance<T: Scalar>(distance: u64, low: i32) -> T {
    T::from_bits((distance as i32).wrapping_add(low) as u32)
}

#[inline(always)]
fn distance<T: Scalar>(value: T, low: i32, bits: u32) -> u64 {
    let distance = u64::from((value.to_bits() as i32).wrapping_sub(low) as u32);
    debug_assert!(distance <= mask(bits), "a value fits in the bits of its field");
    distance & mask(bits)
}

/// The same as a number: of processes, of a location.
#[inline(always)]
pub fn number(words: &[u64], at: usize, bits: u32) -> usize {
    get_wide(words, at, bits) as usize
}

/// The position of element `index` of an array that begins at a word boundary: each word holds as many elements as fit.
#[inline(always)]
pub const fn nth(index: usize, bits: usize) -> usize {
    let in_a_word = 64 / bits;
    index / in_a_word * 64 + index % in_a_word * bits
}

/// Clears `size` bits from bit `at` on, in as many words as it takes.
#[inline]
pub fn clear(words: &mut [u64], mut at: usize, mut size: usize) {
    while size > 0 {
        let here = size.min(64 - at % 64);
        set_wide(words, at, here as u32, 0);
        at += here;
        size -= here;
    }
}

#[inline(always)]
const fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

#[inline(always)]
fn get_wide(words: &[u64], at: usize, bits: u32) -> u64 {
    debug_assert!(at % 64 + bits as usize <= 64, "a field lies in one word");
    (words[at / 64] >> (at % 64)) & mask(bits)
}

/// The same as [`set`] for up to 64 bits.
#[inline(always)]
fn set_wide(words: &mut [u64], at: usize, bits: u32, value: u64) {
    debug_assert!(at % 64 + bits as usize <= 64, "a field lies in one word");
    debug_assert!(value & !mask(bits) == 0, "a value fits in the bits of its field");
    let word = &mut words[at / 64];
    *word = *word & !(mask(bits) << (at % 64)) | value << (at % 64);
}

/// The pid of the next process, if the limit allows one.
pub fn next_pid(n_processes: usize, limit: usize) -> Result<Pid, Fault> {
    if n_processes < limit {
        Ok(Pid::from_index(n_processes))
    } else {
        Err(Fault::ProcessLimit { limit: limit as u32 })
    }
}

/// The bits of a field within a message.
#[inline(always)]
pub fn field<T: Scalar + PartialEq>(value: T, bits: u32) -> u64 {
    let cut = u64::from(value.to_bits()) & mask(bits);
    debug_assert!(T::from_bits(cut as u32) == value, "a value fits in the bits of its field");
    cut
}

/// The field of a message that begins at bit `at`.
#[inline(always)]
pub fn field_of<T: Scalar>(message: u64, at: u32, bits: u32) -> T {
    T::from_bits((message >> at & mask(bits)) as u32)
}

/// The same for a value that is stored as its distance from `low`.
#[inline(always)]
pub fn field_from<T: Scalar>(value: T, bits: u32, low: i32) -> u64 {
    distance(value, low, bits)
}

#[inline(always)]
pub fn field_of_from<T: Scalar>(message: u64, at: u32, bits: u32, low: i32) -> T {
    from_distance(message >> at & mask(bits), low)
}

/// The layout of a kind of queues.
pub trait Shape {
    type Message: Copy + Debug;
    const CAPACITY: usize;
    /// The bits of one message, 64 at most.
    const BITS: u32;
    /// The position of the number of messages, from the beginning of the queue, and its bits.
    const LENGTH: (usize, u32);
    /// The position of the messages. If the queue fits in one word they are side by side, otherwise they are an array
    /// as in [`nth`].
    const MESSAGES: usize;
    const IS_ONE_WORD: bool;
    fn to_bits(message: Self::Message) -> u64;
    fn from_bits(bits: u64) -> Self::Message;
}

#[inline(always)]
fn slot<Q: Shape>(at: usize, position: usize) -> usize {
    let bits = Q::BITS as usize;
    at + Q::MESSAGES + if Q::IS_ONE_WORD { position * bits } else { nth(position, bits) }
}

#[inline(always)]
fn message_at<Q: Shape>(words: &[u64], at: usize, position: usize) -> Q::Message {
    Q::from_bits(get_wide(words, slot::<Q>(at, position), Q::BITS))
}

#[inline(always)]
fn length_of<Q: Shape>(words: &[u64], at: usize) -> usize {
    get::<u32>(words, at + Q::LENGTH.0, Q::LENGTH.1) as usize
}

/// A queue of a state, for reading. It offers what [`Queue`](super::channel::Queue) does.
#[derive(Debug)]
pub struct QueueIn<'s, Q> {
    words: &'s [u64],
    at: usize,
    shape: PhantomData<Q>,
}

impl<Q> Clone for QueueIn<'_, Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q> Copy for QueueIn<'_, Q> {}

impl<'s, Q: Shape> QueueIn<'s, Q> {
    /// The queue that begins at bit `at`.
    #[inline(always)]
    pub fn new(words: &'s [u64], at: usize) -> QueueIn<'s, Q> {
        QueueIn { words, at, shape: PhantomData }
    }

    #[inline(always)]
    pub fn len(self) -> usize {
        length_of::<Q>(self.words, self.at)
    }

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    pub fn is_full(self) -> bool {
        self.len() >= Q::CAPACITY
    }

    /// The message at a position, which must be below the length.
    #[inline(always)]
    pub fn message(self, position: usize) -> Q::Message {
        message_at::<Q>(self.words, self.at, position)
    }

    #[inline(always)]
    pub fn first(self) -> Option<Q::Message> {
        (!self.is_empty()).then(|| self.message(0))
    }

    /// Oldest first.
    pub fn messages(self) -> impl Iterator<Item = Q::Message> + 's
    where
        Q: 's,
    {
        (0..self.len()).map(move |position| self.message(position))
    }

    #[inline]
    pub fn position(self, mut fits: impl FnMut(&Q::Message) -> bool) -> Option<usize> {
        (0..self.len()).find(|position| fits(&self.message(*position)))
    }
}

/// A queue of a state, for writing.
#[derive(Debug)]
pub struct QueueInMut<'s, Q> {
    words: &'s mut [u64],
    at: usize,
    shape: PhantomData<Q>,
}

impl<'s, Q: Shape> QueueInMut<'s, Q> {
    #[inline(always)]
    pub fn new(words: &'s mut [u64], at: usize) -> QueueInMut<'s, Q> {
        QueueInMut { words, at, shape: PhantomData }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        length_of::<Q>(self.words, self.at)
    }

    #[inline(always)]
    fn set_len(&mut self, length: usize) {
        set(self.words, self.at + Q::LENGTH.0, Q::LENGTH.1, length as u32);
    }

    #[inline(always)]
    fn put(&mut self, position: usize, message: u64) {
        set_wide(self.words, slot::<Q>(self.at, position), Q::BITS, message);
    }

    #[inline(always)]
    fn bits(&self, position: usize) -> u64 {
        get_wide(self.words, slot::<Q>(self.at, position), Q::BITS)
    }

    /// See [`Queue::send`](super::channel::Queue::send).
    #[inline(always)]
    pub fn send(mut self, message: Q::Message) {
        let length = self.len();
        if length < Q::CAPACITY {
            self.put(length, Q::to_bits(message));
            self.set_len(length + 1);
        }
    }

    /// See [`Queue::send_sorted`](super::channel::Queue::send_sorted).
    pub fn send_sorted(mut self, message: Q::Message)
    where
        Q::Message: Ord,
    {
        let length = self.len();
        if length >= Q::CAPACITY {
            return;
        }
        let larger = |position: &usize| message_at::<Q>(self.words, self.at, *position) > message;
        let place = (0..length).find(larger).unwrap_or(length);
        for position in (place..length).rev() {
            let moved = self.bits(position);
            self.put(position + 1, moved);
        }
        self.put(place, Q::to_bits(message));
        self.set_len(length + 1);
    }

    /// See [`Queue::receive`](super::channel::Queue::receive).
    #[inline(always)]
    pub fn receive(self) {
        self.remove(0);
    }

    /// See [`Queue::remove`](super::channel::Queue::remove).
    #[inline(always)]
    pub fn remove(mut self, position: usize) {
        let length = self.len();
        if position >= length {
            return;
        }
        if Q::IS_ONE_WORD {
            self.remove_in_word(position);
        } else {
            for position in position + 1..length {
                let moved = self.bits(position);
                self.put(position - 1, moved);
            }
            self.put(length - 1, 0);
        }
        self.set_len(length - 1);
    }

    /// All messages behind `position` move up at once.
    #[inline(always)]
    fn remove_in_word(&mut self, position: usize) {
        let bits = Q::BITS;
        let all = bits * Q::CAPACITY as u32;
        let row = get_wide(self.words, self.at + Q::MESSAGES, all);
        let before = row & !(u64::MAX << (position as u32 * bits));
        // A shift by 64 overflows in Rust, so it takes two shifts.
        let behind = row >> (position as u32 * bits) >> (bits - 1) >> 1 << (position as u32 * bits);
        set_wide(self.words, self.at + Q::MESSAGES, all, before | behind);
    }
}

#[cfg(test)]
mod tests {
    use super::super::channel::Queue;
    use super::*;

    #[test]
    fn fields_come_back_and_leave_their_neighbours_alone() {
        let mut words = [u64::MAX; 2];
        set(&mut words, 3, 5, 9_u8);
        set(&mut words, 64 + 32, 32, -7_i32);
        set(&mut words, 64 + 16, 16, -2_i16);
        assert_eq!((get::<u8>(&words, 3, 5), get::<i32>(&words, 96, 32), get::<i16>(&words, 80, 16)), (9, -7, -2));
        assert_eq!((get::<u8>(&words, 0, 3), get::<u8>(&words, 8, 8), get::<u32>(&words, 64, 16)), (7, 255, 0xffff));
        set_from(&mut words, 64 + 32, 3, -4, 2_i16);
        assert_eq!((get_from::<i16>(&words, 96, 3, -4), get::<u8>(&words, 96, 3)), (2, 6));
        assert_eq!(field_of_from::<u8>(field_from(9_u8, 2, 7) << 5, 5, 2, 7), 9);
        clear(&mut words, 60, 68);
        assert_eq!((words[0] >> 59, words[1]), (1, 0));
    }

    #[test]
    fn the_elements_of_a_row_do_not_cross_words() {
        assert_eq!([0, 11, 12, 13, 24].map(|index| nth(index, 5)), [0, 55, 64, 69, 128]);
        assert_eq!([0, 1, 2].map(|index| nth(index, 64)), [0, 64, 128]);
    }

    #[test]
    fn there_is_a_next_pid_while_there_is_room() {
        assert_eq!(next_pid(2, 3), Ok(Pid(2)));
        assert_eq!(next_pid(3, 3), Err(Fault::ProcessLimit { limit: 3 }));
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    struct Pair(u8, i16);

    fn bits_of(pair: Pair) -> u64 {
        field(pair.0, 4) | field(pair.1, 16) << 4
    }

    fn pair_of(bits: u64) -> Pair {
        Pair(field_of(bits, 0, 4), field_of(bits, 4, 16))
    }

    struct Short;
    impl Shape for Short {
        type Message = Pair;
        const CAPACITY: usize = 3;
        const BITS: u32 = 20;
        const LENGTH: (usize, u32) = (0, 2);
        const MESSAGES: usize = 2;
        const IS_ONE_WORD: bool = true;
        fn to_bits(message: Pair) -> u64 {
            bits_of(message)
        }
        fn from_bits(bits: u64) -> Pair {
            pair_of(bits)
        }
    }

    struct Long;
    impl Shape for Long {
        type Message = Pair;
        const CAPACITY: usize = 7;
        const BITS: u32 = 20;
        const LENGTH: (usize, u32) = (128 + 20, 3);
        const MESSAGES: usize = 0;
        const IS_ONE_WORD: bool = false;
        fn to_bits(message: Pair) -> u64 {
            bits_of(message)
        }
        fn from_bits(bits: u64) -> Pair {
            pair_of(bits)
        }
    }

    /// Applies the same random operations to a queue in words and to a plain one, and compares.
    fn check<Q: Shape<Message = Pair>, const CAPACITY: usize>(at: usize) {
        let mut words = [0; 5];
        let mut plain = Queue::<Pair, CAPACITY>::default();
        let mut random = 1_u32;
        for _ in 0..5000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = (random >> 16) as i16;
            let pair = Pair((random >> 24) as u8 % 16, if number % 2 == 0 { number } else { number % 3 });
            let position = (random >> 8) as usize % (CAPACITY + 1);
            let queue = QueueInMut::<Q>::new(&mut words, at);
            match random >> 13 & 3 {
                0 => {
                    queue.send(pair);
                    plain.send(pair);
                }
                1 => {
                    queue.send_sorted(pair);
                    plain.send_sorted(pair);
                }
                2 => {
                    queue.receive();
                    plain.receive();
                }
                _ => {
                    queue.remove(position);
                    plain.remove(position);
                }
            }
            let queue = QueueIn::<Q>::new(&words, at);
            assert_eq!(queue.messages().collect::<Vec<_>>(), plain.messages());
            assert_eq!((queue.first(), queue.is_full()), (plain.first(), plain.is_full()));
            let wanted = |other: &Pair| other.1 == pair.1;
            assert_eq!(queue.position(wanted), plain.position(wanted));
            if queue.is_empty() {
                assert_eq!(words, [0; 5]);
            }
        }
    }

    #[test]
    fn queues_in_words_do_what_plain_ones_do() {
        check::<Short, 3>(64);
        check::<Long, 7>(64);
    }
}
