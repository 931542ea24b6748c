//! Each variable's place in the state, and how many bits it takes there.
//!
//! The packed form is: globals, channels of globals, the number of processes,
//! then each process with its kind, its location, its locals and its channels.
//! Everything is written field after field, so that equal states are equal bits.

use super::{Features, Population, bits};
use crate::collections::IdVec;
use crate::ir::Program;
use crate::model::{ChannelSite, Model, Owner, Process, ProctypeId, SiteId, Type, VariableId};

#[derive(Clone, Debug)]
pub struct Layout {
    /// The widest state in bits; nothing if states grow.
    pub total_bits: Option<u64>,
    /// Bits for the number of processes.
    pub count_bits: u32,
    /// Bits for the kind of a process; 0 if there is one kind only.
    pub kind_bits: u32,
    pub processes: IdVec<ProctypeId, ProcessLayout>,
    /// The sites of globals, in the order of their numbers.
    pub global_sites: Vec<SiteId>,
    /// How many channels the globals have. Channel numbers start at 1; those of
    /// processes follow.
    pub n_global_channels: u32,
}

#[derive(Clone, Debug)]
pub struct ProcessLayout {
    /// Bits for the location; 0 if there is one only.
    pub location_bits: u32,
    pub sites: Vec<SiteId>,
    pub n_channels: u32,
}

impl Layout {
    pub(super) fn new(
        program: &Program<'_>,
        features: &Features,
        is_fixed_channel: &IdVec<VariableId, bool>,
        population: &Population,
    ) -> Self {
        let model = program.model;
        let sites_of = |owner: Owner| -> Vec<SiteId> {
            let is_owned = |site: &ChannelSite| model.variables[site.variable].owner == owner;
            model.sites.iter_enumerated().filter(|(_, site)| is_owned(site)).map(|(id, _)| id).collect()
        };
        let n_channels = |sites: &[SiteId]| sites.iter().map(|site| model.sites[*site].count).sum();
        let processes: IdVec<ProctypeId, ProcessLayout> = program
            .graphs
            .iter_enumerated()
            .map(|(id, graph)| {
                let sites = sites_of(Owner::Proctype(id));
                ProcessLayout {
                    location_bits: bits::for_numbers_below(graph.locations.len() as u64),
                    n_channels: n_channels(&sites),
                    sites,
                }
            })
            .collect();

        let stored = |variable: &VariableId| !model.variables[*variable].hidden && !is_fixed_channel[*variable];
        let variables_bits = |variables: &mut dyn Iterator<Item = &VariableId>| -> u64 {
            variables.filter(|variable| stored(variable)).map(|variable| variable_bits(model, *variable)).sum()
        };
        let sites_bits = |sites: &[SiteId]| -> u64 { sites.iter().map(|site| site_bits(&model.sites[*site])).sum() };
        let count_bits = population.bound.map_or(8, |bound| bits::for_numbers_below(u64::from(bound) + 1).max(1));
        let kind_bits = bits::for_numbers_below(program.graphs.len() as u64);

        let global_sites = sites_of(Owner::Global);
        let own = |(process, layout): (&Process, &ProcessLayout)| {
            let locals = variables_bits(&mut process.parameters.iter().chain(&process.locals));
            let priority = if features.priorities { 8 } else { 0 };
            u64::from(kind_bits) + u64::from(layout.location_bits) + locals + priority + sites_bits(&layout.sites)
        };
        let widest_process = model.proctypes.iter().zip(&processes).map(own).max().unwrap_or(0);
        let last = if features.last { 8 } else { 0 };
        let globals = variables_bits(&mut model.globals.iter()) + sites_bits(&global_sites) + last;
        let total_bits = population
            .bound
            .map(|bound| globals + u64::from(count_bits) + u64::from(bound) * widest_process)
            .filter(|bits| *bits <= WIDEST);
        let n_global_channels = n_channels(&global_sites);
        Self { total_bits, count_bits, kind_bits, processes, global_sites, n_global_channels }
    }

    /// How many 64-bit words a packed state takes; nothing if states grow.
    pub fn n_words(&self) -> Option<usize> {
        let bits = self.total_bits?;
        usize::try_from(bits.div_ceil(64).max(1)).ok()
    }
}

/// Wider states are kept as bytes of varying number: most of such a state is
/// empty most of the time.
const WIDEST: u64 = 64 * 64;

fn variable_bits(model: &Model, id: VariableId) -> u64 {
    let variable = &model.variables[id];
    elements_bits(model, variable.ty, variable.length)
}

fn elements_bits(model: &Model, ty: Type, length: Option<u32>) -> u64 {
    let element = if length.is_some() { ty.element() } else { ty };
    let bits = match element {
        Type::Record(record) => {
            model.records[record].fields.iter().map(|field| elements_bits(model, field.ty, field.length)).sum()
        }
        scalar => u64::from(bits::of_type(scalar)),
    };
    bits * u64::from(length.unwrap_or(1))
}

/// A rendezvous channel holds nothing. A buffered one has its length and all its slots.
fn site_bits(site: &ChannelSite) -> u64 {
    if site.capacity == 0 {
        return 0;
    }
    let message: u64 = site.fields.iter().map(|field| u64::from(bits::of_type(*field))).sum();
    let one = u64::from(bits::for_numbers_below(u64::from(site.capacity) + 1)) + message * u64::from(site.capacity);
    one * u64::from(site.count)
}
