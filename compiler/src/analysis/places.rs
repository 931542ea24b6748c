//! A fixed position for every field of a state, so that code can compute with a state in its packed form.
//!
//! No field crosses a word boundary: reading one is a shift and a mask. Whatever fits in a word (a scalar, a short
//! array, a queue, a whole process) stays together in one; larger items begin at a word boundary. Smaller items then
//! fill the gaps. Processes have slots, one for each pid. If each pid always has the same proctype, the slot has the
//! size of that proctype, whose number is not stored.
//!
//! There are positions only if all of that is bounded, and if the state contains nothing rare: see [`Places::find`].

use super::layout::FieldContent;
pub use super::layout::Scalar;
use super::ranges::Range;
use super::{Features, Instances, Layout, Population, Ranges, Stored, bits};
use crate::collections::IdVec;
use crate::ir::Program;
use crate::model::{ChannelSite, Model, ProctypeId, SiteId, Type, VariableId};

#[derive(Clone, Debug)]
pub struct Places {
    /// The words that identify a state.
    pub n_stored: usize,
    /// All words, including variables that no behaviour depends on.
    pub n_words: usize,
    /// The number of processes.
    pub count: Bits,
    /// `_last`
    pub last: Option<Bits>,
    /// The proctype of a process, from the beginning of its slot; `None` if the pid determines it.
    pub kind: Option<Bits>,
    /// The location of a process, from the beginning of its slot; `None` if there is only one.
    pub location: IdVec<ProctypeId, Option<Bits>>,
    /// For each pid.
    pub slots: Vec<Slot>,
    /// From the beginning of the state or of the process's slot; for a local that is not stored, from the beginning of
    /// the unstored part of the slot. `None` for variables without a position: channels that never change, constants.
    pub variables: IdVec<VariableId, Option<PlacedShape>>,
    /// The same for the queues of a site; `None` for a rendezvous.
    pub sites: IdVec<SiteId, Option<PlacedShape>>,
}

/// Some bits of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    pub at: usize,
    pub bits: u32,
}

/// The slot of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The proctypes that can run there.
    pub kinds: Vec<ProctypeId>,
    pub at: usize,
    pub size: usize,
    /// Where its unstored variables are.
    pub beside: usize,
    pub beside_size: usize,
}

/// A shape at its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedShape {
    pub at: usize,
    pub shape: Shape,
}

/// The layout of a value in its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Scalar(Scalar),
    Queue(Queue),
    Row(Row),
    /// The fields of a record.
    Record(Vec<PlacedShape>),
}

/// The elements of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub length: u32,
    pub element: Box<Shape>,
    pub stride: Stride,
}

/// The distance from one element to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// A fixed number of bits: all are in one word, or each takes whole words.
    Bits(usize),
    /// As many elements of so many bits in each word as fit.
    InWords(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The number of messages.
    pub length: Bits,
    /// Where the messages begin.
    pub messages: usize,
    /// The fields of a message, side by side from the lowest bit on.
    pub fields: Vec<Scalar>,
    pub capacity: u32,
    /// They are side by side in the word that holds their number.
    pub is_one_word: bool,
    size: usize,
}

const WORD: usize = 64;

/// Larger queues are stored outside of the state, and grow.
pub const LARGEST_QUEUE: u32 = 16;

impl Shape {
    /// From the first bit to the last.
    pub fn size(&self) -> usize {
        match self {
            Self::Scalar(scalar) => scalar.bits as usize,
            Self::Queue(queue) => queue.size,
            Self::Row(row) => row.stride.of(row.length as usize - 1) + row.element.size(),
            Self::Record(fields) => fields.iter().map(|field| field.at + field.shape.size()).max().unwrap_or(0),
        }
    }

    fn bits(bits: u32) -> Self {
        Self::Scalar(Scalar { bits, low: 0 })
    }

    fn row(element: Self, length: u32) -> Self {
        let stride = Stride::between(element.size(), length as usize);
        Self::Row(Row { length, element: Box::new(element), stride })
    }

