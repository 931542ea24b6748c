//! One statement in words: what it reads, sends and receives, and why it fails.

use super::apply::Actor;
use super::evaluate::View;
use super::meaning::{Action, Statement};
use super::scene::Scene;
use super::{Kind, Message, Step};

fn kind(action: &Action) -> Kind {
    match action {
        Action::Condition(_) => Kind::Condition,
        Action::Else => Kind::Else,
        Action::Jump => Kind::Jump,
        Action::Assign { .. } => Kind::Assign,
        Action::Send { .. } => Kind::Send,
        Action::Receive { .. } => Kind::Receive,
        Action::Assert(_) => Kind::Assert,
        Action::Print(_) => Kind::Print,
        Action::DStep { .. } => Kind::DStep,
        Action::End => Kind::End,
        Action::Other => Kind::Other,
    }
}

/// Fills in the text of a statement, as it is written and with the values that it uses.
fn describe_text(view: View<'_>, statement: &Statement, step: &mut Step) {
    step.end = statement.end;
    step.atomic = statement.keeps_control;
    step.folded = statement.of_loop.is_some() || matches!(statement.action, Action::Jump);
    if let Some(text) = &statement.of_loop {
        step.text.clone_from(text);
    } else if statement.is_expanded
        && let Some(text) = view.statement(&statement.action)
    {
        step.text = text;
    }
    let now = View { is_concrete: true, ..view };
    step.shown = match statement.is_expanded && statement.of_loop.is_none() {
        true => now.statement(&statement.action).unwrap_or_else(|| step.text.clone()),
        false => step.text.clone(),
    };
}

/// Fills in what a statement reads, sends and receives.
pub(super) fn describe(
    actor: &Actor<'_>,
    scene: &Scene,
    statement: &Statement,
    offered: Option<&[i32]>,
    step: &mut Step,
) {
    let view = actor.view(scene);
    describe_text(view, statement, step);
    step.kind = kind(&statement.action);
    match &statement.action {
        Action::Condition(expr) | Action::Assert(expr) | Action::Assign { value: expr, .. } => {
            view.reads(expr, &mut step.reads);
        }
        Action::Print(values) => values.iter().for_each(|value| view.reads(value, &mut step.reads)),
        Action::Send { channel, sorted, message } => {
            if let Some((channel, values)) = view.sent(channel, message) {
                let op = if *sorted { "!!" } else { "!" };
                let is_rendezvous = actor.meaning.channels[channel.declaration].capacity == 0;
                let text = scene.message(actor.meaning, channel.declaration, &values);
                let name = view.channel_text(&channel);
                step.shown = format!("{name}{op}{text}");
                step.message = Some(told(actor, scene, (&name, channel.declaration), &values, (true, is_rendezvous)));
            }
        }
        Action::Receive { channel, random, peek, pattern } => {
            let Some(channel) = view.channel(channel) else { return };
            let taken = match offered {
                Some(offered) => Some(offered.to_vec()),
                None => {
                    let position = actor.found(scene, &channel, pattern, *random).flatten();
                    position.and_then(|position| scene.queue_of(&channel)?.messages.get(position).cloned())
                }
            };
            if let Some(values) = taken {
                let op = if *random { "??" } else { "?" };
                let text = scene.message(actor.meaning, channel.declaration, &values);
                let text = if *peek { format!("<{text}>") } else { text };
                let name = view.channel_text(&channel);
                step.shown = format!("{name}{op}{text}");
                let about = (name.as_str(), channel.declaration);
                step.message = Some(told(actor, scene, about, &values, (false, offered.is_some())));
            }
        }
        Action::Else | Action::Jump | Action::DStep { .. } | Action::End | Action::Other => {}
    }
}

fn told(
    actor: &Actor<'_>,
    scene: &Scene,
    (channel, declaration): (&str, usize),
    values: &[i32],
    (is_sent, is_rendezvous): (bool, bool),
) -> Message {
    let types = &actor.meaning.channels[declaration].fields;
    let mut shown: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(n, value)| types.get(n).map_or_else(|| value.to_string(), |ty| scene.shown(actor.meaning, *ty, *value)))
        .collect();
    let is_kind = matches!((types.first(), values.first()), (Some(super::meaning::Type::Mtype(mtype)), Some(value))
        if actor.meaning.symbol(*mtype, *value).is_some());
    let kind = is_kind.then(|| shown.remove(0));
    Message { channel: channel.to_owned(), kind, values: shown, is_sent, is_rendezvous }
}

/// Why a statement violates something: its assertion with values, or the index or the divisor of a fault.
pub(super) fn explain(actor: &Actor<'_>, scene: &Scene, action: &Action) -> Vec<String> {
    let view = actor.view(scene);
    let places = |place: &super::meaning::Place| view.mistake_in_place(place);
    let mistake = match action {
        Action::Assert(condition) => match view.mistake(condition) {
            Some(mistake) => Some(mistake),
            None => return view.why_not(condition, true),
        },
        Action::Condition(expr) => view.mistake(expr),
        Action::Assign { target, value } => view.mistake(value).or_else(|| target.as_ref().and_then(places)),
        Action::Send { channel, message, .. } => {
            places(channel).or_else(|| message.iter().find_map(|value| view.mistake(value)))
        }
        Action::Receive { channel, pattern, .. } => places(channel).or_else(|| {
            pattern.iter().find_map(|field| match field {
                super::meaning::Pattern::Store(place) => places(place),
                super::meaning::Pattern::Equal(value) => view.mistake(value),
                super::meaning::Pattern::Ignore => None,
            })
        }),
        Action::Print(values) => values.iter().find_map(|value| view.mistake(value)),
        Action::Else | Action::Jump | Action::DStep { .. } | Action::End | Action::Other => None,
    };
    mistake.map(|mistake| mistake.explanation()).into_iter().collect()
}
