//! Interchangeable members: which exchanges of them leave a model as it is, and one state for all that differ by such
//! exchanges.
//!
//! A *family* has members 0..N-1: the processes of a proctype, or the values of a type that only knows equality. A
//! permutation of the members moves what belongs to a member and renames members that are held as values. If it is an
//! automorphism of the model, a state and its image have the same future, and a search needs one state of each *orbit*,
//! its *representative*. The compiler says which permutations those are ([`SymmetryInfo`]): all that keep the classes of
//! each family.
//!
//! A state is a few words with a fixed place for each field, and what a permutation does is data: the fields come in
//! grids with one cell for each member, or for each pair of members, and so on. So a permutation needs neither the model
//! nor generated code, and every engine has the same representatives.

mod ends;
mod image;
mod representative;

#[cfg(test)]
mod tests;

pub use ends::{Ending, Endings, Field, Starter};
pub(crate) use representative::Representatives;

/// The exchanges that leave a model as it is.
#[derive(Clone, Copy, Debug)]
pub struct SymmetryInfo<'m> {
    /// The families with interchangeable members.
    pub families: &'m [Family<'m>],
    /// The fields of a state that a permutation moves or changes. All others stay.
    pub grids: &'m [Grid<'m>],
    /// How members end, if they can.
    pub endings: Option<Endings<'m>>,
    /// The exchanges that also leave a claim as it is, for each never claim and each formula in the order of
    /// [`ModelInfo::claims`](crate::model::ModelInfo::claims). Without families there are none.
    pub claims: &'m [SymmetryInfo<'m>],
}

/// Members 0..N-1, at most 255.
#[derive(Clone, Copy, Debug)]
pub struct Family<'m> {
    /// The proctype, or the name of the set.
    pub name: &'m str,
    /// The members by class, each class ascending. Members of one class are interchangeable, one alone in its class stays.
    pub classes: &'m [&'m [u16]],
}

/// Fields that are exchanged among each other: one cell for each combination of members of the axes.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'m> {
    /// The families of the axes, as indices into [`SymmetryInfo::families`]. Without axes it is one cell, which holds a
    /// member.
    pub axes: &'m [u16],
    /// The positions of the cells in the state, in bits; the last axis changes fastest.
    pub at: &'m [u32],
    /// The size of a cell: 1 to 32 bits, all in one word.
    pub bits: u32,
    /// Whether the cells hold members, and of which family.
    pub holds: Option<Holds<'m>>,
}

/// Cells whose values are members, or something else.
#[derive(Clone, Copy, Debug)]
pub struct Holds<'m> {
    /// An index into [`SymmetryInfo::families`].
    pub family: u16,
    /// What a cell contains for member 0. What lies outside of the members stays as it is.
    pub first: i64,
    /// Where one of these is not open, the cell holds no member, whatever it contains.
    pub gates: &'m [Gate<'m>],
}

/// A condition on another field: that a process is there, that a queue is so long, that a variable is in use.
#[derive(Clone, Copy, Debug)]
pub struct Gate<'m> {
    /// The position of the field for each cell of the grid, in bits.
    pub at: &'m [u32],
    /// The size of the field: 1 to 32 bits, all in one word.
    pub bits: u32,
    /// The values that open the gate, as a bit set. Larger values do not.
    pub open: &'m [u64],
}

impl Family<'_> {
    /// The number of members.
    pub fn size(&self) -> usize {
        self.classes.iter().map(|class| class.len()).sum()
    }
}
