//! The names of processes, objects and statements in reports.

use crate::analysis::Reduction;
use crate::analysis::actors::ActorId;
use crate::analysis::channels::ChannelId;
use crate::analysis::objects::{Object, scalar_name};
use crate::diagnostic::excerpt::harmless_text;
use crate::ir::{Action, Program, Transition};
use crate::model::Side;
use crate::source::{SourceMap, Span};

/// Characters of a statement that are shown.
const LONGEST_STATEMENT: usize = 40;

pub struct FactNames<'a, 'm> {
    pub program: &'a Program<'m>,
    pub reduction: &'a Reduction,
    pub sources: &'a SourceMap,
}

impl FactNames<'_, '_> {
    /// `Node 3`, or `Node` if there is only one, or for all processes of the proctype.
    pub fn actor(&self, id: ActorId) -> String {
        let actor = &self.reduction.actors.list[id];
        let name = &self.program.model.proctypes[actor.proctype].name;
        match actor.pid {
            Some(pid) if self.reduction.actors.of[actor.proctype].len() > 1 => format!("{name} {pid}"),
            _ => name.to_string(),
        }
    }

    /// `q[2]`, or `out of Stage`.
    pub fn channel(&self, id: ChannelId) -> String {
        let model = self.program.model;
        let channel = &self.reduction.channels.list[id];
        let site = &model.sites[channel.site];
        let mut name = model.site_name(site, ".");
        if let Some(element) = channel.element.filter(|_| site.count > 1) {
            name = format!("{name}[{element}]");
        }
        match channel.owner {
            Some(owner) => format!("`{name}` of {}", self.actor(owner)),
            None => format!("`{name}`"),
        }
    }

    pub fn object(&self, object: Object) -> String {
        let model = self.program.model;
        match object {
            Object::Global { variable, scalar } => format!("`{}`", scalar_name(model, variable, scalar)),
            Object::Local { actor, variable } => {
                format!("`{}` of {}", model.variables[variable].name, self.actor(actor))
            }
            Object::Sending(channel) => format!("the sending side of {}", self.channel(channel)),
            Object::Receiving(channel) => format!("the receiving side of {}", self.channel(channel)),
            Object::Handshake(channel) => format!("the handshake on {}", self.channel(channel)),
            Object::Ready(channel) => format!("whether a partner is ready on {}", self.channel(channel)),
            Object::At { .. } => "where the process stands".to_owned(),
            Object::ProcessTable => "which processes there are".to_owned(),
        }
    }

    /// The author's text, on one line and not too long.
    pub fn statement(&self, transition: &Transition<'_>) -> String {
        let text = self.text(transition.span);
        match transition.action {
            Action::Else => "else".to_owned(),
            Action::End => "(end)".to_owned(),
            Action::Jump if !text.starts_with("goto") && !text.starts_with("break") => "(on)".to_owned(),
            Action::Condition(_)
            | Action::Jump
            | Action::Assign { .. }
            | Action::Send { .. }
            | Action::Receive { .. }
            | Action::Assert(_)
            | Action::Print(_)
            | Action::Event { .. }
            | Action::DStep(_) => text,
        }
    }

    pub fn text(&self, span: Span) -> String {
        excerpt(self.sources, span)
    }

    pub fn line(&self, span: Span) -> u32 {
        self.sources.presumed(span).1
    }
}

/// The author's text, on one line and not too long.
pub fn excerpt(sources: &SourceMap, span: Span) -> String {
    let text = sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = harmless_text(&text);
    match text.char_indices().nth(LONGEST_STATEMENT) {
        Some((end, _)) => format!("{} ...", text[..end].trim_end()),
        None => text,
    }
}

pub fn promise(side: Side) -> &'static str {
    match side {
        Side::Receive => "xr",
        Side::Send => "xs",
    }
}

/// `a`, `a and b`, `a, b and c`
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}
