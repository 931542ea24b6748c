//! Where in a state the members are: what a permutation moves, and which fields hold members.
//!
//! A variable that is indexed by members, and the locals of a process of a family, are grids: one cell for each member, or
//! for each combination of members. A cell whose value is a member is renamed, unless a gate says that nothing is there:
//! behind the last message of a queue, in a process that does not exist yet, in a variable that is dead and therefore 0.

use super::kinds::{Kinds, MemberKind};
use super::{Basis, Endings, Family, Who};
use crate::analysis::Stored;
use crate::analysis::places::{Bits, PlacedShape, Places, Queue, Scalar, Shape, Stride};
use crate::ir::Program;
use crate::model::{Owner, ProctypeId, SiteId, VariableId};

/// Fields that are exchanged among each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The families of the axes, among those with interchangeable members.
    pub axes: Vec<u16>,
    /// The positions of the cells; the last axis changes fastest.
    pub at: Vec<u32>,
    pub bits: u32,
    pub holds: Option<Holds>,
}

/// The cells hold members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holds {
    pub family: u16,
    /// What a cell contains for member 0.
    pub first: i64,
    pub gates: Vec<Gate>,
}

/// A condition on another field of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The position of the field for each cell.
    pub at: Vec<u32>,
    pub bits: u32,
    /// The values that open the gate.
    pub open: Vec<u64>,
}

pub struct Action<'a, 'm> {
    pub program: &'a Program<'m>,
    pub basis: &'a Basis<'a>,
    pub places: &'a Places,
    pub kinds: &'a Kinds,
    pub families: &'a [Family],
    pub endings: Option<&'a Endings>,
}

/// Items of one shape, one for each combination of members.
#[derive(Clone)]
struct Cells {
    axes: Vec<u16>,
    at: Vec<usize>,
    gates: Vec<Gate>,
}

/// What a value belongs to.
#[derive(Clone, Copy)]
enum Named {
    Variable(VariableId),
    Site(SiteId),
}

impl Action<'_, '_> {
    pub fn grids(&self) -> Vec<Grid> {
        let model = self.program.model;
        let mut grids = Vec::new();
        let state = Cells { axes: Vec::new(), at: vec![0], gates: Vec::new() };
        for (id, variable) in model.variables.iter_enumerated() {
            if !matches!(variable.owner, Owner::Proctype(_)) {
                self.variable(&state, id, &mut grids);
            }
        }
        for (id, site) in model.sites.iter_enumerated() {
            if model.variables[site.variable].owner == Owner::Global {
                self.site(&state, id, &mut grids);
            }
        }
        for (number, family) in self.families.iter().enumerate() {
            if let (Who::Processes(proctype), Some(axis)) = (family.who, self.axis(number)) {
                let pids = family.base..family.base + family.size();
                let at = pids.map(|pid| self.places.slots[pid as usize].at).collect();
                self.process(proctype, family.base, Cells { axes: vec![axis], at, gates: Vec::new() }, &mut grids);
            }
        }
        let is_member = |proctype: ProctypeId| {
            let mut families = self.families.iter().enumerate();
            families.any(|(number, family)| family.who == Who::Processes(proctype) && self.axis(number).is_some())
        };
        for instance in self.basis.instances.fixed.iter().filter(|instance| !is_member(instance.proctype)) {
            // One that surely never comes has no place.
            let Some(slot) = self.places.slots.get(instance.pid as usize) else { continue };
            let at = vec![slot.at];
            let cells = Cells { axes: Vec::new(), at, gates: Vec::new() };
            self.process(instance.proctype, instance.pid, cells, &mut grids);
        }
        grids
    }

    /// The number of a family among those with interchangeable members.
    fn axis(&self, family: usize) -> Option<u16> {
        let before = self.families[..family].iter().filter(|family| family.is_on()).count();
        self.families[family].is_on().then(|| u16::try_from(before).expect("at most 255 processes"))
    }

