//! From the executable form to code.
//!
//! Each part of [`exec`](crate::exec) has a function that appends its operations. Values are computed into a register,
//! with the registers above it as scratch; tests become conditional jumps.

mod channel;
mod claim;
mod expr;
mod independence;
mod initial;
mod jump;
mod process;
mod statement;
mod transition;

use pmc_runtime::step::Pid;

use super::code::{Field, Op, Pattern, Register, Row, Target};
use super::decision::Decision;
use super::guard::Guards;
use super::independence::Dependence;
use super::layout::{Base, Layout, Slot};
use super::peek::is_worth_a_peek;
use super::program::{Behaviours, ChannelPart, Choice, Printed, Process, Program, Site, SiteSet};
use crate::analysis::Facts;
use crate::analysis::places::Bits;
use crate::collections::Id;
use crate::exec;
use crate::ir;
use crate::model::{self, Owner, ProctypeId, SiteId, VariableId};

/// Lowers a whole model.
pub fn lower(program: &ir::Program<'_>, facts: &Facts, exec: &exec::Program) -> (Program, Option<Dependence>) {
    let mut lowering = Lowering {
        program,
        facts,
        exec,
        layout: Layout::new(program, facts),
        pid: None,
        ops: Vec::new(),
        labels: Vec::new(),
        rows: Vec::new(),
        tables: Vec::new(),
        site_sets: Vec::new(),
        patterns: Vec::new(),
        texts: Vec::new(),
    };
    lowering.make_tables();
    let model = program.model;
    let initial = lowering.initial(&exec.initial, model.state_variables());
    let processes: Vec<Process> = model.proctypes.ids().map(|id| lowering.process(id)).collect();
    let timers = lowering.timers();
    let behaviours = lowering.behaviours();
    let claims = lowering.claims();
    let trace = lowering.trace();
    let promises = lowering.promises();
    let mut dependence = lowering.dependence();
    let global_channels = lowering.channel_parts(&facts.layout.global_sites);
    let sites = model
        .sites
        .iter()
        .map(|site| Site { is_local: matches!(model.variables[site.variable].owner, Owner::Proctype(_)) });
    let sites = sites.collect();
    let names = |mtype: &model::Mtype| {
        // Members of a scalarset have no names, and a loop over them ends one behind the last.
        let numbers = mtype.members.map_or(0..0, |members| 0..members.size.cast_signed() + 1);
        let named = mtype.names.iter().map(|entry| (entry.value, entry.name.to_string()));
        named.chain(numbers.map(|number| (number, number.to_string()))).collect()
    };
    let mut program = Program {
        layout: lowering.layout,
        ops: lowering.ops,
        rows: lowering.rows,
        tables: lowering.tables,
        site_sets: lowering.site_sets,
        patterns: lowering.patterns,
        texts: lowering.texts,
        sites,
        processes,
        behaviours,
        tests: Vec::new(),
        claims,
        trace,
        global_channels,
        initial,
        timers,
        first_processes: model.initial.iter().map(|id| (id.index(), first_priority(model, *id))).collect(),
        mtypes: model.mtypes.iter().map(names).collect(),
        promises,
        uses_timeout: facts.features.timeout,
        has_priorities: facts.features.priorities,
        has_hidden: facts.stored.iter().any(|stored| *stored == crate::analysis::Stored::Hidden),
    };
    resolve(&mut program.ops, &lowering.labels);
    find_tests(&mut program, dependence.as_mut());
    (program, dependence)
}

/// Finds the tests that sequences begin with. Those of answers need a message.
fn find_tests(program: &mut Program, dependence: Option<&mut Dependence>) {
    let Program { ops, layout, sites, behaviours, claims, .. } = program;
    let mut guards = Guards { ops, layout, sites, tests: Vec::new() };
    let (Behaviours::ByPid(all) | Behaviours::ByProctype(all)) = behaviours;
    for exits in all.iter_mut().flat_map(|behaviour| &mut behaviour.exits) {
        for Choice { sequence, .. } in &mut exits.choices {
            guards.find(sequence);
            sequence.is_worth_a_peek = !sequence.is_decided && is_worth_a_peek(ops, sequence.entry);
        }
        exits.decision = Decision::new(&exits.choices, &guards.tests);
    }
    let moves = claims.iter_mut().flat_map(|claim| &mut claim.locations).flatten().flatten();
    moves.for_each(|one| guards.find(&mut one.sequence));
    dependence.into_iter().flat_map(Dependence::tests).for_each(|test| guards.find(test));
    program.tests = guards.tests;
}

/// The priority of a process that no `run` starts.
fn first_priority(model: &model::Model, id: ProctypeId) -> u8 {
    u8::try_from(model.proctypes[id].priority.unwrap_or(1) & 0xff).expect("eight bits")
}

/// A place in the code that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Label(usize);

/// A model on its way to code.
struct Lowering<'a> {
    program: &'a ir::Program<'a>,
    facts: &'a Facts,
    exec: &'a exec::Program,
    layout: Layout,
    /// The process whose code is made, if it is that of one process alone.
    pid: Option<Pid>,
    ops: Vec<Op>,
    /// The position of each label.
    labels: Vec<Option<Target>>,
    rows: Vec<Row>,
    tables: Vec<Vec<i32>>,
    site_sets: Vec<SiteSet>,
    patterns: Vec<Pattern>,
    texts: Vec<Vec<Printed>>,
}

