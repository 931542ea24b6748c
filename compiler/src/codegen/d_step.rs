//! A `d_step`: many statements, one transition.
//!
//! The first statement is tried in the current state, which is copied only if it is executable. What follows it
//! executes in the copy. A location inside where several ways join, or from which several lead, is a function, and a
//! long sequence of statements is split into several. Without a loop each function calls the next; otherwise
//! a loop calls one after the other until the `d_step` has ended.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::Lifetime;

use super::names::{GraphNames, count, doc};
use super::parameters::{mentions, parameter};
use super::transition::{Call, FunctionKind, GraphCode, TransitionFunctions};
use crate::exec::effects::Executable;
use crate::exec::{AnswerBody, DStep, Flow, Guard, Statement, Step};
use crate::ir::TransitionId;

/// Longer sequences of statements are split.
const LONGEST_SEQUENCE: usize = 24;

/// With more parts a loop calls them, so that the stack does not grow with the model.
const MOST_CHAINED_PARTS: usize = 200;

/// A `d_step` while its functions are generated.
struct Inside<'p> {
    names: &'p GraphNames,
    /// The function of the whole `d_step`.
    function: Ident,
    signature: Signature,
    /// Whether it may be endless, so that its statements are counted.
    has_loop: bool,
    /// Whether a loop calls the parts.
    is_driven: bool,
    /// The parts that are functions.
    targets: BTreeSet<usize>,
}

/// The content of one function: the options at a location, each with the statements that follow it.
struct DStepPart<'d> {
    doc: TokenStream,
    sequences: Vec<Sequence<'d>>,
}

struct Sequence<'d> {
    statements: &'d [(TransitionId, Statement)],
    then: Flow,
    /// The rest of a sequence that was split; it always begins.
    is_rest: bool,
}

impl GraphCode<'_, '_> {
    pub fn d_step(&self, id: TransitionId, d_step: &DStep) -> TransitionFunctions {
        let names = &self.names().transitions[id];
        let Some(inner) = names.inner.as_deref() else {
            unreachable!("names were made for the inside of every d_step")
        };
        let effects = d_step.effects();
        let signature = Signature { uses_me: effects.uses_pid, uses_timeout: effects.uses_timeout };
        let transition = self.transition(id);
        let accepts = transition.answer.as_ref().map_or(&[][..], |answer| match &answer.body {
            AnswerBody::DStep(accepts) => accepts,
            AnswerBody::Receive(_) => unreachable!("the answer of a d_step"),
        });
        let parts = self.parts(d_step);
        let inside = Inside {
            names: inner,
            function: names.function.clone(),
            signature,
            has_loop: d_step.has_loop(),
            is_driven: d_step.has_loop() || parts.len() > MOST_CHAINED_PARTS,
            targets: targets(&parts, d_step.start, accepts.iter().map(|(_, _, then)| *then)),
        };
        let mut tokens = TokenStream::new();
        let take = transition.step.iter().map(|step| self.take_d_step(id, &inside, step, &parts[d_step.start]));
        let (functions, take): (Vec<_>, Vec<_>) = take.unzip();
        tokens.extend(functions);
        let answer = transition.answer.as_ref().map(|answer| {
            let arrive = self.arrive(&answer.arrival);
            let (function, call) = self.answer_d_step(id, &inside, accepts, &arrive);
            tokens.extend(function);
            call
        });
        tokens.extend(self.other_parts(&inside, &parts));
        TransitionFunctions { tokens, take, answer }
    }

