//! Variables as fields: their types, and their initial values.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Generator;
use super::expr::{literal_of, plus, rust_type};
use super::names::{count, doc, literal};
use crate::model::{Expr, ExprKind, Init, Owner, RecordId, SiteId, Type, VariableId};

impl Generator<'_> {
    /// `pub turn: u8,` with the author's comment; nothing for a channel that never changes.
    pub fn field_declaration(&self, id: VariableId) -> Option<TokenStream> {
        if !self.is_kept(id) {
            return None;
        }
        let variable = &self.program.model.variables[id];
        let (name, ty) = (self.names.variable(id), self.value_type(id));
        let comment = variable.comment.as_deref().map(|comment| self.comment(comment));
        Some(quote! { #comment pub #name: #ty, })
    }

    /// The author's comment as documentation.
    pub fn comment(&self, comment: &str) -> TokenStream {
        let lines = comment.lines().map(|line| doc(&format!(" {}", line.trim())));
        quote! { #(#lines)* }
    }

    pub fn queue_declaration(&self, id: SiteId) -> Option<TokenStream> {
        let site = &self.program.model.sites[id];
        let ty = self.queue_type(id)?;
        let name = &self.names.sites[id].field;
        let comment =
            self.program.model.variables[site.variable].comment.as_deref().map(|comment| self.comment(comment));
        let ty = if self.is_array(id) {
            let n = count(site.count as usize);
            quote! { [#ty; #n] }
        } else {
            ty
        };
        Some(quote! { #comment pub #name: #ty, })
    }

    /// The type of the queues of a site; nothing for rendezvous.
    pub fn queue_type(&self, id: SiteId) -> Option<TokenStream> {
        let site = &self.program.model.sites[id];
        let message = self.message_type(&site.fields);
        match site.capacity {
            0 => None,
            capacity if capacity <= LARGEST_QUEUE_IN_PLACE => {
                let capacity = count(capacity as usize);
                Some(quote! { Queue<#message, #capacity> })
            }
            _ => Some(quote! { GrowingQueue<#message> }),
        }
    }

    /// An empty queue of a site; nothing for rendezvous.
    pub fn blank_queue(&self, id: SiteId) -> Option<TokenStream> {
        match self.program.model.sites[id].capacity {
            0 => None,
            capacity if capacity <= LARGEST_QUEUE_IN_PLACE => Some(quote! { Queue::default() }),
            capacity => {
                let capacity = count(capacity as usize);
                Some(quote! { GrowingQueue::new(#capacity) })
            }
        }
    }

    pub fn blank_queues(&self, id: SiteId) -> Option<TokenStream> {
        let one = self.blank_queue(id)?;
        Some(if self.is_array(id) {
            quote! { std::array::from_fn(|_| #one) }
        } else {
            one
        })
    }

    /// Whether a site has an array of queues.
    pub fn is_array(&self, id: SiteId) -> bool {
        let site = &self.program.model.sites[id];
        site.count > 1 || self.program.model.variables[site.variable].length.is_some()
    }

    /// Whether a variable has a field of its own: all but channels that never change.
    pub fn is_kept(&self, id: VariableId) -> bool {
        !self.facts.is_fixed_channel[id]
    }

    pub fn scalar_type(&self, ty: Type) -> TokenStream {
        let name = match ty {
            Type::Record(record) => self.names.record(record).clone(),
            scalar => format_ident!("{}", rust_type(scalar)),
        };
        quote! { #name }
    }

    pub fn value_type(&self, id: VariableId) -> TokenStream {
        let variable = &self.program.model.variables[id];
        self.elements_type(variable.ty, variable.length)
    }

    fn elements_type(&self, ty: Type, length: Option<u32>) -> TokenStream {
        match length {
            None => self.scalar_type(ty),
            Some(length) => {
                let scalar = self.scalar_type(ty.element());
                let length = count(length as usize);
                quote! { [#scalar; #length] }
            }
        }
    }

    /// A variable before it is given its initial value.
    pub fn blank(&self, id: VariableId) -> TokenStream {
        let variable = &self.program.model.variables[id];
        self.blank_elements(variable.ty, variable.length)
    }

    /// The constant initial value of a variable.
    pub fn start(&self, id: VariableId) -> TokenStream {
        let variable = &self.program.model.variables[id];
        let element = if variable.length.is_some() { variable.ty.element() } else { variable.ty };
        let constant = |expression: &Expr| match expression.kind {
            ExprKind::Constant(value) => self.constant_of(element, expression.mtype, value),
            _ => unreachable!("`has_constant_start` was asked"),
        };
        match (&variable.init, variable.length) {
            (Init::All(value), None) if self.has_constant_start(id) => constant(value),
            (Init::All(value), Some(length)) if self.has_constant_start(id) => {
                let (value, length) = (constant(value), count(length as usize));
                quote! { [#value; #length] }
            }
            (Init::List(values), Some(length)) if self.has_constant_start(id) => {
                let last = values.last().map(constant).expect("a list has a value");
                let all = values.iter().map(constant).chain(std::iter::repeat(last)).take(length as usize);
                quote! { [#(#all),*] }
            }
            _ => self.blank(id),
        }
    }

    /// Whether the initial value needs no computation.
    pub fn has_constant_start(&self, id: VariableId) -> bool {
        let variable = &self.program.model.variables[id];
        let is_constant = |value: &Expr| matches!(value.kind, ExprKind::Constant(_));
        match &variable.init {
            _ if matches!(variable.ty, Type::Record(_)) => false,
            Init::All(value) => is_constant(value),
            Init::List(values) => variable.length.is_some() && values.iter().all(is_constant),
            Init::Zero | Init::Channel(_) | Init::FieldChannel { .. } => false,
        }
    }

    fn blank_elements(&self, ty: Type, length: Option<u32>) -> TokenStream {
        let one = match ty {
            Type::Record(record) => {
                let name = self.names.record(record);
                quote! { #name::BLANK }
            }
            scalar => literal_of(if length.is_some() { scalar.element() } else { scalar }, 0),
        };
        match length {
            None => one,
            Some(length) => {
                let length = count(length as usize);
                quote! { [#one; #length] }
            }
        }
    }

    pub fn record(&self, id: RecordId) -> TokenStream {
        let record = &self.program.model.records[id];
        let name = self.names.record(id);
        let fields = record.fields.iter().zip(0..).map(|(field, number)| {
            let (name, ty) = (self.names.field(id, number), self.elements_type(field.ty, field.length));
            quote! { pub #name: #ty, }
        });
        let blanks = record.fields.iter().zip(0..).map(|(field, number)| {
            let name = self.names.field(id, number);
            let value = self.blank_field(field);
            quote! { #name: #value, }
        });
        let title = doc(&format!(" typedef {}", record.name));
        // Values of hidden variables are compared as a whole.
        let globals = &self.program.model.globals;
        let is_record = |id: &VariableId| matches!(self.program.model.variables[*id].ty, Type::Record(_));
        let is_compared = globals.iter().any(|id| self.is_hidden(*id) && is_record(id));
        let comparison = is_compared.then(|| quote! { , PartialEq, Eq, Hash });
        quote! {
            #title
            #[derive(Clone, Copy, Debug #comparison)]
            pub struct #name {
                #(#fields)*
            }
            impl #name {
                pub const BLANK: Self = Self { #(#blanks)* };
            }
        }
    }

    /// A field of a record has its initial value from the start; these are constants.
    fn blank_field(&self, field: &crate::model::RecordField) -> TokenStream {
        let element = if field.length.is_some() { field.ty.element() } else { field.ty };
        let constant = |expression: &Expr| match expression.kind {
            ExprKind::Constant(value) => self.constant_of(element, expression.mtype, value),
            _ => unreachable!("resolving refuses fields whose initial value is not constant"),
        };
        match (&field.init, field.length) {
            (Init::All(value), None) => constant(value),
            (Init::All(value), Some(length)) => {
                let (value, length) = (constant(value), count(length as usize));
                quote! { [#value; #length] }
            }
            (Init::List(values), Some(length)) => {
                let last = values.last().map(constant).expect("a list has a value");
                let all = values.iter().map(constant).chain(std::iter::repeat(last)).take(length as usize);
                quote! { [#(#all),*] }
            }
            _ => self.blank_elements(field.ty, field.length),
        }
    }

    /// The number of the first channel of a site: the channels of a process that is being started follow all others.
    pub fn first_number(&self, id: SiteId) -> TokenStream {
        let model = self.program.model;
        let layout = &self.facts.layout;
        let offset = |sites: &[SiteId]| -> u32 {
            sites.iter().take_while(|other| **other != id).map(|other| model.sites[*other].count).sum()
        };
        match model.variables[model.sites[id].variable].owner {
            Owner::Proctype(process) => {
                plus(&quote! { next.first_channel(me) }, offset(&layout.processes[process].sites))
            }
            Owner::Global | Owner::Never(_) => {
                literal(i32::try_from(1 + offset(&layout.global_sites)).expect("a model has fewer than 2^31 channels"))
            }
        }
    }
}

pub use crate::analysis::places::LARGEST_QUEUE as LARGEST_QUEUE_IN_PLACE;
