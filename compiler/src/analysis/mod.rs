//! Facts about a program: all that later rooms may rely on.
//!
//! Each fact errs in one direction only, and says in which.

pub mod access;
pub mod actors;
mod beginning;
pub mod bits;
pub mod channels;
pub mod clusters;
mod components;
pub mod constants;
pub mod dead;
pub mod dependency_classes;
mod effects;
pub mod exclusive;
pub mod failing;
mod flow;
pub mod followers;
pub mod guarded;
pub mod instances;
pub mod layout;
pub mod losses;
pub mod merge;
pub mod objects;
pub mod ownership;
pub mod parts;
pub mod places;
pub mod points_to;
pub mod population;
pub mod processes;
pub mod promises;
pub mod ranges;
pub mod reduction;
mod rules;
pub mod safe;
mod scratch;
pub mod sets;
pub mod simplify;
pub mod steps;
pub mod sticky;
pub mod stored;
pub mod stubborn;
mod stutter;
pub mod symmetry;
pub mod timers;
pub mod uses;
pub mod visibility;

use crate::collections::IdVec;
use crate::ir::{self, Action, Program};
use crate::model::{ExprKind, Init, Target, VariableId};

pub use dead::Dead;
pub use instances::Instances;
pub use layout::Layout;
pub use places::Places;
pub use population::Population;
pub use ranges::Ranges;
pub use reduction::Reduction;
pub use rules::Rules;
pub use simplify::{Simplification, Simplify};
pub use stored::Stored;
pub use symmetry::Symmetry;
pub use timers::{Ticks, refuse_values_of_timers};

#[derive(Clone, Debug)]
pub struct Facts {
    pub features: Features,
    /// Channel variables that always denote the channels of their declaration, since nothing is ever stored in them.
    /// Errs towards `false`.
    pub is_fixed_channel: IdVec<VariableId, bool>,
    pub instances: Instances,
    pub population: Population,
    /// Which variables are part of a packed state.
    pub stored: IdVec<VariableId, Stored>,
    pub dead: Dead,
    /// Which values each variable can have.
    pub ranges: Ranges,
    pub layout: Layout,
    /// The position of every field of a state, if all positions are fixed.
    pub places: Option<Places>,
    /// What reductions may rely on.
    pub reduction: Reduction,
    /// The processes that can be exchanged.
    pub symmetry: Symmetry,
    pub ticks: Ticks,
}

/// Which of the rarer parts of the language the program uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    pub timeout: bool,
    /// Priorities are declared or read: they are part of the state.
    pub priorities: bool,
    /// `_last` is read: it is part of the state.
    pub last: bool,
    /// Some process can have exclusive control.
    pub atomic: bool,
    pub enabled: bool,
    /// A claim tests whether a process is enabled.
    pub claims_ask_enabled: bool,
    pub pc_value: bool,
    pub non_progress: bool,
}

pub fn analyze(program: &Program<'_>, simplify: Simplify) -> Facts {
    analyze_by(Rules::Own, program, simplify)
}

/// The same with a choice of the rules of dependence.
pub fn analyze_by(rules: Rules, program: &Program<'_>, simplify: Simplify) -> Facts {
    let Values { features, is_fixed_channel, instances, mut population, stored, dead, ranges } =
        values(program, simplify);
    let mut layout = Layout::new(program, &features, &stored, &population, &ranges);
    let known = places::Known {
        features: &features,
        stored: &stored,
        instances: &instances,
        population: &population,
        ranges: &ranges,
        layout: &layout,
    };
    let places = Places::find(program, &known);
    if places.is_none() {
        population.forget_many();
        layout = Layout::new(program, &features, &stored, &population, &ranges);
    }
    layout.placed_words = places.as_ref().map(|places| places.n_stored);
    let reduction = reduction::analyze(program, &instances, &is_fixed_channel, rules);
    let ticks = timers::analyze(program, simplify.does(Simplification::Ticks));
    let basis = symmetry::Basis {
        features: &features,
        instances: &instances,
        is_fixed_channel: &is_fixed_channel,
        stored: &stored,
        dead: &dead,
        places: places.as_ref(),
        checks_promises: reduction.promises.is_needed(),
    };
    let symmetry = symmetry::analyze(program, &basis);
    Facts {
        features,
        is_fixed_channel,
        instances,
        population,
        stored,
        dead,
        ranges,
        layout,
        places,
        reduction,
        symmetry,
        ticks,
    }
}

