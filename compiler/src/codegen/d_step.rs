//! A `d_step`: many statements, one transition.
//!
//! Each block of it is a function; a long sequence of statements is split into several functions. A loop calls one
//! after the other until the `d_step` has ended.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::Lifetime;

use super::names::{GraphNames, count, doc};
use super::parameters::parameter;
use super::transition::{Call, FunctionKind, GraphCode, TransitionFunctions};
use crate::exec::effects::Executable;
use crate::exec::{AnswerBody, DStep, Flow, Guard, Statement, Step};
use crate::ir::TransitionId;

/// Longer sequences of statements are split.
const LONGEST_SEQUENCE: usize = 24;

/// A `d_step` while its functions are generated.
struct Inside<'p> {
    names: &'p GraphNames,
    /// The function of the whole `d_step`.
    function: Ident,
    signature: Signature,
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
        let inside = Inside { names: inner, function: names.function.clone(), signature };
        let transition = self.transition(id);
        let mut tokens = TokenStream::new();
        let take = transition.step.iter().map(|step| self.take_d_step(id, &inside, step, d_step));
        let (functions, take): (Vec<_>, Vec<_>) = take.unzip();
        tokens.extend(functions);
        let answer = transition.answer.as_ref().map(|answer| {
            let AnswerBody::DStep(accepts) = &answer.body else { unreachable!("the answer of a d_step") };
            let arrive = self.arrive(&answer.arrival);
            let (function, call) = self.answer_d_step(id, &inside, accepts, &arrive);
            tokens.extend(function);
            call
        });
        tokens.extend(self.run_d_step(&inside, self.parts(d_step)));
        TransitionFunctions { tokens, take, answer }
    }

    fn take_d_step(&self, id: TransitionId, inside: &Inside<'_>, step: &Step, d_step: &DStep) -> (TokenStream, Call) {
        let names = &self.names().transitions[id];
        let function = &names.function;
        let doc = self.doc(id);
        let run = format_ident!("{}_run", inside.function);
        let (merged, arrive) = (self.merged(&step.merged), self.arrive(&step.arrival));
        let arguments = inside.signature.arguments();
        let uses_timeout = inside.signature.uses_timeout;
        let timeout = uses_timeout.then(|| quote! { timeout: bool, });
        let me = self.process.map(|_| quote! { me: Pid, });
        let start = count(d_step.start);
        let copy = self.generator.copy_of_now();
        let tokens = quote! {
            #doc
            fn #function(now: &State, #me #timeout d_step: &mut DStep) -> Result<Option<State>, Fault> {
                let mut next = #copy;
                if !#run(&mut next, #arguments Flow::To(#start), d_step)? {
                    return Ok(None);
                }
                #merged
                #arrive
                Ok(Some(next))
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
        let run = format_ident!("{}_run", inside.function);
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
            let inner = &inside.names.transitions[*first].constant;
            let flow = flow(*then);
            quote! {
                #label: {
                    #matching
                    let mut next = #copy;
                    d_step.reach(#inner)?;
                    #accept
                    #run(&mut next, #arguments #flow, d_step)?;
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

    /// The loop over the parts, and the functions of the parts.
    fn run_d_step(&self, inside: &Inside<'_>, parts: Vec<DStepPart<'_>>) -> TokenStream {
        let signature = &inside.signature;
        let run = format_ident!("{}_run", inside.function);
        let (parameters, arguments) = (signature.parameters(), signature.arguments());
        let mut functions = TokenStream::new();
        let mut arms = TokenStream::new();
        for (number, part) in parts.iter().enumerate() {
            let function = format_ident!("{}_part_{number}", inside.function);
            let literal = count(number);
            arms.extend(quote! { Flow::To(#literal) => #function(next, #arguments d_step)?, });
            let body = self.part(inside, part);
            let (state, parameters) = (parameter("next", &body), signature.parameters_of(&body));
            let doc = &part.doc;
            functions.extend(quote! {
                #doc
                fn #function(#state: &mut State, #parameters d_step: &mut DStep) -> Result<Flow, Fault> {
                    #body
                }
            });
        }
        let doc = doc(&format!(" Executes the inside of `{}`, and returns whether it could begin.", inside.function));
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
        for sequence in &part.sequences {
            let code = self.sequence(inside, sequence);
            if sequence.always_begins() {
                tokens.extend(code);
                return tokens;
            }
            let label = label(&inside.names.transitions[sequence.statements[0].0].function);
            tokens.extend(quote! { #label: { #code } });
        }
        quote! { #tokens Ok(Flow::Blocked) }
    }

    fn sequence(&self, inside: &Inside<'_>, sequence: &Sequence<'_>) -> TokenStream {
        let scope = self.scope("next");
        let mut tokens = TokenStream::new();
        for (position, (id, statement)) in sequence.statements.iter().enumerate() {
            let names = &inside.names.transitions[*id];
            let constant = &names.constant;
            let label = label(&names.function);
            let blocked = if position == 0 && !sequence.is_rest {
                quote! { break #label; }
            } else {
                quote! { return Err(Fault::DStepBlocks); }
            };
            let code = scope.statement(statement, &blocked);
            let (guard, effect) = (code.guard, code.effect);
            let assert = code.asserts.map(|holds| quote! { d_step.assert(#constant, #holds); });
            let print = code.prints.map(|text| quote! { d_step.print(#text); });
            let try_it = (!guard.is_empty()).then(|| quote! { d_step.at(#constant); });
            if matches!(statement.guard, Guard::NoQueue { .. }) {
                return quote! { #tokens #try_it #guard };
            }
            tokens.extend(quote! {
                #try_it
                #guard
                d_step.reach(#constant)?;
                #assert
                #print
                #effect
            });
            if statement.is_stuck() {
                return tokens;
            }
        }
        let flow = flow(sequence.then);
        if sequence.always_begins() {
            quote! { #tokens Ok(#flow) }
        } else {
            quote! { #tokens return Ok(#flow); }
        }
    }
}

impl Sequence<'_> {
    /// The first statement is always executable, or blocks with a fault.
    fn always_begins(&self) -> bool {
        self.is_rest || !self.statements[0].1.may_block()
    }
}

fn flow(flow: Flow) -> TokenStream {
    match flow {
        Flow::Done => quote! { Flow::Done },
        Flow::To(part) => {
            let number = count(part);
            quote! { Flow::To(#number) }
        }
        Flow::Nowhere => unreachable!("what is never executable leads nowhere"),
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
