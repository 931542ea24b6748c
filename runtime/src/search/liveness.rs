//! Properties of infinite runs: selects the search.

use super::control::{Control, Run};
use super::explored::Explored;
use super::path_proviso::LivenessProviso;
use super::{Searched, components, nested, parallel_nested, shortest};
use crate::limits::{Limits, Stop};
use crate::options::{Liveness, Options};
use crate::pack::{Keyed, Packed};
use crate::property::Property;
use crate::search::SearchKind;
use crate::sound;
use crate::store::{ExactStore, StateStore};
use crate::system::{ObserverConfig, Product, ProductState, ProductSystems, ReductionConfig, Tally};
use crate::verdict::{Found, ViolationKind};

/// The input of a search for cycles.
pub(crate) struct Question<'s, P: Packed> {
    pub product: Box<Product<'s, P>>,
    pub observer: ObserverConfig<'s>,
    pub initial: ProductState<P>,
    pub has_hidden: bool,
    pub leaves_out: LivenessProviso,
}

/// `None` for properties that are not about infinite runs.
pub(crate) fn search<'s, P: Packed>(
    systems: &'s dyn ProductSystems<P>,
    property: Property,
    config: Option<ReductionConfig<'s>>,
    control: &mut Control<'_>,
) -> Option<Searched<'static>> {
    search_with::<P, ExactStore<Keyed<P>>>(systems, property, config, control)
}

fn search_with<'s, P: Packed, S: StateStore<Keyed<P>>>(
    systems: &'s dyn ProductSystems<P>,
    property: Property,
    config: Option<ReductionConfig<'s>>,
    control: &mut Control<'_>,
) -> Option<Searched<'static>> {
    let mut observer = ObserverConfig::new(systems.info(), property, control.options.fair)?;
    observer.time_passes = control.options.time_passes;
    let mut question = match ask(systems, observer, config, control) {
        Ok(question) => question,
        Err(tally) => {
            let kind = SearchKind::Cycles(sound::liveness(control.options));
            return Some(Explored::<P, S>::new(systems.has_hidden()).finish(kind, tally));
        }
    };
    let n_threads = sound::liveness_threads(control.options);
    if n_threads > 1 && control.max_states > ALONE_UNTIL {
        if let Some(searched) = search_alone::<P, S>(question, control) {
            return Some(searched);
        }
        let config = config.map(ReductionConfig::by_state_alone);
        question = ask(systems, observer, config, control).ok()?;
        let searched = parallel_nested::search(systems, config, &mut question, n_threads, control);
        if searched.is_some() {
            return searched;
        }
    }
    Some(match sound::liveness(control.options) {
        _ if sound::is_shortest_lasso(control.options) => shortest::search::<P, S>(question, control),
        Liveness::Components => components::search::<P, S>(question, control),
        Liveness::Nested | Liveness::Auto => nested::search::<P, S>(question, control),
    })
}

/// The error is a violation before the first reported move: then there is nothing to search.
fn ask<'s, P: Packed>(
    systems: &'s dyn ProductSystems<P>,
    observer: ObserverConfig<'s>,
    config: Option<ReductionConfig<'s>>,
    control: &mut Control<'_>,
) -> Result<Question<'s, P>, Tally> {
    let mut product = Box::new(Product::new(systems.product_system(config), observer, control.wants));
    let mut initial = ProductState::default();
    let wrong = match product.initial(&mut initial.state.packed) {
        Err(fault) => Some(ViolationKind::Fault(fault)),
        Ok(_) if observer.ends_at_once() => Some(ViolationKind::ClaimEnd),
        Ok(hidden) => {
            initial.hidden = hidden;
            None
        }
    };
    if let Some(kind) = wrong {
        control.meet(Found::state(kind), Run::default);
        return Err(product.tally());
    }
    let leaves_out = match config {
        None => LivenessProviso::Nothing,
        Some(config) if config.is_static() => LivenessProviso::Static,
        Some(_) => LivenessProviso::NoStepToPath,
    };
    Ok(Question { product, observer, initial, has_hidden: systems.has_hidden(), leaves_out })
}

/// Small products are searched on one thread: more would gain little, and one always finds the same counterexample.
const ALONE_UNTIL: u64 = if cfg!(test) { 1 } else { 20_000 };

/// `None` if the product is larger; then nothing was reported.
fn search_alone<P: Packed, S: StateStore<Keyed<P>>>(
    question: Question<'_, P>,
    control: &mut Control<'_>,
) -> Option<Searched<'static>> {
    let limits = Limits { max_states: Some(ALONE_UNTIL), ..control.options.limits.clone() };
    let options = Options { limits, ..control.options.clone() };
    let mut alone = control.again(&options);
    let searched = nested::search::<P, S>(question, &mut alone);
    if matches!(alone.stop, Some(Stop::MaxStates(_))) {
        return None;
    }
    let outcome = alone.outcome();
    control.adopt(outcome);
    Some(searched)
}