    /// The slots of processes of one proctype, the first of which has this pid.
    fn process(&self, proctype: ProctypeId, pid: u32, slots: Cells, grids: &mut Vec<Grid>) {
        let process = &self.program.model.proctypes[proctype];
        let location = self.places.location[proctype];
        if let Some(location) = location {
            self.scalar(slots.clone().behind(location.at), plain(location.bits), None, grids);
        }
        // A process that does not exist has no members. Those of a family that are there from the start stay.
        let count = self.places.count;
        let exists = Gate { at: vec![count.at as u32; slots.at.len()], bits: count.bits, open: above(pid) };
        let is_late = self.basis.instances.fixed.iter().any(|it| it.pid == pid && it.run.is_some());
        let is_there = !slots.axes.is_empty() && !is_late;
        let mut existing = Cells { gates: if is_there { Vec::new() } else { vec![exists] }, ..slots };
        existing.gates.extend(self.before_end(proctype, location, &existing.at));
        for id in process.parameters.iter().chain(&process.locals) {
            if let Some(cells) = self.alive(proctype, *id, location, &existing) {
                self.variable(&cells, *id, grids);
            }
        }
        for (id, site) in self.program.model.sites.iter_enumerated() {
            if self.program.model.variables[site.variable].owner == Owner::Proctype(proctype) {
                self.site(&existing, id, grids);
            }
        }
    }

    /// What a member that has ended still holds is nobody.
    fn before_end(&self, proctype: ProctypeId, location: Option<Bits>, slots: &[usize]) -> Option<Gate> {
        let mut families = self.endings?.families.iter();
        let first = self.basis.instances.fixed.iter().filter(|it| it.proctype == proctype).map(|it| it.pid).min()?;
        let end = families.find(|ending| ending.base == first)?.end;
        let location = location?;
        let mut open = vec![u64::MAX; self.program.graphs[proctype].locations.len().div_ceil(64)];
        open[end as usize / 64] &= !(1 << (end % 64));
        Some(Gate { at: slots.iter().map(|slot| (slot + location.at) as u32).collect(), bits: location.bits, open })
    }

    /// With a gate that is open where the variable is not dead. Nothing if it is 0 for ever.
    fn alive(&self, proctype: ProctypeId, id: VariableId, location: Option<Bits>, cells: &Cells) -> Option<Cells> {
        let dead = &self.basis.dead.at[proctype];
        let is_dead: Vec<bool> = dead.iter().map(|dead| dead.contains(&id)).collect();
        if !is_dead.contains(&true) {
            return Some(cells.clone());
        }
        let location = location?;
        let mut open = vec![0_u64; is_dead.len().div_ceil(64)];
        for (number, _) in is_dead.iter().enumerate().filter(|(_, is_dead)| !**is_dead) {
            open[number / 64] |= 1 << (number % 64);
        }
        let at = cells.at.iter().map(|slot| (slot + location.at) as u32).collect();
        let mut cells = cells.clone();
        cells.gates.push(Gate { at, bits: location.bits, open });
        Some(cells)
    }

    fn variable(&self, cells: &Cells, id: VariableId, grids: &mut Vec<Grid>) {
        // What nothing depends on is no part of a packed state.
        if let Some(placed) = self.places.variables[id].as_ref().filter(|_| self.basis.stored[id] != Stored::Unread) {
            self.shape(cells.clone().behind(placed.at), &placed.shape, Named::Variable(id), &mut Vec::new(), grids);
        }
    }

    fn site(&self, cells: &Cells, id: SiteId, grids: &mut Vec<Grid>) {
        if let Some(placed) = &self.places.sites[id] {
            self.shape(cells.clone().behind(placed.at), &placed.shape, Named::Site(id), &mut Vec::new(), grids);
        }
    }

