//! How a state is shown: every variable with its name.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Generator;
use super::expr::as_int;
use super::names::{count, visible};
use crate::model::{ProctypeId, SiteId, Type, VariableId};

/// The name of a variable or a part of one, as a format and its values.
#[derive(Clone)]
struct DisplayName {
    format: String,
    values: Vec<TokenStream>,
}

/// The variable that is shown, and its owner.
struct VariableAccess<'s> {
    owner: &'s TokenStream,
    base: &'s TokenStream,
    id: VariableId,
}

impl Generator<'_> {
    pub fn describe(&self) -> TokenStream {
        let model = self.program.model;
        let state = quote! { state };
        let no_owner = quote! { None };
        let globals = model.state_variables().map(|id| self.describe_variable(&no_owner, &state, id));
        let queues = self.facts.layout.global_sites.iter().map(|site| self.describe_queues(&no_owner, &state, *site));
        let processes: Vec<(ProctypeId, TokenStream)> =
            model.proctypes.ids().map(|id| (id, self.describe_locals(id))).collect();
        let body = quote! { #(#globals)* #(#queues)* };
        let has_locals = processes.iter().any(|(_, tokens)| !tokens.is_empty());
        let processes = has_locals.then(|| {
            let each = self.each_kind(&quote! { process }, |id, _| {
                let tokens = &processes[id.0 as usize].1;
                quote! { { #tokens } }
            });
            quote! {
                for (process, pid) in state.processes().zip(0..) {
                    let owner = Some(Pid(pid));
                    #each
                }
            }
        });
        if body.is_empty() && processes.is_none() {
            return quote! { let _ = (state, to); };
        }
        quote! { #body #processes }
    }

    fn describe_locals(&self, id: ProctypeId) -> TokenStream {
        let process = &self.program.model.proctypes[id];
        let (owner, locals) = (quote! { owner }, quote! { locals });
        let variables = process.parameters.iter().chain(&process.locals);
        let variables = variables.map(|variable| {
            let code = self.describe_variable(&owner, &locals, *variable);
            self.unless_dead(id, *variable, code)
        });
        let sites = &self.facts.layout.processes[id].sites;
        let queues = sites.iter().map(|site| self.describe_queues(&owner, &locals, *site));
        quote! { #(#variables)* #(#queues)* }
    }

    /// A dead variable was reset to 0, which the model does not say: it is not shown.
    fn unless_dead(&self, id: ProctypeId, variable: VariableId, code: TokenStream) -> TokenStream {
        let names = &self.names.proctypes[id];
        let dead = self.facts.dead.at[id].iter().zip(&names.graph.locations);
        let dead: Vec<_> = dead.filter(|(dead, _)| dead.contains(&variable)).map(|(_, name)| name).collect();
        if dead.is_empty() || code.is_empty() {
            return code;
        }
        let module = &names.module;
        quote! { if !matches!(locals.at(), #(#module::Location::#dead)|*) { #code } }
    }

    fn describe_variable(&self, owner: &TokenStream, base: &TokenStream, id: VariableId) -> TokenStream {
        if !self.is_kept(id) {
            return TokenStream::new();
        }
        let variable = &self.program.model.variables[id];
        let label = DisplayName { format: in_format(&self.rows.variable_names[id]), values: Vec::new() };
        let access = VariableAccess { owner, base, id };
        self.describe_elements(&access, label, &[], variable.ty, variable.length, &[])
    }

    fn describe_elements(
        &self,
        access: &VariableAccess<'_>,
        label: DisplayName,
        path: &[u32],
        ty: Type,
        length: Option<u32>,
        indices: &[Ident],
    ) -> TokenStream {
        let mut label = label;
        let mut indices = indices.to_vec();
        let index = format_ident!("index_{}", indices.len());
        let ty = if length.is_some() { ty.element() } else { ty };
        if length.is_some() {
            label.format.push_str("[{}]");
            label.values.push(quote! { #index });
            indices.push(index.clone());
        }
        let one = if let Type::Record(record) = ty {
            let fields = self.program.model.records[record].fields.iter().zip(0..).map(|(field, number)| {
                let path: Vec<u32> = path.iter().copied().chain([number]).collect();
                let mut label = label.clone();
                label.format.push('.');
                label.format.push_str(&escape(&field.name));
                self.describe_elements(access, label, &path, field.ty, field.length, &indices)
            });
            quote! { #(#fields)* }
        } else {
            let (owner, base, name) = (access.owner, access.base, &self.accessors.leaf(access.id, path).name);
            let value = self.shown_value(ty, &quote! { #base.#name(#(#indices),*) });
            let DisplayName { format, values } = label;
            quote! { to.variable(#owner, format_args!(#format #(, #values)*), format_args!("{}", #value)); }
        };
        match length {
            None => one,
            Some(length) => {
                let length = count(length as usize);
                quote! { for #index in 0..#length { #one } }
            }
        }
    }

    /// A value as it is shown: an mtype by its name.
    fn shown_value(&self, ty: Type, value: &TokenStream) -> TokenStream {
        match ty {
            Type::Mtype(id) => {
                let (function, value) = (self.mtype_function(id), as_int(ty, value));
                quote! { #function(#value) }
            }
            // As in Promela: 0 and 1.
            Type::Bool => as_int(ty, value),
            _ => value.clone(),
        }
    }

    fn describe_queues(&self, owner: &TokenStream, base: &TokenStream, id: SiteId) -> TokenStream {
        let site = &self.program.model.sites[id];
        if site.is_rendezvous() {
            return TokenStream::new();
        }
        let name = escape(&self.program.model.variables[site.variable].name);
        let accessor = self.accessors.site(id);
        let text = |queue: &TokenStream| {
            quote! {
                let queue = #queue;
                let messages: String = (0..queue.len()).map(|position| queue.message(position).to_string()).collect();
            }
        };
        if self.is_array(id) {
            let (name, n) = (format!("{name}[{{}}]"), count(site.count as usize));
            let messages = text(&quote! { #base.#accessor(index) });
            quote! {
                for index in 0..#n {
                    #messages
                    to.channel(#owner, format_args!(#name, index), format_args!("{messages}"));
                }
            }
        } else {
            let messages = text(&quote! { #base.#accessor() });
            quote! {
                #messages
                to.channel(#owner, format_args!(#name), format_args!("{messages}"));
            }
        }
    }

    /// How a message is shown: `[data,1]`.
    pub fn message_display(&self, fields: &[Type]) -> TokenStream {
        let name = self.message_type(fields);
        let format = format!("[{}]", vec!["{}"; fields.len()].join(","));
        let values = fields.iter().enumerate().map(|(number, ty)| {
            let number = count(number);
            self.shown_value(*ty, &quote! { self.#number })
        });
        quote! {
            impl std::fmt::Display for #name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    write!(f, #format, #(#values),*)
                }
            }
        }
    }
}

/// A name inside a format.
fn escape(name: &str) -> String {
    in_format(&visible(name))
}

fn in_format(name: &str) -> String {
    name.replace('{', "{{").replace('}', "}}")
}
