//! Buffered channels.
//!
//! A rendezvous channel holds nothing and needs no type here: sender and receiver move in one step, see
//! [`Steps::offer_handshake`](crate::step::Steps::offer_handshake). A buffered one is a queue of messages, oldest
//! first. Slots beyond the last message always hold the default message, so that a received message leaves no trace
//! in the state and equal contents are equal bytes.

/// A queue of at most `CAPACITY` messages, for states with a fixed layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue<T, const CAPACITY: usize> {
    slots: [T; CAPACITY],
    len: u16,
}

impl<T: Copy + Default, const CAPACITY: usize> Default for Queue<T, CAPACITY> {
    fn default() -> Self {
        Queue { slots: [T::default(); CAPACITY], len: 0 }
    }
}

impl<T: Copy + Default, const CAPACITY: usize> Queue<T, CAPACITY> {
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() >= CAPACITY
    }

    pub fn capacity(&self) -> usize {
        CAPACITY
    }

    /// The messages, oldest first.
    #[inline]
    pub fn messages(&self) -> &[T] {
        &self.slots[..self.len()]
    }

    /// All slots, the unused ones too: what is packed.
    #[inline]
    pub fn slots(&self) -> &[T; CAPACITY] {
        &self.slots
    }

    /// The oldest message (`c?` looks at this one alone).
    #[inline]
    pub fn first(&self) -> Option<T> {
        self.messages().first().copied()
    }

    /// The message at a position, which must be below the length.
    #[inline]
    pub fn message(&self, position: usize) -> T {
        self.messages()[position]
    }

    /// Appends `message` (`c!`). A full queue stays as it is: with `-m` the message is lost, otherwise the caller has
    /// checked [`is_full`](Self::is_full) before.
    #[inline]
    pub fn send(&mut self, message: T) {
        if !self.is_full() {
            self.slots[self.len()] = message;
            self.len += 1;
        }
    }

    /// Inserts `message` before the first that is larger (`c!!`), also if the queue is not sorted.
    pub fn send_sorted(&mut self, message: T)
    where
        T: Ord,
    {
        if !self.is_full() {
            let (len, at) = (self.len(), position_of_larger(self.messages(), &message));
            self.slots.copy_within(at..len, at + 1);
            self.slots[at] = message;
            self.len += 1;
        }
    }

    /// Removes the oldest message (`c?`), if there is one.
    #[inline]
    pub fn receive(&mut self) -> Option<T> {
        self.remove(0)
    }

    /// The first message that matches (`c??` removes it, `c??[..]` tests for it).
    #[inline]
    pub fn position(&self, fits: impl FnMut(&T) -> bool) -> Option<usize> {
        self.messages().iter().position(fits)
    }

    /// Removes the message at `position`; those behind it move up.
    #[inline]
    pub fn remove(&mut self, position: usize) -> Option<T> {
        let len = self.len();
        if position >= len {
            return None;
        }
        let message = self.slots[position];
        self.slots.copy_within(position + 1..len, position);
        self.slots[len - 1] = T::default();
        self.len -= 1;
        Some(message)
    }
}

/// A queue whose capacity is known only when its process starts, for states of variable size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrowingQueue<T> {
    messages: Vec<T>,
    capacity: usize,
}

impl<T: Copy + Default> GrowingQueue<T> {
    pub fn new(capacity: usize) -> GrowingQueue<T> {
        GrowingQueue { messages: Vec::new(), capacity }
    }

    pub fn len(&self) -> usize {
        self.messages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.messages.len() >= self.capacity
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> &[T] {
        &self.messages
    }

    pub fn first(&self) -> Option<T> {
        self.messages.first().copied()
    }

    /// See [`Queue::message`].
    pub fn message(&self, position: usize) -> T {
        self.messages[position]
    }

    /// See [`Queue::send`].
    pub fn send(&mut self, message: T) {
        if !self.is_full() {
            self.messages.push(message);
        }
    }

    /// See [`Queue::send_sorted`].
    pub fn send_sorted(&mut self, message: T)
    where
        T: Ord,
    {
        if !self.is_full() {
            self.messages.insert(position_of_larger(&self.messages, &message), message);
        }
    }

    /// See [`Queue::receive`].
    pub fn receive(&mut self) -> Option<T> {
        self.remove(0)
    }

    pub fn position(&self, fits: impl FnMut(&T) -> bool) -> Option<usize> {
        self.messages.iter().position(fits)
    }

    /// See [`Queue::remove`].
    pub fn remove(&mut self, position: usize) -> Option<T> {
        (position < self.messages.len()).then(|| self.messages.remove(position))
    }
}

fn position_of_larger<T: Ord>(messages: &[T], message: &T) -> usize {
    messages.iter().position(|other| other > message).unwrap_or(messages.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_received_message_leaves_no_trace() {
        let mut queue = Queue::<u8, 3>::default();
        queue.send(7);
        queue.send(8);
        assert_eq!(queue.receive(), Some(7));
        assert_eq!((queue.slots(), queue.len()), (&[8, 0, 0], 1));
        assert_eq!(queue.remove(0), Some(8));
        assert_eq!(queue, Queue::default());
        assert_eq!(queue.receive(), None);
    }

    #[test]
    fn a_full_queue_takes_nothing() {
        let mut queue = Queue::<u8, 1>::default();
        queue.send(1);
        queue.send(2);
        queue.send_sorted(0);
        assert_eq!((queue.is_full(), queue.messages()), (true, &[1][..]));
    }

    #[test]
    fn sorted_send_goes_before_the_first_larger_one_even_if_unsorted() {
        let mut fixed = Queue::<(u8, u8), 4>::default();
        let mut growing = GrowingQueue::new(4);
        for message in [(5, 0), (2, 1)] {
            fixed.send(message);
            growing.send(message);
        }
        fixed.send_sorted((2, 0));
        growing.send_sorted((2, 0));
        fixed.send_sorted((9, 9));
        growing.send_sorted((9, 9));
        assert_eq!(fixed.messages(), [(2, 0), (5, 0), (2, 1), (9, 9)]);
        assert_eq!(growing.messages(), fixed.messages());
    }

    #[test]
    fn random_receive_takes_the_first_that_fits() {
        let mut queue = Queue::<u8, 4>::default();
        [4, 6, 6, 1].into_iter().for_each(|message| queue.send(message));
        let at = queue.position(|&message| message == 6);
        assert_eq!(at.and_then(|at| queue.remove(at)), Some(6));
        assert_eq!(queue.messages(), [4, 6, 1]);
        assert_eq!(queue.position(|&message| message == 9), None);
    }
}
