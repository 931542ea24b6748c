//! Expressions.
//!
//! Promela computes in 32-bit integers; Rust distinguishes numbers from truth, and
//! so does the executable form: `a == b && c` comes out as written, and
//! `int(a == b)` appears only where a truth is used as a number.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::names::{count, literal};
use crate::exec::{Arithmetic, Asker, Comparison, Cut, Run, Test, Value};
use crate::model::{ProctypeId, Type};

/// Where an expression stands: which state it reads and whose locals are meant.
#[derive(Clone)]
pub struct Scope<'g, 'a> {
    pub generator: &'g Generator<'a>,
    /// The process whose `_pid` is `me`; nothing in a claim.
    pub process: Option<ProctypeId>,
    /// `now` before a step, `next` while it is taken.
    pub state: Ident,
    /// Where locals are, if not in `state`: while a process is being made.
    pub locals: Option<Ident>,
}

/// Rust code of an expression, and how tightly it holds together.
pub(super) struct Code {
    pub tokens: TokenStream,
    pub binding: Binding,
}

/// From loose to tight, as in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// `if a { b } else { c }`
    If,
    Or,
    And,
    Comparison,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Unary,
    Atom,
}

impl Code {
    pub fn atom(tokens: TokenStream) -> Self {
        Self { tokens, binding: Binding::Atom }
    }

