//! Where every part of a state lies in its words.
//!
//! If the analysis has found a fixed position for everything, the interpreter uses these positions, so that its states
//! are those of the emitted verifier. Otherwise a state grows with its processes: a front with the globals, and behind
//! it one slot of the same size for each process.

use std::sync::atomic::AtomicBool;

use super::spacing::Spacing;
use crate::analysis::bits::for_numbers_below;
use crate::analysis::places::{self, Bits, Maker, PlacedShape, Places, Room, Scalar, Shape, Stride};
use crate::analysis::{Facts, Stored};
use crate::collections::IdVec;
use crate::ir::Program;
use crate::model::{Model, ProctypeId, SiteId, Type, VariableId};

pub struct Layout {
    /// The number of processes.
    pub count: Bits,
    pub last: Option<Bits>,
    /// The location of the trace assertion.
    pub trace: Option<Bits>,
    /// The proctype of a process, from the beginning of its slot; nothing if the pid determines it.
    pub kind: Option<Bits>,
    /// The location of a process, from the beginning of its slot; nothing if there is only one.
    pub location: IdVec<ProctypeId, Option<Bits>>,
    /// The priority of a process, from the beginning of its slot.
    pub priority: Option<Bits>,
    /// Nothing for constants and for channels that are never replaced.
    pub variables: IdVec<VariableId, Option<PlacedVariable>>,
    /// Nothing for a rendezvous.
    pub queues: IdVec<SiteId, Option<PlacedQueue>>,
    /// By pid; there are no more processes than slots.
    pub slots: Vec<Slot>,
    pub form: Form,
}

/// Whether states grow.
pub enum Form {
    Fixed {
        /// The words that identify a state.
        n_stored: usize,
        /// All words, including variables that no behaviour depends on.
        n_words: usize,
    },
    Open(Open),
}

/// The sizes of a growing state, in words.
pub struct Open {
    /// The part of the front that identifies a state.
    pub stored: usize,
    /// The end of the hidden variables, which follow.
    pub hidden: usize,
    /// The whole front.
    pub front: usize,
    /// One slot.
    pub slot: usize,
    /// The part of a slot that identifies a state, by proctype.
    pub of_process: IdVec<ProctypeId, usize>,
}

/// The slot of a process, in bits.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub at: usize,
    pub size: usize,
    /// Where its variables are that no behaviour depends on.
    pub beside: usize,
    pub beside_size: usize,
    /// The proctype, if the pid determines it.
    pub proctype: ProctypeId,
}

/// What an address is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    State,
    /// The slot of the process that executes.
    Own,
    /// Its variables that no behaviour depends on.
    OwnBeside,
    /// The slot of the process that was found.
    Found,
    FoundBeside,
}

impl Base {
    pub const N: usize = 5;
}

pub struct PlacedVariable {
    pub at: usize,
    pub shape: Shape,
    pub is_beside: bool,
}

pub struct PlacedQueue {
    pub at: usize,
    /// From one channel of an array to the next.
    pub spacing: Spacing,
    pub queue: Queue,
}

pub struct Queue {
    pub capacity: usize,
    pub length: Bits,
    pub messages: usize,
    /// From one message to the next.
    pub spacing: Spacing,
    pub message_bits: usize,
    /// All messages are side by side in one word.
    pub is_one_word: bool,
    pub fields: Vec<QueueField>,
    /// Whether a step that was executed has filled it, also within an atomic sequence or a `d_step`.
    pub was_full: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
pub struct QueueField {
    /// From the beginning of the message.
    pub at: usize,
    pub scalar: Scalar,
    /// Sorted sends compare it as a number without a sign.
    pub is_unsigned: bool,
}

const WORD: usize = 64;

/// The pid of a process has eight bits.
const MOST_PROCESSES: usize = 255;

impl Layout {
    pub fn new(program: &Program<'_>, facts: &Facts) -> Self {
        match &facts.places {
            Some(places) => Self::fixed(program, facts, places),
            None => Self::open(program, facts),
        }
    }

