//! The functions that read and change a state.
//!
//! `turn()` and `set_turn(1)` for a variable, `level(2)` for the element of an array, `log_term(2)` for a field of a
//! record; those of a process are methods of its locals: `now.node(me).seen()`. This file names them for every state,
//! and writes those of a state in words; those of a plain state are in `plain.rs`. The rest of the generator calls
//! them.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::expr::{literal_of, rust_type};
use super::names::{METHODS, METHODS_OF_LOCALS, Names, bare, count, identifier, literal};
use crate::analysis::Stored;
use crate::analysis::places::{PlacedShape, Places, Queue, Scalar, Shape, Stride};
use crate::collections::IdVec;
use crate::ir::Program;
use crate::model::{Expr, ExprKind, Init, Model, Owner, ProctypeId, SiteId, Type, VariableId};

/// The names of all accessors.
pub struct Accessors {
    /// The scalars of each variable.
    variables: IdVec<VariableId, Vec<Leaf>>,
    sites: IdVec<SiteId, Ident>,
}

/// A scalar of a variable: the variable itself, or a field of it.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The fields that lead to it.
    pub path: Vec<u32>,
    pub name: Ident,
    pub ty: Type,
    /// The lengths of the enclosing arrays.
    pub lengths: Vec<u32>,
    /// Its initial value.
    init: Init,
}

/// The owner of a field, which decides how the field is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FieldOwner {
    State,
    /// A process, and the field is in its slot.
    Process,
    /// A process, and the field is beside its slot.
    Beside,
}

impl Leaf {
    pub fn setter(&self) -> Ident {
        format_ident!("set_{}", bare(&self.name))
    }

    /// The parameters that select an element.
    pub fn elements(&self) -> Vec<Ident> {
        element_names(self.lengths.len())
    }
}

/// The parameters that select an element of an array, or of nested arrays.
pub fn element_names(n: usize) -> Vec<Ident> {
    match n {
        1 => vec![format_ident!("element")],
        n => (0..n).map(|number| format_ident!("element_{number}")).collect(),
    }
}

impl Accessors {
    pub fn new(program: &Program<'_>, names: &Names<'_>) -> Self {
        let model = program.model;
        let set = |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
        let mut state = set(METHODS);
        let mut locals: IdVec<ProctypeId, BTreeSet<String>> =
            model.proctypes.iter().map(|_| set(METHODS_OF_LOCALS)).collect();
        for process in &names.proctypes {
            state.extend([bare(&process.module), bare(&process.module_mut)]);
        }
        let mut variables: IdVec<VariableId, Vec<Leaf>> = IdVec::new();
        for (id, variable) in model.variables.iter_enumerated() {
            let taken = match variable.owner {
                Owner::Proctype(id) => &mut locals[id],
                Owner::Global | Owner::Never(_) => &mut state,
            };
            let name = bare(names.variable(id));
            let mut leaves = Vec::new();
            let mut search = Search { model, names, leaves: &mut leaves };
            search.visit(Vec::new(), &name, variable.ty, variable.length, &[], &variable.init);
            for leaf in &mut leaves {
                leaf.name = take(taken, &bare(&leaf.name));
            }
            variables.push(leaves);
        }
        let mut sites: IdVec<SiteId, Ident> = IdVec::new();
        for (id, site) in model.sites.iter_enumerated() {
            let taken = match model.variables[site.variable].owner {
                Owner::Proctype(id) => &mut locals[id],
                Owner::Global | Owner::Never(_) => &mut state,
            };
            let field = &names.sites[id].field;
            // A variable that always denotes its own channel has no accessors.
            let own = variables[site.variable].first().map(|leaf| leaf.name.clone());
            let name = match own {
                Some(own) if names.variable(site.variable) == field => own,
                _ => take(taken, &bare(field)),
            };
            sites.push(name);
        }
        Self { variables, sites }
    }

    pub fn leaves(&self, id: VariableId) -> &[Leaf] {
        &self.variables[id]
    }

    /// The scalar that a path of fields leads to.
    pub fn leaf(&self, id: VariableId, path: &[u32]) -> &Leaf {
        let found = self.variables[id].iter().find(|leaf| leaf.path == path);
        found.expect("every path to a scalar was visited")
    }

