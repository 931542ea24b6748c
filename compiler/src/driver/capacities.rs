//! Channels with another capacity than the model says.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{ChannelSite, Model, SiteId};
use crate::source::Span;

/// The code of a capacity for what is no channel with one.
const NO_CHANNEL: u16 = 911;

/// Gives channels, by name, the capacities that the user asked for. What concerns no place is told at `start`.
pub fn resize(model: &mut Model, capacities: &[(String, u32)], start: Span, diagnostics: &mut Diagnostics) {
    for (name, capacity) in capacities {
        let named = |site: &ChannelSite| site.path.is_empty() && &*model.variables[site.variable].name == name.as_str();
        let sites = model.sites.iter_enumerated();
        let ids: Vec<SiteId> = sites.filter(|(_, site)| named(site)).map(|(id, _)| id).collect();
        if ids.is_empty() {
            let message = format!("no channel `{name}` is declared here, but its capacity is given");
            diagnostics.add(Diagnostic::error(NO_CHANNEL, start, message).help(declared(model)));
        }
        for id in ids {
            let site = &mut model.sites[id];
            if site.is_rendezvous() {
                let message = format!("`{name}` is a rendezvous channel: it holds no messages, whatever its capacity");
                let error = Diagnostic::error(NO_CHANNEL, site.span, message);
                diagnostics.add(error.help("declare it with a capacity of at least 1"));
            }
            site.capacity = *capacity;
        }
    }
}

/// The channels that have a capacity of their own.
fn declared(model: &Model) -> String {
    let sites = model.sites.iter().filter(|site| site.path.is_empty() && !site.is_rendezvous());
    let mut names: Vec<String> = sites.map(|site| format!("`{}`", model.variables[site.variable].name)).collect();
    names.sort();
    names.dedup();
    match names.as_slice() {
        [] => "no channel is declared with a capacity of at least 1".to_owned(),
        names => format!("channels with a capacity: {}", names.join(", ")),
    }
}