    fn queue(site: &ChannelSite, fields: Vec<Scalar>) -> Self {
        let message_bits: u32 = fields.iter().map(|field| field.bits).sum();
        let length_bits = bits::for_numbers_below(u64::from(site.capacity) + 1);
        let all = message_bits as usize * site.capacity as usize;
        if length_bits as usize + all <= WORD {
            let length = Bits { at: 0, bits: length_bits };
            let (messages, size) = (length_bits as usize, length_bits as usize + all);
            return Self::Queue(Queue { length, messages, fields, capacity: site.capacity, is_one_word: true, size });
        }
        let mut room = Room::default();
        let messages =
            room.place(Stride::InWords(message_bits as usize).of(site.capacity as usize - 1) + message_bits as usize);
        let length = Bits { at: room.place(length_bits as usize), bits: length_bits };
        let size = room.size();
        Self::Queue(Queue { length, messages, fields, capacity: site.capacity, is_one_word: false, size })
    }
}

impl Stride {
    /// For so many elements of a size.
    pub fn between(size: usize, n: usize) -> Self {
        if size * n <= WORD {
            Self::Bits(size)
        } else if size <= WORD {
            Self::InWords(size)
        } else {
            Self::Bits(size.next_multiple_of(WORD))
        }
    }

    /// The position of an element.
    #[inline]
    pub fn of(self, index: usize) -> usize {
        match self {
            Self::Bits(bits) => index * bits,
            Self::InWords(bits) => index / (WORD / bits) * WORD + index % (WORD / bits) * bits,
        }
    }
}

/// Words that are being filled, with the number of used bits in each.
#[derive(Clone, Debug, Default)]
pub struct Room {
    taken: Vec<usize>,
}

impl Room {
    /// Allocates so many bits. An item that is larger than a word begins at a word boundary.
    pub fn place(&mut self, size: usize) -> usize {
        if size <= WORD
            && let Some(word) = self.taken.iter().position(|taken| taken + size <= WORD)
        {
            let at = word * WORD + self.taken[word];
            self.taken[word] += size;
            return at;
        }
        let at = self.taken.len() * WORD;
        self.taken.extend(std::iter::repeat_n(WORD, size / WORD));
        if !size.is_multiple_of(WORD) {
            self.taken.push(size % WORD);
        }
        at
    }

    /// Allocates all items, those first that need more than a word.
    pub fn place_all(&mut self, sizes: &[usize]) -> Vec<usize> {
        let mut places = vec![0; sizes.len()];
        for is_large in [true, false] {
            for (place, size) in places.iter_mut().zip(sizes).filter(|(_, size)| (**size > WORD) == is_large) {
                *place = self.place(*size);
            }
        }
        places
    }

    /// From the first bit to the last.
    pub fn size(&self) -> usize {
        self.taken.last().map_or(0, |last| (self.taken.len() - 1) * WORD + last)
    }
}

/// The facts that determine the shapes of variables and messages.
pub struct Maker<'p> {
    pub model: &'p Model,
    pub stored: &'p IdVec<VariableId, Stored>,
    pub ranges: &'p Ranges,
}

/// The fields with known positions.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub features: &'a Features,
    pub stored: &'a IdVec<VariableId, Stored>,
    pub instances: &'a Instances,
    pub population: &'a Population,
    pub ranges: &'a Ranges,
    pub layout: &'a Layout,
}

/// An item to be placed.
enum PlacedItem {
    /// A number, to be put where it is asked for.
    Number,
    Variable(VariableId),
    Site(SiteId),
    Slot(usize),
}

