//! For each process the code that tells how safe it is where it stands, and what
//! would disturb it there.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::expr::Scope;
use super::independence::word;
use super::names::{count, doc, visible};
use crate::analysis::actors::ActorId;
use crate::analysis::dependency_classes::ClassSet;
use crate::analysis::parts::{ProcessPart, Split};
use crate::analysis::safe::{Condition, UNSAFE};
use crate::analysis::stubborn::{Guard, StepRelations};
use crate::exec::Test;
use crate::exec::build::{Context, changes_state};
use crate::exec::effects::{Effects, Executable};
use crate::ir::{Action, LocationId};
use crate::model::{BinaryOp, Expr, ExprKind, Probe, ProctypeId, Side};

/// Tables and code that some actors of a proctype share.
pub(super) struct Variant {
    /// Nothing if all processes of the proctype are meant.
    pub pids: Option<Vec<u32>>,
    pub code: Code,
}

/// What is generated for one actor, without the names of functions and tables.
#[derive(Clone)]
pub(super) struct Code {
    pub levels: Body,
    /// Rows, by location.
    pub future: TokenStream,
    pub dependencies: Body,
}

/// The body of a function, and whether it can fail.
#[derive(Clone)]
pub(super) struct Body {
    tokens: TokenStream,
    can_fail: bool,
}

impl Code {
    fn is_same(&self, other: &Self) -> bool {
        let text =
            |code: &Self| [&code.levels.tokens, &code.future, &code.dependencies.tokens].map(ToString::to_string);
        text(self) == text(other)
    }
}

