//! What the analyses found out about which processes disturb each other, as
//! tables and as code that looks at a state.
//!
//! Processes of one proctype for which the same holds share tables and code; the
//! others are told apart by their pid.

use proc_macro2::{Delimiter, Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::Generator;
use super::expr::Scope;
use super::names::{bare, count, doc, visible};
use super::statement::changes_state;
use crate::analysis::actors::ActorId;
use crate::analysis::channels::ChannelId;
use crate::analysis::facets::{Facet, Row};
use crate::analysis::objects::{Object, scalar_name};
use crate::analysis::safe::{Condition, UNSAFE};
use crate::analysis::stubborn::{Guard, StepRelations};
use crate::analysis::visibility::{Obstacle, ObstacleCause, Property, PropertyKind};
use crate::collections::Id;
use crate::ir::{Action, LocationId};
use crate::model::{BinaryOp, ChannelRef, Expr, ExprKind, Probe, ProctypeId, Side};

/// Tables and code that some actors of a proctype share.
struct Variant {
    /// Nothing if all processes of the proctype are meant.
    pids: Option<Vec<u32>>,
    code: Code,
}

/// What is generated for one actor, without the names of functions and tables.
#[derive(Clone)]
struct Code {
    levels: Body,
    /// Rows, by location.
    future: TokenStream,
    disturbers: Body,
}

/// The body of a function, and whether it can fail.
#[derive(Clone)]
struct Body {
    tokens: TokenStream,
    can_fail: bool,
}

impl Code {
    fn is_same(&self, other: &Self) -> bool {
        let text = |code: &Self| [&code.levels.tokens, &code.future, &code.disturbers.tokens].map(ToString::to_string);
        text(self) == text(other)
    }
}

impl Generator<'_> {
    /// Whether there is anything to say: no reduction, no file.
    pub fn has_independence(&self) -> bool {
        self.independence_is_off().is_none()
    }

    /// Why every interleaving has to be explored.
    pub fn independence_is_off(&self) -> Option<&'static str> {
        if self.facts.reduction.is_off() {
            return Some("the model looks at how processes are scheduled (priorities, _last, enabled, pc_value, np_)");
        }
        if self.program.model.trace.is_some() {
            return Some("the model has a trace, to which the order of sends and receives matters");
        }
        None
    }

    /// Whether the state must be able to tell whether a channel found by its number is full or empty.
    pub fn independence_probes(&self, is_by_number: impl Fn(&ChannelRef) -> bool) -> bool {
        if !self.has_independence() {
            return false;
        }
        let reduction = &self.facts.reduction;
        let conditions = reduction.safety.locations.iter().flatten().flat_map(|location| &location.conditions);
        let steps = reduction.stubborn.iter().flat_map(|stubborn| stubborn.steps.iter().flatten().flatten());
        let guards = steps.flat_map(|step| &step.guards).filter_map(|guard| match guard {
            Guard::Room { channel, .. } | Guard::Message { channel, .. } => Some(channel),
            Guard::Condition { .. } | Guard::Partner { .. } | Guard::Youngest { .. } => None,
        });
        conditions.map(|condition| &condition.channel).chain(guards).any(is_by_number)
    }

    /// Everything in `independence.rs`.
    pub fn independence(&self) -> TokenStream {
        let info = self.reduction_info();
        let mut parts = TokenStream::new();
        let (mut levels, mut futures, mut disturbers) = (Vec::new(), Vec::new(), Vec::new());
        for id in self.program.model.proctypes.ids() {
            let (mut level_calls, mut future_rows, mut disturber_calls) = (Vec::new(), Vec::new(), Vec::new());
            for (number, variant) in self.variants(id).into_iter().enumerate() {
                let name = bare(&self.names.proctypes[id].module);
                let name = if number == 0 { name } else { format!("{name}_{}", number + 1) };
                let whom = self.whom(id, variant.pids.as_deref());
                let (code, call) = self.level_function(id, &name, &whom, &variant.code.levels);
                parts.extend(code);
                level_calls.push((variant.pids.clone(), call));
                if self.facts.reduction.stubborn.is_some() {
                    let (code, row) = future_table(&name, &whom, &variant.code.future);
                    parts.extend(code);
                    future_rows.push((variant.pids.clone(), row));
                    let (code, call) = self.disturber_function(id, &name, &whom, &variant.code.disturbers);
                    parts.extend(code);
                    disturber_calls.push((variant.pids, call));
                }
            }
            // A proctype that nobody starts has no actors.
            levels.push((id, by_pid(&level_calls).unwrap_or(quote! { NEVER })));
            futures.push((id, by_pid(&future_rows).unwrap_or(quote! { &[] })));
            disturbers.push((id, by_pid(&disturber_calls).unwrap_or(quote! { row.fill(u64::MAX) })));
        }
        let dispatch = |calls: &[(ProctypeId, TokenStream)]| {
            self.each_kind(&quote! { &now.processes[me] }, |id, _| {
                calls.iter().find(|(of, _)| *of == id).map_or_else(TokenStream::new, |(_, call)| call.clone())
            })
        };
        let level = dispatch(&levels);
        let facet_functions = self.facts.reduction.stubborn.is_some().then(|| {
            let (future, disturber) = (dispatch(&futures), dispatch(&disturbers));
            quote! {
                /// What process `me`, and processes that it starts, may do from now on.
                pub fn future(now: &State, me: Pid) -> &'static [u64] {
                    #future
                }

                /// Adds what would disturb process `me` in this state.
                pub fn add_disturbers(now: &State, me: Pid, row: &mut [u64]) {
                    #disturber
                }
            }
        });
        let body = quote! {
            #info

            /// The least level at which nobody outside its cluster disturbs process `me` where it stands.
            pub fn safe_level(now: &State, me: Pid, table: Table, counts_pids: bool) -> u8 {
                #level
            }

            #facet_functions
            #parts
        };
        let imports = self.imports(&body);
        quote! { #imports #body }
    }

    /// The heading of the file names the facets, from the lowest bit on.
    pub fn independence_heading(&self) -> String {
        let Some(stubborn) = &self.facts.reduction.stubborn else { return INDEPENDENCE_HEADING.to_owned() };
        let names: Vec<String> = stubborn.facets.list.iter().map(|facet| self.facet_name(*facet)).collect();
        if names.is_empty() || names.len() > 64 {
            return INDEPENDENCE_HEADING.to_owned();
        }
        format!("{INDEPENDENCE_HEADING}\n\nThe facets, from the lowest bit on: {}.", names.join(", "))
    }

    fn facet_name(&self, facet: Facet) -> String {
        let object = |id| self.object_name(self.facts.reduction.uses.objects.list[id]);
        let channel = |id| self.channel_name(id);
        match facet {
            Facet::Reads(id) => format!("reads {}", object(id)),
            Facet::Writes(id) => format!("writes {}", object(id)),
            Facet::Sends(id, None) => format!("sends to {}", channel(id)),
            Facet::Sends(id, Some(value)) => format!("sends {value} to {}", channel(id)),
            Facet::Receives(id) => format!("receives from {}", channel(id)),
            Facet::NeedsRoom(id) => format!("needs room in {}", channel(id)),
            Facet::NeedsMessage(id) => format!("needs a message in {}", channel(id)),
            Facet::Changes(id) => format!("changes {}", channel(id)),
            Facet::Looks(id) => format!("looks at {}", channel(id)),
            Facet::TestsMessage(id) => format!("tests that {} is empty", channel(id)),
            Facet::TestsRoom(id) => format!("tests that {} is full", channel(id)),
            Facet::TestsReady(id) => format!("tests that nobody is ready on {}", channel(id)),
            Facet::Starts => "starts a process".to_owned(),
            Facet::Ends => "ends".to_owned(),
        }
    }

    fn channel_name(&self, id: ChannelId) -> String {
        let model = self.program.model;
        let channel = &self.facts.reduction.channels.list[id];
        let name = model.site_name(&model.sites[channel.site], ".");
        visible(&match channel.element {
            Some(element) if model.sites[channel.site].count > 1 => format!("{name}[{element}]"),
            _ => name,
        })
    }

    fn object_name(&self, object: Object) -> String {
        let model = self.program.model;
        match object {
            Object::Global { variable, scalar } => visible(&scalar_name(model, variable, scalar)),
            Object::Local { variable, .. } => visible(&model.variables[variable].name),
            Object::Sending(id) | Object::Receiving(id) | Object::Handshake(id) | Object::Ready(id) => {
                self.channel_name(id)
            }
            Object::At { .. } => "where a process stands".to_owned(),
            Object::ProcessTable => "the table of processes".to_owned(),
        }
    }

    fn reduction_info(&self) -> TokenStream {
        let reduction = &self.facts.reduction;
        let n_words = count(self.n_words());
        let levels = reduction.clusters.levels.iter().skip(1).map(|level| {
            // By their highest pid, the highest first; processes of a class have the highest pids there are.
            let mut blocks: Vec<_> = level.blocks.iter().collect();
            let highest = |block: &&crate::analysis::sets::Set<ActorId>| {
                block.iter().map(|actor| reduction.actors.list[actor].pid.unwrap_or(u32::MAX)).max()
            };
            blocks.sort_by_key(|block| std::cmp::Reverse(highest(block)));
            let blocks = blocks.into_iter().map(|block| {
                let mut words = [0_u64; 4];
                let mut proctypes = Vec::new();
                for actor in block.iter().map(|actor| &reduction.actors.list[actor]) {
                    match actor.pid {
                        Some(pid) => {
                            if let Some(word) = words.get_mut(pid as usize / 64) {
                                *word |= 1 << (pid % 64);
                            }
                        }
                        None => proctypes.push(Literal::u32_unsuffixed(actor.proctype.0)),
                    }
                }
                let words = words.map(word);
                quote! { Cluster { pids: PidSet::from_words([#(#words),*]), proctypes: &[#(#proctypes),*] } }
            });
            quote! { &[#(#blocks),*] }
        });
        let init = self
            .program
            .model
            .proctypes
            .ids()
            .find(|id| self.program.model.proctypes[*id].kind == crate::model::ProcessKind::Init);
        let is_beginning = |id: ProctypeId, at: LocationId| {
            Some(id) == init && self.facts.instances.is_beginning.get(at) == Some(&true)
        };
        let beginning = self.location_set(is_beginning);
        let sticky = self.location_set(|id, at| reduction.sticky[id][at]);
        let observed = reduction.processes.pids_are_observed.is_some();
        let may_look = self.location_set(|id, at| observed && reduction.processes.may_look[id][at]);
        let property = |kind: PropertyKind| reduction.properties.iter().find(|property| property.kind == kind);
        let never = (0..self.program.model.never.len()).map(|n| self.watched(property(PropertyKind::Never(n))));
        let formulas = (0..self.program.model.formulas.len()).map(|n| self.watched(property(PropertyKind::Ltl(n))));
        let claims = never.chain(formulas);
        let acceptance = match property(PropertyKind::Acceptance) {
            // Nobody has such a label.
            None => quote! { Notices::NOTHING },
            some => self.watched(some),
        };
        let progress = self.watched(property(PropertyKind::NonProgress));
        quote! {
            /// What holds whatever the state is.
            pub static INFO: ReductionInfo = ReductionInfo {
                off: None,
                n_words: #n_words,
                levels: &[#(#levels),*],
                beginning: #beginning,
                sticky: #sticky,
                pids_are_observed: #observed,
                may_look: #may_look,
                claims: &[#(#claims),*],
                acceptance: #acceptance,
                progress: #progress,
            };
        }
    }

    fn watched(&self, property: Option<&Property>) -> TokenStream {
        let Some(property) = property else {
            return quote! { Notices { visible: &[], off: Some("nothing is known about what it can notice") } };
        };
        let actors = &self.facts.reduction.actors;
        let visible = self.location_set(|id, at| actors.of[id].iter().any(|actor| property.visible[*actor][at]));
        match property.obstacles.first() {
            None => quote! { Notices { visible: #visible, off: None } },
            Some(Obstacle { cause, .. }) => {
                let reason = match cause {
                    ObstacleCause::Scheduling => "the claim looks at how processes are scheduled",
                    ObstacleCause::Next => "the formula has an X, so that it can tell how often a state is repeated",
                    ObstacleCause::NotStutterClosed => "the claim may notice when a state is repeated",
                    ObstacleCause::TooManyConditions => "the claim has too many conditions to find out what it notices",
                    ObstacleCause::Untested => "it is not known whether the claim notices when a state is repeated",
                };
                quote! { Notices { visible: #visible, off: Some(#reason) } }
            }
        }
    }

    /// Locations as a set of bits, by their number among those of all proctypes.
    fn location_set(&self, is_in: impl Fn(ProctypeId, LocationId) -> bool) -> TokenStream {
        let mut words: Vec<u64> = Vec::new();
        for (id, graph) in self.program.graphs.iter_enumerated() {
            let first = self.first_location(id) as usize;
            for at in graph.locations.ids().filter(|at| is_in(id, *at)) {
                let number = first + at.index();
                words.resize(words.len().max(number / 64 + 1), 0);
                words[number / 64] |= 1 << (number % 64);
            }
        }
        let words = words.into_iter().map(word);
        quote! { &[#(#words),*] }
    }

    fn variants(&self, id: ProctypeId) -> Vec<Variant> {
        let actors = &self.facts.reduction.actors;
        let mut variants: Vec<Variant> = Vec::new();
        for actor in &actors.of[id] {
            let pid = actors.list[*actor].pid;
            let code = Code {
                levels: self.level_code(id, *actor),
                future: self.future_rows(id, *actor),
                disturbers: self.disturber_code(id, *actor),
            };
            match variants.iter_mut().find(|variant| variant.code.is_same(&code)) {
                Some(variant) => variant.pids.iter_mut().for_each(|pids| pids.extend(pid)),
                None => variants.push(Variant { pids: Some(pid.into_iter().collect()), code }),
            }
        }
        if let [only] = &mut variants[..] {
            only.pids = None;
        }
        variants
    }

    fn level_code(&self, id: ProctypeId, actor: ActorId) -> Body {
        let safety = &self.facts.reduction.safety.locations[actor];
        let number = |level: u8| match level {
            UNSAFE => quote! { NEVER },
            level => {
                let level = Literal::u8_unsuffixed(level);
                quote! { #level }
            }
        };
        let n = count(safety.len());
        let rows = safety.iter().map(|location| {
            let levels = [location.plain, location.fair, location.plain_if_youngest, location.fair_if_youngest];
            let levels = levels.map(number);
            quote! { [#(#levels),*] }
        });
        let scope = Scope::new(self, Some(id), "now");
        let conditions = self.arms(id, safety.iter(), |_, location| {
            let tests = location.conditions.iter().map(|condition| {
                let is_not = hinders(&scope, condition);
                let below = number(condition.below);
                quote! { if #is_not { level = level.max(#below); } }
            });
            let mut tests: Vec<TokenStream> = tests.collect();
            tests.dedup_by_key(|test| test.to_string());
            (!tests.is_empty()).then(|| tests.into_iter().collect())
        });
        let mutable = (!conditions.is_empty()).then(|| quote! { mut });
        let can_fail = scope.can_fail.get();
        let level = if can_fail {
            quote! { Ok(level) }
        } else {
            quote! { level }
        };
        let tokens = quote! {
            const LEVELS: [[u8; 4]; #n] = [#(#rows),*];
            let #mutable level = level(LEVELS[at as usize], table, counts_pids);
            #conditions
            #level
        };
        Body { tokens, can_fail }
    }

    /// The function, and a call of it.
    fn level_function(&self, id: ProctypeId, name: &str, whom: &str, body: &Body) -> (TokenStream, TokenStream) {
        let function = format_ident!("{name}_level");
        let module = &self.names.proctypes[id].module;
        let call = quote! { #function(now, me, locals.at, table, counts_pids) };
        let (result, call) = match body.can_fail {
            false => (quote! { u8 }, call),
            true => (quote! { Result<u8, Fault> }, quote! { #call.unwrap_or(NEVER) }),
        };
        let tokens = &body.tokens;
        let (now, me) = (used("now", tokens), used("me", tokens));
        let title = doc(&format!(" How safe {whom} is where it stands."));
        let code = quote! {
            #title
            fn #function(
                #now: &State, #me: Pid, at: #module::Location, table: Table, counts_pids: bool
            ) -> #result {
                #tokens
            }
        };
        (code, call)
    }

    fn whom(&self, id: ProctypeId, pids: Option<&[u32]>) -> String {
        let name = visible(&self.program.model.proctypes[id].name);
        match pids {
            None => format!("`{name}`"),
            Some(pids) => {
                let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
                format!("`{name}` number {}", pids.join(", "))
            }
        }
    }

    /// `match at { ... }` over the locations for which there is code.
    fn arms<T>(
        &self,
        id: ProctypeId,
        of: impl Iterator<Item = T>,
        code: impl Fn(LocationId, T) -> Option<TokenStream>,
    ) -> TokenStream {
        let names = &self.names.proctypes[id];
        let module = &names.module;
        let mut arms: Vec<(Vec<&Ident>, TokenStream)> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        for ((at, name), one) in names.graph.locations.iter_enumerated().zip(of) {
            let Some(code) = code(at, one) else { continue };
            let text = code.to_string();
            match texts.iter().position(|other| *other == text) {
                Some(same) => arms[same].0.push(name),
                None => {
                    arms.push((vec![name], code));
                    texts.push(text);
                }
            }
        }
        if arms.is_empty() {
            return TokenStream::new();
        }
        let n_named: usize = arms.iter().map(|(names, _)| names.len()).sum();
        let rest = (n_named < names.graph.locations.len()).then(|| quote! { _ => {} });
        let arms = arms.iter().map(|(names, code)| quote! { #(#module::Location::#names)|* => { #code } });
        quote! { match at { #(#arms)* #rest } }
    }

    /// There is at least one word in a row, unless there are no rows.
    fn n_words(&self) -> usize {
        self.facts.reduction.stubborn.as_ref().map_or(0, |stubborn| stubborn.n_words().max(1))
    }

    fn words(&self, row: &Row) -> TokenStream {
        let mut words = row.words().to_vec();
        words.resize(self.n_words(), 0);
        let words = words.into_iter().map(word);
        quote! { [#(#words),*] }
    }

    fn future_rows(&self, id: ProctypeId, actor: ActorId) -> TokenStream {
        let Some(stubborn) = &self.facts.reduction.stubborn else { return TokenStream::new() };
        let rows = stubborn.future[actor].iter().map(|row| self.words(row));
        let (n, n_words) = (count(self.program.graphs[id].locations.len()), count(self.n_words()));
        quote! { [[u64; #n_words]; #n] = [#(#rows),*] }
    }

    fn disturber_code(&self, id: ProctypeId, actor: ActorId) -> Body {
        let Some(stubborn) = &self.facts.reduction.stubborn else {
            return Body { tokens: TokenStream::new(), can_fail: false };
        };
        let scope = Scope::new(self, Some(id), "now");
        let graph = &self.program.graphs[id];
        let tokens = self.arms(id, stubborn.locations[actor].iter(), |at, relations| {
            if relations.is_everything {
                return Some(quote! { row.fill(u64::MAX) });
            }
            let mut always = relations.always.clone();
            let mut code = TokenStream::new();
            let location = &graph.locations[at];
            let leaving = location.escapes.iter().flatten().chain(&location.leaving);
            for number in leaving.filter(|_| !relations.is_whole) {
                if let Some(step) = &stubborn.steps[actor][*number] {
                    code.extend(self.step_disturbers(&scope, &graph.transitions[*number].action, step, &mut always));
                }
            }
            let code = [self.add(&always), code].into_iter().collect::<TokenStream>();
            (!code.is_empty()).then_some(code)
        });
        Body { tokens, can_fail: scope.can_fail.get() }
    }

    /// The function, and a call of it.
    fn disturber_function(&self, id: ProctypeId, name: &str, whom: &str, body: &Body) -> (TokenStream, TokenStream) {
        let function = format_ident!("{name}_disturbers");
        let module = &self.names.proctypes[id].module;
        let call = quote! { #function(now, me, locals.at, row) };
        let (result, end, call) = match body.can_fail {
            false => (TokenStream::new(), TokenStream::new(), call),
            true => {
                let call = quote! { if #call.is_err() { row.fill(u64::MAX) } };
                (quote! { -> Result<(), Fault> }, quote! { Ok(()) }, call)
            }
        };
        let arms = &body.tokens;
        let (now, me, row, at) = (used("now", arms), used("me", arms), used("row", arms), used("at", arms));
        let title = doc(&format!(" What would disturb {whom} in this state."));
        let code = quote! {
            #title
            fn #function(#now: &State, #me: Pid, #at: #module::Location, #row: &mut [u64]) #result {
                #arms
                #end
            }
        };
        (code, call)
    }

    fn add(&self, row: &Row) -> TokenStream {
        if row.is_empty() {
            return TokenStream::new();
        }
        let row = self.words(row);
        quote! { add(row, &#row); }
    }

    /// What would disturb one step. What does not depend on the state goes to `always`.
    fn step_disturbers(
        &self,
        scope: &Scope<'_, '_>,
        action: &Action<'_>,
        step: &StepRelations,
        always: &mut Row,
    ) -> TokenStream {
        let enabled = self.add(&step.enabled);
        let mut tests: Vec<(TokenStream, TokenStream)> = Vec::new();
        match (&step.guards[..], action) {
            ([Guard::Room { channel, row }], Action::Send { .. }) if !self.loses_messages => {
                tests.push((probe(scope, Probe::Full, channel), self.add(row)));
            }
            ([Guard::Message { channel, empty, other }], Action::Receive { random, pattern, .. }) => {
                tests.push((probe(scope, Probe::Empty, channel), self.add(empty)));
                let fits = scope.poll(channel, *random, pattern);
                tests.push((quote! { !#fits }, self.add(other)));
            }
            ([Guard::Youngest { row }], Action::End) => {
                tests.push((quote! { me.index() + 1 < now.processes.len() }, self.add(row)));
            }
            (guards, Action::Condition(condition)) if guards.iter().all(is_condition) && !changes_state(condition) => {
                for (part, guard) in conjuncts(condition).into_iter().zip(guards) {
                    if let Guard::Condition { row, .. } = guard {
                        tests.push((scope.falsehood(part), self.add(row)));
                    }
                }
            }
            _ => {}
        }
        let is_same = |(_, add): &(TokenStream, TokenStream)| add.to_string() == enabled.to_string();
        if tests.is_empty() || tests.iter().all(is_same) {
            // Whether it can be taken is not known here, or makes no difference.
            always.add_all(&step.enabled);
            if tests.is_empty() {
                always.add_all(&step.disabled);
            }
            return TokenStream::new();
        }
        let tests = tests.iter().map(|(test, add)| quote! { if #test { #add } else });
        quote! { #(#tests)* { #enabled } }
    }
}

/// The table, and a row of it.
fn future_table(name: &str, whom: &str, rows: &TokenStream) -> (TokenStream, TokenStream) {
    let table = format_ident!("{}_FUTURE", name.to_uppercase());
    let title = doc(&format!(" What {whom} may still do, by location."));
    (quote! { #title static #table: #rows; }, quote! { &#table[locals.at as usize] })
}

fn is_condition(guard: &Guard) -> bool {
    matches!(guard, Guard::Condition { .. })
}

/// The operands of the outermost `&&`, from the left.
fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        _ => vec![condition],
    }
}

/// Whether a channel is full or empty in a way that lets the other side matter.
fn hinders(scope: &Scope<'_, '_>, condition: &Condition) -> TokenStream {
    let ask = |what: Probe| probe(scope, what, &condition.channel);
    let (first, second) = match condition.side {
        Side::Send => (ask(Probe::Full), ask(Probe::Empty)),
        Side::Receive => (ask(Probe::Empty), ask(Probe::Full)),
    };
    if condition.is_strict {
        quote! { #first || #second }
    } else {
        quote! { #first || table == Table::Fair && #second }
    }
}

/// Whether a channel is full or empty, without the parentheses that a larger expression would need.
fn probe(scope: &Scope<'_, '_>, probe: Probe, channel: &ChannelRef) -> TokenStream {
    let code = scope.is_probe(probe, channel).map(|code| code.tokens).unwrap_or_default();
    let mut tokens = code.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Parenthesis => group.stream(),
        _ => code,
    }
}

/// Small numbers are easier to read as such; others are sets of bits.
fn word(word: u64) -> Literal {
    let text = if word < 10 { word.to_string() } else { format!("{word:#x}") };
    text.parse().unwrap_or_else(|_| Literal::u64_unsuffixed(word))
}

/// The name of a parameter, with an underscore if the code does not mention it.
fn used(name: &str, code: &TokenStream) -> Ident {
    if super::transition::mentions(code, name) { format_ident!("{name}") } else { format_ident!("_{name}") }
}

/// `match me.0 { ... }` if several kinds of processes are told apart.
fn by_pid(arms: &[(Option<Vec<u32>>, TokenStream)]) -> Option<TokenStream> {
    match arms {
        [] => None,
        [(None, only)] => Some(only.clone()),
        [rest @ .., (_, last)] => {
            let arms = rest.iter().map(|(pids, code)| {
                let pids = pids.iter().flatten().map(|pid| Literal::u32_unsuffixed(*pid));
                quote! { #(#pids)|* => #code, }
            });
            Some(quote! { match me.0 { #(#arms)* _ => #last } })
        }
    }
}

const INDEPENDENCE_HEADING: &str = "Which processes disturb each other: what the analyses found, for the reductions.

The level of a process says how large a cluster of processes must be so that
nobody outside disturbs what the process does where it stands. Facets are bits,
one for each way in which a process can disturb another.";
