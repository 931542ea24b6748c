//! A state with names: all values that the author knows.
//!
//! A search keeps less than that: a variable that is not read before it is set again has no value in a state. The author
//! does not think of it, so a scene keeps what was last stored there (see `narrator.rs`).

use super::meaning::{Meaning, Type};
use crate::dyn_model::DynState;
use crate::model::Describe;
use crate::step::Pid;
use std::collections::HashMap;
use std::fmt;

/// The process of a local, nothing for a global.
pub(crate) type Owner = Option<Pid>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub owner: Owner,
    /// `a[1].b`
    pub name: String,
    pub text: String,
    /// Nothing if the text is no value of the language.
    pub number: Option<i32>,
}

/// A channel with a queue.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Queue {
    pub owner: Owner,
    pub name: String,
    /// An index into the channels of the meaning.
    pub declaration: Option<usize>,
    pub messages: Vec<Vec<i32>>,
    /// The messages as the model describes them, if their values are not known.
    pub raw: String,
}

/// Which channel a number denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChannelName {
    pub owner: Owner,
    pub name: String,
    pub declaration: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    values: Vec<Value>,
    numbers: HashMap<(Owner, String), usize>,
    pub queues: Vec<Queue>,
    /// By pid.
    pub proctypes: Vec<usize>,
    pub locations: Vec<usize>,
}

impl Scene {
    pub fn of(meaning: &Meaning, state: &DynState<'_>) -> Scene {
        let mut scene = Scene {
            proctypes: state.pids().map(|pid| state.proctype(pid)).collect(),
            locations: state.pids().map(|pid| state.location(pid)).collect(),
            ..Scene::default()
        };
        let mut reader = Reader { meaning, scene: &mut scene, owner: None, n_queues: 0 };
        state.describe(&mut reader);
        scene
    }

    pub fn values(&self) -> &[Value] {
        &self.values
    }

    pub fn n_processes(&self) -> usize {
        self.proctypes.len()
    }

    pub fn pids(&self) -> impl Iterator<Item = Pid> + use<> {
        (0..self.proctypes.len()).map(Pid::from_index)
    }

    pub fn value(&self, owner: Owner, name: &str) -> Option<&Value> {
        self.numbers.get(&(owner, name.to_owned())).map(|number| &self.values[*number])
    }

    pub fn queue(&self, owner: Owner, name: &str) -> Option<&Queue> {
        self.queues.iter().find(|queue| queue.owner == owner && queue.name == name)
    }

    pub fn queue_mut(&mut self, owner: Owner, name: &str) -> Option<&mut Queue> {
        self.queues.iter_mut().find(|queue| queue.owner == owner && queue.name == name)
    }

    /// Sets a value, or adds it behind the others.
    pub fn set(&mut self, value: Value) {
        let key = (value.owner, value.name.clone());
        match self.numbers.get(&key) {
            Some(number) => self.values[*number] = value,
            None => {
                self.numbers.insert(key, self.values.len());
                self.values.push(value);
            }
        }
    }

    /// The value is not known any more.
    pub fn forget(&mut self, owner: Owner, name: &str) {
        if let Some(number) = self.numbers.get(&(owner, name.to_owned())) {
            let value = &mut self.values[*number];
            (value.number, value.text) = (None, String::new());
        }
    }

    pub fn forget_all_of(&mut self, owner: Owner) {
        for value in self.values.iter_mut().filter(|value| value.owner == owner) {
            (value.number, value.text) = (None, String::new());
        }
    }

    /// Adds what is not in this scene but was in an earlier one, of processes that are still there.
    pub fn remember(&mut self, meaning: &Meaning, earlier: &Scene) {
        let n = self.n_processes();
        let is_alive = |owner: Owner| owner.is_none_or(|pid| pid.index() < n);
        let mut ordered = Scene::default();
        for value in earlier.values.iter().filter(|value| is_alive(value.owner)) {
            let now = self.value(value.owner, &value.name).unwrap_or(value);
            if !now.text.is_empty() {
                ordered.set(now.clone());
            }
        }
        for value in &self.values {
            ordered.set(value.clone());
        }
        // As they are declared.
        let rank = |value: &Value| {
            let proctype = value.owner.and_then(|pid| self.proctypes.get(pid.index()).copied());
            (value.owner.map_or(0, |pid| pid.index() + 1), meaning.number_of(proctype, &value.name))
        };
        let mut values = ordered.values;
        values.sort_by_cached_key(rank);
        self.numbers = values.iter().enumerate().map(|(n, value)| ((value.owner, value.name.clone()), n)).collect();
        self.values = values;
    }