impl Generator<'_> {
    pub(super) fn variants(&self, id: ProctypeId) -> Vec<Variant> {
        let actors = &self.facts.reduction.actors;
        let mut variants: Vec<Variant> = Vec::new();
        for actor in &actors.of[id] {
            let pid = actors.list[*actor].pid;
            let code = Code {
                levels: self.level_code(id, *actor),
                future: self.future_rows(id, *actor),
                dependencies: self.dependency_code(id, *actor),
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
        let (scope, context) = (Scope::new(self, Some(id), "now"), self.context(Some(id)));
        let conditions = self.arms(id, safety.iter(), |_, location| {
            let tests = location.conditions.iter().map(|condition| {
                let is_not = scope.truth(&hinders(&context, condition));
                let below = number(condition.below);
                quote! { if #is_not { level = level.max(#below); } }
            });
            let mut tests: Vec<TokenStream> = tests.collect();
            tests.dedup_by_key(|test| test.to_string());
            (!tests.is_empty()).then(|| tests.into_iter().collect())
        });
        let mutable = (!conditions.is_empty()).then(|| quote! { mut });
        let conditions_of = safety.iter().flat_map(|location| &location.conditions);
        let can_fail = conditions_of.map(|condition| hinders(&context, condition)).any(|test| test.effects().can_fail);
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
    pub(super) fn level_function(
        &self,
        id: ProctypeId,
        name: &str,
        whom: &str,
        body: &Body,
    ) -> (TokenStream, TokenStream) {
        let function = format_ident!("{name}_level");
        let module = &self.names.proctypes[id].module;
        let at = self.at(&quote! { locals });
        let call = quote! { #function(now, me, #at, table, counts_pids) };
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

    pub(super) fn whom(&self, id: ProctypeId, pids: Option<&[u32]>) -> String {
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
        mut code: impl FnMut(LocationId, T) -> Option<TokenStream>,
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

    /// There is at least one word in a bit set, unless there are no classes.
    pub(super) fn n_words(&self) -> usize {
        self.facts.reduction.stubborn.as_ref().map_or(0, |stubborn| stubborn.n_words().max(1))
    }

    fn words(&self, bit_set: &ClassSet) -> TokenStream {
        let mut words = bit_set.words().to_vec();
        words.resize(self.n_words(), 0);
        let words = words.into_iter().map(word);
        quote! { [#(#words),*] }
    }

    fn future_rows(&self, id: ProctypeId, actor: ActorId) -> TokenStream {
        let Some(stubborn) = &self.facts.reduction.stubborn else { return TokenStream::new() };
        let rows = stubborn.future[actor].iter().map(|bit_set| self.words(bit_set));
        let (n, n_words) = (count(self.program.graphs[id].locations.len()), count(self.n_words()));
        quote! { [[u64; #n_words]; #n] = [#(#rows),*] }
    }

    fn dependency_code(&self, id: ProctypeId, actor: ActorId) -> Body {
        let Some(stubborn) = &self.facts.reduction.stubborn else {
            return Body { tokens: TokenStream::new(), can_fail: false };
        };
        let mut effects = Effects::default();
        let graph = &self.program.graphs[id];
        let tokens = self.arms(id, stubborn.locations[actor].iter(), |at, relations| {
            if relations.is_everything {
                return Some(quote! { bit_set.fill(u64::MAX) });
            }
            let mut always = relations.always.clone();
            let mut code = TokenStream::new();
            let location = &graph.locations[at];
            let leaving = location.escapes.iter().flatten().chain(&location.leaving);
            for number in leaving.filter(|_| !relations.is_whole) {
                if let Some(step) = &stubborn.steps[actor][*number] {
                    let action = &graph.transitions[*number].action;
                    code.extend(self.step_disturbers(id, action, step, &mut always, &mut effects));
                }
            }
            let code = [self.add(&always), code].into_iter().collect::<TokenStream>();
            (!code.is_empty()).then_some(code)
        });
        Body { tokens, can_fail: effects.can_fail }
    }

    /// What would disturb a part of a process that falls into parts: code that may look at `now` and `me`.
    fn part_dependencies(&self, split: &Split, part: &ProcessPart) -> Option<Body> {
        let stubborn = self.facts.reduction.stubborn.as_ref()?;
        let id = self.facts.reduction.actors.list[split.actor].proctype;
        let mut effects = Effects::default();
        let mut always = stubborn.locations[split.actor][split.at].always.clone();
        let mut code = TokenStream::new();
        for number in &part.transitions {
            if let Some(step) = &stubborn.steps[split.actor][*number] {
                let action = &self.program.graphs[id].transitions[*number].action;
                code.extend(self.step_disturbers(id, action, step, &mut always, &mut effects));
            }
        }
        let tokens = [self.add(&always), code].into_iter().collect();
        Some(Body { tokens, can_fail: effects.can_fail })
    }

    /// `add_part_dependencies`, if some process falls into parts.
    pub(super) fn part_function(&self) -> Option<TokenStream> {
        let splits = &self.facts.reduction.stubborn.as_ref()?.splits;
        let mut arms = TokenStream::new();
        let mut number = 0;
        for split in splits {
            let me = Literal::u32_unsuffixed(split.pid);
            for part in &split.parts {
                let Body { tokens, can_fail } = self.part_dependencies(split, part)?;
                let n = Literal::u32_unsuffixed(number);
                number += 1;
                let me = super::words::mentions(&tokens, "me").then(|| quote! { let me = Pid(#me); });
                arms.extend(match can_fail {
                    false => quote! { #n => { #me #tokens } },
                    true => quote! {
                        #n => {
                            let mut add_all = || -> Result<(), Fault> { #me #tokens Ok(()) };
                            if add_all().is_err() { bit_set.fill(u64::MAX); }
                        }
                    },
                });
            }
        }
        let now = used("now", &arms);
        (number > 0).then(|| {
            quote! {
                /// Adds what would disturb one part of a process that falls into parts, by its number in `INFO`.
                pub fn add_part_dependencies(#now: &State, part: u32, bit_set: &mut [u64]) {
                    match part {
                        #arms
                        _ => bit_set.fill(u64::MAX),
                    }
                }
            }
        })
    }

    /// Which processes fall into parts, and where.
    pub(super) fn split_table(&self) -> TokenStream {
        let Some(stubborn) = &self.facts.reduction.stubborn else { return quote! { &[] } };
        let mut first = 0;
        let splits = stubborn.splits.iter().map(|split| {
            let id = self.facts.reduction.actors.list[split.actor].proctype;
            let parts = split.parts.iter().map(|part| {
                let transitions = part.transitions.iter().map(|number| {
                    let number = Literal::u32_unsuffixed(self.transition_number(id, *number));
                    quote! { TransitionId(#number) }
                });
                let future = self.words(&part.future);
                quote! { ProcessPart { transitions: &[#(#transitions),*], future: &#future } }
            });
            let (pid, at) = (Literal::u32_unsuffixed(split.pid), self.first_location(id) + split.at.0);
            let (at, number) = (Literal::u32_unsuffixed(at), Literal::u32_unsuffixed(first));
            first += u32::try_from(split.parts.len()).expect("a process has few parts");
            quote! { Split { pid: Pid(#pid), location: #at, first: #number, parts: &[#(#parts),*] } }
        });
        quote! { &[#(#splits),*] }
    }

    /// The function, and a call of it.
    pub(super) fn dependency_function(
        &self,
        id: ProctypeId,
        name: &str,
        whom: &str,
        body: &Body,
    ) -> (TokenStream, TokenStream) {
        let function = format_ident!("{name}_disturbers");
        let module = &self.names.proctypes[id].module;
        let at = self.at(&quote! { locals });
        let call = quote! { #function(now, me, #at, bit_set) };
        let (result, end, call) = match body.can_fail {
            false => (TokenStream::new(), TokenStream::new(), call),
            true => {
                let call = quote! { if #call.is_err() { bit_set.fill(u64::MAX) } };
                (quote! { -> Result<(), Fault> }, quote! { Ok(()) }, call)
            }
        };
        let arms = &body.tokens;
        let (now, me, bit_set, at) = (used("now", arms), used("me", arms), used("bit_set", arms), used("at", arms));
        let title = doc(&format!(" What would disturb {whom} in this state."));
        let code = quote! {
            #title
            fn #function(#now: &State, #me: Pid, #at: #module::Location, #bit_set: &mut [u64]) #result {
                #arms
                #end
            }
        };
        (code, call)
    }

    fn add(&self, bit_set: &ClassSet) -> TokenStream {
        if bit_set.is_empty() {
            return TokenStream::new();
        }
        let bit_set = self.words(bit_set);
        quote! { add(bit_set, &#bit_set); }
    }

    /// What would disturb one step. What does not depend on the state goes to `always`.
    fn step_disturbers(
        &self,
        id: ProctypeId,
        action: &Action<'_>,
        step: &StepRelations,
        always: &mut ClassSet,
        effects: &mut Effects,
    ) -> TokenStream {
        let (scope, context) = (Scope::new(self, Some(id), "now"), self.context(Some(id)));
        let mut asked = |test: &Test| {
            test.add_effects(effects);
            scope.truth(test)
        };
        let enabled = self.add(&step.enabled);
        let mut tests: Vec<(TokenStream, TokenStream)> = Vec::new();
        match (&step.guards[..], action) {
            ([Guard::Room { channel, bit_set }], Action::Send { .. }) if !self.loses_messages => {
                tests.push((asked(&context.probe(Probe::Full, channel)), self.add(bit_set)));
            }
            ([Guard::Message { channel, empty, other }], Action::Receive { random, pattern, .. }) => {
                tests.push((asked(&context.probe(Probe::Empty, channel)), self.add(empty)));
                tests.push((asked(&context.poll(channel, *random, pattern).negated()), self.add(other)));
            }
            ([Guard::Youngest { bit_set }], Action::End) => {
                let n_processes = self.n_processes(&quote! { now });
                tests.push((quote! { me.index() + 1 < #n_processes }, self.add(bit_set)));
            }
            (guards, Action::Condition(condition)) if guards.iter().all(is_condition) && !changes_state(condition) => {
                for (part, guard) in conjuncts(condition).into_iter().zip(guards) {
                    if let Guard::Condition { bit_set, .. } = guard {
                        tests.push((asked(&context.test(part).negated()), self.add(bit_set)));
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

/// The table, and an entry of it.
pub(super) fn future_table(name: &str, whom: &str, rows: &TokenStream, at: &TokenStream) -> (TokenStream, TokenStream) {
    let table = format_ident!("{}_FUTURE", name.to_uppercase());
    let title = doc(&format!(" What {whom} may still do, by location."));
    (quote! { #title static #table: #rows; }, quote! { &#table[#at as usize] })
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

/// Whether a channel is full or empty, so that a step waits for the other side.
fn hinders(context: &Context<'_>, condition: &Condition) -> Test {
    match condition.side {
        Side::Send => context.probe(Probe::Full, &condition.channel),
        Side::Receive => context.probe(Probe::Empty, &condition.channel),
    }
}

/// The name of a parameter, with an underscore if the code does not mention it.
fn used(name: &str, code: &TokenStream) -> Ident {
    if super::words::mentions(code, name) { format_ident!("{name}") } else { format_ident!("_{name}") }
}
