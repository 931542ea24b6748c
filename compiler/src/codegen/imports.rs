//! What a generated file imports: of the names that the crate and the runtime offer, those that it uses.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Generator, names, words};

impl Generator<'_> {
    /// `use` lines for what a file mentions.
    pub fn imports(&self, body: &TokenStream) -> TokenStream {
        let mut words = words::Words::default();
        words.read(body.clone());
        let is_wanted = |name: &&str| {
            // A function is used where it is called; the same word may be the name of something else.
            let is_function = name.starts_with(|c: char| c.is_ascii_lowercase());
            let is_used = if is_function { words.called.contains(*name) } else { words.mentioned.contains(*name) };
            is_used && !words.defined.contains(*name)
        };
        let mut own: Vec<(String, TokenStream)> = Vec::new();
        if self.has_channels() {
            let wanted = ["Channel", "Offer", "hold_out"].into_iter().filter(is_wanted);
            own.push(("channels".to_owned(), import(&quote! { crate::channels }, wanted)));
        }
        let types = self.state_types();
        let types = ["Process", "State"].into_iter().chain(types.iter().map(String::as_str)).filter(is_wanted);
        own.push(("state".to_owned(), import(&quote! { crate::state }, types)));
        let modules = self.names.proctypes.iter().map(|names| &names.module).chain(self.claim_modules());
        let modules = modules.filter(|module| words.paths.contains(&module.to_string()));
        own.extend(modules.map(|module| (module.to_string(), quote! { use crate::#module; })));
        if self.exec.independence.is_ok() && words.paths.contains("independence") {
            own.push(("independence".to_owned(), quote! { use crate::independence; }));
        }
        if self.has_promises() && words.paths.contains("promises") {
            own.push(("promises".to_owned(), quote! { use crate::promises; }));
        }
        if self.has_mtypes() && words.paths.contains("mtype") {
            own.push(("mtype".to_owned(), quote! { use crate::mtype; }));
        }
        own.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut tokens: TokenStream = own.into_iter().map(|(_, import)| import).collect();
        for (module, names) in RUNTIME {
            let module = format_ident!("{module}");
            tokens.extend(import(&quote! { pmc_runtime::#module }, names.iter().copied().filter(is_wanted)));
        }
        tokens
    }

    /// Types and functions of `state.rs` that other modules may need.
    pub fn state_types(&self) -> BTreeSet<String> {
        let types = self.own_types();
        let types = types.iter().map(names::bare);
        let messages = self.messages.iter().map(|(_, name)| name.to_string());
        let mtypes = self.program.model.mtypes.ids().map(|id| self.mtype_function(id).to_string());
        types.chain(messages).chain(mtypes).collect()
    }
}

/// What generated code uses of the runtime.
pub const RUNTIME: [(&str, &[&str]); 14] = [
    ("channel", &["GrowingQueue", "Queue"]),
    ("d_step", &["DStep", "Flow", "offer_d_step", "offer_d_step_handshake"]),
    ("fault", &["Fault", "TraceError"]),
    (
        "model",
        &[
            "ClaimInfo",
            "ClaimKind",
            "ClaimLocationInfo",
            "ClaimMoveInfo",
            "Describe",
            "LocationInfo",
            "Model",
            "ModelInfo",
            "ProctypeInfo",
            "SourcePosition",
            "TransitionInfo",
            "TransitionKind",
        ],
    ),
    ("moves", &["ClaimMove", "go", "go_asserting", "go_changing", "go_d_step"]),
    (
        "outcome",
        &["Asserted", "Handshake", "Outcome", "Text", "offer", "offer_handshake", "offer_printing", "with_merged"],
    ),
    ("pack", &["Bytes", "Packed", "Reader", "Words", "Writer"]),
    ("processes", &["GrowingProcesses", "Processes"]),
    (
        "reduction",
        &[
            "Cluster",
            "Independence",
            "NEVER",
            "ProcessPart",
            "ReductionInfo",
            "Split",
            "Table",
            "Visibility",
            "add",
            "level",
        ],
    ),
    ("step", &["ClaimLocation", "ClaimMoves", "Nobody", "Pid", "PidSet", "Steps", "TransitionId"]),
    ("traced", &["Objections", "TraceObserver", "Traced"]),
    (
        "value",
        &["bit", "byte", "divide", "index", "int", "remainder", "shift_left", "shift_right", "short", "unsigned"],
    ),
    ("verdict", &["Report"]),
    (
        "words",
        &[
            "QueueIn",
            "QueueInMut",
            "Shape",
            "clear",
            "field",
            "field_from",
            "field_of",
            "field_of_from",
            "get",
            "get_from",
            "next_pid",
            "nth",
            "number",
            "set",
            "set_from",
        ],
    ),
];

/// One line for all that a file uses of a module. A name can come from several places of the model, and stands here once.
fn import<'n>(module: &TokenStream, names: impl Iterator<Item = &'n str>) -> TokenStream {
    let names: BTreeSet<&str> = names.collect();
    let names: Vec<Ident> = names.into_iter().map(names::identifier).collect();
    match &names[..] {
        [] => TokenStream::new(),
        [name] => quote! { use #module::#name; },
        names => quote! { use #module::{#(#names),*}; },
    }
}
