//! The layout of the packed state: the fields and their bits.
//!
//! The packed form is: globals, channels of globals, the number of processes,
//! then each process with its kind, its location, its locals and its channels.
//! Everything is written field after field, so that equal states are equal bits.

use super::ranges::Range;
use super::{Features, Population, Ranges, Stored, bits};
use crate::collections::IdVec;
use crate::ir::Program;
use crate::model::{ChannelSite, Model, Owner, ProctypeId, SiteId, Type, VariableId};

#[derive(Clone, Debug)]
pub struct Layout {
    /// The greatest number of bits of a state; `None` if states have variable size.
    pub total_bits: Option<u64>,
    /// The number of words of such a state if every field has a fixed position; see [`super::Places`].
    pub placed_words: Option<usize>,
    /// Bits for the number of processes.
    pub count_bits: u32,
    /// Bits for a pid.
    pub pid_bits: u32,
    /// Bits for the location of the trace; 0 if there is none.
    pub trace_bits: u32,
    /// Bits for the proctype of a process; 0 if there is only one.
    pub kind_bits: u32,
    /// The fields in front of the processes, in the order in which they are written.
    pub fields: Vec<Field>,
    pub processes: IdVec<ProctypeId, ProcessLayout>,
    /// The sites of globals, in the order of their numbers.
    pub global_sites: Vec<SiteId>,
    /// How many channels the globals have. Channel numbers start at 1; those of
    /// processes follow.
    pub n_global_channels: u32,
}

#[derive(Clone, Debug)]
pub struct ProcessLayout {
    /// Bits for the location; 0 if there is only one.
    pub location_bits: u32,
    /// In the order in which they are written.
    pub fields: Vec<Field>,
    pub sites: Vec<SiteId>,
    pub n_channels: u32,
}

/// A part of the packed state.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub content: FieldContent,
    pub size: Size,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldContent {
    Variable(VariableId),
    /// The queues of a site, each with its length. Only existing messages are written, so that later fields have no
    /// fixed position.
    Queues(SiteId),
    /// `_last`
    Last,
    /// The location of the trace assertion.
    Trace,
    /// How many processes there are.
    Count,
    /// The proctype of a process.
    Kind,
    Location,
    Priority,
}

/// The encoding of a number: its distance from the least value, in the bits that this needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    pub bits: u32,
    /// The value that is encoded as 0.
    pub low: i32,
}

impl Scalar {
    /// For all values of a range.
    pub fn holding(range: Range) -> Self {
        let n_above = |low: i64| u64::try_from(range.high - low).unwrap_or(u64::MAX);
        let bits = bits::for_numbers_below(n_above(range.low) + 1);
        // Encoding from 0 is simpler, and with all 32 bits the origin does not matter.
        let is_plain = bits >= 32 || (range.low >= 0 && bits::for_numbers_below(n_above(0) + 1) == bits);
        Self {
            bits: bits.min(32),
            low: if is_plain { 0 } else { i32::try_from(range.low).expect("a range lies within 32 bits") },
        }
    }
}

/// The greatest size of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub bits: u64,
}

impl Size {
    fn holding(range: Range) -> Self {
        Self::scalar(Scalar::holding(range).bits)
    }

    fn scalar(bits: u32) -> Self {
        Self { bits: bits.into() }
    }

    fn times(self, n: u32) -> Self {
        Self { bits: self.bits.saturating_mul(n.into()) }
    }
}

impl std::iter::Sum for Size {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |sum, one| Self { bits: sum.bits.saturating_add(one.bits) })
    }
}

