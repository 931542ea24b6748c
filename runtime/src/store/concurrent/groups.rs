//! Sorting a batch by the shard that each of its members belongs to.

use std::ops::Range;

/// Buffers, kept so that they are not allocated again.
#[derive(Default)]
pub(super) struct Groups {
    /// The group of each member.
    owners: Vec<u16>,
    /// The members of one group after the other, and where those of each group begin.
    order: Vec<u32>,
    begins: Vec<u32>,
}

impl Groups {
    /// Sorts the members by group, keeping their order within each.
    pub fn sort(&mut self, owners: impl Iterator<Item = u16>, n_groups: usize) {
        self.begins.clear();
        self.begins.resize(n_groups + 1, 0);
        self.owners.clear();
        let begins = &mut self.begins;
        self.owners.extend(owners.inspect(|&owner| begins[usize::from(owner)] += 1));
        // Counts become ends, and then, from the last member to the first, beginnings.
        let mut end = 0;
        for begin in &mut self.begins {
            end += *begin;
            *begin = end;
        }
        self.order.resize(self.owners.len(), 0);
        for (place, &owner) in self.owners.iter().enumerate().rev() {
            let begin = &mut self.begins[usize::from(owner)];
            *begin -= 1;
            self.order[*begin as usize] = place as u32;
        }
    }

    /// The places of the members of a group, in order.
    pub fn group(&self, number: usize) -> &[u32] {
        let Range { start, end } = self.begins[number]..self.begins[number + 1];
        &self.order[start as usize..end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_within_a_group() {
        let mut groups = Groups::default();
        for _ in 0..2 {
            groups.sort([2, 0, 2, 3, 0, 2].into_iter(), 5);
            let all: Vec<&[u32]> = (0..5).map(|number| groups.group(number)).collect();
            assert_eq!(all, [&[1, 4][..], &[], &[0, 2, 5], &[3], &[]]);
        }
        groups.sort(std::iter::empty(), 1);
        assert!(groups.group(0).is_empty());
    }
}
