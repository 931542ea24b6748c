//! The ranges of expressions where processes evaluate them.
//!
//! The last round of the analysis evaluates every expression of a process in every abstract state in which the verifier
//! can, and records the result under the expression's address: the model is borrowed and does not move. An expression
//! that is not recorded is bounded by its variables alone.

use std::cell::RefCell;

use super::interval::Range;
use crate::collections::Lookup;
use crate::model::Expr;

/// The range of each expression, over all places where it is evaluated.
#[derive(Clone, Debug, Default)]
pub(super) struct Observed {
    ranges: Lookup<usize, Range>,
}

impl Observed {
    pub fn get(&self, expression: &Expr) -> Option<Range> {
        self.ranges.get(&address(expression)).copied()
    }
}

/// Records ranges while steps are evaluated.
#[derive(Default)]
pub(super) struct Notebook {
    notes: RefCell<Option<Observed>>,
}

impl Notebook {
    /// From here on everything is recorded.
    pub fn open(&self) {
        *self.notes.borrow_mut() = Some(Observed::default());
    }

    pub fn close(&self) -> Observed {
        self.notes.borrow_mut().take().unwrap_or_default()
    }

    pub fn note(&self, expression: &Expr, range: Range) {
        let mut notes = self.notes.borrow_mut();
        let Some(observed) = notes.as_mut() else { return };
        let key = address(expression);
        let all = observed.ranges.get(&key).map_or(range, |known| known.join(range));
        observed.ranges.insert(key, all);
    }
}

fn address(expression: &Expr) -> usize {
    std::ptr::from_ref(expression).addr()
}