    fn shape(&self, cells: Cells, shape: &Shape, of: Named, path: &mut Vec<u32>, grids: &mut Vec<Grid>) {
        match shape {
            Shape::Scalar(scalar) => {
                let holds = match of {
                    Named::Variable(id) => self.kinds.value(id, path),
                    Named::Site(_) => None,
                };
                self.scalar(cells, *scalar, holds, grids);
            }
            Shape::Queue(queue) => {
                if let Named::Site(id) = of {
                    self.queue(&cells, queue, id, grids);
                }
            }
            Shape::Row(row) => {
                let indexed = match of {
                    Named::Variable(id) => self.kinds.dimension(id, path),
                    Named::Site(id) => {
                        let site = &self.program.model.sites[id];
                        let is_array = site.path.is_empty();
                        self.kinds.dimension(site.variable, &[]).filter(|_| is_array)
                    }
                };
                let members = indexed.and_then(|kind| Some((self.axis(kind.family)?, self.elements(kind))));
                let of_members = members.as_ref().map_or(0..0, |(_, elements)| elements.clone());
                for index in (0..row.length as usize).filter(|index| !of_members.contains(index)) {
                    self.shape(cells.clone().behind(row.stride.of(index)), &row.element, of, path, grids);
                }
                if let Some((axis, elements)) = members {
                    let offsets: Vec<usize> = elements.map(|index| row.stride.of(index)).collect();
                    self.shape(cells.spread(axis, &offsets), &row.element, of, path, grids);
                }
            }
            Shape::Record(fields) => {
                for (number, PlacedShape { at, shape }) in (0..).zip(fields) {
                    path.push(number);
                    self.shape(cells.clone().behind(*at), shape, of, path, grids);
                    path.pop();
                }
            }
        }
    }

    /// The elements of an array that belong to members.
    fn elements(&self, kind: MemberKind) -> std::ops::Range<usize> {
        let first = usize::try_from(kind.offset).expect("an index of members is not negative");
        first..first + self.families[kind.family].size() as usize
    }

    fn queue(&self, cells: &Cells, queue: &Queue, id: SiteId, grids: &mut Vec<Grid>) {
        self.scalar(cells.clone().behind(queue.length.at), plain(queue.length.bits), None, grids);
        let message_bits: u32 = queue.fields.iter().map(|field| field.bits).sum();
        let stride = if queue.is_one_word {
            Stride::Bits(message_bits as usize)
        } else {
            Stride::InWords(message_bits as usize)
        };
        for message in 0..queue.capacity {
            let at = cells.at.iter().map(|at| (at + queue.length.at) as u32).collect();
            let mut there = cells.clone();
            there.gates.push(Gate { at, bits: queue.length.bits, open: above(message) });
            let mut behind = queue.messages + stride.of(message as usize);
            for (number, field) in (0..).zip(&queue.fields) {
                let holds = self.kinds.field(id, number);
                self.scalar(there.clone().behind(behind), *field, holds, grids);
                behind += field.bits as usize;
            }
        }
    }

    /// Adds the grid of a scalar, if a permutation can change it.
    fn scalar(&self, cells: Cells, scalar: Scalar, kind: Option<MemberKind>, grids: &mut Vec<Grid>) {
        let holds = kind.and_then(|kind| {
            let family = self.axis(kind.family)?;
            let first = i64::from(kind.offset) - i64::from(scalar.low);
            let last = first + i64::from(self.families[kind.family].size()) - 1;
            // A range without all members has none: what is reached for one member is reached for each.
            let has_all = first >= 0 && last < 1 << scalar.bits;
            has_all.then(|| Holds { family, first, gates: cells.gates.clone() })
        });
        if scalar.bits > 0 && (holds.is_some() || !cells.axes.is_empty()) {
            let at = cells.at.iter().map(|at| *at as u32).collect();
            grids.push(Grid { axes: cells.axes, at, bits: scalar.bits, holds });
        }
    }
}

impl Cells {
    /// Parts of the items, so many bits behind their beginnings.
    fn behind(mut self, offset: usize) -> Self {
        self.at.iter_mut().for_each(|at| *at += offset);
        self
    }

    /// Elements of the items, one for each member of another axis.
    fn spread(self, axis: u16, offsets: &[usize]) -> Self {
        let Self { mut axes, at, gates } = self;
        axes.push(axis);
        let at = at.iter().flat_map(|at| offsets.iter().map(move |offset| at + offset)).collect();
        let spread = |at: Vec<u32>| at.into_iter().flat_map(|at| offsets.iter().map(move |_| at)).collect();
        let gates = gates.into_iter().map(|gate| Gate { at: spread(gate.at), ..gate }).collect();
        Self { axes, at, gates }
    }
}

fn plain(bits: u32) -> Scalar {
    Scalar { bits, low: 0 }
}

/// Numbers up to 255 that are larger than this one.
fn above(number: u32) -> Vec<u64> {
    let mut open = vec![0_u64; 4];
    for value in number + 1..256 {
        open[value as usize / 64] |= 1 << (value % 64);
    }
    open
}
