//! The objects that processes share, as far as they are distinguished.

use super::actors::ActorId;
use super::channels::ChannelId;
use super::constants::Constants;
use crate::collections::{IdVec, Lookup};
use crate::ids;
use crate::model::{Expr, Model, Place, ProctypeId, Type, VariableId};

ids! {
    /// An object of the table.
    ObjectId;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// A scalar of a global; the whole of a large global if there is no number.
    Global { variable: VariableId, scalar: Option<u32> },
    /// A local variable of an actor that some other process refers to.
    Local { actor: ActorId, variable: VariableId },
    /// The side of a buffered channel at which messages go in.
    Sending(ChannelId),
    /// The side at which they come out.
    Receiving(ChannelId),
    /// Handshakes on a rendezvous channel.
    Handshake(ChannelId),
    /// Whether some process is at a receive from a rendezvous channel.
    Ready(ChannelId),
    /// Whether a process, of that proctype if one is given, is at the location of that number, which some process
    /// observes.
    At { number: u32, proctype: Option<ProctypeId> },
    /// Which processes there are.
    ProcessTable,
}

impl Object {
    /// The channel that it is a part of.
    pub fn channel(self) -> Option<ChannelId> {
        match self {
            Self::Sending(channel) | Self::Receiving(channel) | Self::Handshake(channel) | Self::Ready(channel) => {
                Some(channel)
            }
            Self::Global { .. } | Self::Local { .. } | Self::At { .. } | Self::ProcessTable => None,
        }
    }
}

/// All objects that are accessed.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    pub list: IdVec<ObjectId, Object>,
    ids: Lookup<Object, ObjectId>,
}

impl Objects {
    pub(super) fn id(&mut self, object: Object) -> ObjectId {
        if let Some(id) = self.ids.get(&object) {
            return *id;
        }
        let id = self.list.push(object);
        self.ids.insert(object, id);
        id
    }

    pub fn get(&self, object: Object) -> Option<ObjectId> {
        self.ids.get(&object).copied()
    }
}

/// The scalars of larger variables are not distinguished.
const LARGEST_VARIABLE: u64 = 256;

/// The objects that a place of a global may be.
pub(super) fn of_global(model: &Model, constants: &Constants, actor: Option<ActorId>, place: &Place) -> Vec<Object> {
    let variable = &model.variables[place.variable];
    if scalars(model, variable.ty, variable.length) > LARGEST_VARIABLE {
        return vec![Object::Global { variable: place.variable, scalar: None }];
    }
    let known = |index: &Option<Box<Expr>>| index.as_ref().and_then(|index| constants.index(actor, index));
    let size = scalars(model, variable.ty, None);
    let mut numbers = elements(&[0], known(&place.index), variable.length, size);
    let mut ty = variable.ty;
    for access in &place.fields {
        let Type::Record(record) = ty else { break };
        let (before, rest) = model.records[record].fields.split_at(access.field as usize);
        let Some(field) = rest.first() else { break };
        let offset: u64 = before.iter().map(|field| scalars(model, field.ty, field.length)).sum();
        numbers.iter_mut().for_each(|number| *number += offset);
        numbers = elements(&numbers, known(&access.index), field.length, scalars(model, field.ty, None));
        ty = field.ty;
    }
    let object = |number: u64| Object::Global { variable: place.variable, scalar: u32::try_from(number).ok() };
    numbers.into_iter().map(object).collect()
}

/// Where the element of that index starts, or each element if the index is not known.
fn elements(starts: &[u64], index: Option<u32>, length: Option<u32>, size: u64) -> Vec<u64> {
    let length = length.unwrap_or(1);
    let range = match index.filter(|index| *index < length) {
        Some(index) => index..index + 1,
        None => 0..length,
    };
    starts.iter().flat_map(|start| range.clone().map(move |element| start + u64::from(element) * size)).collect()
}

/// How many scalars a variable or field has.
fn scalars(model: &Model, ty: Type, length: Option<u32>) -> u64 {
    let one = match ty {
        Type::Record(record) => {
            let fields = model.records[record].fields.iter();
            fields.fold(0_u64, |sum, field| sum.saturating_add(scalars(model, field.ty, field.length)))
        }
        _ => 1,
    };
    one.saturating_mul(length.unwrap_or(1).into())
}

/// The name of a scalar of a global, as an author writes it: `post[2].seq`.
pub fn scalar_name(model: &Model, variable: VariableId, scalar: Option<u32>) -> String {
    let declared = &model.variables[variable];
    let mut name = declared.name.to_string();
    let Some(number) = scalar else { return name };
    let (mut rest, mut ty, mut length) = (u64::from(number), declared.ty, declared.length);
    loop {
        let size = scalars(model, ty, None).max(1);
        if length.is_some() {
            name = format!("{name}[{}]", rest / size);
        }
        rest %= size;
        let Type::Record(record) = ty else { return name };
        let mut inside = None;
        for field in &model.records[record].fields {
            let size = scalars(model, field.ty, field.length);
            if rest < size {
                inside = Some(field);
                break;
            }
            rest -= size;
        }
        let Some(field) = inside else { return name };
        name = format!("{name}.{}", field.name);
        (ty, length) = (field.ty, field.length);
    }
}