    fn fixed(program: &Program<'_>, facts: &Facts, places: &Places) -> Self {
        let model = program.model;
        let variable = |(id, placed): (VariableId, &Option<PlacedShape>)| {
            let placed = placed.as_ref()?;
            let is_beside = facts.stored[id] == Stored::Unread;
            Some(PlacedVariable {
                at: placed.at,
                shape: signed(model, &placed.shape, model.variables[id].ty),
                is_beside,
            })
        };
        let queue = |(id, placed): (SiteId, &Option<PlacedShape>)| {
            let PlacedShape { at, shape } = placed.as_ref()?;
            let types = &model.sites[id].fields;
            Some(match shape {
                Shape::Queue(queue) => {
                    PlacedQueue { at: *at, spacing: Stride::Bits(0).into(), queue: Queue::placed(queue, types) }
                }
                Shape::Row(row) => match &*row.element {
                    Shape::Queue(queue) => {
                        PlacedQueue { at: *at, spacing: row.stride.into(), queue: Queue::placed(queue, types) }
                    }
                    Shape::Scalar(_) | Shape::Row(_) | Shape::Record(_) => unreachable!("a site has queues"),
                },
                Shape::Scalar(_) | Shape::Record(_) => unreachable!("a site has queues"),
            })
        };
        let slot = |slot: &places::Slot| Slot {
            at: slot.at,
            size: slot.size,
            beside: slot.beside,
            beside_size: slot.beside_size,
            proctype: slot.kinds[0],
        };
        Self {
            count: places.count,
            last: places.last,
            trace: None,
            kind: places.kind,
            location: places.location.iter().copied().collect(),
            priority: None,
            variables: places.variables.iter_enumerated().map(variable).collect(),
            queues: places.sites.iter_enumerated().map(queue).collect(),
            slots: places.slots.iter().map(slot).collect(),
            form: Form::Fixed { n_stored: places.n_stored, n_words: places.n_words },
        }
    }

    fn open(program: &Program<'_>, facts: &Facts) -> Self {
        let model = program.model;
        let maker = Maker { model, stored: &facts.stored, ranges: &facts.ranges };
        let features = &facts.features;
        let mut layout = Self {
            count: Bits { at: 0, bits: facts.layout.count_bits },
            last: None,
            trace: None,
            kind: None,
            location: IdVec::new(),
            priority: None,
            variables: model.variables.iter().map(|_| None).collect(),
            queues: model.sites.iter().map(|_| None).collect(),
            slots: Vec::new(),
            form: Form::Fixed { n_stored: 0, n_words: 0 },
        };
        let globals: Vec<VariableId> = model.state_variables().collect();
        let mut room = Filling::from(0);
        layout.count.at = room.place(facts.layout.count_bits as usize);
        let bits = |bits: u32, room: &mut Filling| Bits { at: room.place(bits as usize), bits };
        layout.last = features.last.then(|| bits(facts.layout.pid_bits, &mut room));
        layout.trace = program.trace.as_ref().map(|_| bits(facts.layout.trace_bits, &mut room));
        layout.place_variables(&maker, &globals, Stored::Yes, &mut room);
        layout.place_queues(&maker, &facts.layout.global_sites, &mut room);
        let stored = room.end();
        let mut room = Filling::from(stored);
        layout.place_variables(&maker, &globals, Stored::Hidden, &mut room);
        let hidden = room.end();
        let mut room = Filling::from(hidden);
        layout.place_variables(&maker, &globals, Stored::Unread, &mut room);
        let front = room.end();

        let kind_bits = facts.layout.kind_bits;
        let mut of_process: IdVec<ProctypeId, usize> = IdVec::new();
        let mut most_beside = 0;
        for (id, process) in model.proctypes.iter_enumerated() {
            let of = &facts.layout.processes[id];
            let mut room = Filling::from(0);
            layout.kind = (kind_bits > 0).then(|| bits(kind_bits, &mut room));
            layout.priority = features.priorities.then(|| bits(8, &mut room));
            let location = (of.location_bits > 0).then(|| bits(of.location_bits, &mut room));
            layout.location.push(location);
            let locals: Vec<VariableId> = process.parameters.iter().chain(&process.locals).copied().collect();
            layout.place_variables(&maker, &locals, Stored::Yes, &mut room);
            layout.place_queues(&maker, &of.sites, &mut room);
            of_process.push(room.end());
            let mut room = Filling::from(0);
            layout.place_variables(&maker, &locals, Stored::Unread, &mut room);
            layout.place_variables(&maker, &locals, Stored::Hidden, &mut room);
            most_beside = most_beside.max(room.end());
        }
        let most_stored = of_process.iter().copied().max().unwrap_or(0);
        let slot = most_stored + most_beside;
        let n = facts.population.bound.map_or(MOST_PROCESSES, |bound| bound.max(1) as usize);
        let slots = (0..n).map(|pid| Slot {
            at: (front + pid * slot) * WORD,
            size: most_stored * WORD,
            beside: (front + pid * slot + most_stored) * WORD,
            beside_size: most_beside * WORD,
            proctype: ProctypeId(0),
        });
        layout.slots = slots.collect();
        layout.form = Form::Open(Open { stored, hidden, front, slot, of_process });
        layout
    }

    fn place_variables(&mut self, maker: &Maker<'_>, ids: &[VariableId], stored: Stored, room: &mut Filling) {
        let is_beside = stored != Stored::Yes;
        for id in ids.iter().filter(|id| maker.wanted(**id) == stored) {
            let shape = signed(maker.model, &maker.shape(*id), maker.model.variables[*id].ty);
            let at = room.place(shape.size());
            self.variables[*id] = Some(PlacedVariable { at, shape, is_beside });
        }
    }

