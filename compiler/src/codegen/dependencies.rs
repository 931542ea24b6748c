//! For each process the code that tells how safe it is where it stands, and what
//! would disturb it there.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::expr::Scope;
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

/// A table or code that some actors of a proctype share.
pub(super) struct Shared {
    /// Nothing if all processes of the proctype are meant.
    pub pids: Option<Vec<u32>>,
    pub body: Body,
}

/// The body of a function or a table, and whether it can fail.
#[derive(Clone)]
pub(super) struct Body {
    pub tokens: TokenStream,
    can_fail: bool,
}

impl Generator<'_> {
    /// What is made for the actors of a proctype, the same for those for which the same holds.
    pub(super) fn shared(&self, id: ProctypeId, make: impl Fn(ActorId) -> Body) -> Vec<Shared> {
        let actors = &self.facts.reduction.actors;
        let mut shared: Vec<(String, Shared)> = Vec::new();
        for actor in &actors.of[id] {
            let pid = actors.list[*actor].pid;
            let body = make(*actor);
            let text = body.tokens.to_string();
            match shared.iter_mut().find(|(other, _)| *other == text) {
                Some((_, same)) => same.pids.iter_mut().for_each(|pids| pids.extend(pid)),
                None => shared.push((text, Shared { pids: Some(pid.into_iter().collect()), body })),
            }
        }
        if let [(_, only)] = &mut shared[..] {
            only.pids = None;
        }
        shared.into_iter().map(|(_, one)| one).collect()
    }

    pub(super) fn level_code(&self, id: ProctypeId, actor: ActorId) -> Body {
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
        let conditions_of = safety.iter().flat_map(|location| &location.conditions);
        let can_fail = conditions_of.map(|condition| hinders(&context, condition)).any(|test| test.effects().can_fail);
        let of_location = quote! { level(LEVELS[at as usize], table, counts_pids) };
        let level = match (conditions.is_empty(), can_fail) {
            (true, _) => of_location,
            (false, false) => quote! { let mut level = #of_location; #conditions level },
            (false, true) => quote! { let mut level = #of_location; #conditions Ok(level) },
        };
        let tokens = quote! {
            const LEVELS: [[u8; 4]; #n] = [#(#rows),*];
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
        let call = quote! { #function(now, me, locals.at(), table, counts_pids) };
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
        let words = words.into_iter().enumerate().map(|(number, bits)| self.facet_word(number, bits));
        quote! { [#(#words),*] }
    }

    pub(super) fn future_rows(&self, id: ProctypeId, actor: ActorId) -> Body {
        let Some(stubborn) = &self.facts.reduction.stubborn else {
            return Body { tokens: TokenStream::new(), can_fail: false };
        };
        let rows = stubborn.future[actor].iter().map(|bit_set| self.words(bit_set));
        let (n, n_words) = (count(self.program.graphs[id].locations.len()), count(self.n_words()));
        Body { tokens: quote! { [[u64; #n_words]; #n] = [#(#rows),*] }, can_fail: false }
    }

    pub(super) fn dependency_code(&self, id: ProctypeId, actor: ActorId) -> Body {
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
        let tokens: TokenStream = [self.add(&always), code].into_iter().collect();
        // A guard that can fail is not even asked where nothing would be added.
        let can_fail = effects.can_fail && !tokens.is_empty();
        Some(Body { tokens, can_fail })
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
        let call = quote! { #function(now, me, locals.at(), bit_set) };
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
            let own = test.effects();
            test.add_effects(effects);
            Asked { holds: scope.truth(test), fails: scope.falsehood(test), can_fail: own.can_fail }
        };
        let mut tests: Vec<(Asked, &ClassSet)> = Vec::new();
        match (&step.guards[..], action) {
            ([Guard::Room { channel, bit_set }], Action::Send { .. }) if !self.loses_messages => {
                tests.push((asked(&context.probe(Probe::Full, channel)), bit_set));
            }
            ([Guard::Message { channel, empty, other }], Action::Receive { random, pattern, .. }) => {
                tests.push((asked(&context.probe(Probe::Empty, channel)), empty));
                tests.push((asked(&context.poll(channel, *random, pattern).negated()), other));
            }
            ([Guard::Youngest { bit_set }], Action::End) => {
                let (holds, fails) = (quote! { !now.is_youngest(me) }, quote! { now.is_youngest(me) });
                tests.push((Asked { holds, fails, can_fail: false }, bit_set));
            }
            (guards, Action::Condition(condition)) if guards.iter().all(is_condition) && !changes_state(condition) => {
                for (part, guard) in conjuncts(condition).into_iter().zip(guards) {
                    if let Guard::Condition { bit_set, .. } = guard {
                        tests.push((asked(&context.test(part).negated()), bit_set));
                    }
                }
            }
            (
                _,
                Action::Condition(_)
                | Action::Else
                | Action::Jump
                | Action::Assign { .. }
                | Action::Send { .. }
                | Action::Receive { .. }
                | Action::Assert(_)
                | Action::Print(_)
                | Action::Event { .. }
                | Action::DStep(_)
                | Action::End,
            ) => {}
        }
        let is_same = |(_, bit_set): &(Asked, &ClassSet)| **bit_set == step.enabled;
        if tests.is_empty() || tests.iter().all(is_same) {
            // Whether it can be taken is not known here, or makes no difference.
            always.add_all(&step.enabled);
            if tests.is_empty() {
                always.add_all(&step.disabled);
            }
            return TokenStream::new();
        }
        // A last test that makes no difference is not asked, unless asking it may be a fault.
        while tests.last().is_some_and(|test| is_same(test) && !test.0.can_fail) {
            tests.pop();
        }
        let enabled = self.add(&step.enabled);
        if let [(asked, bit_set)] = &tests[..]
            && bit_set.is_empty()
        {
            let fails = &asked.fails;
            return quote! { if #fails { #enabled } };
        }
        let tests = tests.iter().map(|(Asked { holds, .. }, bit_set)| {
            let add = self.add(bit_set);
            quote! { if #holds { #add } }
        });
        let otherwise = (!enabled.is_empty()).then(|| quote! { else { #enabled } });
        quote! { #(#tests) else * #otherwise }
    }
}

/// The table, and an entry of it.
pub(super) fn future_table(name: &str, whom: &str, rows: &TokenStream) -> (TokenStream, TokenStream) {
    let table = format_ident!("{}_FUTURE", name.to_uppercase());
    let title = doc(&format!(" What {whom} may still do, by location."));
    (quote! { #title static #table: #rows; }, quote! { &#table[locals.at() as usize] })
}

/// A question about a state: code for its two answers.
struct Asked {
    holds: TokenStream,
    fails: TokenStream,
    /// Asking it may be a fault.
    can_fail: bool,
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
