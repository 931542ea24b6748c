//! Expressions.
//!
//! Promela computes in 32-bit integers; Rust distinguishes numbers from truth.
//! Every expression can be asked for either, so that `a == b && c` comes out as
//! written and `int(a == b)` appears only where a truth is used as a number.

use std::cell::Cell;

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::Generator;
use super::names::{count, literal};
use crate::analysis::ranges::{self, Range};
use crate::model::{BinaryOp, Expr, ExprKind, ProctypeId, Type, UnaryOp};

/// Where an expression stands: which state it reads and whose locals are meant.
pub struct Scope<'g, 'a> {
    pub generator: &'g Generator<'a>,
    /// The process whose `_pid` is `me`; nothing in a claim, which has number 0.
    pub process: Option<ProctypeId>,
    /// `now` before a step, `next` while it is taken.
    pub state: Ident,
    /// Where locals are, if not in `state`: while a process is being made.
    pub locals: Option<Ident>,
    /// Set when something was emitted that can fail, with `?`.
    pub can_fail: Cell<bool>,
    /// Set when the value of `timeout` was used.
    pub uses_timeout: Cell<bool>,
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
        Self {
            generator,
            process,
            state: Ident::new(state, Span::call_site()),
            locals: None,
            can_fail: Cell::new(false),
            uses_timeout: Cell::new(false),
        }
    }

    /// The same place, reading another state.
    pub fn reading(&self, state: &str) -> Self {
        Self { locals: self.locals.clone(), ..Self::new(self.generator, self.process, state) }
    }

    /// Takes over what was noted in a part.
    pub fn note(&self, part: &Self) {
        self.can_fail.set(self.can_fail.get() || part.can_fail.get());
        self.uses_timeout.set(self.uses_timeout.get() || part.uses_timeout.get());
    }

    /// Whether a statement is read and executed in one state, since it is inside of a `d_step`.
    pub fn is_in_d_step(&self) -> bool {
        self.state == "next"
    }

    pub fn fails(&self) -> TokenStream {
        self.can_fail.set(true);
        quote! { ? }
    }

    /// The value as an `i32`.
    pub fn value(&self, expression: &Expr) -> TokenStream {
        self.number(expression).tokens
    }

    /// Whether the value is not zero, as a `bool`.
    pub fn truth(&self, expression: &Expr) -> TokenStream {
        self.condition(expression).tokens
    }

    /// Whether the value is zero.
    pub fn falsehood(&self, expression: &Expr) -> TokenStream {
        self.negation(expression).tokens
    }

    fn negation(&self, expression: &Expr) -> Code {
        match &expression.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => return self.condition(inner),
            ExprKind::Binary(op, left, right) => {
                if let Some(opposite) = opposite(*op) {
                    return self.comparison(&opposite, left, right);
                }
            }
            _ => {}
        }
        match self.as_truth(expression) {
            Some(code) => {
                let condition = code.within(Binding::Unary);
                Code { tokens: quote! { !#condition }, binding: Binding::Unary }
            }
            None => {
                let value = self.number(expression).within(Binding::BitOr);
                Code { tokens: quote! { #value == 0 }, binding: Binding::Comparison }
            }
        }
    }

    /// The value cut to a type, as that type is kept.
    pub fn stored(&self, ty: Type, expression: &Expr) -> TokenStream {
        match &expression.kind {
            ExprKind::Constant(value) => self.generator.constant_of(ty, expression, *value),
            // What comes from a variable of the same type needs no cutting.
            ExprKind::Read(place) if rust_type(place.ty) == rust_type(ty) && place.ty == ty => self.read(place),
            _ => cut(ty, &self.value(expression)),
        }
    }

    pub(super) fn number(&self, expression: &Expr) -> Code {
        if let Some(condition) = self.as_truth(expression) {
            let tokens = condition.tokens;
            return Code::atom(quote! { int(#tokens) });
        }
        match &expression.kind {
            ExprKind::Constant(value) => match self.generator.symbol(expression, *value) {
                Some(name) => Code::atom(name),
                None if *value < 0 => Code { tokens: literal(*value), binding: Binding::Unary },
                None => Code::atom(literal(*value)),
            },
            ExprKind::Read(place) => Code::atom(as_int(place.ty, &self.read(place))),
            ExprKind::Unary(op, inner) => self.unary(*op, inner),
            ExprKind::Binary(op, left, right) => self.arithmetic(*op, left, right),
            ExprKind::Conditional(condition, yes, no) => {
                let (condition, yes, no) = (self.truth(condition), self.value(yes), self.value(no));
                Code { tokens: quote! { if #condition { #yes } else { #no } }, binding: Binding::If }
            }
            ExprKind::Run { proctype, arguments, priority } => {
                let run = self.run(*proctype, arguments, *priority);
                Code::atom(quote! { int(#run) })
            }
            ExprKind::Probe(probe, channel) => self.length(*probe, channel),
            ExprKind::Pid if self.process.is_none() => Code::atom(quote! { 0 }),
            ExprKind::Pid => Code::atom(quote! { int(me) }),
            ExprKind::ProcessCount => {
                let state = &self.state;
                let n = self.generator.n_processes(&quote! { #state });
                Code::atom(quote! { int(#n) })
            }
            ExprKind::Last => {
                let state = &self.state;
                let call = self.generator.in_words().then(|| quote! { () });
                Code::atom(quote! { int(#state.last #call) })
            }
            ExprKind::Priority => {
                let state = &self.state;
                match &self.locals {
                    Some(locals) => Code::atom(quote! { int(#locals.priority) }),
                    None => Code::atom(quote! { #state.priority(int(me)) }),
                }
            }
            ExprKind::PcValue(pid) => {
                let (state, pid) = (&self.state, self.value(pid));
                Code::atom(quote! { #state.location_number(#pid) })
            }
            ExprKind::GetPriority(pid) => {
                let (state, pid) = (&self.state, self.value(pid));
                Code::atom(quote! { #state.priority(#pid) })
            }
            ExprKind::SetPriority(pid, priority) => {
                let (pid, priority) = (self.value(pid), self.value(priority));
                Code::atom(quote! { next.set_priority(#pid, #priority) })
            }
            ExprKind::RemoteVariable { proctype, pid, place } => self.remote_variable(*proctype, pid.as_deref(), place),
            // The rest are truths.
            ExprKind::Poll { .. }
            | ExprKind::Timeout
            | ExprKind::NonProgress
            | ExprKind::Enabled(_)
            | ExprKind::RemoteLabel { .. } => Code::atom(quote! { 0 }),
        }
    }

    fn condition(&self, expression: &Expr) -> Code {
        if let ExprKind::Constant(value) = &expression.kind {
            let truth = *value != 0;
            return Code::atom(quote! { #truth });
        }
        self.as_truth(expression).unwrap_or_else(|| {
            let value = self.number(expression).within(Binding::BitOr);
            Code { tokens: quote! { #value != 0 }, binding: Binding::Comparison }
        })
    }

    /// The expression as a `bool`, if it is one by nature.
    fn as_truth(&self, expression: &Expr) -> Option<Code> {
        Some(match &expression.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.negation(inner),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                let left = self.condition(left).within(Binding::And);
                let right = self.condition(right).within(Binding::Comparison);
                Code { tokens: quote! { #left && #right }, binding: Binding::And }
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                let left = self.condition(left).within(Binding::Or);
                let right = self.condition(right).within(Binding::And);
                Code { tokens: quote! { #left || #right }, binding: Binding::Or }
            }
            ExprKind::Binary(op, left, right) => self.comparison(&operator(*op)?, left, right),
            ExprKind::Timeout => {
                self.uses_timeout.set(true);
                Code::atom(quote! { timeout })
            }
            ExprKind::Enabled(pid) => {
                let (state, pid) = (self.state.clone(), self.value(pid));
                match self.process {
                    Some(_) => {
                        let fails = self.fails();
                        Code::atom(quote! { #state.enabled(#pid, me)#fails })
                    }
                    None => Code::atom(quote! { #state.can_move(#pid) }),
                }
            }
            ExprKind::NonProgress => {
                let state = &self.state;
                Code::atom(quote! { #state.is_without_progress() })
            }
            ExprKind::RemoteLabel { proctype, pid, label } => self.remote_label(*proctype, pid.as_deref(), *label),
            ExprKind::Poll { channel, random, pattern } => {
                let tokens = self.poll(channel, *random, pattern);
                // A block or a `match` at the beginning of an expression would end it.
                let begins_block = match tokens.clone().into_iter().next() {
                    Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
                    Some(TokenTree::Ident(word)) => word == "match",
                    _ => false,
                };
                Code { tokens, binding: if begins_block { Binding::If } else { Binding::Atom } }
            }
            ExprKind::Probe(probe, channel) => self.is_probe(*probe, channel)?,
            _ => return None,
        })
    }

    fn comparison(&self, operator: &TokenStream, left: &Expr, right: &Expr) -> Code {
        let left = self.number(left).within(Binding::BitOr);
        let right = self.number(right).within(Binding::BitOr);
        Code { tokens: quote! { #left #operator #right }, binding: Binding::Comparison }
    }

    fn unary(&self, op: UnaryOp, inner: &Expr) -> Code {
        let range = ranges::of(inner);
        let code = self.number(inner);
        match op {
            UnaryOp::Negate if ranges::unwrapped_negation(range).is_int() => {
                // `--x` looks like something else.
                let inner = code.within(Binding::Atom);
                Code { tokens: quote! { -#inner }, binding: Binding::Unary }
            }
            UnaryOp::Negate => method(code, "wrapping_neg", None),
            _ => {
                let inner = code.within(Binding::Unary);
                Code { tokens: quote! { !#inner }, binding: Binding::Unary }
            }
        }
    }

    fn arithmetic(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Code {
        let (left_range, right_range) = (ranges::of(left), ranges::of(right));
        let (left, right) = (self.number(left), self.number(right));
        let fits = ranges::of_binary(op, left_range, right_range).is_int();
        match op {
            BinaryOp::Add if fits => infix(left, &quote! { + }, right, Binding::Sum),
            BinaryOp::Subtract if fits => infix(left, &quote! { - }, right, Binding::Sum),
            BinaryOp::Multiply if fits => infix(left, &quote! { * }, right, Binding::Product),
            BinaryOp::Add => method(left, "wrapping_add", Some(right)),
            BinaryOp::Subtract => method(left, "wrapping_sub", Some(right)),
            BinaryOp::Multiply => method(left, "wrapping_mul", Some(right)),
            BinaryOp::Divide if right_range.low >= 1 => infix(left, &quote! { / }, right, Binding::Product),
            BinaryOp::Remainder if right_range.low >= 1 => infix(left, &quote! { % }, right, Binding::Product),
            BinaryOp::Divide => self.fallible("divide", left, right),
            BinaryOp::Remainder => self.fallible("remainder", left, right),
            BinaryOp::BitAnd => infix(left, &quote! { & }, right, Binding::BitAnd),
            BinaryOp::BitOr => infix(left, &quote! { | }, right, Binding::BitOr),
            BinaryOp::BitXor => infix(left, &quote! { ^ }, right, Binding::BitXor),
            BinaryOp::ShiftLeft => shift("shift_left", &quote! { << }, left, right, right_range),
            BinaryOp::ShiftRight => shift("shift_right", &quote! { >> }, left, right, right_range),
            // Truths and formulas: asked for elsewhere, or never here.
            _ => Code::atom(quote! { 0 }),
        }
    }

    fn fallible(&self, function: &str, left: Code, right: Code) -> Code {
        let function = format_ident!("{function}");
        let (left, right, fails) = (left.tokens, right.tokens, self.fails());
        Code::atom(quote! { #function(#left, #right)#fails })
    }

    /// The start of a process: gives its pid.
    pub fn run(&self, proctype: ProctypeId, arguments: &[Expr], priority: Option<i32>) -> TokenStream {
        let model = self.generator.program.model;
        let module = &self.generator.names.proctypes[proctype].module;
        let parameters = model.parameter_scalars(proctype);
        let arguments =
            parameters.iter().zip(arguments).map(|(parameter, argument)| self.stored(parameter.ty, argument));
        let priority = self.generator.priority_argument(proctype, priority);
        let fails = self.fails();
        quote! { #module::run(&mut next, #(#arguments,)* #priority)#fails }
    }
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
        Type::Bit | Type::Bool | Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => "u8",
        Type::Short => "i16",
        Type::Int | Type::Record(_) => "i32",
        Type::Unsigned(_) => "u32",
    }
}

/// A constant as a value of a type.
pub fn literal_of(ty: Type, value: i32) -> TokenStream {
    match ty {
        Type::Unsigned(_) => {
            let value = proc_macro2::Literal::u32_unsuffixed(ty.truncate(value).cast_unsigned());
            quote! { #value }
        }
        _ => literal(ty.truncate(value)),
    }
}

/// An `i32` cut to a type.
pub fn cut(ty: Type, value: &TokenStream) -> TokenStream {
    match ty {
        Type::Bit | Type::Bool => quote! { bit(#value) },
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

fn shift(function: &str, operator: &TokenStream, left: Code, right: Code, by: Range) -> Code {
    if by.low >= 0 && by.high <= 31 {
        let (left, right) = (left.within(Binding::Shift), right.within(Binding::Sum));
        return Code { tokens: quote! { #left #operator #right }, binding: Binding::Shift };
    }
    let function = format_ident!("{function}");
    let (left, right) = (left.tokens, right.tokens);
    Code::atom(quote! { #function(#left, #right) })
}

fn operator(op: BinaryOp) -> Option<TokenStream> {
    Some(match op {
        BinaryOp::Equal => quote! { == },
        BinaryOp::NotEqual => quote! { != },
        BinaryOp::Less => quote! { < },
        BinaryOp::LessEqual => quote! { <= },
        BinaryOp::Greater => quote! { > },
        BinaryOp::GreaterEqual => quote! { >= },
        _ => return None,
    })
}

fn opposite(op: BinaryOp) -> Option<TokenStream> {
    operator(match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        _ => return None,
    })
}
