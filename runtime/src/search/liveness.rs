//! Properties of infinite runs: chooses the search.

use super::control::{Control, Run};
use super::product::Product;
use super::{Searched, components, nested, shortest};
use crate::model::Model;
use crate::options::Liveness;
use crate::pack::Keyed;
use crate::property::Property;
use crate::sound;
use crate::store::ExactStore;
use crate::verdict::{Found, ViolationKind};

/// `None` for properties that are no matter of infinite runs.
pub(crate) fn search<M: Model>(model: &M, property: Property, control: &mut Control<'_>) -> Option<Searched> {
    let mut product = Product::new(model, property, control.options.fair)?;
    let initial = match product.initial() {
        Ok(state) if !product.ends_at_once() => state,
        Ok(_) => return Some(nothing_but(Found::state(ViolationKind::ClaimEnd), product, control)),
        Err(fault) => return Some(nothing_but(Found::state(ViolationKind::Fault(fault)), product, control)),
    };
    product.found.clear();
    Some(match sound::liveness(control.options) {
        _ if sound::is_shortest_lasso(control.options) => {
            shortest::search::<M, ExactStore<Keyed<M::Packed>>>(product, &initial, control)
        }
        Liveness::Components => components::search::<M, ExactStore<Keyed<M::Packed>>>(product, &initial, control),
        Liveness::Nested | Liveness::Auto => {
            nested::search::<M, ExactStore<Keyed<M::Packed>>>(product, &initial, control)
        }
    })
}

/// It goes wrong before the first move.
fn nothing_but<M: Model>(found: Found, product: Product<'_, M>, control: &mut Control<'_>) -> Searched {
    control.meet(found, Run::default);
    let explored = super::explored::Explored::<M, ExactStore<Keyed<M::Packed>>>::new();
    explored.finish(sound::liveness(control.options).name(), product)
}