/// What the model does with the members of its scalarsets and must not do. Nothing is simplified before.
pub fn misuses(program: &Program<'_>) -> Vec<symmetry::Misuse> {
    let Values { features, is_fixed_channel, instances, stored, dead, .. } = values(program, Simplify::NONE);
    let basis = symmetry::Basis {
        features: &features,
        instances: &instances,
        is_fixed_channel: &is_fixed_channel,
        stored: &stored,
        dead: &dead,
        places: None,
        checks_promises: false,
    };
    symmetry::misuses(program, &basis)
}

/// The variables that grow without bound, without the other facts.
pub fn growing(program: &Program<'_>, simplify: Simplify) -> Vec<ranges::Growing> {
    values(program, simplify).ranges.growing
}

/// The facts up to the ranges.
struct Values {
    features: Features,
    is_fixed_channel: IdVec<VariableId, bool>,
    instances: Instances,
    population: Population,
    stored: IdVec<VariableId, Stored>,
    dead: Dead,
    ranges: Ranges,
}

fn values(program: &Program<'_>, simplify: Simplify) -> Values {
    let mut features = features(program);
    // Spin keeps it wherever it is written, and so do we where counts shall be the same.
    features.last |= program.model.mentions_last && !simplify.does(Simplification::Constants);
    let is_fixed_channel = fixed_channels(program);
    let instances = instances::analyze(program, &is_fixed_channel);
    let population = population::analyze(program, &instances);
    let counts_steps = merge::counts_steps(program).is_some();
    let reasons = stored::Reasons {
        counts_steps,
        constant: simplify.does(Simplification::Constants),
        unread: simplify.does(Simplification::Unread),
    };
    let stored = stored::analyze(program, &is_fixed_channel, reasons);
    let dead = if simplify.does(Simplification::Dead) {
        Dead::analyze(program, &stored, counts_steps)
    } else {
        Dead::none(program)
    };
    let basis = ranges::Basis {
        features: &features,
        instances: &instances,
        population: &population,
        stored: &stored,
        dead: &dead,
    };
    let ranges = ranges::analyze(program, &basis);
    Values { features, is_fixed_channel, instances, population, stored, dead, ranges }
}

fn features(program: &Program<'_>) -> Features {
    let mut features = Features::default();
    ir::visit::program_expressions(program, &mut |expression| match &expression.kind {
        ExprKind::Timeout => features.timeout = true,
        ExprKind::Last => features.last = true,
        ExprKind::NonProgress => features.non_progress = true,
        ExprKind::Enabled(_) => features.enabled = true,
        ExprKind::PcValue(_) | ExprKind::RemoteLabel { .. } => features.pc_value = true,
        ExprKind::Priority | ExprKind::GetPriority(_) | ExprKind::SetPriority(..) => features.priorities = true,
        ExprKind::Run { priority: Some(_), .. } => features.priorities = true,
        _ => {}
    });
    // What a claim reads is part of the state, too.
    ir::visit::claim_expressions(program, &mut |expression| match &expression.kind {
        ExprKind::Last => features.last = true,
        ExprKind::Priority | ExprKind::GetPriority(_) | ExprKind::SetPriority(..) => features.priorities = true,
        ExprKind::NonProgress => features.non_progress = true,
        ExprKind::Enabled(_) => features.claims_ask_enabled = true,
        ExprKind::PcValue(_) | ExprKind::RemoteLabel { .. } => features.pc_value = true,
        _ => {}
    });
    features.priorities |= program.model.proctypes.iter().any(|process| process.priority.is_some());
    for graph in &program.graphs {
        features.atomic |= graph.transitions.iter().any(|transition| transition.keeps_control);
        ir::visit::actions(graph, &mut |action| {
            if let Action::Assign { target: Target::Priority, .. } = action {
                features.priorities = true;
            }
        });
    }
    features
}

fn fixed_channels(program: &Program<'_>) -> IdVec<VariableId, bool> {
    let variables = &program.model.variables;
    let mut is_fixed: IdVec<VariableId, bool> =
        variables.iter().map(|variable| matches!(variable.init, Init::Channel(_))).collect();
    for graph in program.graphs.iter().chain(&program.claims) {
        ir::visit::actions(graph, &mut |action| action.stored().for_each(|place| is_fixed[place.variable] = false));
    }
    is_fixed
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
