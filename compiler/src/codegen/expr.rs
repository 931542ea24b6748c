//! Expressions.
//!
//! Promela computes in 32-bit integers; Rust distinguishes numbers from truth, and
//! so does the executable form: `a == b && c` comes out as written, and
//! `int(a == b)` appears only where a truth is used as a number.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::names::{count, literal};
use crate::collections::Id;
use crate::exec::{Arithmetic, Asker, Comparison, Cut, HostCall, Run, Test, Value};
use crate::model::{ProctypeId, Type};

/// The context of an expression: which state it reads, and the process that owns the locals.
#[derive(Clone)]
pub struct Scope<'g, 'a> {
    pub generator: &'g Generator<'a>,
    /// The process whose `_pid` is `me`; nothing in a claim.
    pub process: Option<ProctypeId>,
    /// `now` before a step, `next` while it is taken.
    pub state: Ident,
    /// The owner of the locals, if not `state`: while a process is being started.
    pub locals: Option<Ident>,
}

/// Rust code of an expression, and its precedence.
pub(super) struct ExprCode {
    pub tokens: TokenStream,
    pub precedence: Precedence,
}

/// From loose to tight, as in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
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

impl ExprCode {
    pub fn atom(tokens: TokenStream) -> Self {
        Self { tokens, precedence: Precedence::Atom }
    }

