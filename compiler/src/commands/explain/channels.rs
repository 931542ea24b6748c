//! The channels, their messages, and their users.

use std::collections::BTreeSet;

use serde::Serialize;

use super::SourceLine;
use crate::ir::{Graph, Program, visit};
use crate::model::{ChannelRef, ExprKind, Owner, Side, SiteId};
use crate::source::{SourceMap, Span};

/// The channels of one declaration.
#[derive(Serialize)]
pub struct ExplainedChannel {
    pub name: String,
    /// The proctype in which it is declared; each instance has channels of its own.
    pub proctype: Option<String>,
    #[serde(flatten)]
    pub place: SourceLine,
    pub count: u32,
    /// 0: rendezvous.
    pub capacity: u32,
    pub fields: Vec<String>,
    /// Every place that may use such a channel.
    pub senders: Vec<ChannelUser>,
    pub receivers: Vec<ChannelUser>,
    /// Where its length or its messages are asked for: `len(q)`, `q?[m]`.
    pub observers: Vec<ChannelUser>,
}

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChannelUser {
    /// The proctype; nothing for a claim or a formula.
    pub by: Option<String>,
    #[serde(flatten)]
    pub place: SourceLine,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Sends,
    Receives,
    Observes,
}

pub fn channels(program: &Program<'_>, sources: &SourceMap) -> Vec<ExplainedChannel> {
    let model = program.model;
    let uses = uses(program);
    let channel = |id: SiteId| {
        let site = &model.sites[id];
        let owner = model.variables[site.variable].owner;
        let users = |way: Way| {
            let own = uses.iter().filter(|found| found.way == way && found.channel.sites.contains(&id));
            let found =
                own.map(|found| ChannelUser { by: found.by.clone(), place: SourceLine::of(found.span, sources) });
            found.collect::<BTreeSet<ChannelUser>>().into_iter().collect()
        };
        ExplainedChannel {
            name: model.site_name(site, "."),
            proctype: match owner {
                Owner::Proctype(id) => Some(model.proctypes[id].name.to_string()),
                Owner::Global | Owner::Never(_) => None,
            },
            place: SourceLine::of(site.span, sources),
            count: site.count,
            capacity: site.capacity,
            fields: site.fields.iter().map(|ty| model.type_text(*ty)).collect(),
            senders: users(Way::Sends),
            receivers: users(Way::Receives),
            observers: users(Way::Observes),
        }
    };
    model.sites.ids().map(channel).collect()
}

/// A statement or expression that names a channel.
struct ChannelMention<'m> {
    by: Option<String>,
    way: Way,
    channel: &'m ChannelRef,
    span: Span,
}

fn uses<'m>(program: &Program<'m>) -> Vec<ChannelMention<'m>> {
    let mut found = Vec::new();
    for (id, graph) in program.graphs.iter_enumerated() {
        let process = &program.model.proctypes[id];
        let by = Some(process.name.to_string());
        statements(graph, by.as_ref(), &mut found);
        visit::graph_expressions(graph, &mut |expression| {
            found.extend(asked(&expression.kind).map(|channel| observation(by.clone(), channel, expression.span)));
        });
        if let Some(provided) = &process.provided {
            visit::expression(provided, &mut |expression| {
                found.extend(asked(&expression.kind).map(|channel| observation(by.clone(), channel, expression.span)));
            });
        }
    }
    visit::claim_expressions(program, &mut |expression| {
        found.extend(asked(&expression.kind).map(|channel| observation(None, channel, expression.span)));
    });
    found
}

fn statements<'m>(graph: &Graph<'m>, by: Option<&String>, found: &mut Vec<ChannelMention<'m>>) {
    for transition in &graph.transitions {
        if let Some(inner) = transition.action.d_step() {
            statements(inner, by, found);
        }
        if let Some((side, channel)) = transition.action.channel() {
            let way = if side == Side::Send { Way::Sends } else { Way::Receives };
            found.push(ChannelMention { by: by.cloned(), way, channel, span: transition.span });
        }
    }
}

fn asked(kind: &ExprKind) -> Option<&ChannelRef> {
    match kind {
        ExprKind::Probe(_, channel) | ExprKind::Poll { channel, .. } => Some(channel),
        _ => None,
    }
}

fn observation(by: Option<String>, channel: &ChannelRef, span: Span) -> ChannelMention<'_> {
    ChannelMention { by, way: Way::Observes, channel, span }
}
