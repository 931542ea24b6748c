//! The fields of a state as facts about members, and the image of a state under a permutation.

use super::{Grid, SymmetryInfo};

/// No member.
pub(super) const NOBODY: u16 = u16::MAX;

/// A member of any family: those of all families are numbered through.
pub(super) type Member = u16;

/// The cells of all grids, with what one state has in them.
pub(super) struct Cells<'m> {
    grids: &'m [Grid<'m>],
    /// The first member of each family.
    firsts: Vec<Member>,
    /// The number of members of each family.
    sizes: Vec<u16>,
    cells: Vec<Cell>,
    /// The members that the axes of the cells stand for, cell after cell.
    axes: Vec<Member>,
}

#[derive(Clone, Copy)]
struct Cell {
    grid: u16,
    /// The number of the cell in its grid.
    number: u32,
    first_axis: u32,
    /// What the state has there.
    raw: u32,
    /// The member that the state has there.
    holds: Member,
}

/// A fact about a state: what one cell contains.
#[derive(Clone, Copy)]
pub(super) struct Fact<'c> {
    pub grid: u16,
    /// The members that the cell belongs to.
    pub axes: &'c [Member],
    /// The member in it.
    pub holds: Member,
    /// What it contains, if no member.
    pub raw: u32,
}

impl<'m> Cells<'m> {
    pub fn new(info: &SymmetryInfo<'m>) -> Cells<'m> {
        let sizes: Vec<u16> = info.families.iter().map(|family| family.size() as u16).collect();
        let firsts: Vec<Member> = sizes
            .iter()
            .scan(0, |next, size| {
                *next += size;
                Some(*next - size)
            })
            .collect();
        let (mut cells, mut axes) = (Vec::new(), Vec::new());
        for (number, grid) in info.grids.iter().enumerate() {
            for cell in 0..grid.at.len() {
                let first_axis = axes.len() as u32;
                let mut rest = cell;
                for &family in grid.axes.iter().rev() {
                    let size = usize::from(sizes[usize::from(family)]);
                    axes.push(firsts[usize::from(family)] + (rest % size) as u16);
                    rest /= size;
                }
                axes[first_axis as usize..].reverse();
                cells.push(Cell { grid: number as u16, number: cell as u32, first_axis, raw: 0, holds: NOBODY });
            }
        }
        Cells { grids: info.grids, firsts, sizes, cells, axes }
    }

    /// Reads a state.
    pub fn read(&mut self, words: &[u64]) {
        for cell in &mut self.cells {
            let grid = &self.grids[usize::from(cell.grid)];
            let number = cell.number as usize;
            cell.raw = get(words, grid.at[number], grid.bits);
            cell.holds = NOBODY;
            let Some(holds) = &grid.holds else { continue };
            let member = i64::from(cell.raw) - holds.first;
            let size = self.sizes[usize::from(holds.family)];
            let is_open = |gate: &super::Gate<'_>| {
                let value = get(words, gate.at[number], gate.bits) as usize;
                gate.open.get(value / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
            };
            if (0..i64::from(size)).contains(&member) && holds.gates.iter().all(is_open) {
                cell.holds = self.firsts[usize::from(holds.family)] + member as u16;
            }
        }
    }

    /// What was read.
    pub fn facts(&self) -> impl Iterator<Item = Fact<'_>> {
        self.cells.iter().map(|cell| self.fact(cell))
    }

    fn fact(&self, cell: &Cell) -> Fact<'_> {
        let n_axes = self.grids[usize::from(cell.grid)].axes.len();
        let first = cell.first_axis as usize;
        Fact { grid: cell.grid, axes: &self.axes[first..first + n_axes], holds: cell.holds, raw: cell.raw }
    }

    /// Writes the image of the state that was read under the permutation that brings each member to its place in `to`.
    /// `words` has the state, and keeps what no permutation changes.
    pub fn write_image(&self, to: &[Member], words: &mut [u64]) {
        for cell in &self.cells {
            let grid = &self.grids[usize::from(cell.grid)];
            let fact = self.fact(cell);
            let mut number = 0;
            for (&family, &member) in grid.axes.iter().zip(fact.axes) {
                let family = usize::from(family);
                number = number * usize::from(self.sizes[family])
                    + usize::from(to[usize::from(member)] - self.firsts[family]);
            }
            let raw = match &grid.holds {
                Some(holds) if cell.holds != NOBODY => {
                    let member = to[usize::from(cell.holds)] - self.firsts[usize::from(holds.family)];
                    (holds.first + i64::from(member)) as u32
                }
                _ => cell.raw,
            };
            set(words, grid.at[number], grid.bits, raw);
        }
    }
}

impl Fact<'_> {
    /// Every member that it is about, perhaps more than once.
    pub fn members(&self) -> impl Iterator<Item = Member> {
        self.axes.iter().copied().chain((self.holds != NOBODY).then_some(self.holds))
    }

    /// The only member that it is about, or none if there are several.
    pub fn only_member(&self) -> Option<Member> {
        let first = self.members().next()?;
        self.members().all(|other| other == first).then_some(first)
    }
}

#[inline]
pub(super) fn get(words: &[u64], at: u32, bits: u32) -> u32 {
    ((words[at as usize / 64] >> (at % 64)) & mask(bits)) as u32
}

#[inline]
pub(super) fn set(words: &mut [u64], at: u32, bits: u32, raw: u32) {
    let word = &mut words[at as usize / 64];
    *word = *word & !(mask(bits) << (at % 64)) | u64::from(raw) << (at % 64);
}

fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}
