//! Variables, channels and proctypes that nothing uses; channels that are only
//! written or only read.

use super::processes;
use crate::collections::IdVec;
use crate::diagnostic::{Diagnostic, Diagnostics, Lint};
use crate::model::statement::{Communication, stored_places};
use crate::model::visit;
use crate::model::{
    ChannelRef, Expr, ExprKind, Model, Origin, Owner, Pattern, Place, ProcessKind, ProctypeId, SiteId, StatementKind,
    Type, VariableId,
};

pub(super) fn lint(model: &Model, read_early: &[VariableId], diagnostics: &mut Diagnostics) {
    let mut usage = Usage::of(model);
    for id in read_early {
        usage.is_used[*id] = true;
    }
    usage.variables(model, diagnostics);
    usage.proctypes(model, diagnostics);
    usage.channels(model, diagnostics);
}

struct Usage {
    is_used: IdVec<VariableId, bool>,
    is_run: IdVec<ProctypeId, bool>,
    is_sent_to: IdVec<SiteId, bool>,
    is_received_from: IdVec<SiteId, bool>,
}

impl Usage {
    fn of(model: &Model) -> Self {
        let mut usage = Self {
            is_used: model.variables.iter().map(|_| false).collect(),
            is_run: model.proctypes.iter().map(|_| false).collect(),
            is_sent_to: model.sites.iter().map(|_| false).collect(),
            is_received_from: model.sites.iter().map(|_| false).collect(),
        };
        for id in &model.initial {
            usage.is_run[*id] = true;
        }
        for process in processes(model) {
            for (_, channel) in &process.exclusive {
                usage.place(&channel.place);
            }
            visit::each_statement(&process.body, &mut |statement| usage.statement(model, &statement.kind));
        }
        visit::each_expr(model, &mut |expr| usage.expr(expr));
        usage
    }

    fn place(&mut self, place: &Place) {
        self.is_used[place.variable] = true;
    }

    fn pattern(&mut self, pattern: &[Pattern]) {
        stored_places(pattern).for_each(|place| self.place(place));
    }

    fn statement(&mut self, model: &Model, kind: &StatementKind) {
        // A declaration that is a step is no use of its variable.
        for place in kind.assigned_places() {
            if place.span != model.variables[place.variable].span {
                self.place(place);
            }
        }
        match kind.communication() {
            Some(Communication::Send { channel, .. }) => {
                self.place(&channel.place);
                mark(&mut self.is_sent_to, channel);
            }
            Some(Communication::Receive { channel, pattern }) => {
                self.place(&channel.place);
                mark(&mut self.is_received_from, channel);
                self.pattern(pattern);
            }
            Some(Communication::Event { channel, pattern }) => {
                self.place(&channel.place);
                self.pattern(pattern);
            }
            None => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Read(place) => self.place(place),
            ExprKind::RemoteVariable { place, .. } => self.place(place),
            ExprKind::Probe(_, channel) => self.place(&channel.place),
            ExprKind::Poll { channel, pattern, .. } => {
                self.place(&channel.place);
                mark(&mut self.is_received_from, channel);
                self.pattern(pattern);
            }
            ExprKind::Run { proctype, .. } => self.is_run[*proctype] = true,
            _ => {}
        }
    }

    fn variables(&self, model: &Model, diagnostics: &mut Diagnostics) {
        for (id, variable) in model.variables.iter_enumerated() {
            if self.is_used[id] || variable.origin == Origin::Synthetic || variable.name.starts_with('_') {
                continue;
            }
            let (lint, what) = match (variable.ty, variable.origin) {
                (Type::Chan, Origin::Declared) => (Lint::UnusedChannel, "channel"),
                (_, Origin::Parameter) => (Lint::UnusedVariable, "parameter"),
                _ => (Lint::UnusedVariable, "variable"),
            };
            let message = format!("{what} `{}` is never used", variable.name);
            diagnostics.add(Diagnostic::warning(lint, variable.span, message));
        }
    }

    fn proctypes(&self, model: &Model, diagnostics: &mut Diagnostics) {
        for (id, process) in model.proctypes.iter_enumerated() {
            if !self.is_run[id] && process.kind == ProcessKind::Proctype {
                let message = format!("proctype `{}` is never run", process.name);
                let warning = Diagnostic::warning(Lint::UnusedProctype, process.span, message)
                    .help(format!("start it with `run {}(...)`, or put `active` in front of it", process.name));
                diagnostics.add(warning);
            }
        }
    }

    fn channels(&self, model: &Model, diagnostics: &mut Diagnostics) {
        for (id, site) in model.sites.iter_enumerated() {
            let variable = &model.variables[site.variable];
            // The uses of channels in a process that never runs do not count.
            let is_live = match variable.owner {
                Owner::Proctype(owner) => self.is_run[owner],
                Owner::Global | Owner::Never(_) => true,
            };
            if !is_live || !site.path.is_empty() {
                continue;
            }
            let (lint, message) = match (self.is_sent_to[id], self.is_received_from[id]) {
                (true, false) => {
                    (Lint::ChannelNeverRead, format!("channel `{}` is sent to but never received from", variable.name))
                }
                (false, true) => (
                    Lint::ChannelNeverWritten,
                    format!("channel `{}` is received from but never sent to", variable.name),
                ),
                _ => continue,
            };
            diagnostics.add(Diagnostic::warning(lint, variable.span, message));
        }
    }
}

fn mark(flags: &mut IdVec<SiteId, bool>, channel: &ChannelRef) {
    for site in &channel.sites {
        flags[*site] = true;
    }
}