    pub fn site(&self, id: SiteId) -> &Ident {
        &self.sites[id]
    }

    pub fn site_mut(&self, id: SiteId) -> Ident {
        format_ident!("{}_mut", bare(&self.sites[id]))
    }
}

/// A free name for a getter, a setter (`set_x`) and for access to a queue (`x_mut`).
fn take(taken: &mut BTreeSet<String>, name: &str) -> Ident {
    let all = |name: &str| [name.to_owned(), format!("set_{name}"), format!("{name}_mut")];
    let is_ours = ["any_", "find_", "like_"].iter().any(|prefix| name.starts_with(prefix));
    let mut name = if is_ours { format!("the_{name}") } else { name.to_owned() };
    while all(&name).iter().any(|name| taken.contains(name)) {
        name.push('_');
    }
    taken.extend(all(&name));
    identifier(&name)
}

/// Finds the scalars of a variable.
struct Search<'s> {
    model: &'s Model,
    names: &'s Names<'s>,
    leaves: &'s mut Vec<Leaf>,
}

impl Search<'_> {
    fn visit(&mut self, path: Vec<u32>, name: &str, ty: Type, length: Option<u32>, lengths: &[u32], init: &Init) {
        let lengths: Vec<u32> = lengths.iter().copied().chain(length).collect();
        let ty = if length.is_some() { ty.element() } else { ty };
        let Type::Record(record) = ty else {
            self.leaves.push(Leaf { path, name: identifier(name), ty, lengths, init: init.clone() });
            return;
        };
        for (field, number) in self.model.records[record].fields.iter().zip(0..) {
            let path = path.iter().copied().chain([number]).collect();
            let name = format!("{name}_{}", bare(self.names.field(record, number)));
            self.visit(path, &name, field.ty, field.length, &lengths, &field.init);
        }
    }
}

/// The position of a scalar or a queue: a constant, and the strides of the enclosing arrays.
fn locate<'p>(part: &'p PlacedShape, path: &[u32]) -> (usize, Vec<Stride>, &'p Shape) {
    let (mut at, mut strides, mut shape) = (part.at, Vec::new(), &part.shape);
    let mut path = path.iter();
    loop {
        match shape {
            Shape::Row(row) => {
                strides.push(row.stride);
                shape = &row.element;
            }
            Shape::Record(fields) => {
                let Some(field) = path.next() else { break };
                at += fields[*field as usize].at;
                shape = &fields[*field as usize].shape;
            }
            Shape::Scalar(_) | Shape::Queue(_) => break,
        }
    }
    (at, strides, shape)
}