    /// The channel of a number; 0 is none.
    pub fn channel(&self, meaning: &Meaning, number: i32) -> Option<ChannelName> {
        let mut left = usize::try_from(number).ok()?.checked_sub(1)?;
        let owners = std::iter::once((None, &meaning.global_channels));
        let processes = self.pids().map(|pid| {
            let proctype = meaning.proctypes.get(self.proctypes[pid.index()]);
            (Some(pid), proctype.map_or(&meaning.global_channels, |proctype| &proctype.channels))
        });
        for (owner, declarations) in owners.chain(processes) {
            for &declaration in declarations {
                let names = &meaning.channels.get(declaration)?.names;
                if let Some(name) = names.get(left) {
                    return Some(ChannelName { owner, name: name.clone(), declaration });
                }
                left -= names.len();
            }
        }
        None
    }

    /// The inverse of [`channel`](Self::channel).
    pub fn channel_number(&self, meaning: &Meaning, channel: &ChannelName) -> Option<i32> {
        let mut before = 0;
        let position = |declarations: &[usize]| {
            let names = declarations.iter().filter_map(|of| meaning.channels.get(*of)).flat_map(|of| &of.names);
            names.clone().position(|name| *name == channel.name).ok_or(names.count())
        };
        let globals = position(&meaning.global_channels);
        let Some(owner) = channel.owner else { return i32::try_from(globals.ok()? + 1).ok() };
        before += meaning
            .global_channels
            .iter()
            .filter_map(|of| meaning.channels.get(*of))
            .map(|of| of.names.len())
            .sum::<usize>();
        for pid in self.pids() {
            let own = &meaning.proctypes.get(self.proctypes[pid.index()])?.channels;
            if pid == owner {
                return i32::try_from(before + position(own).ok()? + 1).ok();
            }
            before += own.iter().filter_map(|of| meaning.channels.get(*of)).map(|of| of.names.len()).sum::<usize>();
        }
        None
    }

    /// The name of a channel as a process sees it: `client[2]:me` for that of another process.
    pub fn channel_text(&self, meaning: &Meaning, channel: &ChannelName, me: Owner) -> String {
        let Some(owner) = channel.owner.filter(|owner| Some(*owner) != me) else { return channel.name.clone() };
        let proctype = self.proctypes.get(owner.index()).and_then(|of| meaning.proctypes.get(*of));
        match proctype {
            Some(of) if of.is_alone => format!("{}:{}", of.name, channel.name),
            Some(of) => format!("{}[{owner}]:{}", of.name, channel.name),
            None => channel.name.clone(),
        }
    }

    /// The channel that a declaration has given this name.
    pub fn declared_channel(&self, meaning: &Meaning, owner: Owner, name: &str) -> Option<ChannelName> {
        let declarations = match owner {
            None => &meaning.global_channels,
            Some(pid) => &meaning.proctypes.get(*self.proctypes.get(pid.index())?)?.channels,
        };
        let has_name = |declaration: &&usize| {
            let declared = meaning.channels.get(**declaration);
            declared.is_some_and(|declared| declared.names.iter().any(|other| other == name))
        };
        let declaration = *declarations.iter().find(has_name)?;
        Some(ChannelName { owner, name: name.to_owned(), declaration })
    }

    /// A value of a type as the author would write it.
    pub fn shown(&self, meaning: &Meaning, ty: Type, value: i32) -> String {
        match self.channel(meaning, value).filter(|_| ty == Type::Chan) {
            Some(channel) => self.channel_text(meaning, &channel, None),
            None if ty == Type::Chan && value == 0 => "no channel".to_owned(),
            None => meaning.shown(ty, value),
        }
    }

    /// A message: `vote(0,1)` if it begins with the name of an mtype, else `0,1`.
    pub fn message(&self, meaning: &Meaning, declaration: usize, values: &[i32]) -> String {
        let types = meaning.channels.get(declaration).map_or(&[][..], |channel| &channel.fields);
        let shown = values.iter().enumerate().map(|(n, value)| match types.get(n) {
            Some(ty) => self.shown(meaning, *ty, *value),
            None => value.to_string(),
        });
        let is_kind = matches!((types.first(), values.first()), (Some(Type::Mtype(mtype)), Some(value))
            if meaning.symbol(*mtype, *value).is_some());
        message_text(is_kind, &shown.collect::<Vec<_>>())
    }