impl Layout {
    pub(super) fn new(
        program: &Program<'_>,
        features: &Features,
        stored: &IdVec<VariableId, Stored>,
        population: &Population,
        ranges: &Ranges,
    ) -> Self {
        let model = program.model;
        let sites_of = |owner: Owner| -> Vec<SiteId> {
            let is_owned = |site: &ChannelSite| model.variables[site.variable].owner == owner;
            model.sites.iter_enumerated().filter(|(_, site)| is_owned(site)).map(|(id, _)| id).collect()
        };
        let n_channels = |sites: &[SiteId]| sites.iter().map(|site| model.sites[*site].count).sum();
        let is_stored = |variable: &VariableId| stored[*variable] == Stored::Yes;
        let variable_field =
            |id: VariableId| Field { content: FieldContent::Variable(id), size: variable_size(model, ranges, id) };
        let queues_field =
            |id: &SiteId| Field { content: FieldContent::Queues(*id), size: site_size(model, ranges, *id) };
        let scalar = |content: FieldContent, bits: u32| Field { content, size: Size::scalar(bits) };
        let count_bits = population.bound.map_or(8, |bound| bits::for_numbers_below(u64::from(bound) + 1).max(1));
        let pid_bits = population.bound.map_or(8, |bound| bits::for_numbers_below(bound.into()).max(1));
        let kind_bits = bits::for_numbers_below(program.graphs.len() as u64);

        let processes: IdVec<ProctypeId, ProcessLayout> = model
            .proctypes
            .iter_enumerated()
            .map(|(id, process)| {
                let sites = sites_of(Owner::Proctype(id));
                let location_bits = bits::for_numbers_below(program.graphs[id].locations.len() as u64);
                let mut fields =
                    vec![scalar(FieldContent::Kind, kind_bits), scalar(FieldContent::Location, location_bits)];
                fields.extend(features.priorities.then(|| scalar(FieldContent::Priority, 8)));
                let variables = process.parameters.iter().chain(&process.locals);
                fields.extend(variables.copied().filter(is_stored).map(variable_field));
                fields.extend(sites.iter().map(queues_field));
                ProcessLayout { location_bits, fields, n_channels: n_channels(&sites), sites }
            })
            .collect();

        let global_sites = sites_of(Owner::Global);
        let mut fields: Vec<Field> = model.state_variables().filter(is_stored).map(variable_field).collect();
        fields.extend(global_sites.iter().map(queues_field));
        fields.extend(features.last.then(|| scalar(FieldContent::Last, pid_bits)));
        // A `notrace` that cannot match any more is at its end, even if no transition leads there.
        let trace_bits =
            program.trace.as_ref().map_or(0, |trace| bits::for_numbers_below(trace.locations.len() as u64 + 1));
        fields.extend(program.trace.as_ref().map(|_| scalar(FieldContent::Trace, trace_bits)));
        fields.push(scalar(FieldContent::Count, count_bits));

        let widest_process = processes.iter().map(|process| size(&process.fields).bits).max().unwrap_or(0);
        let total_bits = population
            .bound
            .map(|bound| size(&fields).bits.saturating_add(widest_process.saturating_mul(bound.into())))
            .filter(|bits| *bits <= WIDEST);
        let n_global_channels = n_channels(&global_sites);
        Self {
            total_bits,
            placed_words: None,
            count_bits,
            pid_bits,
            trace_bits,
            kind_bits,
            fields,
            processes,
            global_sites,
            n_global_channels,
        }
    }

    /// The number of 64-bit words of a packed state; `None` if states have variable size.
    pub fn n_words(&self) -> Option<usize> {
        if self.placed_words.is_some() {
            return self.placed_words;
        }
        let bits = self.total_bits?;
        usize::try_from(bits.div_ceil(64).max(1)).ok()
    }
}

/// Wider states are stored as a variable number of bytes: most of such a state is empty most of the time.
pub const WIDEST: u64 = 64 * 64;

/// All fields together.
pub fn size(fields: &[Field]) -> Size {
    fields.iter().map(|field| field.size).sum()
}

fn variable_size(model: &Model, ranges: &Ranges, id: VariableId) -> Size {
    let variable = &model.variables[id];
    let of = |path: &[u32]| ranges.variable(model, id, path);
    elements_size(model, &of, variable.ty, variable.length, &mut Vec::new())
}

/// The range of the scalar that a path leads to.
type RangeOf<'a> = dyn Fn(&[u32]) -> Range + 'a;

fn elements_size(model: &Model, of: &RangeOf<'_>, ty: Type, length: Option<u32>, path: &mut Vec<u32>) -> Size {
    let one = match ty {
        Type::Record(record) => {
            let mut sizes = Vec::new();
            for (number, field) in (0..).zip(&model.records[record].fields) {
                path.push(number);
                sizes.push(elements_size(model, of, field.ty, field.length, path));
                path.pop();
            }
            sizes.into_iter().sum()
        }
        _ => Size::holding(of(path)),
    };
    one.times(length.unwrap_or(1))
}

/// The queues of a site.
fn site_size(model: &Model, ranges: &Ranges, id: SiteId) -> Size {
    queue_size(model, ranges, id).times(model.sites[id].count)
}

/// One queue. A rendezvous channel holds nothing. A buffered one has its length and all its slots.
pub fn queue_size(model: &Model, ranges: &Ranges, id: SiteId) -> Size {
    let site = &model.sites[id];
    if site.is_rendezvous() {
        return Size::default();
    }
    let length = Size::scalar(bits::for_numbers_below(u64::from(site.capacity) + 1));
    [length, message_size(model, ranges, id).times(site.capacity)].into_iter().sum()
}

/// One message.
pub fn message_size(model: &Model, ranges: &Ranges, id: SiteId) -> Size {
    (0..).zip(&model.sites[id].fields).map(|(number, _)| Size::holding(ranges.message(id, number))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_stored_from_0_or_from_the_least() {
        let scalar = |low, high| {
            let Scalar { bits, low } = Scalar::holding(Range { low, high });
            (bits, low)
        };
        assert_eq!([scalar(0, 0), scalar(7, 7), scalar(0, 5), scalar(1, 5)], [(0, 0), (0, 7), (3, 0), (3, 0)]);
        assert_eq!([scalar(4, 7), scalar(-1, 0), scalar(-128, 127)], [(2, 4), (1, -1), (8, -128)]);
        assert_eq!(scalar(-32_768, 32_767), (16, -32_768));
        assert_eq!([scalar(i64::from(i32::MIN), i64::from(i32::MAX)), scalar(-1, i64::from(i32::MAX))], [(32, 0); 2]);
    }
}
