//! Lends what is known of interchangeable processes to the runtime.

use pmc_runtime::symmetry::{Ending, Endings, Family, Field, Gate, Grid, Holds, Starter, SymmetryInfo};

use crate::analysis::Symmetry;
use crate::analysis::symmetry as facts;
use crate::model::Model;

/// Passes the exchanges that leave the model as it is to `borrow`, if there are any.
pub fn lend_symmetry(model: &Model, symmetry: &Symmetry, borrow: &mut dyn FnMut(Option<&SymmetryInfo<'_>>)) {
    if symmetry.grids.is_empty() {
        return borrow(None);
    }
    let mut lists = vec![(&symmetry.families, &symmetry.grids)];
    lists.extend(symmetry.claims.iter().map(|claim| (&claim.families, &claim.grids)));
    let members: Vec<Vec<Vec<Vec<u16>>>> = lists.iter().map(|(families, _)| members(families)).collect();
    let classes: Vec<Vec<Vec<&[u16]>>> = members
        .iter()
        .map(|families| families.iter().map(|classes| classes.iter().map(Vec::as_slice).collect()).collect())
        .collect();
    let families: Vec<Vec<Family<'_>>> = lists
        .iter()
        .zip(&classes)
        .map(|((families, _), classes)| {
            let on = families.iter().filter(|family| family.is_on()).zip(classes);
            on.map(|(family, classes)| Family { name: family.who.name(model), classes }).collect()
        })
        .collect();
    let gates: Vec<Vec<Vec<Gate<'_>>>> = lists.iter().map(|(_, grids)| grids.iter().map(gates).collect()).collect();
    let grids: Vec<Vec<Grid<'_>>> =
        lists.iter().zip(&gates).map(|((_, grids), gates)| grids.iter().zip(gates).map(grid).collect()).collect();
    let infos = families.iter().zip(&grids).map(|(families, grids)| SymmetryInfo {
        families,
        grids,
        endings: None,
        claims: &[],
    });
    let infos: Vec<SymmetryInfo<'_>> = infos.collect();
    let ending: Vec<Ending<'_>> = symmetry.endings.iter().flat_map(|endings| &endings.families).map(ending).collect();
    let endings = symmetry.endings.as_ref().map(|endings| Endings {
        count: field(endings.count),
        n_processes: endings.n_processes,
        starter: endings.starter.as_ref().map(|starter| Starter {
            pid: starter.pid,
            location: field(starter.location),
            has_started: &starter.has_started,
        }),
        families: &ending,
    });
    borrow(Some(&SymmetryInfo { endings, claims: &infos[1..], ..infos[0] }));
}

fn members(families: &[facts::Family]) -> Vec<Vec<Vec<u16>>> {
    let narrow = |class: &Vec<u32>| class.iter().map(|member| u16::try_from(*member).unwrap_or(u16::MAX)).collect();
    let on = families.iter().filter(|family| family.is_on());
    on.map(|family| family.classes.iter().map(narrow).collect()).collect()
}

fn ending(of: &facts::Ending) -> Ending<'_> {
    Ending { family: of.family, base: of.base, slots: &of.slots, location: field(of.location), end: of.end }
}

fn field((at, bits): (u32, u32)) -> Field {
    Field { at, bits }
}

fn gates(grid: &facts::Grid) -> Vec<Gate<'_>> {
    let gates = grid.holds.iter().flat_map(|holds| &holds.gates);
    gates.map(|gate| Gate { at: &gate.at, bits: gate.bits, open: &gate.open }).collect()
}

fn grid<'a>((grid, gates): (&'a facts::Grid, &'a Vec<Gate<'a>>)) -> Grid<'a> {
    let holds = grid.holds.as_ref();
    Grid {
        axes: &grid.axes,
        at: &grid.at,
        bits: grid.bits,
        holds: holds.map(|holds| Holds { family: holds.family, first: holds.first, gates }),
    }
}