/// `self.slot + 64 + element * 8`
fn position(owner: FieldOwner, at: usize, strides: &[Stride], elements: &[Ident]) -> TokenStream {
    let mut terms: Vec<TokenStream> = match owner {
        FieldOwner::State => Vec::new(),
        FieldOwner::Process => vec![quote! { self.slot }],
        FieldOwner::Beside => vec![quote! { self.beside }],
    };
    if at > 0 || (terms.is_empty() && strides.is_empty()) {
        let at = count(at);
        terms.push(quote! { #at });
    }
    for (stride, element) in strides.iter().zip(elements) {
        terms.push(match stride {
            Stride::Bits(1) => quote! { #element },
            Stride::Bits(bits) => {
                let bits = count(*bits);
                quote! { #element * #bits }
            }
            Stride::InWords(bits) => {
                let bits = count(*bits);
                quote! { nth(#element, #bits) }
            }
        });
    }
    quote! { #(#terms)+* }
}

/// The accessors of some fields: those that read, and those that write.
#[derive(Default)]
pub struct AccessorFunctions {
    pub getters: TokenStream,
    pub setters: TokenStream,
}

impl Generator<'_> {
    /// Whether a local is stored beside the slot of its process.
    pub fn is_beside(&self, id: VariableId) -> bool {
        self.facts.stored[id] == Stored::Unread
    }

    /// The accessors of variables and queues with one owner.
    pub fn accessor_functions(
        &self,
        places: &Places,
        is_local: bool,
        variables: &[VariableId],
        sites: &[SiteId],
    ) -> AccessorFunctions {
        let mut functions = AccessorFunctions::default();
        for id in variables.iter().filter(|id| self.is_kept(**id)) {
            self.variable_functions(places, is_local, *id, &mut functions);
        }
        for id in sites {
            self.queue_functions(places, is_local, *id, &mut functions);
        }
        functions
    }

    fn variable_functions(&self, places: &Places, is_local: bool, id: VariableId, functions: &mut AccessorFunctions) {
        let comment = self.program.model.variables[id].comment.as_deref().map(|comment| self.comment(comment));
        let mut comment = comment.as_ref();
        let (this, this_mut, words, words_mut) = receivers(is_local);
        for leaf in self.accessors.leaves(id) {
            let (name, setter, elements) = (&leaf.name, leaf.setter(), leaf.elements());
            let ty = format_ident!("{}", rust_type(leaf.ty));
            let comment = comment.take();
            let Some(part) = &places.variables[id] else {
                let value = self.constant_value(leaf, &elements);
                functions.getters.extend(quote! {
                    #comment
                    #[inline]
                    pub fn #name(#this #(, #elements: usize)*) -> #ty { #value }
                });
                continue;
            };
            let (at, strides, shape) = locate(part, &leaf.path);
            let owner = match (is_local, self.is_beside(id)) {
                (false, _) => FieldOwner::State,
                (true, false) => FieldOwner::Process,
                (true, true) => FieldOwner::Beside,
            };
            let at = position(owner, at, &strides, &elements);
            let Shape::Scalar(scalar) = *shape else { continue };
            let (read, write) = access(leaf.ty, scalar, &quote! { #words, #at }, &quote! { #words_mut, #at });
            let unused = if scalar.bits == 0 { &elements[..] } else { &[] };
            let unused = ignore(unused);
            functions.getters.extend(quote! {
                #comment
                #[inline]
                pub fn #name(#this #(, #elements: usize)*) -> #ty {
                    #unused
                    #read
                }
            });
            functions.setters.extend(quote! {
                #[inline]
                pub fn #setter(#this_mut #(, #elements: usize)*, value: #ty) {
                    #unused
                    #write
                }
            });
        }
    }

    /// A variable that never changes is not stored: its getter returns a constant.
    fn constant_value(&self, leaf: &Leaf, elements: &[Ident]) -> TokenStream {
        match (&leaf.init, elements) {
            (Init::List(_), [element]) => {
                let values = leaf.values(self);
                quote! { [#(#values),*][#element] }
            }
            _ => {
                let unused = ignore(elements);
                let value = leaf.values(self).into_iter().next().expect("a leaf has a value");
                quote! { #unused #value }
            }
        }
    }

    fn queue_functions(&self, places: &Places, is_local: bool, id: SiteId, functions: &mut AccessorFunctions) {
        let Some(part) = &places.sites[id] else { return };
        let (name, name_mut) = (self.accessors.site(id), self.accessors.site_mut(id));
        let shape = self.queue_shape_type(id);
        let (at, strides, _) = locate(part, &[]);
        let elements = element_names(strides.len());
        let owner = if is_local { FieldOwner::Process } else { FieldOwner::State };
        let at = position(owner, at, &strides, &elements);
        let variable = &self.program.model.variables[self.program.model.sites[id].variable];
        let comment = variable.comment.as_deref().map(|comment| self.comment(comment));
        let (this, this_mut, words, words_mut) = receivers(is_local);
        let lifetime = if is_local {
            quote! { 's }
        } else {
            quote! { '_ }
        };
        functions.getters.extend(quote! {
            #comment
            #[inline]
            pub fn #name(#this #(, #elements: usize)*) -> QueueIn<#lifetime, #shape> {
                QueueIn::new(#words, #at)
            }
        });
        functions.setters.extend(quote! {
            #[inline]
            pub fn #name_mut(#this_mut #(, #elements: usize)*) -> QueueInMut<#lifetime, #shape> {
                QueueInMut::new(#words_mut, #at)
            }
        });
    }

    /// The type that describes the layout of the queues of a site.
    pub fn queue_shape_type(&self, id: SiteId) -> Ident {
        let sites = &self.program.model.sites;
        let is_same =
            |other: &SiteId| sites[*other].capacity == sites[id].capacity && sites[*other].fields == sites[id].fields;
        let first = sites.ids().find(is_same).unwrap_or(id);
        let mut name = format!("{}Queue", self.names.sites[first].variant);
        while self.messages.iter().any(|(_, message)| *message == name) {
            name.push('_');
        }
        identifier(&name)
    }

    /// The layouts of queues in words, one type for each capacity and kind of message.
    pub fn queue_shapes(&self, places: &Places) -> TokenStream {
        let mut done: Vec<Ident> = Vec::new();
        let mut tokens = TokenStream::new();
        for (id, part) in places.sites.iter_enumerated() {
            let name = self.queue_shape_type(id);
            let Some(part) = part.as_ref().filter(|_| !done.contains(&name)) else { continue };
            let (_, _, Shape::Queue(queue)) = locate(part, &[]) else { continue };
            let Queue { length, messages, ref fields, capacity, is_one_word, .. } = *queue;
            let types = &self.program.model.sites[id].fields;
            let (bits, put, take) = message_bits(types, fields);
            let message = self.message_type(&self.program.model.sites[id].fields);
            let (capacity, messages) = (count(capacity as usize), count(messages));
            let (length_at, length_bits) = (count(length.at), count(length.bits as usize));
            tokens.extend(quote! {
                /// The layout of such a queue.
                #[derive(Clone, Copy, Debug)]
                pub struct #name;
                impl Shape for #name {
                    type Message = #message;
                    const CAPACITY: usize = #capacity;
                    const LENGTH: (usize, u32) = (#length_at, #length_bits);
                    const MESSAGES: usize = #messages;
                    const IS_ONE_WORD: bool = #is_one_word;
                    const BITS: u32 = #bits;
                    #[inline]
                    fn to_bits(message: #message) -> u64 {
                        #put
                    }
                    #[inline]
                    fn from_bits(bits: u64) -> #message {
                        #message(#take)
                    }
                }
            });
            done.push(name);
        }
        tokens
    }

    /// Stores the initial value of a variable, if that is a constant and not 0. `owner` is the state or the locals:
    /// `next`.
    pub fn set_start(&self, places: &Places, id: VariableId, owner: &TokenStream) -> TokenStream {
        let Some(part) = &places.variables[id] else { return TokenStream::new() };
        let leaves = self.accessors.leaves(id).iter().map(|leaf| {
            // A stored 0 is not always a value of 0: ranges are stored from their least value on.
            let is_plain = matches!(locate(part, &leaf.path).2, Shape::Scalar(Scalar { low: 0, .. }));
            let is_zero = matches!(leaf.init, Init::Zero);
            let is_set = if is_zero { !is_plain } else { leaf.is_constant() && !(is_plain && leaf.is_zero()) };
            if is_set { self.set_leaf(leaf, owner) } else { TokenStream::new() }
        });
        leaves.collect()
    }

    fn set_leaf(&self, leaf: &Leaf, owner: &TokenStream) -> TokenStream {
        let (setter, elements, values) = (leaf.setter(), leaf.elements(), leaf.values(self));
        let mut tokens = quote! { #owner.#setter(#(#elements,)* value); };
        let mut loops: Vec<(&Ident, u32)> = elements.iter().zip(leaf.lengths.iter().copied()).collect();
        match (&leaf.init, loops.last().copied()) {
            (Init::List(_), Some((element, _))) => {
                tokens = quote! {
                    for (#element, value) in [#(#values),*].into_iter().enumerate() { #tokens }
                };
                loops.pop();
            }
            _ => {
                let value = &values[0];
                tokens = quote! { #owner.#setter(#(#elements,)* #value); };
            }
        }
        for (element, length) in loops.into_iter().rev() {
            let length = count(length as usize);
            tokens = quote! { for #element in 0..#length { #tokens } };
        }
        tokens
    }
}

impl Leaf {
    fn is_constant(&self) -> bool {
        let is_constant = |value: &Expr| matches!(value.kind, ExprKind::Constant(_));
        match &self.init {
            Init::All(value) => is_constant(value),
            Init::List(values) => values.iter().all(is_constant),
            Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => false,
        }
    }

    /// Whether every constant initial value is stored as 0.
    fn is_zero(&self) -> bool {
        let is_zero = |value: &Expr| matches!(value.kind, ExprKind::Constant(number) if self.ty.truncate(number) == 0);
        match &self.init {
            Init::Zero => true,
            Init::All(value) => is_zero(value),
            Init::List(values) => values.iter().all(is_zero),
            Init::Channel(_) | Init::FieldChannel { .. } => false,
        }
    }

    /// The initial value; of a list one value for each element.
    fn values(&self, generator: &Generator<'_>) -> Vec<TokenStream> {
        let constant = |value: &Expr| match value.kind {
            ExprKind::Constant(number) => generator.constant_of(self.ty, value.mtype, number),
            _ => unreachable!("`is_constant` was asked"),
        };
        match (&self.init, self.lengths.last()) {
            (Init::All(value), _) => vec![constant(value)],
            (Init::List(values), Some(length)) => {
                let last = values.last().map(constant).expect("a list has a value");
                values.iter().map(constant).chain(std::iter::repeat(last)).take(*length as usize).collect()
            }
            _ => vec![literal_of(self.ty, 0)],
        }
    }
}

/// The code that reads and writes a scalar: `get(&self.words.0, 64, 8)`. A range is stored from its least value on,
/// which the code adds and subtracts.
fn access(ty: Type, scalar: Scalar, words: &TokenStream, words_mut: &TokenStream) -> (TokenStream, TokenStream) {
    let Scalar { bits, low } = scalar;
    let n = count(bits as usize);
    match (bits, low) {
        (0, low) => {
            let value = literal_of(ty, low);
            let is_it = match ty {
                Type::Bool if low == 0 => quote! { !value },
                Type::Bool => quote! { value },
                _ => quote! { value == #value },
            };
            (value, quote! { debug_assert!(#is_it, "a value fits in the bits of its field"); })
        }
        (_, 0) => (quote! { get(#words, #n) }, quote! { set(#words_mut, #n, value); }),
        (_, low) => {
            let low = literal(low);
            let read = quote! { get_from(#words, #n, #low) };
            (read, quote! { set_from(#words_mut, #n, #low, value); })
        }
    }
}

/// The number of bits of a message, and the code that packs and unpacks it.
fn message_bits(types: &[Type], fields: &[Scalar]) -> (Literal, TokenStream, TokenStream) {
    let mut at = 0;
    let (mut puts, mut takes) = (Vec::new(), Vec::new());
    for (number, (ty, Scalar { bits, low })) in types.iter().zip(fields).enumerate() {
        let number = count(number);
        let (place, n) = (count(at as usize), count(*bits as usize));
        let shift = (at > 0).then(|| quote! { << #place });
        match (bits, low) {
            (0, low) => takes.push(literal_of(*ty, *low)),
            (_, 0) => {
                puts.push(quote! { field(message.#number, #n) #shift });
                takes.push(quote! { field_of(bits, #place, #n) });
            }
            (_, low) => {
                let low = literal(*low);
                puts.push(quote! { field_from(message.#number, #n, #low) #shift });
                takes.push(quote! { field_of_from(bits, #place, #n, #low) });
            }
        }
        at += bits;
    }
    (count(at as usize), quote! { #(#puts)|* }, quote! { #(#takes),* })
}

/// A statement that marks unused parameters as used.
fn ignore(elements: &[Ident]) -> Option<TokenStream> {
    match elements {
        [] => None,
        [only] => Some(quote! { let _ = #only; }),
        all => Some(quote! { let _ = (#(#all),*); }),
    }
}

/// The receivers of accessors of the state, or of locals, and how they reach the words.
fn receivers(is_local: bool) -> (TokenStream, TokenStream, TokenStream, TokenStream) {
    if is_local {
        (quote! { self }, quote! { self }, quote! { self.words }, quote! { self.words })
    } else {
        (quote! { &self }, quote! { &mut self }, quote! { &self.words.0 }, quote! { &mut self.words.0 })
    }
}
