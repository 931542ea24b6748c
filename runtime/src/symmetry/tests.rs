//! Representatives against all images, of states with every kind of grid.
//!
//! A state is one word. There are members 0..4 of one family and 0..2 of another: a place for each member (2 bits at 0), a
//! member that it knows (3 bits at 8, more than 3 is nobody), a relation (1 bit at 20 for each pair), a member of the
//! other family (2 bits at 40, member 0 being 1), a member for each of the other family (3 bits at 48), and two messages
//! (3 bits at 56 and 59) with their number (2 bits at 62).

use super::image::Cells;
use super::{Family, Gate, Grid, Holds, Representatives, SymmetryInfo};
use crate::options::Symmetry;
use crate::random::Random;
use std::collections::HashSet;

const PAIRS: &[u32] = &[20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35];

const fn nodes(gates: &'static [Gate<'static>]) -> Option<Holds<'static>> {
    Some(Holds { family: 0, first: 0, gates })
}

const fn length(open: &'static [u64]) -> Gate<'static> {
    Gate { at: &[62], bits: 2, open }
}

const GRIDS: &[Grid<'static>] = &[
    Grid { axes: &[0], at: &[0, 2, 4, 6], bits: 2, holds: None },
    Grid { axes: &[0], at: &[8, 11, 14, 17], bits: 3, holds: nodes(&[]) },
    Grid { axes: &[0, 0], at: PAIRS, bits: 1, holds: None },
    Grid { axes: &[0], at: &[40, 42, 44, 46], bits: 2, holds: Some(Holds { family: 1, first: 1, gates: &[] }) },
    Grid { axes: &[1], at: &[48, 51], bits: 3, holds: nodes(&[]) },
    Grid { axes: &[], at: &[56], bits: 3, holds: nodes(&[length(&[0b1110])]) },
    Grid { axes: &[], at: &[59], bits: 3, holds: nodes(&[length(&[0b1100])]) },
];

const COLOURS: Family<'static> = Family { name: "Colour", classes: &[&[0, 1]] };
const WHOLE: SymmetryInfo<'static> = SymmetryInfo {
    families: &[Family { name: "Node", classes: &[&[0, 1, 2, 3]] }, COLOURS],
    grids: GRIDS,
    endings: None,
    claims: &[],
};
const PINNED: SymmetryInfo<'static> = SymmetryInfo {
    families: &[Family { name: "Node", classes: &[&[0, 2, 3], &[1]] }, COLOURS],
    grids: GRIDS,
    endings: None,
    claims: &[],
};

/// All permutations of the group: where each member goes, those of the second family behind those of the first.
fn group(info: &SymmetryInfo<'_>) -> Vec<Vec<u16>> {
    let is_fine = |to: &[u16]| {
        let class = |member: u16| info.families[0].classes.iter().position(|class| class.contains(&member));
        (0..4).all(|member| class(member) == class(to[usize::from(member)]))
    };
    let mut all = Vec::new();
    for code in 0..256_u16 {
        let to: Vec<u16> = (0..4).map(|member| code >> (2 * member) & 3).collect();
        if (0..4).all(|member| to.contains(&member)) && is_fine(&to) {
            all.push([&to[..], &[4, 5]].concat());
            all.push([&to[..], &[5, 4]].concat());
        }
    }
    all
}

fn image(info: &SymmetryInfo<'_>, to: &[u16], state: u64) -> u64 {
    let mut cells = Cells::new(info);
    cells.read(&[state]);
    let mut words = [state];
    cells.write_image(to, &mut words);
    words[0]
}

fn represent(by: &mut Representatives<'_>, state: u64) -> u64 {
    let mut words = vec![state];
    by.represent(&mut words);
    words[0]
}

/// Members that differ in little, so that ties are frequent.
fn states() -> impl Iterator<Item = u64> {
    let mut random = Random(7);
    (0..400).map(move |round| {
        let mut state = (0..4).fold(0, |state, _| state << 16 | random.below(1 << 16) as u64);
        if round % 2 == 0 {
            // One place for all, and a relation with few pairs.
            state &= !0xff & !(0xffff << 20) | 1 << (20 + random.below(16)) | 1 << (20 + random.below(16));
        }
        if round % 4 == 0 {
            state = state & !(0xfff << 8) | 0o4444 << 8;
        }
        state
    })
}

#[test]
fn a_permutation_moves_and_renames() {
    // Member 0 is at place 2 and knows member 1, who knows nobody; 0 is related to 1; both messages are from 1.
    let state = 2 | (1 | 4 << 3 | 4 << 6 | 4 << 9) << 8 | 1 << 21 | 1 << 40 | (4 | 4 << 3) << 48 | (1 | 1 << 3) << 56;
    let [one, two] = [1_u64, 2].map(|number| state | number << 62);
    // 0 -> 2, 1 -> 0, 2 -> 1, and the colours are exchanged. A message that is not there is not renamed.
    let to = [2, 0, 1, 3, 5, 4];
    let rest = 2 << 4 | (4 | 4 << 3 | 4 << 9) << 8 | 1 << 28 | 2 << 44 | (4 | 4 << 3) << 48;
    assert_eq!(image(&WHOLE, &to, one), rest | (1 << 3) << 56 | 1 << 62);
    assert_eq!(image(&WHOLE, &to, two), rest | 2 << 62);
}

#[test]
fn an_orbit_has_one_representative() {
    for info in [&WHOLE, &PINNED] {
        let group = group(info);
        assert_eq!(group.len(), if info.families[0].classes.len() == 1 { 48 } else { 12 });
        for how in [Symmetry::Exact, Symmetry::Full] {
            let mut by = Representatives::new(info, how);
            for state in states() {
                let representative = represent(&mut by, state);
                let images: Vec<u64> = group.iter().map(|to| image(info, to, state)).collect();
                assert!(images.contains(&representative), "{how:?} {state:x}");
                for image in images {
                    assert_eq!(represent(&mut by, image), representative, "{how:?} {state:x}");
                }
            }
        }
    }
}

#[test]
fn sorting_stays_in_the_orbit() {
    let group = group(&WHOLE);
    let mut by = Representatives::new(&WHOLE, Symmetry::Sort);
    for state in states() {
        let orbit: HashSet<u64> = group.iter().map(|to| image(&WHOLE, to, state)).collect();
        assert!(orbit.iter().all(|&image| orbit.contains(&represent(&mut by, image))));
    }
}

/// Members 0..5, each of which knows another (3 bits): a circle of two and one of three look alike to everybody in them.
#[test]
fn sorting_alone_is_not_canonical() {
    let cells = [0, 3, 6, 9, 12];
    let grid = Grid { axes: &[0], at: &cells, bits: 3, holds: nodes(&[]) };
    let grids = [grid];
    let info = SymmetryInfo {
        families: &[Family { name: "Node", classes: &[&[0, 1, 2, 3, 4]] }],
        grids: &grids,
        endings: None,
        claims: &[],
    };
    let state = |knows: [u64; 5]| knows.iter().rev().fold(0, |state, known| state << 3 | known);
    let (one, other) = (state([1, 0, 3, 4, 2]), state([1, 2, 0, 4, 3]));
    let both = |how| {
        let mut by = Representatives::new(&info, how);
        [one, other].map(|state| represent(&mut by, state))
    };
    for how in [Symmetry::Exact, Symmetry::Full] {
        let [one, other] = both(how);
        assert_eq!(one, other, "{how:?}");
    }
    let [one, other] = both(Symmetry::Sort);
    assert_ne!(one, other);
}