impl Lowering<'_> {
    fn emit(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// The position of the next operation.
    fn here(&self) -> Target {
        Target::try_from(self.ops.len()).expect("a model has fewer than 2^32 operations")
    }

    fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label is here.
    fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.here());
    }

    /// A label as it stands in an operation until all positions are known.
    fn target(label: Label) -> Target {
        Target::try_from(label.0).expect("a model has fewer than 2^32 labels")
    }

    fn jump(&mut self, to: Label) {
        self.emit(Op::Jump(Self::target(to)));
    }

    fn row(&mut self, row: Row) -> u32 {
        self.rows.push(row);
        last(&self.rows)
    }

    fn site_set(&mut self, sites: impl IntoIterator<Item = SiteId>) -> u32 {
        let all: Vec<SiteId> = sites.into_iter().collect();
        let (rendezvous, queues): (Vec<SiteId>, Vec<SiteId>) =
            all.into_iter().partition(|id| self.program.model.sites[*id].is_rendezvous());
        let numbers = |ids: Vec<SiteId>| ids.into_iter().map(|id| id.0).collect();
        let set = SiteSet { queues: numbers(queues), rendezvous: numbers(rendezvous) };
        self.site_sets.push(set);
        last(&self.site_sets)
    }

    /// The channels of some sites, in the order of their numbers.
    fn channel_parts(&self, sites: &[SiteId]) -> Vec<ChannelPart> {
        let parts = |id: &SiteId| {
            let (site, n) = (id.0, self.program.model.sites[*id].count);
            (0..n).map(move |element| ChannelPart { site, element })
        };
        sites.iter().flat_map(parts).collect()
    }

    /// What the address of a variable is counted from, and the address of its owner.
    fn base(&self, owner: exec::Owner, variable: VariableId) -> (Base, usize) {
        let is_beside = self.layout.variables[variable].as_ref().is_some_and(|placed| placed.is_beside);
        match (owner, self.program.model.variables[variable].owner, is_beside) {
            (exec::Owner::Found, _, false) => (Base::Found, 0),
            (exec::Owner::Found, _, true) => (Base::FoundBeside, 0),
            (exec::Owner::Own, Owner::Proctype(_), false) => {
                self.own_slot().map_or((Base::Own, 0), |it| (Base::State, it.at))
            }
            (exec::Owner::Own, Owner::Proctype(_), true) => {
                self.own_slot().map_or((Base::OwnBeside, 0), |it| (Base::State, it.beside))
            }
            (exec::Owner::State | exec::Owner::Own, ..) => (Base::State, 0),
        }
    }

    /// The slot of the process whose code this is, if it is that of one process alone.
    fn own_slot(&self) -> Option<&Slot> {
        self.pid.map(|pid| &self.layout.slots[pid.index()])
    }

    /// The field that holds a number of the process whose code this is.
    fn own_bits(&self, bits: Bits) -> Field {
        match self.own_slot() {
            Some(slot) => self.bits(Base::State, Bits { at: slot.at + bits.at, ..bits }),
            None => self.bits(Base::Own, bits),
        }
    }

    /// The field that holds a number of the state.
    fn bits(&self, base: Base, bits: Bits) -> Field {
        Field { at: address(bits.at), low: 0, bits: small_bits(bits.bits), base }
    }
}

/// The first register.
const R0: Register = 0;

/// Replaces labels by their positions.
fn resolve(ops: &mut [Op], labels: &[Option<Target>]) {
    use super::code::AtRendezvous;
    for op in ops {
        match op {
            Op::Jump(target)
            | Op::JumpCompare { target, .. }
            | Op::JumpValue { target, .. }
            | Op::JumpMessageField { target, .. }
            | Op::JumpField { target, .. }
            | Op::JumpState { target, .. }
            | Op::FindProcess { target, .. }
            | Op::Catch { target }
            | Op::CheckKind { at_rendezvous: AtRendezvous::Jump(target), .. }
            | Op::JumpUnlessKind { target, .. }
            | Op::FirstMessage { target }
            | Op::FindMessage { target, .. }
            | Op::JumpUnlessOffered { target }
            | Op::MatchOffered { target, .. } => {
                *target = labels[*target as usize].expect("every label has a position");
            }
            _ => {}
        }
    }
}

/// The index of the last item.
fn last<T>(items: &[T]) -> u32 {
    u32::try_from(items.len() - 1).expect("fewer than 2^32")
}

/// A number of something that a model has: fewer than 2^32 fit in memory.
fn count(number: usize) -> u32 {
    u32::try_from(number).expect("fewer than 2^32")
}

/// A proctype, or a location or a move of a claim: the runtime numbers them in 16 bits, and larger models are refused.
fn small(number: usize) -> u16 {
    u16::try_from(number).expect("fewer than 2^16")
}

fn small_bits(bits: u32) -> u8 {
    u8::try_from(bits).expect("at most 32")
}

fn address(at: usize) -> u32 {
    u32::try_from(at).expect("a state has fewer than 2^32 bits")
}
