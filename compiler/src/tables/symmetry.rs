//! Lends what is known of interchangeable processes to the runtime.

use pmc_runtime::symmetry::{Family, Gate, Grid, Holds, SymmetryInfo};

use crate::analysis::Symmetry;
use crate::model::Model;

/// Passes the exchanges that leave the model as it is to `borrow`, if there are any.
pub fn lend_symmetry(model: &Model, symmetry: &Symmetry, borrow: &mut dyn FnMut(Option<&SymmetryInfo<'_>>)) {
    if symmetry.grids.is_empty() {
        return borrow(None);
    }
    let on = || symmetry.families.iter().filter(|family| family.is_on());
    let narrow = |class: &Vec<u32>| class.iter().map(|member| u16::try_from(*member).unwrap_or(u16::MAX)).collect();
    let members: Vec<Vec<Vec<u16>>> = on().map(|family| family.classes.iter().map(narrow).collect()).collect();
    let classes: Vec<Vec<&[u16]>> = members.iter().map(|classes| classes.iter().map(Vec::as_slice).collect()).collect();
    let families = on().zip(&classes);
    let families = families.map(|(family, classes)| Family { name: &model.proctypes[family.proctype].name, classes });
    let gates: Vec<Vec<Gate<'_>>> = symmetry
        .grids
        .iter()
        .map(|grid| {
            let gates = grid.holds.iter().flat_map(|holds| &holds.gates);
            gates.map(|gate| Gate { at: &gate.at, bits: gate.bits, open: &gate.open }).collect()
        })
        .collect();
    let grids = symmetry.grids.iter().zip(&gates).map(|(grid, gates)| Grid {
        axes: &grid.axes,
        at: &grid.at,
        bits: grid.bits,
        holds: grid.holds.as_ref().map(|holds| Holds { family: holds.family, first: holds.first, gates }),
    });
    borrow(Some(&SymmetryInfo { families: &families.collect::<Vec<_>>(), grids: &grids.collect::<Vec<_>>() }));
}
