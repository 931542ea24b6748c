//! The receivers of a rendezvous: what a process answers to a sender, and where it may answer at all.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::Scope;
use super::names::doc;
use super::offers::{OfferCall, OfferCalls};
use super::parameters::parameter;
use super::transition::TransitionFunctions;
use crate::collections::IdVec;
use crate::exec::effects::Executable;
use crate::exec::{Channel, Index};
use crate::ir::TransitionId;
use crate::model::{ProctypeId, SiteId};

impl Generator<'_> {
    /// The function by which a process answers a sender in a rendezvous.
    pub fn answer(&self, id: ProctypeId, functions: &IdVec<TransitionId, TransitionFunctions>) -> TokenStream {
        if !self.exec.processes[id].can_answer() {
            return TokenStream::new();
        }
        let process = &self.program.model.proctypes[id];
        let locations = &self.exec.processes[id].locations;
        let module = &self.names.proctypes[id].module;
        let names = &self.names.proctypes[id].graph.locations;
        let arms = locations.iter().zip(names).filter_map(|(location, name)| {
            // Escapes that can receive the message have precedence over the other transitions.
            let groups = location.groups.iter().map(|group| {
                let answers = group.iter().filter_map(|transition| functions[*transition].answer.as_ref());
                OfferCalls::all(answers.map(|call| OfferCall::plain(call.answer())).collect())
            });
            match OfferCalls::or(groups.collect()) {
                OfferCalls::None => None,
                offers => {
                    let calls = offers.tokens();
                    Some(quote! { Location::#name => #calls, })
                }
            }
        });
        let arms: Vec<TokenStream> = arms.collect();
        let rest = (arms.len() < locations.len()).then(|| quote! { _ => false, });
        let scope = Scope::new(self, Some(id), "now");
        let provided = self.exec.processes[id].provided.as_ref();
        let effects = provided.map(Executable::effects).unwrap_or_default();
        let check = provided.map(|test| scope.falsehood(test)).map(|provided| {
            if effects.can_fail {
                quote! { if (|| -> Result<bool, Fault> { Ok(#provided) })() != Ok(false) { return false; } }
            } else {
                quote! { if #provided { return false; } }
            }
        });
        let timeout = effects.uses_timeout.then(|| quote! { let timeout = false; });
        let title = doc(&format!(
            " Receives an offered message if `{}` number `me` can, and returns whether it did.",
            process.name
        ));
        let body = quote! {
            #timeout
            #check
            match now.#module(me).at() {
                #(#arms)*
                #rest
            }
        };
        let (offer, steps) = (parameter("offer", &body), parameter("steps", &body));
        quote! {
            #title
            pub fn answer(now: &State, me: Pid, #offer: &Offer, #steps: &mut impl Steps<State>) -> bool {
                #body
            }
        }
    }

    /// The function that says where a process may receive: most processes are not asked whether they do.
    pub fn awaits(&self, id: ProctypeId) -> TokenStream {
        if !self.exec.processes[id].can_answer() {
            return TokenStream::new();
        }
        let module = &self.names.proctypes[id].module;
        let sites = self.program.model.sites.iter_enumerated().filter(|(_, site)| site.is_rendezvous());
        let arms: Vec<TokenStream> = sites.filter_map(|(site, _)| self.awaits_at(id, site)).collect();
        let rest = (arms.len() < self.program.model.sites.len()).then(|| quote! { _ => false, });
        let title = doc(&format!(
            " Whether `{}` number `me` is where it may receive from a channel in a rendezvous.",
            self.program.model.proctypes[id].name
        ));
        let body = if arms.is_empty() {
            quote! { false }
        } else {
            quote! { let at = now.#module(me).at(); match channel { #(#arms)* #rest } }
        };
        let [now, me, channel] = ["now", "me", "channel"].map(|name| parameter(name, &body));
        quote! {
            #title
            #[inline]
            pub fn awaits(#now: &State, #me: Pid, #channel: Channel) -> bool {
                #body
            }
        }
    }

    /// Where a process may receive from the channels of a site.
    fn awaits_at(&self, id: ProctypeId, site: SiteId) -> Option<TokenStream> {
        let process = &self.exec.processes[id];
        let names = &self.names.proctypes[id].graph.locations;
        let (mut anywhere, mut elements) = (Vec::new(), Vec::new());
        for (location, name) in process.locations.iter().zip(names) {
            let transitions = location.groups.iter().flatten();
            let answers = transitions.filter_map(|id| process.transitions[*id].answer.as_ref());
            let channels = answers.flat_map(|answer| answer.channels());
            let channels: Vec<&Channel> = channels.filter(|channel| channel.may_be_of(site)).collect();
            match known_elements(&channels) {
                Some(indices) if self.is_array(site) && !self.is_local(site) => elements.push((name, indices)),
                _ if channels.is_empty() => {}
                _ => anywhere.push(name),
            }
        }
        let pattern = self.channel_pattern(site);
        if elements.is_empty() {
            return (!anywhere.is_empty()).then(|| quote! { #pattern => matches!(at, #(Location::#anywhere)|*), });
        }
        let variant = &self.names.sites[site].variant;
        let scope = Scope::new(self, Some(id), "now");
        let elements = elements.iter().map(|(name, indices)| {
            let indices = indices.iter().map(|index| scope.index(index));
            quote! { Location::#name => #(element == #indices)||*, }
        });
        let anywhere = (!anywhere.is_empty()).then(|| quote! { #(Location::#anywhere)|* => true, });
        Some(quote! { Channel::#variant(element) => match at { #(#elements)* #anywhere _ => false, }, })
    }
}

/// The elements of an array that channels are, if few are known. The process looks for nothing else there, so that their
/// indices can be computed.
fn known_elements<'c>(channels: &[&'c Channel]) -> Option<Vec<&'c Index>> {
    let element = |channel: &&'c Channel| match channel {
        Channel::Declared(declared) => declared.element.as_deref().filter(|index| !index.effects().can_fail),
        Channel::Numbered(_) => None,
    };
    let mut elements: Vec<&Index> = channels.iter().map(element).collect::<Option<_>>()?;
    elements.dedup();
    (1..=MOST_ELEMENTS).contains(&elements.len()).then_some(elements)
}

/// With more elements the location alone says whether a process may receive.
const MOST_ELEMENTS: usize = 4;