    /// In parentheses unless it binds at least as tightly as `binding`.
    pub fn within(self, binding: Binding) -> TokenStream {
        let tokens = self.tokens;
        if self.binding >= binding {
            tokens
        } else {
            quote! { (#tokens) }
        }
    }
}

impl<'g, 'a> Scope<'g, 'a> {
    pub fn new(generator: &'g Generator<'a>, process: Option<ProctypeId>, state: &str) -> Self {
        Self { generator, process, state: Ident::new(state, Span::call_site()), locals: None }
    }

    /// The same place, reading another state.
    pub fn reading(&self, state: &str) -> Self {
        Self { state: Ident::new(state, Span::call_site()), ..self.clone() }
    }

    /// The value as an `i32`.
    pub fn value(&self, value: &Value) -> TokenStream {
        self.number(value).tokens
    }

    /// The test as a `bool`.
    pub fn truth(&self, test: &Test) -> TokenStream {
        self.condition(test).tokens
    }

    /// Whether the test fails, as a `bool`.
    pub fn falsehood(&self, test: &Test) -> TokenStream {
        self.truth(&test.clone().negated())
    }

    /// A value cut to a type, as that type is kept.
    pub fn stored(&self, cut: &Cut) -> TokenStream {
        match &cut.value {
            Value::Truth(test) if cut.to == Type::Bool => self.truth(test),
            Value::Constant { value, mtype } => self.generator.constant_of(cut.to, *mtype, *value),
            Value::Load(place) if cut.fits => self.read(place),
            Value::ChannelNumber(declared) if cut.fits => self.channel_number(declared),
            value => truncated(cut.to, &self.value(value)),
        }
    }

    pub(super) fn number(&self, value: &Value) -> Code {
        let state = &self.state;
        match value {
            Value::Constant { value, mtype } => match self.generator.symbol(*mtype, *value) {
                Some(name) => Code::atom(name),
                None if *value < 0 => Code { tokens: literal(*value), binding: Binding::Unary },
                None => Code::atom(literal(*value)),
            },
            Value::Load(place) => Code::atom(as_int(place.ty, &self.read(place))),
            Value::Truth(test) => {
                let tokens = self.truth(test);
                Code::atom(quote! { int(#tokens) })
            }
            Value::Negate { value, may_wrap: false } => {
                // `--x` looks like something else.
                let inner = self.number(value).within(Binding::Atom);
                Code { tokens: quote! { -#inner }, binding: Binding::Unary }
            }
            Value::Negate { value, may_wrap: true } => method(self.number(value), "wrapping_neg", None),
            Value::Complement(value) => {
                let inner = self.number(value).within(Binding::Unary);
                Code { tokens: quote! { !#inner }, binding: Binding::Unary }
            }
            Value::Binary(op, left, right) => arithmetic(*op, self.number(left), self.number(right)),
            Value::Choose { test, yes, no } => {
                let (test, yes, no) = (self.truth(test), self.value(yes), self.value(no));
                Code { tokens: quote! { if #test { #yes } else { #no } }, binding: Binding::If }
            }
            Value::Run(run) => {
                let run = self.run(run);
                Code::atom(quote! { int(#run) })
            }
            Value::Length(channel) => self.length(channel),
            Value::ChannelNumber(declared) => Code::atom(as_int(Type::Chan, &self.channel_number(declared))),
            Value::Pid => Code::atom(quote! { int(me) }),
            Value::ProcessCount => Code::atom(quote! { int(#state.n_processes()) }),
            Value::Last => Code::atom(quote! { int(#state.last()) }),
            Value::OwnPriority => match &self.locals {
                Some(locals) => Code::atom(quote! { int(#locals.priority()) }),
                None => Code::atom(quote! { #state.priority(int(me)) }),
            },
            Value::LocationNumber(pid) => {
                let pid = self.value(pid);
                Code::atom(quote! { #state.location_number(#pid) })
            }
            Value::PriorityOf(pid) => {
                let pid = self.value(pid);
                Code::atom(quote! { #state.priority(#pid) })
            }
            Value::SetPriority { pid, priority } => {
                let (pid, priority) = (self.value(pid), self.value(priority));
                Code::atom(quote! { next.set_priority(#pid, #priority) })
            }
            Value::OfProcess { process, value } => self.of_process(process, value),
        }
    }

    pub(super) fn condition(&self, test: &Test) -> Code {
        let state = &self.state;
        match test {
            Test::Constant(truth) => Code::atom(quote! { #truth }),
            Test::Compare(comparison, left, right) => {
                if let Some(code) = self.compared_bools(*comparison, left, right) {
                    return code;
                }
                let (left, operator) = (self.number(left).within(Binding::BitOr), operator(*comparison));
                let right = self.number(right).within(Binding::BitOr);
                Code { tokens: quote! { #left #operator #right }, binding: Binding::Comparison }
            }
            Test::Not(inner) => {
                let inner = self.condition(inner).within(Binding::Unary);
                Code { tokens: quote! { !#inner }, binding: Binding::Unary }
            }
            Test::And(left, right) => {
                let left = self.condition(left).within(Binding::And);
                let right = self.condition(right).within(Binding::Comparison);
                Code { tokens: quote! { #left && #right }, binding: Binding::And }
            }
            Test::Or(left, right) => {
                let left = self.condition(left).within(Binding::Or);
                let right = self.condition(right).within(Binding::And);
                Code { tokens: quote! { #left || #right }, binding: Binding::Or }
            }
            Test::Timeout => Code::atom(quote! { timeout }),
            Test::Enabled { pid, asked_by: Asker::Process } => {
                let pid = self.value(pid);
                Code::atom(quote! { #state.enabled(#pid, me)? })
            }
            Test::Enabled { pid, asked_by: Asker::Claim } => {
                let pid = self.value(pid);
                Code::atom(quote! { #state.can_move(#pid) })
            }
            Test::IsYoungest => Code::atom(quote! { #state.is_youngest(me) }),
            Test::NonProgress => Code::atom(quote! { #state.is_without_progress() }),
            Test::IsAt { process, location } => self.is_at(process, *location),
            Test::IsEmpty(channel) => self.is_empty(channel),
            Test::IsFull(channel) => self.is_full(channel),
            Test::HasMessage { channel, random, pattern, .. } => self.poll(channel, *random, pattern),
            // A value, so that rustc does not call what follows unreachable.
            Test::PollsRendezvous => Code::atom(quote! { Err::<bool, _>(Fault::PollRendezvous)? }),
        }
    }

    /// A `bool` is compared with a constant or with another one. Nothing if it is no such comparison.
    fn compared_bools(&self, comparison: Comparison, left: &Value, right: &Value) -> Option<Code> {
        let is_equal = match comparison {
            Comparison::Equal => true,
            Comparison::NotEqual => false,
            Comparison::Less | Comparison::LessEqual | Comparison::Greater | Comparison::GreaterEqual => return None,
        };
        let left = self.bool_of(left)?;
        match right {
            Value::Constant { value: value @ (0 | 1), .. } if is_equal == (*value == 1) => Some(Code::atom(left)),
            Value::Constant { value: 0 | 1, .. } => Some(Code { tokens: quote! { !#left }, binding: Binding::Unary }),
            right => {
                let (operator, right) = (operator(comparison), self.bool_of(right)?);
                Some(Code { tokens: quote! { #left #operator #right }, binding: Binding::Comparison })
            }
        }
    }

    /// The value of a `bool` as it is kept.
    fn bool_of(&self, value: &Value) -> Option<TokenStream> {
        match value {
            Value::Load(place) if place.ty == Type::Bool => Some(self.read(place)),
            _ => None,
        }
    }

    /// The start of a process: gives its pid.
    pub fn run(&self, run: &Run) -> TokenStream {
        let module = &self.generator.names.proctypes[run.proctype].module;
        let arguments = run.arguments.iter().map(|argument| self.stored(argument));
        let priority = self.generator.priority_argument(run.proctype, run.priority);
        quote! { #module::run(&mut next, #(#arguments,)* #priority)? }
    }
}

fn arithmetic(op: Arithmetic, left: Code, right: Code) -> Code {
    match op {
        Arithmetic::Add { may_wrap: false } => infix(left, &quote! { + }, right, Binding::Sum),
        Arithmetic::Subtract { may_wrap: false } => infix(left, &quote! { - }, right, Binding::Sum),
        Arithmetic::Multiply { may_wrap: false } => infix(left, &quote! { * }, right, Binding::Product),
        Arithmetic::Add { may_wrap: true } => method(left, "wrapping_add", Some(right)),
        Arithmetic::Subtract { may_wrap: true } => method(left, "wrapping_sub", Some(right)),
        Arithmetic::Multiply { may_wrap: true } => method(left, "wrapping_mul", Some(right)),
        Arithmetic::Divide { may_fail: false } => infix(left, &quote! { / }, right, Binding::Product),
        Arithmetic::Remainder { may_fail: false } => infix(left, &quote! { % }, right, Binding::Product),
        Arithmetic::Divide { may_fail: true } => fallible("divide", left, right),
        Arithmetic::Remainder { may_fail: true } => fallible("remainder", left, right),
        Arithmetic::And => infix(left, &quote! { & }, right, Binding::BitAnd),
        Arithmetic::Or => infix(left, &quote! { | }, right, Binding::BitOr),
        Arithmetic::Xor => infix(left, &quote! { ^ }, right, Binding::BitXor),
        Arithmetic::ShiftLeft { any_distance: true } => function("shift_left", left, right),
        Arithmetic::ShiftRight { any_distance: true } => function("shift_right", left, right),
        Arithmetic::ShiftLeft { any_distance: false } => shift(&quote! { << }, left, right),
        Arithmetic::ShiftRight { any_distance: false } => shift(&quote! { >> }, left, right),
    }
}

fn function(name: &str, left: Code, right: Code) -> Code {
    let name = format_ident!("{name}");
    let (left, right) = (left.tokens, right.tokens);
    Code::atom(quote! { #name(#left, #right) })
}

fn fallible(name: &str, left: Code, right: Code) -> Code {
    let call = function(name, left, right).tokens;
    Code::atom(quote! { #call? })
}

/// `first + n`, or `first` alone.
pub fn plus(first: &TokenStream, n: u32) -> TokenStream {
    if n == 0 {
        return first.clone();
    }
    let n = count(n as usize);
    quote! { #first + #n }
}

/// The Rust type that keeps a scalar.
pub fn rust_type(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::Bit | Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => "u8",
        Type::Short => "i16",
        Type::Int | Type::Record(_) => "i32",
        Type::Unsigned(_) => "u32",
    }
}

/// A constant as a value of a type.
pub fn literal_of(ty: Type, value: i32) -> TokenStream {
    match ty {
        Type::Bool => {
            let value = ty.truncate(value) == 1;
            quote! { #value }
        }
        Type::Unsigned(_) => {
            let value = proc_macro2::Literal::u32_unsuffixed(ty.truncate(value).cast_unsigned());
            quote! { #value }
        }
        _ => literal(ty.truncate(value)),
    }
}

/// An `i32` cut to a type.
pub fn truncated(ty: Type, value: &TokenStream) -> TokenStream {
    match ty {
        Type::Bit => quote! { bit(#value) },
        Type::Bool => quote! { bit(#value) == 1 },
        Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => quote! { byte(#value) },
        Type::Short => quote! { short(#value) },
        Type::Int | Type::Record(_) => value.clone(),
        Type::Unsigned(width) => {
            let width = count(width.into());
            quote! { unsigned(#value, #width) }
        }
    }
}

/// A kept value as an `i32`.
pub fn as_int(ty: Type, value: &TokenStream) -> TokenStream {
    match ty {
        Type::Int | Type::Record(_) => value.clone(),
        _ => quote! { int(#value) },
    }
}

fn infix(left: Code, operator: &TokenStream, right: Code, binding: Binding) -> Code {
    // All these group to the left, so the right side must bind tighter.
    let tighter = match binding {
        Binding::Sum => Binding::Product,
        Binding::Product => Binding::Unary,
        Binding::BitAnd => Binding::Shift,
        Binding::BitXor => Binding::BitAnd,
        Binding::BitOr => Binding::BitXor,
        _ => Binding::Atom,
    };
    let (left, right) = (left.within(binding), right.within(tighter));
    Code { tokens: quote! { #left #operator #right }, binding }
}

/// A method of numbers. What is made of literals alone has no type yet, so that one is told by name.
fn method(left: Code, name: &str, right: Option<Code>) -> Code {
    let name = format_ident!("{name}");
    let is_typed = left.binding == Binding::Atom && syn::parse2::<syn::LitInt>(left.tokens.clone()).is_err();
    let (left, right) = (left.tokens, right.map(|right| right.tokens));
    Code::atom(match (is_typed, right) {
        (true, right) => quote! { #left.#name(#right) },
        (false, Some(right)) => quote! { i32::#name(#left, #right) },
        (false, None) => quote! { i32::#name(#left) },
    })
}

fn shift(operator: &TokenStream, left: Code, right: Code) -> Code {
    let (left, right) = (left.within(Binding::Shift), right.within(Binding::Sum));
    Code { tokens: quote! { #left #operator #right }, binding: Binding::Shift }
}

fn operator(comparison: Comparison) -> TokenStream {
    match comparison {
        Comparison::Equal => quote! { == },
        Comparison::NotEqual => quote! { != },
        Comparison::Less => quote! { < },
        Comparison::LessEqual => quote! { <= },
        Comparison::Greater => quote! { > },
        Comparison::GreaterEqual => quote! { >= },
    }
}
