//! A `d_step`: many statements, one transition.
//!
//! Its inside is cut into parts, each a function: a part begins where control
//! can come from several places, and holds the statements that follow in a row,
//! up to a limit that keeps functions small. A loop goes from part to part until
//! the `d_step` is through.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::Lifetime;

use super::names::{GraphNames, count};
use super::statement::Code;
use super::transition::{Call, Functions, Kind, Place, number_field, parameter};
use super::words::mentions;
use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, TransitionId};

/// More statements than this are not put in one function.
const LONGEST_ROW: usize = 24;

/// A `d_step` while its functions are made.
struct Inside<'p, 'm> {
    graph: &'p Graph<'m>,
    names: &'p GraphNames,
    /// The whole.
    function: Ident,
    /// The number of the part that starts at a location.
    part_of: IdVec<LocationId, Option<u32>>,
}

impl Place<'_, '_> {
    pub fn d_step(&self, id: TransitionId, graph: &Graph<'_>) -> Functions {
        let names = &self.names().transitions[id];
        let (Some(inner), whole) = (names.inner.as_deref(), &names.function) else {
            unreachable!("names were made for the inside of every d_step")
        };
        let inside = Inside { graph, names: inner, function: whole.clone(), part_of: self.parts(graph) };
        let mut tokens = TokenStream::new();
        let mut bodies: Vec<(u32, TokenStream, TokenStream)> = Vec::new();
        let mut uses_timeout = false;
        for location in graph.locations.ids() {
            if let Some(number) = inside.part_of[location] {
                let doc = self.generator.names.source_line(graph.locations[location].span);
                bodies.push((number, doc, self.part(&inside, location, &mut uses_timeout)));
            }
        }
        bodies.sort_by_key(|(number, ..)| *number);
        let uses_me = bodies.iter().any(|(_, _, body)| mentions(body, "me"));
        let signature = Signature { uses_me, uses_timeout };

        let take = self.take_d_step(id, &inside, &signature);
        tokens.extend(take.0);
        let answer = self.answer_d_step(id, &inside, &signature);
        let answer = answer.map(|(function, call)| {
            tokens.extend(function);
            call
        });
        tokens.extend(self.run_d_step(&inside, bodies, &signature));
        Functions { tokens, take: vec![take.1], answer }
    }

