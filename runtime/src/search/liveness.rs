//! Properties of infinite runs: chooses the search.

use super::control::{Control, Run};
use super::explored::Explored;
use super::way_back::LeavesOut;
use super::{Searched, components, nested, shortest};
use crate::options::Liveness;
use crate::pack::{Keyed, Packed};
use crate::property::Property;
use crate::sound;
use crate::store::{ExactStore, StateStore};
use crate::system::{Choosing, Joint, Product, Systems, Watch};
use crate::verdict::{Found, ViolationKind};

/// What a search for cycles is about.
pub(crate) struct Question<'s, P: Packed> {
    pub product: Box<dyn Product<P> + 's>,
    pub watch: Watch,
    pub initial: Joint<P>,
    pub has_hidden: bool,
    pub leaves_out: LeavesOut,
}

/// `None` for properties that are no matter of infinite runs.
pub(crate) fn search<P: Packed>(
    systems: &dyn Systems<P>,
    property: Property,
    choosing: Option<Choosing>,
    control: &mut Control<'_>,
) -> Option<Searched> {
    search_with::<P, ExactStore<Keyed<P>>>(systems, property, choosing, control)
}

fn search_with<P: Packed, S: StateStore<Keyed<P>>>(
    systems: &dyn Systems<P>,
    property: Property,
    choosing: Option<Choosing>,
    control: &mut Control<'_>,
) -> Option<Searched> {
    let watch = Watch::new(systems.info(), property, control.options.fair)?;
    let mut product = systems.product(watch, control.wants, choosing);
    let mut initial = Joint::default();
    let wrong = match product.initial(&mut initial.state.packed) {
        Err(fault) => Some(ViolationKind::Fault(fault)),
        Ok(_) if watch.ends_at_once() => Some(ViolationKind::ClaimEnd),
        Ok(hidden) => {
            initial.hidden = hidden;
            None
        }
    };
    let has_hidden = systems.has_hidden();
    if let Some(kind) = wrong {
        // It goes wrong before the first move.
        control.meet(Found::state(kind), Run::default);
        let name = sound::liveness(control.options).name();
        return Some(Explored::<P, S>::new(has_hidden).finish(name, product.tally()));
    }
    let leaves_out = match choosing {
        None => LeavesOut::Nothing,
        Some(choosing) if choosing.is_static() => LeavesOut::AsChosen,
        Some(_) => LeavesOut::UnlessItLeadsBack,
    };
    let question = Question { product, watch, initial, has_hidden, leaves_out };
    Some(match sound::liveness(control.options) {
        _ if sound::is_shortest_lasso(control.options) => shortest::search::<P, S>(question, control),
        Liveness::Components => components::search::<P, S>(question, control),
        Liveness::Nested | Liveness::Auto => nested::search::<P, S>(question, control),
    })
}