impl Places {
    /// The places, if everything has one: the number of processes is bounded, messages fit in a word, and there are no
    /// priorities, hidden variables or traces.
    pub(super) fn find(program: &Program<'_>, known: &Known<'_>) -> Option<Self> {
        let Known { features, stored, instances, population, ranges, layout } = *known;
        let model = program.model;
        let bound = population.bound? as usize;
        layout.total_bits?;
        let maker = Maker { model, stored, ranges };
        let fits = |id: SiteId| {
            let bits: u32 = maker.message(id).iter().map(|field| field.bits).sum();
            model.sites[id].is_rendezvous() || model.sites[id].capacity <= LARGEST_QUEUE && (1..=64).contains(&bits)
        };
        let has_hidden = stored.iter().any(|stored| *stored == Stored::Hidden);
        if features.priorities || program.trace.is_some() || has_hidden || !model.sites.ids().all(fits) {
            return None;
        }
        let kinds = kinds(program, instances, bound.max(1));
        let kind_bits = bits::for_numbers_below(program.graphs.len() as u64);
        let is_known = kinds.iter().all(|kinds| kinds.len() == 1);
        let kind = (!is_known).then_some(Bits { at: 0, bits: kind_bits });

        let mut places = Self {
            n_stored: 0,
            n_words: 0,
            count: Bits { at: 0, bits: layout.count_bits },
            last: None,
            kind,
            location: program.graphs.iter().map(|_| None).collect(),
            slots: Vec::new(),
            variables: model.variables.iter().map(|_| None).collect(),
            sites: model.sites.iter().map(|_| None).collect(),
        };
        let mut sizes: IdVec<ProctypeId, (usize, usize)> = IdVec::new();
        for id in program.graphs.ids() {
            sizes.push(places.lay_out_process(program, &maker, layout, id));
        }
        let size = |kinds: &[ProctypeId]| kinds.iter().map(|kind| sizes[*kind].0).max().unwrap_or(0);
        let beside = |kinds: &[ProctypeId]| kinds.iter().map(|kind| sizes[*kind].1).max().unwrap_or(0);
        places.slots = kinds
            .into_iter()
            .map(|kinds| Slot { at: 0, size: size(&kinds), beside: 0, beside_size: beside(&kinds), kinds })
            .collect();
        places.lay_out_state(&maker, features, layout);
        (places.n_stored as u64 * 64 <= super::layout::WIDEST).then_some(places)
    }

    /// The position of a field of the state, or of a process from the beginning of its slot, and its number of bits.
    /// `None` for fields that are not stored.
    pub fn of(&self, owner: Option<ProctypeId>, content: FieldContent) -> Option<(usize, usize)> {
        let of_bits = |bits: Bits| (bits.at, bits.bits as usize);
        let of_part = |part: &PlacedShape| (part.at, part.shape.size());
        match content {
            FieldContent::Variable(id) => self.variables[id].as_ref().map(of_part),
            FieldContent::Queues(id) => self.sites[id].as_ref().map(of_part),
            FieldContent::Last => self.last.map(of_bits),
            FieldContent::Count => Some(of_bits(self.count)),
            FieldContent::Kind => Some(self.kind.map_or((0, 0), of_bits)),
            FieldContent::Location => Some(self.location[owner?].map_or((0, 0), of_bits)),
            FieldContent::Trace | FieldContent::Priority => None,
        }
    }

    /// Returns the number of bits of a process, stored and unstored.
    fn lay_out_process(
        &mut self,
        program: &Program<'_>,
        maker: &Maker<'_>,
        layout: &Layout,
        id: ProctypeId,
    ) -> (usize, usize) {
        let process = &program.model.proctypes[id];
        let layout = &layout.processes[id];
        let mut room = Room::default();
        room.place(self.kind.map_or(0, |kind| kind.bits as usize));
        let variables: Vec<VariableId> = process.parameters.iter().chain(&process.locals).copied().collect();
        let mut items: Vec<(PlacedItem, Shape)> = vec![(PlacedItem::Number, Shape::bits(layout.location_bits))];
        items.extend(maker.variables(&variables, Stored::Yes));
        items.extend(maker.sites(&layout.sites));
        let places = self.place(&mut room, items);
        self.location[id] = (layout.location_bits > 0).then_some(Bits { at: places[0], bits: layout.location_bits });
        let mut beside = Room::default();
        self.place(&mut beside, maker.variables(&variables, Stored::Unread));
        (room.size(), beside.size())
    }

