//! The prelude of every generated file: the modules and types of the crate, and the items of the runtime.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::{Generator, names};

impl Generator<'_> {
    /// The first line of a file.
    pub fn import() -> TokenStream {
        quote! { use crate::prelude::*; }
    }

    /// The module that is imported everywhere. Items of a file shadow those that it imports from here.
    pub fn prelude(&self) -> TokenStream {
        let channels = self.has_channels().then(|| quote! { pub use crate::channels::*; });
        let independence = self.exec.independence.is_ok().then(|| quote! { independence, });
        let mtypes = self.has_mtypes().then(|| quote! { mtype, });
        let promises = self.has_promises().then(|| quote! { promises, });
        let modules = self.names.proctypes.iter().map(|names| &names.module).chain(self.claim_modules());
        quote! {
            /// The imports of all modules. Not every model needs all of them.
            #[allow(unused_imports)]
            mod prelude {
                #channels
                pub use crate::state::*;
                pub use crate::{#independence #mtypes #promises #(#modules),*};
                pub use pmc_runtime::generated::*;
            }
        }
    }

    /// Types and functions of `state.rs`.
    pub fn state_types(&self) -> BTreeSet<String> {
        let types = self.own_types();
        let types = types.iter().map(names::bare);
        let messages = self.messages.iter().map(|(_, name)| name.to_string());
        let mtypes = self.program.model.mtypes.ids().map(|id| self.mtype_function(id).to_string());
        types.chain(messages).chain(mtypes).collect()
    }
}

/// The items of the runtime in generated code: the names in `pmc_runtime::generated`.
pub const RUNTIME: &[&str] = &[
    "Asserted",
    "Bytes",
    "ClaimInfo",
    "ClaimKind",
    "ClaimLocation",
    "ClaimLocationInfo",
    "ClaimMove",
    "ClaimMoveInfo",
    "ClaimMoves",
    "Cluster",
    "ControlFlow",
    "DStep",
    "Describe",
    "Fault",
    "Features",
    "Flow",
    "GrowingInfo",
    "GrowingProcesses",
    "GrowingQueue",
    "Handshake",
    "Independence",
    "LocationInfo",
    "Model",
    "ModelInfo",
    "NEVER",
    "NoSteps",
    "Objections",
    "Outcome",
    "Packed",
    "Pid",
    "PidSet",
    "ProcessPart",
    "Processes",
    "ProctypeInfo",
    "Queue",
    "QueueIn",
    "QueueInMut",
    "Reader",
    "ReductionInfo",
    "Shape",
    "SourcePosition",
    "Split",
    "Steps",
    "Table",
    "Text",
    "Tick",
    "TraceError",
    "TraceObserver",
    "Traced",
    "TransitionId",
    "TransitionInfo",
    "TransitionKind",
    "Visibility",
    "Words",
    "Writer",
    "add",
    "ask_enabled",
    "bit",
    "block_end",
    "byte",
    "clear",
    "divide",
    "field",
    "field_from",
    "field_of",
    "field_of_from",
    "get",
    "get_from",
    "go",
    "go_asserting",
    "go_changing",
    "go_d_step",
    "index",
    "int",
    "level",
    "next_pid",
    "nth",
    "number",
    "offer",
    "offer_d_step",
    "offer_d_step_handshake",
    "offer_handshake",
    "offer_printing",
    "remainder",
    "set",
    "set_from",
    "shift_left",
    "shift_right",
    "short",
    "unsigned",
    "with_merged",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_offers_just_these_names() {
        let text = include_str!("../../../runtime/src/generated/mod.rs");
        let code: String = text.lines().filter(|line| !line.starts_with("//")).collect();
        let names = code.split("pub use ").skip(1).flat_map(|path| {
            let (_, names) = path.trim_start_matches("crate::").split_once("::").expect("names of a module");
            names.split([',', '{', '}', ';', ' '])
        });
        let offered: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
        assert_eq!(offered, RUNTIME.iter().copied().collect());
    }
}
