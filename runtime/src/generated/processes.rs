//! The running processes of a state: a stack, since only the youngest can be removed.

use crate::fault::Fault;
use crate::step::Pid;
use std::ops::{Index, IndexMut};

/// At most this many processes run at once, as in Spin.
pub const PROCESS_LIMIT: usize = 255;

/// At most `N` processes, stored in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processes<P, const N: usize> {
    slots: [Option<P>; N],
    len: u8,
}

impl<P, const N: usize> Default for Processes<P, N> {
    fn default() -> Self {
        Processes { slots: std::array::from_fn(|_| None), len: 0 }
    }
}

impl<P, const N: usize> Processes<P, N> {
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The processes, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &P> {
        self.slots[..self.len()].iter().flatten()
    }

    pub fn get(&self, pid: Pid) -> Option<&P> {
        self.slots.get(pid.index())?.as_ref()
    }

    /// The pid that the next process will have.
    pub fn next_pid(&self) -> Result<Pid, Fault> {
        if self.len() < N { Ok(Pid(self.len)) } else { Err(Fault::ProcessLimit { limit: N as u32 }) }
    }

    /// Starts a process. The caller has checked [`next_pid`](Self::next_pid) before.
    pub fn push(&mut self, process: P) {
        self.slots[usize::from(self.len)] = Some(process);
        self.len += 1;
    }

    /// Only the youngest process can be removed.
    #[inline]
    pub fn is_youngest(&self, pid: Pid) -> bool {
        pid.index() + 1 == self.len()
    }

    pub fn remove_youngest(&mut self) {
        if let Some(len) = self.len.checked_sub(1) {
            self.len = len;
            self.slots[usize::from(len)] = None;
        }
    }
}

impl<P, const N: usize> Index<Pid> for Processes<P, N> {
    type Output = P;
    #[inline]
    fn index(&self, pid: Pid) -> &P {
        self.slots[pid.index()].as_ref().expect("a pid names a running process")
    }
}

impl<P, const N: usize> IndexMut<Pid> for Processes<P, N> {
    #[inline]
    fn index_mut(&mut self, pid: Pid) -> &mut P {
        self.slots[pid.index()].as_mut().expect("a pid names a running process")
    }
}

/// Any number of processes up to [`PROCESS_LIMIT`], for states of variable size. The oldest are stored in place:
/// copying a state with more than `IN_PLACE` of them has to allocate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrowingProcesses<P, const IN_PLACE: usize> {
    oldest: [Option<P>; IN_PLACE],
    /// Those behind the oldest.
    others: Vec<P>,
    len: u8,
}

impl<P, const IN_PLACE: usize> Default for GrowingProcesses<P, IN_PLACE> {
    #[inline]
    fn default() -> Self {
        GrowingProcesses { oldest: [const { None }; IN_PLACE], others: Vec::new(), len: 0 }
    }
}

impl<P, const IN_PLACE: usize> GrowingProcesses<P, IN_PLACE> {
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Oldest first.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &P> {
        (0..self.len).map(|pid| &self[Pid(pid)])
    }

    #[inline]
    pub fn get(&self, pid: Pid) -> Option<&P> {
        match self.oldest.get(pid.index()) {
            Some(process) => process.as_ref(),
            None => self.others.get(pid.index() - IN_PLACE),
        }
    }

    /// See [`Processes::next_pid`].
    pub fn next_pid(&self) -> Result<Pid, Fault> {
        if self.len() < PROCESS_LIMIT {
            Ok(Pid::from_index(self.len()))
        } else {
            Err(Fault::ProcessLimit { limit: PROCESS_LIMIT as u32 })
        }
    }

    /// See [`Processes::push`].
    #[inline]
    pub fn push(&mut self, process: P) {
        match self.oldest.get_mut(usize::from(self.len)) {
            Some(place) => *place = Some(process),
            None => self.others.push(process),
        }
        self.len += 1;
    }

    /// See [`Processes::is_youngest`].
    #[inline]
    pub fn is_youngest(&self, pid: Pid) -> bool {
        pid.index() + 1 == self.len()
    }

    #[inline]
    pub fn remove_youngest(&mut self) {
        if let Some(len) = self.len.checked_sub(1) {
            self.len = len;
            match self.oldest.get_mut(usize::from(len)) {
                Some(place) => *place = None,
                None => drop(self.others.pop()),
            }
        }
    }
}

impl<P, const IN_PLACE: usize> Index<Pid> for GrowingProcesses<P, IN_PLACE> {
    type Output = P;
    #[inline]
    fn index(&self, pid: Pid) -> &P {
        self.get(pid).expect("a pid names a running process")
    }
}

impl<P, const IN_PLACE: usize> IndexMut<Pid> for GrowingProcesses<P, IN_PLACE> {
    #[inline]
    fn index_mut(&mut self, pid: Pid) -> &mut P {
        let process = match self.oldest.get_mut(pid.index()) {
            Some(process) => process.as_mut(),
            None => self.others.get_mut(pid.index() - IN_PLACE),
        };
        process.expect("a pid names a running process")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_youngest_leaves_first_and_its_pid_is_used_again() {
        let mut fixed = Processes::<u8, 2>::default();
        let mut growing = GrowingProcesses::<_, 8>::default();
        for process in [7, 8] {
            assert_eq!(fixed.next_pid(), growing.next_pid());
            fixed.push(process);
            growing.push(process);
        }
        assert_eq!(fixed.next_pid(), Err(Fault::ProcessLimit { limit: 2 }));
        assert_eq!((fixed[Pid(1)], growing[Pid(1)]), (8, 8));
        assert!(fixed.is_youngest(Pid(1)) && !growing.is_youngest(Pid(0)));
        fixed.remove_youngest();
        growing.remove_youngest();
        assert_eq!((fixed.next_pid(), growing.next_pid()), (Ok(Pid(1)), Ok(Pid(1))));
        assert_eq!((fixed.get(Pid(1)), growing.get(Pid(1))), (None, None));
        assert_eq!(fixed.iter().chain(growing.iter()).collect::<Vec<_>>(), [&7, &7]);
    }

    #[test]
    fn there_are_at_most_255_processes() {
        let mut processes = GrowingProcesses::<_, 8>::default();
        while let Ok(pid) = processes.next_pid() {
            processes.push(pid.0);
        }
        assert_eq!(processes.len(), 255);
        assert!(processes.iter().copied().eq(0..255));
        assert_eq!((processes[Pid(7)], processes[Pid(8)], processes[Pid(254)]), (7, 8, 254));
        (0..250).for_each(|_| processes.remove_youngest());
        assert!(
            processes.iter().copied().eq(0..5) && processes.get(Pid(5)).is_none() && processes.get(Pid(9)).is_none()
        );
    }
}