    fn lay_out_state(&mut self, maker: &Maker<'_>, features: &Features, layout: &Layout) {
        let model = maker.model;
        let globals: Vec<VariableId> = model.state_variables().collect();
        let mut room = Room::default();
        let last_bits = if features.last { layout.pid_bits } else { 0 };
        let mut items: Vec<(PlacedItem, Shape)> =
            vec![(PlacedItem::Number, Shape::bits(self.count.bits)), (PlacedItem::Number, Shape::bits(last_bits))];
        items.extend(maker.variables(&globals, Stored::Yes));
        items.extend(maker.sites(&layout.global_sites));
        let slot = |(pid, size): (usize, usize)| (PlacedItem::Slot(pid), Shape::bits(size as u32));
        items.extend(self.slots.iter().map(|slot| slot.size).enumerate().map(slot));
        let is_slot: Vec<Option<usize>> =
            items.iter().map(|(item, _)| if let PlacedItem::Slot(pid) = item { Some(*pid) } else { None }).collect();
        let places = self.place(&mut room, items);
        self.count.at = places[0];
        self.last = features.last.then_some(Bits { at: places[1], bits: last_bits });
        for (pid, place) in is_slot.into_iter().zip(&places).filter_map(|(pid, place)| Some((pid?, place))) {
            self.slots[pid].at = *place;
        }
        self.n_stored = room.taken.len().max(1);

        // The unstored part begins with a word of its own.
        let mut beside = Room { taken: vec![WORD; self.n_stored] };
        let sizes: Vec<usize> = self.slots.iter().map(|slot| slot.beside_size).collect();
        for (slot, place) in self.slots.iter_mut().zip(beside.place_all(&sizes)) {
            slot.beside = place;
        }
        self.place(&mut beside, maker.variables(&globals, Stored::Unread));
        self.n_words = beside.taken.len();
    }

    /// Gives each item its position.
    fn place(&mut self, room: &mut Room, items: Vec<(PlacedItem, Shape)>) -> Vec<usize> {
        let sizes: Vec<usize> = items.iter().map(|(_, shape)| shape.size()).collect();
        let places = room.place_all(&sizes);
        for ((item, shape), at) in items.into_iter().zip(&places) {
            match item {
                PlacedItem::Variable(id) => self.variables[id] = Some(PlacedShape { at: *at, shape }),
                PlacedItem::Site(id) => self.sites[id] = Some(PlacedShape { at: *at, shape }),
                PlacedItem::Number | PlacedItem::Slot(_) => {}
            }
        }
        places
    }
}

