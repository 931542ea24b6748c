//! Checks that need the whole model: messages against the fields of their channel, `run` against the proctype,
//! rendezvous where none is possible.

use super::channel_types::ChannelTypes;
use super::resolve::Resolved;
use super::statement::Communication;
use super::visit;
use super::{
    ChannelRef, ChannelSite, Expr, ExprKind, Model, Owner, Pattern, Process, RecordId, SiteId, Statement,
    StatementKind, Type, codes,
};
use crate::collections::{IdVec, Lookup};
use crate::diagnostic::{Diagnostic, Diagnostics, Lint};
use crate::source::{SourceMap, Span};

/// A whole record among the arguments of a `run`.
pub(super) struct RecordArgument {
    pub proctype: super::ProctypeId,
    /// How many scalars stand before it.
    pub offset: usize,
    pub record: RecordId,
    pub span: Span,
}

pub(super) fn check(resolved: &Resolved, types: &ChannelTypes, sources: &SourceMap, diagnostics: &mut Diagnostics) {
    let model = &resolved.model;
    let mut check = ArgumentCheck { model, types, symbols: &resolved.symbols, sources, diagnostics };
    for process in model.proctypes.iter().chain(&model.never).chain(model.trace.iter().map(|trace| &trace.process)) {
        check.process(process);
    }
    for argument in &resolved.record_arguments {
        check.record_argument(argument);
    }
    for site in model.sites.iter().filter(|site| matches!(model.variables[site.variable].owner, Owner::Never(_))) {
        let message = "a claim cannot have channels: it can neither send nor receive";
        check.diagnostics.add(Diagnostic::error(codes::CLAIM, site.span, message));
    }
    for claim in &model.never {
        check.claim_size(claim);
    }
    if let Some(first_too_many) = model.proctypes.iter().nth(MOST_PROCTYPES) {
        let message = format!("the model has {} proctypes, and {MOST_PROCTYPES} is the most", model.proctypes.len());
        check.diagnostics.add(Diagnostic::error(codes::LIMIT, first_too_many.span, message));
    }
    let has_rendezvous = model.sites.iter().any(ChannelSite::is_rendezvous);
    visit::each_expr(model, &mut |expr| match &expr.kind {
        ExprKind::Run { proctype, arguments, .. } => check.run(*proctype, arguments, expr.span),
        ExprKind::Poll { channel, pattern, .. } => {
            check.pattern("poll", channel, pattern, expr.span);
            check.polled(channel, expr.span);
        }
        ExprKind::Enabled(_) if has_rendezvous => {
            let message = "`enabled` cannot be used in a model with rendezvous channels";
            check.diagnostics.add(Diagnostic::error(codes::ENABLED, expr.span, message));
        }
        _ => {}
    });
}

/// Gives every poll as many fields as its channel's messages have.
pub(super) fn complete_polls(model: &mut Model) {
    let sizes: IdVec<SiteId, usize> = model.sites.iter().map(|site| site.fields.len()).collect();
    visit::each_expr_mut(model, &mut |expr| {
        if let ExprKind::Poll { channel, pattern, .. } = &mut expr.kind
            && let Some(first) = channel.sites.first()
            && channel.sites.iter().all(|site| sizes[*site] == sizes[*first])
        {
            pattern.resize(sizes[*first], Pattern::Ignore);
        }
    });
}

struct ArgumentCheck<'a> {
    model: &'a Model,
    types: &'a ChannelTypes,
    symbols: &'a Lookup<Span, ()>,
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
}

/// One field of a message, as it is written.
enum Given<'a> {
    Value(&'a Expr),
    Variable(Type, Span),
    Anything,
}

impl Given<'_> {
    fn span(&self) -> Option<Span> {
        match self {
            Self::Value(expr) => Some(expr.span),
            Self::Variable(_, span) => Some(*span),
            Self::Anything => None,
        }
    }
}

/// Verifiers number proctypes in 16 bits.
const MOST_PROCTYPES: usize = 1 << 16;

/// Verifiers number the moves of a claim in 16 bits; an `if` or `do` counts, too, to be on the safe side.
const MOST_CLAIM_STATEMENTS: usize = 60_000;