    fn take_d_step(
        &self,
        id: TransitionId,
        inside: &Inside<'_>,
        step: &Step,
        start: &DStepPart<'_>,
    ) -> (TokenStream, Call) {
        let names = &self.names().transitions[id];
        let function = &names.function;
        let doc = self.doc(id);
        let (merged, arrive) = (self.merged(&step.merged), self.arrive(&step.arrival));
        let end = quote! { #merged #arrive };
        let body = self.first_part(inside, start, &end);
        let uses_timeout = inside.signature.uses_timeout;
        let timeout = uses_timeout.then(|| {
            let timeout = parameter("timeout", &body);
            quote! { #timeout: bool, }
        });
        let me = self.process.map(|_| {
            let me = parameter("me", &body);
            quote! { #me: Pid, }
        });
        let (now, d_step) = (parameter("now", &body), parameter("d_step", &body));
        let tokens = quote! {
            #doc
            fn #function(#now: &State, #me #timeout #d_step: &mut DStep) -> Result<Option<State>, Fault> {
                #body
            }
        };
        let call = Call {
            kind: FunctionKind::DStep,
            function: function.clone(),
            transition: names.constant.clone(),
            merged: names.merged.clone(),
            uses_timeout,
        };
        (tokens, call)
    }

    /// A `d_step` that begins by receiving in a rendezvous.
    fn answer_d_step(
        &self,
        id: TransitionId,
        inside: &Inside<'_>,
        accepts: &[(TransitionId, crate::exec::Accept, Flow)],
        arrive: &TokenStream,
    ) -> (TokenStream, Call) {
        let names = &self.names().transitions[id];
        let name = format_ident!("{}_answer", names.function);
        let doc = self.doc(id);
        let mut arguments = inside.signature.arguments();
        if inside.signature.uses_timeout {
            let me = inside.signature.uses_me.then(|| quote! { me, });
            arguments = quote! { #me false, };
        }
        let copy = self.generator.copy_of_now();
        let attempts = accepts.iter().map(|(first, accept, then)| {
            let label = label(&inside.names.transitions[*first].function);
            let (matching, accept) = self.accept(accept, &quote! { break #label; });
            let reach = inside.reach(*first);
            let rest = inside.execute_rest(*then, &arguments);
            let next = changeable(!accept.is_empty() || !rest.is_empty() || !arrive.is_empty());
            quote! {
                #label: {
                    #matching
                    let #next = #copy;
                    #reach
                    #accept
                    #rest
                    #arrive
                    return Ok(Some(next));
                }
            }
        });
        let tokens = quote! {
            #doc
            fn #name(now: &State, me: Pid, offer: &Offer, d_step: &mut DStep) -> Result<Option<State>, Fault> {
                #(#attempts)*
                Ok(None)
            }
        };
        let (transition, merged) = (names.constant.clone(), Vec::new());
        let call = Call { kind: FunctionKind::DStep, function: name, transition, merged, uses_timeout: false };
        (tokens, call)
    }

    /// The options of the first location, tried in the current state. `end` completes the step.
    fn first_part(&self, inside: &Inside<'_>, part: &DStepPart<'_>, end: &TokenStream) -> TokenStream {
        let copy = self.generator.copy_of_now();
        let mut tokens = TokenStream::new();
        let n_tried = part.n_tried();
        for (position, sequence) in part.sequences[..n_tried].iter().enumerate() {
            let is_last = position + 1 == n_tried;
            let label = inside.label(sequence);
            let blocked = if is_last {
                quote! { return Ok(None); }
            } else {
                quote! { break #label; }
            };
            let SequenceCode { guard, effect } = self.sequence(inside, sequence, "now", &blocked);
            if !sequence.completes() {
                // Nothing is returned, so that the copy may be unused.
                let copy = mentions(&effect, "next").then(|| quote! { let next = &mut State::clone(now); });
                let code = quote! { #guard #copy #effect };
                tokens.extend(if is_last {
                    code
                } else {
                    quote! { #label: { #code } }
                });
                continue;
            }
            let rest = inside.execute_rest(sequence.then, &inside.signature.arguments());
            let writes = sequence.statements.iter().any(|(_, statement)| statement.effects().writes_state());
            let next = changeable(writes || !rest.is_empty() || !end.is_empty());
            let code = quote! { #guard let #next = #copy; #effect #rest #end };
            tokens.extend(if is_last {
                quote! { #code Ok(Some(next)) }
            } else {
                quote! { #label: { #code return Ok(Some(next)); } }
            });
        }
        tokens
    }

    /// The functions of the parts that others lead to, and the loop that calls them if there is one.
    fn other_parts(&self, inside: &Inside<'_>, parts: &[DStepPart<'_>]) -> TokenStream {
        let function = |&number: &usize| self.part_function(inside, number, &parts[number]);
        let functions: TokenStream = inside.targets.iter().map(function).collect();
        let run = (inside.is_driven && inside.targets.len() > 1).then(|| inside.run());
        quote! { #run #functions }
    }

    fn part_function(&self, inside: &Inside<'_>, number: usize, part: &DStepPart<'_>) -> TokenStream {
        let function = inside.part(number);
        let body = self.part(inside, part);
        let (state, parameters) = (parameter("next", &body), inside.signature.parameters_of(&body));
        let doc = &part.doc;
        let returned = if inside.is_driven {
            quote! { Flow }
        } else {
            quote! { () }
        };
        quote! {
            #doc
            fn #function(#state: &mut State, #parameters d_step: &mut DStep) -> Result<#returned, Fault> {
                #body
            }
        }
    }

    /// The blocks, and behind them the rests of sequences that were split.
    fn parts<'d>(&self, d_step: &'d DStep) -> Vec<DStepPart<'d>> {
        let mut parts: Vec<DStepPart<'d>> = Vec::new();
        let mut cut_off: Vec<DStepPart<'d>> = Vec::new();
        for block in &d_step.blocks {
            let mut sequences = Vec::new();
            for row in &block.rows {
                let mut pieces = row.statements.chunks(LONGEST_SEQUENCE).peekable();
                let mut is_rest = false;
                while let Some(statements) = pieces.next() {
                    let then = match pieces.peek() {
                        Some(_) => Flow::To(d_step.blocks.len() + cut_off.len() + usize::from(is_rest)),
                        None => row.then,
                    };
                    let piece = Sequence { statements, then, is_rest };
                    if is_rest {
                        let doc = self.generator.names.source_line(statements[0].1.span);
                        cut_off.push(DStepPart { doc, sequences: vec![piece] });
                    } else {
                        sequences.push(piece);
                    }
                    is_rest = true;
                }
            }
            parts.push(DStepPart { doc: self.generator.names.source_line(block.span), sequences });
        }
        parts.extend(cut_off);
        parts
    }

    fn part(&self, inside: &Inside<'_>, part: &DStepPart<'_>) -> TokenStream {
        let mut tokens = TokenStream::new();
        for sequence in &part.sequences[..part.n_tried()] {
            let label = inside.label(sequence);
            let SequenceCode { guard, effect } = self.sequence(inside, sequence, "next", &quote! { break #label; });
            let then = sequence.completes().then(|| inside.hand_over(sequence.then));
            if sequence.always_begins() {
                return quote! { #tokens #guard #effect #then };
            }
            let then = then.map(|then| quote! { return #then; });
            tokens.extend(quote! { #label: { #guard #effect #then } });
        }
        quote! { #tokens Err(Fault::DStepBlocks) }
    }

    /// The statements of a sequence. The first one is tried in `state`, and `blocked` is executed where it is not
    /// executable; the others execute in `next`.
    fn sequence(
        &self,
        inside: &Inside<'_>,
        sequence: &Sequence<'_>,
        state: &str,
        blocked: &TokenStream,
    ) -> SequenceCode {
        let must_not_block = quote! { return Err(Fault::DStepBlocks); };
        let mut made = SequenceCode::default();
        for (position, (id, statement)) in sequence.statements.iter().enumerate() {
            let is_first = position == 0;
            let constant = &inside.names.transitions[*id].constant;
            let may_leave = is_first && !sequence.is_rest;
            let scope = self.scope(if is_first { state } else { "next" });
            let code = scope.statement(statement, if may_leave { blocked } else { &must_not_block });
            let (guard, effect) = (code.guard, code.effect);
            // A fault is reported at the statement that was tried last.
            let has_no_queue = matches!(statement.guard, Guard::NoQueue { .. });
            let can_be_reported = state == "next" || !is_first || has_no_queue || statement.guard.effects().can_fail;
            let try_it = (!guard.is_empty() && can_be_reported).then(|| quote! { d_step.at(#constant); });
            let guard = quote! { #try_it #guard };
            if is_first {
                made.guard = guard;
            } else {
                made.effect.extend(guard);
            }
            if has_no_queue {
                break;
            }
            let reach = inside.reach(*id);
            let assert = code.asserts.map(|holds| quote! { d_step.assert(#constant, #holds); });
            let print = code.prints.map(|text| quote! { d_step.print(#text); });
            made.effect.extend(quote! { #reach #assert #print #effect });
            if statement.is_stuck() {
                break;
            }
        }
        made
    }
}

/// The code of a sequence.
#[derive(Default)]
struct SequenceCode {
    /// The guard of the first statement.
    guard: TokenStream,
    /// Everything behind it.
    effect: TokenStream,
}

impl DStepPart<'_> {
    /// The parts that follow it.
    fn targets(&self) -> impl Iterator<Item = usize> {
        let tried = self.sequences[..self.n_tried()].iter();
        tried.filter(|sequence| sequence.completes()).filter_map(|sequence| sequence.then.target())
    }

    /// The options behind one that always begins are never tried.
    fn n_tried(&self) -> usize {
        let first = self.sequences.iter().position(Sequence::always_begins);
        first.map_or(self.sequences.len(), |position| position + 1)
    }
}

impl Inside<'_> {
    fn label(&self, sequence: &Sequence<'_>) -> Lifetime {
        label(&self.names.transitions[sequence.statements[0].0].function)
    }

    fn reach(&self, id: TransitionId) -> TokenStream {
        let constant = &self.names.transitions[id].constant;
        if self.has_loop {
            quote! { d_step.reach_again(#constant)?; }
        } else {
            quote! { d_step.reach(#constant); }
        }
    }

    /// The function of a part.
    fn part(&self, number: usize) -> Ident {
        format_ident!("{}_part_{number}", self.function)
    }

    /// The function with the loop.
    fn runner(&self) -> Ident {
        format_ident!("{}_run", self.function)
    }

    /// Executes in `next`, a variable, what follows.
    fn execute_rest(&self, then: Flow, arguments: &TokenStream) -> TokenStream {
        let Some(number) = then.target() else { return TokenStream::new() };
        let part = self.part(number);
        if !self.is_driven {
            return quote! { #part(&mut next, #arguments d_step)?; };
        }
        if self.targets.len() == 1 {
            return quote! { while #part(&mut next, #arguments d_step)? != Flow::Done {} };
        }
        let (run, number) = (self.runner(), count(number));
        quote! { #run(&mut next, #arguments #number, d_step)?; }
    }

    /// The result of a part: what follows it, or the result of that.
    fn hand_over(&self, then: Flow) -> TokenStream {
        let arguments = self.signature.arguments();
        match then.target() {
            Some(number) if self.is_driven => {
                let number = count(number);
                quote! { Ok(Flow::To(#number)) }
            }
            Some(number) => {
                let part = self.part(number);
                quote! { #part(next, #arguments d_step) }
            }
            None if self.is_driven => quote! { Ok(Flow::Done) },
            None => quote! { Ok(()) },
        }
    }

    /// The loop that calls one part after the other.
    fn run(&self) -> TokenStream {
        let (run, signature) = (self.runner(), &self.signature);
        let (parameters, arguments) = (signature.parameters(), signature.arguments());
        let arms = self.targets.iter().enumerate().map(|(position, &number)| {
            let part = self.part(number);
            // Another number does not occur.
            let number = if position + 1 == self.targets.len() {
                quote! { _ }
            } else {
                let number = count(number);
                quote! { #number }
            };
            quote! { #number => #part(next, #arguments d_step)?, }
        });
        let doc = doc(&format!(" Executes the inside of `{}` from a part on.", self.function));
        quote! {
            #doc
            fn #run(next: &mut State, #parameters mut part: u32, d_step: &mut DStep) -> Result<(), Fault> {
                loop {
                    let flow = match part { #(#arms)* };
                    match flow {
                        Flow::To(number) => part = number,
                        Flow::Done => return Ok(()),
                    }
                }
            }
        }
    }
}

impl Sequence<'_> {
    /// Whether its end can be reached.
    fn completes(&self) -> bool {
        !self.statements.iter().any(|(_, statement)| statement.is_stuck())
    }

    /// The first statement is always executable, or blocks with a fault.
    fn always_begins(&self) -> bool {
        self.is_rest || !self.statements[0].1.may_block()
    }
}

/// The next state, as a variable that something changes or nothing.
fn changeable(is_changed: bool) -> TokenStream {
    if is_changed {
        quote! { mut next }
    } else {
        quote! { next }
    }
}

/// The parts that others lead to, from the first one on.
fn targets(parts: &[DStepPart<'_>], start: usize, accepted: impl Iterator<Item = Flow>) -> BTreeSet<usize> {
    let mut targets = BTreeSet::new();
    let mut new: Vec<usize> = accepted.filter_map(Flow::target).chain(parts[start].targets()).collect();
    while let Some(number) = new.pop() {
        if targets.insert(number) {
            new.extend(parts[number].targets());
        }
    }
    targets
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

    /// The same for a part, which may leave some of them unused.
    fn parameters_of(&self, part: &TokenStream) -> TokenStream {
        let (me, timeout) = (parameter("me", part), parameter("timeout", part));
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