impl Maker<'_> {
    /// A constant record is kept like any other: it has no single value.
    pub fn wanted(&self, id: VariableId) -> Stored {
        match self.stored[id] {
            Stored::Constant if matches!(self.model.variables[id].ty, Type::Record(_)) => Stored::Yes,
            stored => stored,
        }
    }

    fn variables(&self, ids: &[VariableId], stored: Stored) -> Vec<(PlacedItem, Shape)> {
        let ids = ids.iter().filter(|id| self.wanted(**id) == stored);
        ids.map(|id| (PlacedItem::Variable(*id), self.shape(*id))).collect()
    }

    /// The shape of a whole variable.
    pub fn shape(&self, id: VariableId) -> Shape {
        let variable = &self.model.variables[id];
        self.elements(id, &mut Vec::new(), variable.ty, variable.length)
    }

    /// What a path of fields leads to from a variable.
    fn elements(&self, id: VariableId, path: &mut Vec<u32>, ty: Type, length: Option<u32>) -> Shape {
        match length {
            None => self.one(id, path, ty),
            Some(length) => Shape::row(self.one(id, path, ty.element()), length),
        }
    }

    fn one(&self, id: VariableId, path: &mut Vec<u32>, ty: Type) -> Shape {
        let Type::Record(record) = ty else { return Shape::Scalar(self.scalar(id, path, ty)) };
        let mut shapes = Vec::new();
        for (number, field) in (0..).zip(&self.model.records[record].fields) {
            path.push(number);
            shapes.push(self.elements(id, path, field.ty, field.length));
            path.pop();
        }
        let sizes: Vec<usize> = shapes.iter().map(Shape::size).collect();
        let places = Room::default().place_all(&sizes);
        Shape::Record(shapes.into_iter().zip(places).map(|(shape, at)| PlacedShape { at, shape }).collect())
    }

    /// A variable beside the state has the width of its type: its range is not computed.
    fn scalar(&self, id: VariableId, path: &[u32], ty: Type) -> Scalar {
        match self.stored[id] {
            Stored::Unread | Stored::Hidden => Scalar { bits: bits::of_type(ty), low: 0 },
            _ => Scalar::holding(self.ranges.variable(self.model, id, path)),
        }
    }

    /// The fields of the messages of a site. All sites with the same fields and capacity have the same: such queues are
    /// of one type.
    pub fn message(&self, id: SiteId) -> Vec<Scalar> {
        let sites = &self.model.sites;
        let is_same =
            |other: &SiteId| sites[*other].capacity == sites[id].capacity && sites[*other].fields == sites[id].fields;
        let scalar = |number: u32| {
            let ranges = sites.ids().filter(is_same).map(|site| self.ranges.message(site, number));
            let all = ranges.reduce(|one, other| Range { low: one.low.min(other.low), high: one.high.max(other.high) });
            all.map(Scalar::holding)
        };
        let mut fields: Vec<Scalar> = (0..).zip(&sites[id].fields).filter_map(|(number, _)| scalar(number)).collect();
        // A message takes at least one bit, even if it has only one value.
        let bits: u32 = fields.iter().map(|field| field.bits).sum();
        if let Some(first) = fields.first_mut().filter(|_| bits == 0) {
            first.bits = 1;
        }
        fields
    }

    fn sites(&self, ids: &[SiteId]) -> Vec<(PlacedItem, Shape)> {
        let sites = ids.iter().map(|id| (id, &self.model.sites[*id])).filter(|(_, site)| site.capacity > 0);
        sites
            .map(|(id, site)| {
                let is_array = site.count > 1 || self.model.variables[site.variable].length.is_some();
                let one = Shape::queue(site, self.message(*id));
                (PlacedItem::Site(*id), if is_array { Shape::row(one, site.count) } else { one })
            })
            .collect()
    }
}

/// The proctypes that can run with each pid.
fn kinds(program: &Program<'_>, instances: &Instances, n: usize) -> Vec<Vec<ProctypeId>> {
    let mut kinds: Vec<Vec<ProctypeId>> = vec![Vec::new(); n];
    for instance in &instances.fixed {
        if let Some(kinds) = kinds.get_mut(instance.pid as usize)
            && !kinds.contains(&instance.proctype)
        {
            kinds.push(instance.proctype);
        }
    }
    let is_known = kinds.iter().all(|kinds| kinds.len() == 1)
        && !instances.is_dynamic.iter().any(|is_dynamic| *is_dynamic)
        && instances.fixed.iter().all(|instance| (instance.pid as usize) < n);
    if is_known || program.graphs.len() == 1 {
        kinds_or_only(kinds, program)
    } else {
        vec![program.graphs.ids().collect(); n]
    }
}