    fn place_queues(&mut self, maker: &Maker<'_>, ids: &[SiteId], room: &mut Filling) {
        for id in ids {
            let site = &maker.model.sites[*id];
            if site.is_rendezvous() {
                continue;
            }
            let (queue, size) = Queue::new(site.capacity as usize, &maker.message(*id), &site.fields);
            let stride = Stride::between(size, site.count as usize);
            let at = room.place(stride.of(site.count as usize - 1) + size);
            self.queues[*id] = Some(PlacedQueue { at, spacing: stride.into(), queue });
        }
    }

    /// The number of words of a state with so many processes.
    pub fn n_words(&self, n_processes: usize) -> usize {
        match &self.form {
            Form::Fixed { n_words, .. } => *n_words,
            Form::Open(open) => open.front + n_processes * open.slot,
        }
    }
}

/// A room that begins behind some words.
struct Filling {
    room: Room,
    first: usize,
}

impl Filling {
    fn from(first: usize) -> Self {
        Self { room: Room::default(), first }
    }

    fn place(&mut self, size: usize) -> usize {
        self.first * WORD + self.room.place(size)
    }

    /// The number of words up to here.
    fn end(&self) -> usize {
        self.first + self.room.size().div_ceil(WORD)
    }
}

impl Queue {
    fn placed(queue: &places::Queue, types: &[Type]) -> Self {
        let message_bits = queue.fields.iter().map(|field| field.bits as usize).sum();
        let stride = if queue.is_one_word { Stride::Bits(message_bits) } else { Stride::InWords(message_bits) };
        Self {
            capacity: queue.capacity as usize,
            length: queue.length,
            messages: queue.messages,
            spacing: stride.into(),
            message_bits,
            is_one_word: queue.is_one_word,
            fields: side_by_side(&queue.fields, types),
            was_full: AtomicBool::new(false),
        }
    }

    /// A queue and its size. Messages of more than a word take whole words.
    fn new(capacity: usize, fields: &[Scalar], types: &[Type]) -> (Self, usize) {
        let length_bits = for_numbers_below(capacity as u64 + 1);
        let mut message_bits: usize = fields.iter().map(|field| field.bits as usize).sum();
        let mut placed = side_by_side(fields, types);
        let was_full = AtomicBool::new(false);
        if length_bits as usize + message_bits * capacity <= WORD {
            let (length, messages) = (Bits { at: 0, bits: length_bits }, length_bits as usize);
            let spacing = Stride::Bits(message_bits).into();
            let size = messages + message_bits * capacity;
            let is_one_word = message_bits > 0;
            let fields = placed;
            let queue = Self { capacity, length, messages, spacing, message_bits, is_one_word, fields, was_full };
            return (queue, size);
        }
        if message_bits > WORD {
            let mut room = Room::default();
            placed.iter_mut().for_each(|field| field.at = room.place(field.scalar.bits as usize));
            message_bits = room.size().next_multiple_of(WORD);
        }
        let stride = if message_bits > WORD { Stride::Bits(message_bits) } else { Stride::InWords(message_bits) };
        let mut room = Room::default();
        let messages = room.place(stride.of(capacity - 1) + message_bits);
        let length = Bits { at: room.place(length_bits as usize), bits: length_bits };
        let spacing = stride.into();
        let (is_one_word, fields) = (false, placed);
        let queue = Self { capacity, length, messages, spacing, message_bits, is_one_word, fields, was_full };
        (queue, room.size())
    }
}

fn side_by_side(fields: &[Scalar], types: &[Type]) -> Vec<QueueField> {
    let mut at = 0;
    let field = |(scalar, ty): (&Scalar, &Type)| {
        let field = QueueField { at, scalar: *scalar, is_unsigned: matches!(ty, Type::Unsigned(_)) };
        at += scalar.bits as usize;
        field
    };
    fields.iter().zip(types).map(field).collect()
}

/// A variable beside the state has the width of its type, and a `short` may be negative there: it is stored as the
/// distance from the least one.
fn signed(model: &Model, shape: &Shape, ty: Type) -> Shape {
    match (shape, ty) {
        (Shape::Scalar(Scalar { bits: 16, low: 0 }), Type::Short) => {
            Shape::Scalar(Scalar { bits: 16, low: i32::from(i16::MIN) })
        }
        (Shape::Row(row), ty) => {
            Shape::Row(places::Row { element: Box::new(signed(model, &row.element, ty)), ..row.clone() })
        }
        (Shape::Record(fields), Type::Record(record)) => {
            let types = model.records[record].fields.iter().map(|field| field.ty);
            let field = |(field, ty): (&PlacedShape, Type)| PlacedShape {
                at: field.at,
                shape: signed(model, &field.shape, ty),
            };
            Shape::Record(fields.iter().zip(types).map(field).collect())
        }
        (Shape::Scalar(_) | Shape::Queue(_) | Shape::Record(_), _) => shape.clone(),
    }
}
