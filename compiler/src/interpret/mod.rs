//! The second back end: the model is executed in this process, under the searches of the runtime, without a build.
//!
//! [`lower`] makes flat code from the executable form; [`machine`] executes it on the words of a state. It shares
//! nothing with `codegen` but [`exec`](crate::exec) and the [`tables`](crate::tables), so that each back end tests the
//! other. Both give the same states, transitions, verdicts and trails.

mod code;
mod compare;
mod decision;
mod describe;
mod guard;
mod independence;
mod layout;
mod lower;
mod machine;
mod model;
mod packing;
mod peek;
mod processes;
mod program;
mod queue;
mod spacing;
mod state;
mod ticks;

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use pmc_runtime::reduction::Independence;
use pmc_runtime::search::Searches;
use pmc_searches::precompiled;

use crate::analysis::{Facts, Symmetry};
use crate::exec;
use crate::ir;
use crate::source::SourceMap;
use crate::tables::{Tables, lend_reduction, lend_symmetry};
use describe::{Description, Source};
use independence::Dependence;
use layout::Form;
#[cfg(test)]
pub use machine::FAULT;
use model::Interpreter;
use packing::Packing;
use program::Program;
use state::{Fixed, Growing};

/// A model that can be executed.
pub struct Interpretable<'a> {
    ir: &'a ir::Program<'a>,
    exec: &'a exec::Program,
    tables: Tables,
    symmetry: &'a Symmetry,
    program: Program,
    dependence: Option<Dependence>,
    description: Description,
}

/// Does something with a model, whatever the size of its states.
pub trait Visitor {
    type Output;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> Self::Output;
}

impl<'a> Interpretable<'a> {
    /// `hash` is that of the sources and flags, to which trails belong.
    pub fn new(
        ir: &'a ir::Program<'a>,
        facts: &'a Facts,
        exec: &'a exec::Program,
        sources: &SourceMap,
        hash: &str,
    ) -> Self {
        let (program, dependence) = lower::lower(ir, facts, exec);
        let description = Description::new(&Source { program: ir, facts, exec, layout: &program.layout });
        let tables = Tables::new(ir, facts, sources, hash);
        Self { ir, exec, tables, symmetry: &facts.symmetry, program, dependence, description }
    }

    /// Whether a search has filled a channel of this name.
    pub fn was_full(&self, channel: &str) -> bool {
        let model = self.ir.model;
        model.sites.iter_enumerated().any(|(id, site)| {
            let queue = self.program.layout.queues[id].as_ref();
            let is_full = queue.is_some_and(|placed| placed.queue.was_full.load(Ordering::Relaxed));
            is_full && site.path.is_empty() && &*model.variables[site.variable].name == channel
        })
    }

    /// Calls a visitor with the model. States have one of a few sizes, since each size has searches of its own.
    pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
        match self.program.layout.form {
            Form::Fixed { n_words: 0..=2, .. } => self.visit_as::<Fixed<2>, V>(precompiled::words2(), visitor),
            Form::Fixed { n_words: 3..=4, .. } => self.visit_as::<Fixed<4>, V>(precompiled::words4(), visitor),
            Form::Fixed { n_words: 5..=8, .. } => self.visit_as::<Fixed<8>, V>(precompiled::words8(), visitor),
            Form::Fixed { n_words: 9..=16, .. } => self.visit_as::<Fixed<16>, V>(precompiled::words16(), visitor),
            Form::Fixed { .. } | Form::Open(_) => self.visit_as::<Growing, V>(precompiled::bytes(), visitor),
        }
    }

    fn visit_as<M: Packing, V: Visitor>(&self, searches: Searches<M::Packed>, visitor: V) -> V::Output {
        let (mut visitor, mut output) = (Some((visitor, searches)), None);
        self.tables.lend(&mut |info| {
            lend_reduction(self.ir, &self.exec.independence, &mut |reduction| {
                lend_symmetry(self.ir.model, self.symmetry, &mut |symmetry| {
                    let interpreter: Interpreter<'_, M> = Interpreter {
                        program: &self.program,
                        info,
                        reduction,
                        symmetry,
                        dependence: self.dependence.as_ref(),
                        description: &self.description,
                        memory: PhantomData,
                    };
                    output = visitor.take().map(|(visitor, searches)| visitor.visit(&interpreter, searches));
                });
            });
        });
        output.expect("tables are lent once")
    }
}