impl ArgumentCheck<'_> {
    fn claim_size(&mut self, claim: &Process) {
        let mut n_statements = 0;
        visit::each_statement(&claim.body, &mut |_| n_statements += 1);
        if n_statements > MOST_CLAIM_STATEMENTS {
            let message = format!("this claim has {n_statements} statements, and {MOST_CLAIM_STATEMENTS} is the most");
            self.diagnostics.add(Diagnostic::error(codes::LIMIT, claim.span, message));
        }
    }

    fn process(&mut self, process: &Process) {
        visit::each_statement(&process.body, &mut |statement| {
            match statement.kind.communication() {
                Some(Communication::Send { channel, message }) => {
                    let given: Vec<Given<'_>> = message.iter().map(Given::Value).collect();
                    self.message("send", channel, &given, statement.span);
                }
                Some(Communication::Receive { channel, pattern }) => {
                    self.pattern("receive", channel, pattern, statement.span);
                }
                Some(Communication::Event { channel, pattern }) => {
                    self.pattern("event", channel, pattern, statement.span);
                }
                None => {}
            }
            if let StatementKind::DStep(body) = &statement.kind {
                self.d_step(body);
            }
        });
    }

    fn pattern(&mut self, what: &str, channel: &ChannelRef, pattern: &[Pattern], span: Span) {
        let given: Vec<Given<'_>> = pattern
            .iter()
            .map(|part| match part {
                Pattern::Store(place) => Given::Variable(place.ty, place.span),
                Pattern::Equal(value) => Given::Value(value),
                Pattern::Ignore => Given::Anything,
            })
            .collect();
        self.message(what, channel, &given, span);
    }

    /// A poll whose every channel is a rendezvous is a fault wherever it is executed.
    fn polled(&mut self, channel: &ChannelRef, span: Span) {
        let is_rendezvous = |site: &SiteId| self.model.sites[*site].is_rendezvous();
        let Some(first) = channel.sites.first() else { return };
        if channel.sites.iter().all(is_rendezvous) {
            let name = self.sources.text(channel.place.span);
            let message =
                format!("`{name}` is a rendezvous channel, which never holds a message: to poll it is a fault");
            let warning = Diagnostic::warning(Lint::PollRendezvous, span, message)
                .label(self.model.sites[*first].span, "a capacity of 0")
                .help("give the channel a capacity of at least 1, or receive without asking");
            self.diagnostics.add(warning);
        }
    }

    fn message(&mut self, what: &str, channel: &ChannelRef, given: &[Given<'_>], span: Span) {
        let name = self.sources.text(channel.place.span);
        let sites = &channel.sites;
        if sites.is_empty() {
            if !self.types.is_stored_in(&channel.place) {
                self.no_channel(what, channel, name, span);
            }
            return;
        }
        // Fields that a poll leaves out match anything.
        let is_poll = what == "poll";
        let fits = |site: &SiteId| {
            let n_fields = self.model.sites[*site].fields.len();
            n_fields == given.len() || (is_poll && n_fields > given.len())
        };
        let fitting: Vec<&ChannelSite> =
            sites.iter().filter(|site| fits(site)).map(|id| &self.model.sites[*id]).collect();
        if let Some(other) = sites.iter().find(|site| !fits(site)) {
            let diagnostic = self.wrong_shape(what, name, &self.model.sites[*other], given, span, fitting.is_empty());
            self.diagnostics.add(diagnostic);
        }
        for (number, part) in given.iter().enumerate() {
            let wanted = fitting.iter().map(|site| site.fields[number]);
            let n_channels = wanted.clone().filter(|ty| *ty == Type::Chan).count();
            if fitting.is_empty() || (n_channels != 0 && n_channels != fitting.len()) {
                continue;
            }
            self.field(part, fitting[0].fields[number]);
        }
    }

    /// Spin detects this at run time, unless the model has no channel at all.
    fn no_channel(&mut self, what: &str, channel: &ChannelRef, name: &str, span: Span) {
        let message = format!("`{name}` is never given a channel");
        let diagnostic = if what == "send" && self.model.sites.is_empty() {
            Diagnostic::error(codes::NO_CHANNEL, span, message)
        } else {
            Diagnostic::warning(Lint::UnsetChannel, span, message)
        };
        let diagnostic = diagnostic
            .label(self.model.variables[channel.place.variable].span, "declared without one")
            .help(format!("declare it as `chan {name} = [1] of {{ byte }}`, or assign a channel to it"));
        self.diagnostics.add(diagnostic);
    }

    fn wrong_shape(
        &self,
        what: &str,
        name: &str,
        site: &ChannelSite,
        given: &[Given<'_>],
        span: Span,
        is_error: bool,
    ) -> Diagnostic {
        let (n_given, n_wanted) = (given.len(), site.fields.len());
        // A record was spread: its fields have one span.
        let spread = given.windows(2).find(|pair| pair[0].span().is_some() && pair[0].span() == pair[1].span());
        let span = spread.and_then(|pair| pair[0].span()).unwrap_or(span);
        let fields = plural(n_given, "field");
        let diagnostic = if is_error {
            let message = format!("this {what} has {fields}, but `{name}` carries {n_wanted}");
            Diagnostic::error(codes::MESSAGE_SHAPE, span, message)
        } else {
            let other = &self.model.variables[site.variable].name;
            let message = format!("this {what} has {fields}, but `{name}` may be `{other}`, which carries {n_wanted}");
            Diagnostic::warning(Lint::ChannelType, span, message)
        };
        diagnostic.here(fields).label(site.span, format!("{} declared here", plural(n_wanted, "field")))
    }

    /// One field against its type.
    fn field(&mut self, given: &Given<'_>, wanted: Type) {
        match given {
            Given::Anything => {}
            Given::Variable(ty, span) => {
                if (*ty == Type::Chan) != (wanted == Type::Chan) {
                    let message = if *ty == Type::Chan {
                        "a channel variable for a field that is a number"
                    } else {
                        "a number variable for a field that is a channel"
                    };
                    self.diagnostics.add(Diagnostic::warning(Lint::ChannelAsNumber, *span, message));
                }
            }
            Given::Value(expr) => self.stored(expr, wanted),
        }
    }

    /// A value that is stored in a field or a parameter.
    fn stored(&mut self, expr: &Expr, wanted: Type) {
        let diagnostic = match (expr.as_constant(), wanted == Type::Chan, is_channel(expr)) {
            (Some(0), true, _) => return,
            (Some(_), true, _) if self.symbols.contains(&expr.span) => {
                Diagnostic::warning(Lint::ChannelAsNumber, expr.span, "the name of an mtype where a channel is wanted")
            }
            (Some(_), true, _) => {
                Diagnostic::error(codes::CHANNEL_VALUE, expr.span, "a number where a channel is wanted")
            }
            (Some(value), false, _) if wanted.truncate(value) != value => {
                let kept = wanted.truncate(value);
                let message = format!("{value} does not fit in its field; {kept} will arrive");
                Diagnostic::warning(Lint::Truncation, expr.span, message)
            }
            (None, true, false) => {
                Diagnostic::warning(Lint::ChannelAsNumber, expr.span, "a number where a channel is wanted")
            }
            (None, false, true) => {
                Diagnostic::warning(Lint::ChannelAsNumber, expr.span, "a channel where a number is wanted")
            }
            _ => return,
        };
        self.diagnostics.add(diagnostic);
    }

    fn run(&mut self, proctype: super::ProctypeId, arguments: &[Expr], span: Span) {
        let Some(process) = self.model.proctypes.get(proctype) else { return };
        let mut wanted = Vec::new();
        for parameter in &process.parameters {
            scalars(self.model, self.model.variables[*parameter].ty, &mut wanted);
        }
        if wanted.len() != arguments.len() {
            let message =
                format!("`{}` takes {}, but gets {}", process.name, plural(wanted.len(), "argument"), arguments.len());
            let declared = format!("{} declared here", plural(process.parameters.len(), "parameter"));
            self.diagnostics.add(Diagnostic::error(codes::ARGUMENTS, span, message).label(process.span, declared));
            return;
        }
        for (argument, ty) in arguments.iter().zip(wanted) {
            self.stored(argument, ty);
        }
    }

    fn record_argument(&mut self, argument: &RecordArgument) {
        let Some(process) = self.model.proctypes.get(argument.proctype) else { return };
        let mut offset = 0;
        for parameter in &process.parameters {
            let variable = &self.model.variables[*parameter];
            if offset == argument.offset && variable.ty == Type::Record(argument.record) {
                return;
            }
            let mut types = Vec::new();
            scalars(self.model, variable.ty, &mut types);
            offset += types.len();
        }
        let record = &self.model.records[argument.record].name;
        let message = format!("a whole `{record}` is passed, but `{}` has no such parameter there", process.name);
        let error = Diagnostic::error(codes::ARGUMENTS, argument.span, message).label(process.span, "declared here");
        self.diagnostics.add(error);
    }

    /// A rendezvous needs two processes, and a `d_step` keeps the other one from moving.
    fn d_step(&mut self, body: &[Statement]) {
        let first = body.first().map(|statement| statement.span);
        visit::each_statement(body, &mut |statement| {
            if let StatementKind::Send { channel, .. } = &statement.kind
                && !channel.sites.is_empty()
                && channel.sites.iter().all(|site| self.model.sites[*site].is_rendezvous())
                && Some(statement.span) != first
            {
                let message = "a rendezvous cannot take place within a `d_step`";
                let error = Diagnostic::error(codes::RENDEZVOUS, statement.span, message)
                    .help("use `atomic`, which may be left and entered again");
                self.diagnostics.add(error);
            }
        });
    }
}

fn scalars(model: &Model, ty: Type, out: &mut Vec<Type>) {
    match ty {
        Type::Record(record) => {
            for field in &model.records[record].fields {
                for _ in 0..field.length.unwrap_or(1) {
                    scalars(model, field.ty, out);
                }
            }
        }
        scalar => out.push(scalar),
    }
}

fn is_channel(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Read(place) => place.ty == Type::Chan,
        ExprKind::RemoteVariable { place, .. } => place.ty == Type::Chan,
        ExprKind::Conditional(_, yes, no) => is_channel(yes) || is_channel(no),
        _ => false,
    }
}

fn plural(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}
