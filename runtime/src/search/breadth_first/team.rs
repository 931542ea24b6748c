//! How threads work together: what they send each other, and what happens if one of them panics.

use super::post::Post;
use super::shared::Shared;
use crate::pack::{OutOfMemory, Packed, Pool};
use crate::system::{Hidden, reserve};

/// States in a parcel; few in tests, so that there are many parcels.
const PARCEL: usize = if cfg!(test) { 8 } else { 512 };
/// Who has so many parcels to open gets no more until it has opened some.
const MOST_PARCELS: usize = if cfg!(test) { 2 } else { 64 };
const MOST_SPARE: usize = 16;

/// States that belong to another shard.
pub(super) struct Parcel<P: Packed> {
    /// The shard of their parents.
    pub from: u16,
    pub states: P::Pool,
    pub notes: Vec<Note>,
}

/// What comes with each of them.
#[derive(Clone, Copy)]
pub(super) struct Note {
    pub hash: u64,
    /// Twice the number of the parent, and one more if it asks whether the state is in the next level.
    parent: u64,
    pub ordinal: u32,
    pub hidden: Hidden,
}

impl Note {
    pub fn new(hash: u64, parent: u64, asks: bool, ordinal: u32, hidden: Hidden) -> Note {
        Note { hash, parent: parent << 1 | u64::from(asks), ordinal, hidden }
    }

    pub fn parent(&self) -> u64 {
        self.parent >> 1
    }

    pub fn asks(&self) -> bool {
        self.parent & 1 != 0
    }
}

impl<P: Packed> Parcel<P> {
    fn new(from: u16) -> Parcel<P> {
        Parcel { from, states: P::Pool::default(), notes: Vec::new() }
    }

    fn push(&mut self, state: &P, note: Note) -> Result<(), OutOfMemory> {
        reserve(&mut self.notes)?;
        self.states.push(state)?;
        self.notes.push(note);
        Ok(())
    }
}

/// What the threads share while they work on the same levels.
pub(super) type Team<P> = Post<Parcel<P>>;

/// The post of one thread.
pub(super) struct Mail<'t, P: Packed> {
    pub team: &'t Team<P>,
    me: u16,
    outboxes: Vec<Parcel<P>>,
    spare: Vec<Parcel<P>>,
    n_rounds: usize,
}

impl<'t, P: Packed> Mail<'t, P> {
    pub fn new(team: &'t Team<P>, me: u16) -> Mail<'t, P> {
        let outboxes = (0..team.n_threads()).map(|_| Parcel::new(me)).collect();
        Mail { team, me, outboxes, spare: Vec::new(), n_rounds: 0 }
    }

    /// Puts a state into the parcel for its owner. Returns whether the parcel should be sent.
    #[inline]
    pub fn add(&mut self, owner: usize, state: &P, note: Note) -> Result<bool, OutOfMemory> {
        let parcel = &mut self.outboxes[owner];
        parcel.push(state, note)?;
        Ok(parcel.notes.len() >= PARCEL)
    }

    /// Whether there is something for this thread.
    #[inline]
    pub fn has_come(&self) -> bool {
        self.team.has_come(usize::from(self.me))
    }

    pub fn take(&mut self) -> Vec<Parcel<P>> {
        self.team.take(usize::from(self.me))
    }

    /// A parcel that was opened is used again.
    pub fn keep(&mut self, mut parcel: Parcel<P>) {
        if self.spare.len() < MOST_SPARE {
            parcel.states.truncate(0);
            parcel.notes.clear();
            parcel.from = self.me;
            self.spare.push(parcel);
        }
    }

    /// Whether the owner has enough to do at the moment.
    pub fn is_busy(&self, owner: usize) -> bool {
        self.team.n_waiting(owner) >= MOST_PARCELS
    }

    pub fn n_threads(&self) -> usize {
        self.outboxes.len()
    }

    /// Sends the parcel for this owner, if there is something in it.
    pub fn send(&mut self, owner: usize) {
        if self.outboxes[owner].notes.is_empty() {
            return;
        }
        let empty = self.spare.pop().unwrap_or_else(|| Parcel::new(self.me));
        self.team.send(owner, std::mem::replace(&mut self.outboxes[owner], empty));
    }

    /// Everything of this round has been sent.
    pub fn end_round(&mut self) {
        self.n_rounds += 1;
        self.team.end_round();
    }

    /// Whether that is so for all threads: what has come then is all that comes.
    pub fn have_all_sent(&self) -> bool {
        self.team.have_all_sent(self.n_rounds)
    }
}

/// Ends the search for all when a thread panics, since the others would wait for it.
pub(super) struct Watchman<'t>(pub &'t Shared);

impl Drop for Watchman<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Stop;

    #[test]
    fn a_gathering_adds_up_what_each_brings_again_and_again() {
        let shared = Shared::new(4, u64::MAX, u64::MAX, false);
        let post = Post::<()>::new(4);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (shared, post) = (&shared, &post);
                scope.spawn(move || {
                    for round in 0..300 {
                        let sums = post.gather([round * thread, 1], || shared.is_over(), || ());
                        assert_eq!(sums, Some([round * 6, 4]));
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_when_the_search_is_over() {
        let shared = Shared::new(2, u64::MAX, u64::MAX, false);
        shared.end(Stop::Interrupted);
        assert_eq!(Post::<()>::new(2).gather([1], || shared.is_over(), || ()), None);
    }

    #[test]
    fn a_panic_ends_the_search_for_all() {
        let shared = Shared::new(2, u64::MAX, u64::MAX, false);
        let result = std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _watchman = Watchman(&shared);
                panic!("as the test wants");
            });
            assert_eq!(Post::<()>::new(2).gather([1], || shared.is_over(), || ()), None);
            panics.join()
        });
        assert!(result.is_err() && shared.is_over() && shared.reason().is_none());
    }
}