/// The same, where there is one proctype only.
fn kinds_or_only(kinds: Vec<Vec<ProctypeId>>, program: &Program<'_>) -> Vec<Vec<ProctypeId>> {
    let all: Vec<ProctypeId> = program.graphs.ids().collect();
    if all.len() == 1 { vec![all; kinds.len()] } else { kinds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::check;

    /// Every stored scalar and queue slot of a state in which all processes run, as ranges of bits.
    fn taken(places: &Places) -> Vec<(usize, usize)> {
        fn collect(at: usize, shape: &Shape, taken: &mut Vec<(usize, usize)>) {
            match shape {
                Shape::Scalar(scalar) => taken.push((at, scalar.bits as usize)),
                Shape::Queue(queue) => {
                    taken.push((at + queue.length.at, queue.length.bits as usize));
                    let bits = queue.fields.iter().map(|field| field.bits as usize).sum();
                    let stride = if queue.is_one_word { Stride::Bits(bits) } else { Stride::InWords(bits) };
                    let slots = (0..queue.capacity as usize).map(|slot| (at + queue.messages + stride.of(slot), bits));
                    taken.extend(slots);
                }
                Shape::Row(row) => {
                    (0..row.length as usize).for_each(|index| collect(at + row.stride.of(index), &row.element, taken));
                }
                Shape::Record(fields) => fields.iter().for_each(|field| collect(at + field.at, &field.shape, taken)),
            }
        }
        let mut all = vec![(places.count.at, places.count.bits as usize)];
        all.extend(places.slots.iter().map(|slot| (slot.at, slot.size)).filter(|(_, size)| *size <= WORD));
        for part in places.variables.iter().chain(places.sites.iter()).flatten() {
            collect(part.at, &part.shape, &mut all);
        }
        all
    }

    fn places(model: &str) -> Option<Places> {
        check(model, |_, facts, _| facts.places.clone())
    }

    #[test]
    fn nothing_crosses_a_word_or_lies_on_something_else() {
        let model = "typedef R { byte a[3]; int b; bool c; short d[5] };
            R r[3]; byte x = 1; bit y[70]; unsigned u : 13 = 4;
            chan q[2] = [3] of { byte, int }; chan s = [2] of { bit, byte };
            active [3] proctype p() { do :: q[0]!x,r[x].b :: q[1]?x,r[1].d[2] :: s!y[x],u :: s?r[2].c,r[0].a[1]
              :: r[x].b > u -> x++; y[3] = x; u = r[1].d[2] + r[2].c + r[0].a[1] od }";
        let places = places(model).expect("everything is bounded");
        let mut taken = taken(&places);
        taken.sort_unstable();
        assert!(taken.len() > 100);
        for &(at, bits) in &taken {
            assert!(at % WORD + bits <= WORD, "{bits} bits at {at}");
        }
        for pair in taken.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:?}");
        }
        assert!(taken.last().is_some_and(|(at, bits)| at + bits <= places.n_stored * WORD));
    }

    #[test]
    fn a_pid_that_is_always_of_one_proctype_needs_no_kind() {
        let both = "byte x; active proctype p() { byte i; x = i; i = x } active proctype q() { do :: x++ od }";
        let places_of_both = places(both).expect("two processes");
        assert_eq!(places_of_both.kind, None);
        assert!(places_of_both.slots[0].size > places_of_both.slots[1].size);
        let either = "byte x; proctype p() { x++ } proctype q() { x-- }
            init { if :: x = 1; run p() :: run q() fi }";
        let kind = places(either).expect("two processes").kind;
        assert_eq!(kind, Some(Bits { at: 0, bits: 2 }));
    }

    #[test]
    fn what_grows_has_no_places() {
        assert!(places("byte x; active proctype p() { do :: run p() od }").is_none());
        assert!(places("chan c = [40] of { byte }; active proctype p() { c!1 }").is_none());
        let wide = "chan c = [2] of { int, int, int }; active proctype p() { int x;
            do :: c!x,x,x :: x = x * 3 + 1 :: c?x,_,_ od }";
        assert!(places(wide).is_none());
    }

    #[test]
    fn gaps_are_filled() {
        let mut room = Room::default();
        assert_eq!(room.place_all(&[60, 10, 100, 4]), [128, 64 + 36, 0, 64 + 46]);
        assert_eq!(room.size(), 128 + 60);
        assert_eq!((Stride::InWords(5).of(11), Stride::InWords(5).of(12), Stride::Bits(5).of(12)), (55, 64, 60));
    }
}