    fn take_d_step(&self, id: TransitionId, inside: &Inside<'_, '_>, signature: &Signature) -> (TokenStream, Call) {
        let names = &self.names().transitions[id];
        let function = &names.function;
        let doc = self.generator.names.source_line(self.graph().transitions[id].span);
        let run = format_ident!("{}_run", inside.function);
        let (merged, arrive) = (self.merged(id), self.arrive(id, false));
        let arguments = signature.arguments();
        let timeout = signature.uses_timeout.then(|| quote! { timeout: bool, });
        let me = self.process.map(|_| quote! { me: Pid, });
        let start = count(inside.start() as usize);
        let tokens = quote! {
            #doc
            fn #function(now: &State, #me #timeout d_step: &mut DStep) -> Result<Option<State>, Fault> {
                let mut next = now.clone();
                if !#run(&mut next, #arguments Flow::To(#start), d_step)? {
                    return Ok(None);
                }
                #merged
                #arrive
                Ok(Some(next))
            }
        };
        let call = Call {
            kind: Kind::DStep,
            function: function.clone(),
            transition: names.constant.clone(),
            merged: names.merged.clone(),
            uses_timeout: signature.uses_timeout,
        };
        (tokens, call)
    }

    /// A `d_step` that begins by receiving in a rendezvous.
    fn answer_d_step(
        &self,
        id: TransitionId,
        inside: &Inside<'_, '_>,
        signature: &Signature,
    ) -> Option<(TokenStream, Call)> {
        let names = &self.names().transitions[id];
        let name = format_ident!("{}_answer", names.function);
        let run = format_ident!("{}_run", inside.function);
        let doc = self.generator.names.source_line(self.graph().transitions[id].span);
        let arrive = self.arrive(id, true);
        let mut arguments = signature.arguments();
        if signature.uses_timeout {
            let me = signature.uses_me.then(|| quote! { me, });
            arguments = quote! { #me false, };
        }
        let scope = self.scope("now");
        let attempts: Vec<TokenStream> = inside.graph.locations[inside.graph.start]
            .leaving
            .iter()
            .filter_map(|first| {
                let transition = &inside.graph.transitions[*first];
                let Action::Receive { channel, pattern, .. } = &transition.action else { return None };
                if !scope.access(channel).has_rendezvous() {
                    return None;
                }
                let label = label(&inside.names.transitions[*first].function);
                let matching = self.matching(&scope, channel, pattern, &quote! { break #label; });
                let stores = scope.stores(pattern, None, &number_field);
                let observe = self.generator.observe_handshake(channel);
                let inner = &inside.names.transitions[*first].constant;
                let flow = inside.flow(transition.to);
                Some(quote! {
                    #label: {
                        #matching
                        let mut next = now.clone();
                        d_step.reach(#inner)?;
                        #observe
                        #stores
                        #run(&mut next, #arguments #flow, d_step)?;
                        #arrive
                        return Ok(Some(next));
                    }
                })
            })
            .collect();
        if attempts.is_empty() {
            return None;
        }
        let tokens = quote! {
            #doc
            fn #name(now: &State, me: Pid, offer: &Offer, d_step: &mut DStep) -> Result<Option<State>, Fault> {
                #(#attempts)*
                Ok(None)
            }
        };
        let (transition, merged) = (names.constant.clone(), Vec::new());
        let call = Call { kind: Kind::DStep, function: name, transition, merged, uses_timeout: false };
        Some((tokens, call))
    }

    /// The loop over the parts, and the parts.
    fn run_d_step(
        &self,
        inside: &Inside<'_, '_>,
        bodies: Vec<(u32, TokenStream, TokenStream)>,
        signature: &Signature,
    ) -> TokenStream {
        let run = format_ident!("{}_run", inside.function);
        let (parameters, arguments) = (signature.parameters(), signature.arguments());
        let mut functions = TokenStream::new();
        let mut arms = TokenStream::new();
        for (number, doc, body) in bodies {
            let part = format_ident!("{}_part_{number}", inside.function);
            let literal = count(number as usize);
            arms.extend(quote! { Flow::To(#literal) => #part(next, #arguments d_step)?, });
            let parameters = signature.parameters_of(&body);
            let state = parameter("next", &body);
            functions.extend(quote! {
                #doc
                fn #part(#state: &mut State, #parameters d_step: &mut DStep) -> Result<Flow, Fault> {
                    #body
                }
            });
        }
        let doc =
            super::names::doc(&format!(" Goes through the inside of `{}`: whether it could begin.", inside.function));
        quote! {
            #doc
            fn #run(next: &mut State, #parameters start: Flow, d_step: &mut DStep) -> Result<bool, Fault> {
                let mut flow = start;
                loop {
                    flow = match flow {
                        #arms
                        Flow::Done => return Ok(true),
                        Flow::To(_) | Flow::Blocked if d_step.has_begun() => return Err(Fault::DStepBlocks),
                        Flow::To(_) | Flow::Blocked => return Ok(false),
                    };
                }
            }
            #functions
        }
    }

    /// Which locations begin a part: the start, those that are not reached from one
    /// place alone, those with a choice, and every so many in a long row.
    fn parts(&self, graph: &Graph<'_>) -> IdVec<LocationId, Option<u32>> {
        let mut n_entries: IdVec<LocationId, u32> = graph.locations.iter().map(|_| 0).collect();
        // A transition can leave several locations: that before a loop, say, and the loop's own.
        for option in graph.locations.iter().flat_map(|location| &location.leaving) {
            if let Some(to) = graph.transitions[*option].to {
                n_entries[to] += 1;
            }
        }
        // A rendezvous begins behind the first statement: see `answer_d_step`.
        let first = graph.locations[graph.start].leaving.iter().map(|option| &graph.transitions[*option]);
        let answers = first.filter(|first| match &first.action {
            Action::Receive { channel, .. } => self.scope("now").access(channel).has_rendezvous(),
            _ => false,
        });
        let mut begins: IdVec<LocationId, bool> = graph
            .locations
            .iter_enumerated()
            .map(|(id, location)| id == graph.start || location.leaving.len() != 1 || n_entries[id] != 1)
            .collect();
        answers.filter_map(|answer| answer.to).for_each(|to| begins[to] = true);
        let mut part_of: IdVec<LocationId, Option<u32>> = graph.locations.iter().map(|_| None).collect();
        let mut n_parts = 0;
        for id in graph.locations.ids().filter(|id| begins[*id]) {
            part_of[id] = Some(n_parts);
            n_parts += 1;
        }
        // Long rows are cut.
        for start in graph.locations.ids().filter(|id| begins[*id]) {
            for option in &graph.locations[start].leaving {
                let mut length = 1;
                let mut to = graph.transitions[*option].to;
                while let Some(at) = to.filter(|at| !begins[*at]) {
                    length += 1;
                    if length > LONGEST_ROW {
                        length = 1;
                        part_of[at] = Some(n_parts);
                        n_parts += 1;
                    }
                    to = graph.transitions[graph.locations[at].leaving[0]].to;
                }
            }
        }
        part_of
    }

    /// The options at a location, each with the statements that follow in a row.
    fn part(&self, inside: &Inside<'_, '_>, location: LocationId, uses_timeout: &mut bool) -> TokenStream {
        let mut tokens = TokenStream::new();
        for option in &inside.graph.locations[location].leaving {
            let (row, always) = self.row(inside, *option, uses_timeout);
            if always {
                tokens.extend(row);
                return tokens;
            }
            let label = label(&inside.names.transitions[*option].function);
            tokens.extend(quote! { #label: { #row } });
        }
        quote! { #tokens Ok(Flow::Blocked) }
    }

    /// One option and what follows it; and whether the option is always executable.
    fn row(&self, inside: &Inside<'_, '_>, option: TransitionId, uses_timeout: &mut bool) -> (TokenStream, bool) {
        let scope = self.scope("next");
        let mut tokens = TokenStream::new();
        let mut always = false;
        let mut at = option;
        for position in 0..LONGEST_ROW {
            let names = &inside.names.transitions[at];
            let constant = &names.constant;
            let transition = &inside.graph.transitions[at];
            let label = label(&names.function);
            let blocked = if position == 0 {
                quote! { break #label; }
            } else {
                quote! { return Err(Fault::DStepBlocks); }
            };
            let mut code = scope.statement(&transition.action, &blocked);
            if let Action::Receive { channel, .. } = &transition.action
                && scope.access(channel).is_only_rendezvous()
            {
                // It is never executable by itself: see `answer_d_step`.
                code = Code { guard: blocked, is_never_executable: true, ..Code::default() };
            }
            let (guard, effect) = (code.guard, code.effect);
            let assert = code.asserts.map(|holds| quote! { d_step.assert(#constant, #holds); });
            let print = code.prints.map(|text| quote! { d_step.print(#text); });
            always |= position == 0 && !mentions(&guard, "break") && !mentions(&effect, "break");
            if code.is_never_executable {
                tokens.extend(quote! { d_step.at(#constant); #guard });
                break;
            }
            let try_it = (!guard.is_empty()).then(|| quote! { d_step.at(#constant); });
            tokens.extend(quote! {
                #try_it
                #guard
                d_step.reach(#constant)?;
                #assert
                #print
                #effect
            });
            match transition.to.filter(|to| inside.part_of[*to].is_none()) {
                Some(to) if position + 1 < LONGEST_ROW => at = inside.graph.locations[to].leaving[0],
                _ => {
                    let flow = inside.flow(transition.to);
                    tokens.extend(quote! { return Ok(#flow); });
                    break;
                }
            }
        }
        *uses_timeout |= scope.uses_timeout.get();
        let tokens = if always { last_expression(tokens) } else { tokens };
        (tokens, always)
    }
}

impl Inside<'_, '_> {
    fn start(&self) -> u32 {
        self.part_of[self.graph.start].expect("the start begins a part")
    }

    fn flow(&self, to: Option<LocationId>) -> TokenStream {
        match to {
            None => quote! { Flow::Done },
            Some(to) => {
                let number = count(self.part_of[to].expect("what is jumped to begins a part") as usize);
                quote! { Flow::To(#number) }
            }
        }
    }
}

struct Signature {
    uses_me: bool,
    uses_timeout: bool,
}

impl Signature {
    fn parameters(&self) -> TokenStream {
        let me = self.uses_me.then(|| quote! { me: Pid, });
        let timeout = self.uses_timeout.then(|| quote! { timeout: bool, });
        quote! { #me #timeout }
    }

    /// The same for a part, which need not use all of them.
    fn parameters_of(&self, body: &TokenStream) -> TokenStream {
        let (me, timeout) = (parameter("me", body), parameter("timeout", body));
        let me = self.uses_me.then(|| quote! { #me: Pid, });
        let timeout = self.uses_timeout.then(|| quote! { #timeout: bool, });
        quote! { #me #timeout }
    }

    fn arguments(&self) -> TokenStream {
        let me = self.uses_me.then(|| quote! { me, });
        let timeout = self.uses_timeout.then(|| quote! { timeout, });
        quote! { #me #timeout }
    }
}

fn label(function: &Ident) -> Lifetime {
    Lifetime::new(&format!("'{function}"), Span::call_site())
}

/// `return x;` at the end of a function is `x`.
fn last_expression(tokens: TokenStream) -> TokenStream {
    let block: syn::Block = match syn::parse2(quote! { { #tokens } }) {
        Ok(block) => block,
        Err(_) => return tokens,
    };
    let mut statements = block.stmts;
    if let Some(syn::Stmt::Expr(syn::Expr::Return(returned), _)) = statements.last()
        && let Some(value) = returned.expr.clone()
    {
        statements.pop();
        statements.push(syn::Stmt::Expr(*value, None));
    }
    quote! { #(#statements)* }
}