    /// The messages of a queue, each as text.
    pub fn messages(&self, meaning: &Meaning, queue: &Queue) -> Vec<String> {
        match queue.declaration {
            Some(declaration) => {
                queue.messages.iter().map(|message| self.message(meaning, declaration, message)).collect()
            }
            None => queue.raw.split(['[', ']']).filter(|part| !part.is_empty()).map(str::to_owned).collect(),
        }
    }
}

/// `vote(0,1)`, `vote` or `0,1`.
pub(crate) fn message_text(is_kind: bool, values: &[String]) -> String {
    match values {
        [kind] if is_kind => kind.clone(),
        [kind, rest @ ..] if is_kind => format!("{kind}({})", rest.join(",")),
        _ => values.join(","),
    }
}

/// The value of an mtype that has no name: one that was not set.
const NO_NAME: &str = "?";

/// Takes the values of a state.
struct Reader<'a> {
    meaning: &'a Meaning,
    scene: &'a mut Scene,
    owner: Owner,
    /// The queues of this owner that were met: they come in the order of their declarations.
    n_queues: usize,
}

impl Reader<'_> {
    fn proctype(&self, owner: Owner) -> Option<usize> {
        self.scene.proctypes.get(owner?.index()).copied()
    }

    /// The declaration and the name of the next queue of an owner.
    fn next_queue(&mut self, owner: Owner) -> Option<(usize, String)> {
        if self.owner != owner {
            (self.owner, self.n_queues) = (owner, 0);
        }
        let mut left = self.n_queues;
        self.n_queues += 1;
        let declarations = match owner {
            None => &self.meaning.global_channels,
            Some(_) => &self.meaning.proctypes.get(self.proctype(owner)?)?.channels,
        };
        for &declaration in declarations {
            let channels = self.meaning.channels.get(declaration)?;
            if channels.capacity == 0 {
                continue;
            }
            if let Some(name) = channels.names.get(left) {
                return Some((declaration, name.clone()));
            }
            left -= channels.names.len();
        }
        None
    }

    fn number(&self, ty: Option<Type>, text: &str) -> Option<i32> {
        match text.parse::<i64>() {
            Ok(number) => Some(number as i32),
            Err(_) => {
                let Some(Type::Mtype(mtype)) = ty else { return None };
                if text == NO_NAME {
                    return Some(0);
                }
                let (_, names) = self.meaning.mtypes.get(mtype)?;
                names.iter().find(|(name, _)| name == text).map(|(_, value)| *value)
            }
        }
    }
}

impl Describe for Reader<'_> {
    fn variable(&mut self, owner: Option<Pid>, name: fmt::Arguments<'_>, value: fmt::Arguments<'_>) {
        let (name, raw) = (name.to_string(), value.to_string());
        let ty = self.meaning.type_of(self.proctype(owner), &name);
        let number = self.number(ty, &raw);
        let text = match (ty, number) {
            (Some(ty), Some(number)) => self.scene.shown(self.meaning, ty, number),
            _ => raw,
        };
        self.scene.set(Value { owner, name, text, number });
    }

    fn channel(&mut self, owner: Option<Pid>, name: fmt::Arguments<'_>, messages: fmt::Arguments<'_>) {
        let raw = messages.to_string();
        let known = self.next_queue(owner);
        let (declaration, name) = match known {
            Some((declaration, name)) => (Some(declaration), name),
            None => (None, name.to_string()),
        };
        let types = declaration.map_or(&[][..], |declaration| &self.meaning.channels[declaration].fields);
        let message = |text: &str| -> Option<Vec<i32>> {
            text.split(',').enumerate().map(|(n, field)| self.number(types.get(n).copied(), field)).collect()
        };
        let inner = raw.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let messages: Option<Vec<Vec<i32>>> =
            inner.map_or(Some(Vec::new()), |inner| inner.split("][").map(message).collect());
        let (declaration, messages) = match (declaration, messages) {
            (Some(declaration), Some(messages)) => (Some(declaration), messages),
            _ => (None, Vec::new()),
        };
        self.scene.queues.push(Queue { owner, name, declaration, messages, raw });
    }
}
