//! Members that end.
//!
//! The youngest process is removed first, which is an order that no permutation respects. So a member that has ended counts
//! as one that stays at its end, and nobody can tell the difference: what it still holds is never looked at, and that it is
//! removed changes nothing for others. Two states are in one orbit if they are so in this form. A representative has the
//! members that have ended behind the others, and those are removed that are the youngest processes then, so that no
//! removal of a member remains to be done in it.

use super::image::{get, set};

/// How members of families end.
#[derive(Clone, Copy, Debug)]
pub struct Endings<'m> {
    /// The number of processes, in the state.
    pub count: Field,
    /// How many there are as long as nobody has ended.
    pub n_processes: u32,
    /// The process that starts others, if one does: its pid, and where its location is.
    pub starter: Option<Starter<'m>>,
    /// The families whose members can end.
    pub families: &'m [Ending<'m>],
}

/// The place of a number.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// In bits.
    pub at: u32,
    /// 0 to 32, all in one word.
    pub bits: u32,
}

/// A process that starts members.
#[derive(Clone, Copy, Debug)]
pub struct Starter<'m> {
    /// Its pid.
    pub pid: u32,
    /// Its location.
    pub location: Field,
    /// The locations at which it has started all, as a bit set.
    pub has_started: &'m [u64],
}

/// How the members of one family end.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'m> {
    /// An index into [`SymmetryInfo::families`](super::SymmetryInfo::families).
    pub family: u16,
    /// The pid of member 0.
    pub base: u32,
    /// The slot of each member: its position and its size.
    pub slots: &'m [(u32, u32)],
    /// The location, from the beginning of a slot.
    pub location: Field,
    /// The location of a process that has ended.
    pub end: u32,
}

impl Endings<'_> {
    /// Brings back the members that were removed, at their end, and clears what those hold that have ended. `has_ended`
    /// gets each of them, by family and number. Returns the number of processes before.
    pub(super) fn restore(&self, words: &mut [u64], has_ended: &mut dyn FnMut(u16, u32)) -> u32 {
        let count = get_field(words, 0, self.count);
        let is_whole = self.has_started(words, count);
        for ending in self.families {
            for (member, &(at, size)) in (0..).zip(ending.slots) {
                let exists = ending.base + member < count;
                let is_at_end = exists && get_field(words, at, ending.location) == ending.end;
                if is_at_end || !exists && is_whole {
                    clear(words, at, size);
                    set_field(words, at, ending.location, ending.end);
                    has_ended(ending.family, member);
                }
            }
        }
        if is_whole {
            set_field(words, 0, self.count, self.n_processes);
        }
        count
    }

    /// Removes members that have ended as long as they are the youngest processes. There were `n_before` processes before
    /// they were brought back: older ones than all members may be gone, too.
    pub(super) fn remove(&self, words: &mut [u64], n_before: u32) {
        let mut count = get_field(words, 0, self.count);
        while let Some((ending, at, size)) = count.checked_sub(1).and_then(|pid| self.slot_of(pid)) {
            if get_field(words, at, ending.location) != ending.end {
                break;
            }
            clear(words, at, size);
            count -= 1;
        }
        set_field(words, 0, self.count, count.min(n_before));
    }

    /// Whether a process is a member that can end.
    pub(crate) fn is_member(&self, pid: u32) -> bool {
        self.slot_of(pid).is_some()
    }

    fn slot_of(&self, pid: u32) -> Option<(&Ending<'_>, u32, u32)> {
        self.families.iter().find_map(|ending| {
            let member = pid.checked_sub(ending.base)?;
            let &(at, size) = ending.slots.get(member as usize)?;
            Some((ending, at, size))
        })
    }

    /// Whether processes that are not there have ended. Others have not been started.
    fn has_started(&self, words: &[u64], count: u32) -> bool {
        let Some(starter) = &self.starter else { return true };
        let at = get_field(words, 0, starter.location) as usize;
        count <= starter.pid || starter.has_started.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}

fn get_field(words: &[u64], from: u32, field: Field) -> u32 {
    if field.bits == 0 { 0 } else { get(words, from + field.at, field.bits) }
}

fn set_field(words: &mut [u64], from: u32, field: Field, value: u32) {
    if field.bits > 0 {
        set(words, from + field.at, field.bits, value);
    }
}

/// Sets so many bits to 0.
fn clear(words: &mut [u64], mut at: u32, mut size: u32) {
    while size > 0 {
        let bits = size.min(64 - at % 64).min(32);
        set(words, at, bits, 0);
        at += bits;
        size -= bits;
    }
}