    /// In parentheses unless it binds at least as tightly as `precedence`.
    pub fn within(self, precedence: Precedence) -> TokenStream {
        let tokens = self.tokens;
        if self.precedence >= precedence {
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

    /// A value truncated to a type, in the Rust type that stores it.
    pub fn stored(&self, cut: &Cut) -> TokenStream {
        match &cut.value {
            Value::Truth(test) if cut.to == Type::Bool => self.truth(test),
            Value::Constant { value, mtype } => self.generator.constant_of(cut.to, *mtype, *value),
            Value::Load(place) if cut.fits => self.read(place),
            Value::ChannelNumber(declared) if cut.fits => self.channel_number(declared),
            value => truncated(cut.to, &self.value(value)),
        }
    }

    pub(super) fn number(&self, value: &Value) -> ExprCode {
        let state = &self.state;
        match value {
            Value::Constant { value, mtype } => match self.generator.symbol(*mtype, *value) {
                Some(name) => ExprCode::atom(name),
                None if *value < 0 => ExprCode { tokens: literal(*value), precedence: Precedence::Unary },
                None => ExprCode::atom(literal(*value)),
            },
            Value::Load(place) => ExprCode::atom(as_int(place.ty, &self.read(place))),
            Value::Truth(test) => {
                let tokens = self.truth(test);
                ExprCode::atom(quote! { int(#tokens) })
            }
            Value::Negate { value, may_wrap: false } => {
                // `--x` looks like something else.
                let inner = self.number(value).within(Precedence::Atom);
                ExprCode { tokens: quote! { -#inner }, precedence: Precedence::Unary }
            }
            Value::Negate { value, may_wrap: true } => method(self.number(value), "wrapping_neg", None),
            Value::Complement(value) => {
                let inner = self.number(value).within(Precedence::Unary);
                ExprCode { tokens: quote! { !#inner }, precedence: Precedence::Unary }
            }
            Value::Binary(op, left, right) => arithmetic(*op, self.number(left), self.number(right)),
            Value::Choose { test, yes, no } => {
                let (test, yes, no) = (self.truth(test), self.value(yes), self.value(no));
                ExprCode { tokens: quote! { if #test { #yes } else { #no } }, precedence: Precedence::If }
            }
            Value::Run(run) => {
                let run = self.run(run);
                ExprCode::atom(quote! { int(#run) })
            }
            Value::Length(channel) => self.length(channel),
            Value::ChannelNumber(declared) => ExprCode::atom(as_int(Type::Chan, &self.channel_number(declared))),
            Value::Pid => ExprCode::atom(quote! { int(me) }),
            Value::ProcessCount => ExprCode::atom(quote! { int(#state.n_processes()) }),
            Value::Last => ExprCode::atom(quote! { int(#state.last()) }),
            Value::OwnPriority => match &self.locals {
                Some(locals) => ExprCode::atom(quote! { int(#locals.priority()) }),
                None => ExprCode::atom(quote! { #state.priority(int(me)) }),
            },
            Value::LocationNumber(pid) => {
                let pid = self.value(pid);
                ExprCode::atom(quote! { #state.location_number(#pid) })
            }
            Value::PriorityOf(pid) => {
                let pid = self.value(pid);
                ExprCode::atom(quote! { #state.priority(#pid) })
            }
            Value::SetPriority { pid, priority } => {
                let (pid, priority) = (self.value(pid), self.value(priority));
                ExprCode::atom(quote! { next.set_priority(#pid, #priority) })
            }
            Value::Host(call) => ExprCode::atom(self.host("value", call)),
            Value::OfProcess { process, value } => self.of_process(process, value),
        }
    }

    pub(super) fn condition(&self, test: &Test) -> ExprCode {
        let state = &self.state;
        match test {
            Test::Constant(truth) => ExprCode::atom(quote! { #truth }),
            Test::Compare(comparison, left, right) => {
                if let Some(code) = self.compared_bools(*comparison, left, right) {
                    return code;
                }
                let (left, operator) = (self.number(left).within(Precedence::BitOr), operator(*comparison));
                let right = self.number(right).within(Precedence::BitOr);
                ExprCode { tokens: quote! { #left #operator #right }, precedence: Precedence::Comparison }
            }
            Test::Not(inner) => {
                let inner = self.condition(inner).within(Precedence::Unary);
                ExprCode { tokens: quote! { !#inner }, precedence: Precedence::Unary }
            }
            Test::And(left, right) => {
                let left = self.condition(left).within(Precedence::And);
                let right = self.condition(right).within(Precedence::Comparison);
                ExprCode { tokens: quote! { #left && #right }, precedence: Precedence::And }
            }
            Test::Or(left, right) => {
                let left = self.condition(left).within(Precedence::Or);
                let right = self.condition(right).within(Precedence::And);
                ExprCode { tokens: quote! { #left || #right }, precedence: Precedence::Or }
            }
            Test::Timeout => ExprCode::atom(quote! { timeout }),
            Test::Enabled { pid, asked_by: Asker::Process } => {
                let pid = self.value(pid);
                ExprCode::atom(quote! { #state.enabled(#pid, me)? })
            }
            Test::Enabled { pid, asked_by: Asker::Claim } => {
                let pid = self.value(pid);
                ExprCode::atom(quote! { #state.can_move(#pid) })
            }
            Test::Host(call) => ExprCode::atom(self.host("test", call)),
            Test::IsYoungest => ExprCode::atom(quote! { #state.is_youngest(me) }),
            Test::NonProgress => ExprCode::atom(quote! { #state.is_without_progress() }),
            Test::IsAt { process, location } => self.is_at(process, *location),
            Test::IsEmpty(channel) => self.is_empty(channel),
            Test::IsFull(channel) => self.is_full(channel),
            Test::HasMessage { channel, random, pattern, .. } => self.poll(channel, *random, pattern),
            // A value, so that rustc does not call the code behind it unreachable.
            Test::PollsRendezvous => ExprCode::atom(quote! { Err::<bool, _>(Fault::PollRendezvous)? }),
        }
    }

    /// A `bool` is compared with a constant or with another one. Nothing if it is no such comparison.
    fn compared_bools(&self, comparison: Comparison, left: &Value, right: &Value) -> Option<ExprCode> {
        let is_equal = match comparison {
            Comparison::Equal => true,
            Comparison::NotEqual => false,
            Comparison::Less | Comparison::LessEqual | Comparison::Greater | Comparison::GreaterEqual => return None,
        };
        let left = self.bool_of(left)?;
        match right {
            Value::Constant { value: value @ (0 | 1), .. } if is_equal == (*value == 1) => Some(ExprCode::atom(left)),
            Value::Constant { value: 0 | 1, .. } => {
                Some(ExprCode { tokens: quote! { !#left }, precedence: Precedence::Unary })
            }
            right => {
                let (operator, right) = (operator(comparison), self.bool_of(right)?);
                Some(ExprCode { tokens: quote! { #left #operator #right }, precedence: Precedence::Comparison })
            }
        }
    }

    /// The stored value of a `bool`.
    fn bool_of(&self, value: &Value) -> Option<TokenStream> {
        match value {
            Value::Load(place) if place.ty == Type::Bool => Some(self.read(place)),
            _ => None,
        }
    }

    /// The call of a block of C, as a value, a test, or a statement.
    pub fn host(&self, what: &str, call: &HostCall) -> TokenStream {
        let function = format_ident!("{what}_{}", call.block.index());
        let arguments = call.arguments.iter().map(|argument| self.value(argument));
        quote! { crate::embedded::#function([#(#arguments),*])? }
    }

    /// The start of a process: returns its pid.
    pub fn run(&self, run: &Run) -> TokenStream {
        let module = &self.generator.names.proctypes[run.proctype].module;
        let arguments = run.arguments.iter().map(|argument| self.stored(argument));
        let priority = self.generator.priority_argument(run.proctype, run.priority);
        quote! { #module::run(&mut next, #(#arguments,)* #priority)? }
    }
}

fn arithmetic(op: Arithmetic, left: ExprCode, right: ExprCode) -> ExprCode {
    match op {
        Arithmetic::Add { may_wrap: false } => infix(left, &quote! { + }, right, Precedence::Sum),
        Arithmetic::Subtract { may_wrap: false } => infix(left, &quote! { - }, right, Precedence::Sum),
        Arithmetic::Multiply { may_wrap: false } => infix(left, &quote! { * }, right, Precedence::Product),
        Arithmetic::Add { may_wrap: true } => method(left, "wrapping_add", Some(right)),
        Arithmetic::Subtract { may_wrap: true } => method(left, "wrapping_sub", Some(right)),
        Arithmetic::Multiply { may_wrap: true } => method(left, "wrapping_mul", Some(right)),
        Arithmetic::Divide { may_fail: false } => infix(left, &quote! { / }, right, Precedence::Product),
        Arithmetic::Remainder { may_fail: false } => infix(left, &quote! { % }, right, Precedence::Product),
        Arithmetic::Divide { may_fail: true } => fallible("divide", left, right),
        Arithmetic::Remainder { may_fail: true } => fallible("remainder", left, right),
        Arithmetic::And => infix(left, &quote! { & }, right, Precedence::BitAnd),
        Arithmetic::Or => infix(left, &quote! { | }, right, Precedence::BitOr),
        Arithmetic::Xor => infix(left, &quote! { ^ }, right, Precedence::BitXor),
        Arithmetic::ShiftLeft { any_distance: true } => function("shift_left", left, right),
        Arithmetic::ShiftRight { any_distance: true } => function("shift_right", left, right),
        Arithmetic::ShiftLeft { any_distance: false } => shift(&quote! { << }, left, right),
        Arithmetic::ShiftRight { any_distance: false } => shift(&quote! { >> }, left, right),
    }
}

fn function(name: &str, left: ExprCode, right: ExprCode) -> ExprCode {
    let name = format_ident!("{name}");
    let (left, right) = (left.tokens, right.tokens);
    ExprCode::atom(quote! { #name(#left, #right) })
}

fn fallible(name: &str, left: ExprCode, right: ExprCode) -> ExprCode {
    let call = function(name, left, right).tokens;
    ExprCode::atom(quote! { #call? })
}

/// `first + n`, or `first` alone.
pub fn plus(first: &TokenStream, n: u32) -> TokenStream {
    if n == 0 {
        return first.clone();
    }
    let n = count(n as usize);
    quote! { #first + #n }
}

/// The Rust type that stores a scalar.
pub fn rust_type(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::Bit | Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => "u8",
        Type::Short => "i16",
        Type::Int | Type::Timer | Type::Record(_) => "i32",
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

/// An `i32` truncated to a type.
pub fn truncated(ty: Type, value: &TokenStream) -> TokenStream {
    match ty {
        Type::Bit => quote! { bit(#value) },
        Type::Bool => quote! { bit(#value) == 1 },
        Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => quote! { byte(#value) },
        Type::Short => quote! { short(#value) },
        Type::Int | Type::Record(_) => value.clone(),
        Type::Timer => quote! { i32::max(#value, -1) },
        Type::Unsigned(width) => {
            let width = count(width.into());
            quote! { unsigned(#value, #width) }
        }
    }
}

/// A stored value as an `i32`.
pub fn as_int(ty: Type, value: &TokenStream) -> TokenStream {
    match ty {
        Type::Int | Type::Timer | Type::Record(_) => value.clone(),
        _ => quote! { int(#value) },
    }
}

fn infix(left: ExprCode, operator: &TokenStream, right: ExprCode, precedence: Precedence) -> ExprCode {
    // All these are left-associative, so the right side must bind tighter.
    let tighter = match precedence {
        Precedence::Sum => Precedence::Product,
        Precedence::Product => Precedence::Unary,
        Precedence::BitAnd => Precedence::Shift,
        Precedence::BitXor => Precedence::BitAnd,
        Precedence::BitOr => Precedence::BitXor,
        _ => Precedence::Atom,
    };
    let (left, right) = (left.within(precedence), right.within(tighter));
    ExprCode { tokens: quote! { #left #operator #right }, precedence }
}

/// A method of numbers. Literals alone have no type yet, so the method is called by its path.
fn method(left: ExprCode, name: &str, right: Option<ExprCode>) -> ExprCode {
    let name = format_ident!("{name}");
    let is_typed = left.precedence == Precedence::Atom && syn::parse2::<syn::LitInt>(left.tokens.clone()).is_err();
    let (left, right) = (left.tokens, right.map(|right| right.tokens));
    ExprCode::atom(match (is_typed, right) {
        (true, right) => quote! { #left.#name(#right) },
        (false, Some(right)) => quote! { i32::#name(#left, #right) },
        (false, None) => quote! { i32::#name(#left) },
    })
}

fn shift(operator: &TokenStream, left: ExprCode, right: ExprCode) -> ExprCode {
    let (left, right) = (left.within(Precedence::Shift), right.within(Precedence::Sum));
    ExprCode { tokens: quote! { #left #operator #right }, precedence: Precedence::Shift }
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
