//! The inside of a `d_step`.

use super::effects::Executable;
use super::{Operation, Statement};
use crate::ir::TransitionId;
use crate::source::Span;

/// Many statements in one step. Of the options of a block the first that is executable is taken.
#[derive(Clone, Debug)]
pub struct DStep {
    pub blocks: Vec<Block>,
    pub start: usize,
}

/// A location of a `d_step` that several others lead to, or that has several options.
#[derive(Clone, Debug)]
pub struct Block {
    pub span: Span,
    pub rows: Vec<Row>,
}

/// Statements one after the other. It is a fault if one behind the first is not executable.
#[derive(Clone, Debug)]
pub struct Row {
    pub statements: Vec<(TransitionId, Statement)>,
    pub then: Flow,
}

/// Where a `d_step` continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Done,
    To(usize),
    /// The statement before it never completes.
    Nowhere,
}

impl Flow {
    /// The block where the `d_step` continues.
    pub fn target(self) -> Option<usize> {
        match self {
            Self::To(block) => Some(block),
            Self::Done | Self::Nowhere => None,
        }
    }
}

impl DStep {
    /// Its statements, if it always executes the same ones and only the first can be a reason that it does not: none of
    /// them is a fault, and there is nothing to report of them.
    pub fn straight(&self) -> Option<&[(TransitionId, Statement)]> {
        let [row] = self.blocks.get(self.start)?.tried() else { return None };
        let is_plain = |operation: &Operation| match operation {
            Operation::Store { .. }
            | Operation::Host { .. }
            | Operation::SetOwnPriority(_)
            | Operation::Evaluate(_)
            | Operation::Send { .. }
            | Operation::Receive(_) => true,
            Operation::Require(_) | Operation::Assert(_) | Operation::Print(_) => false,
        };
        let is_plain = |statement: &Statement| {
            !statement.is_stuck() && !statement.effects().can_fail && statement.operations.iter().all(is_plain)
        };
        let mut statements = row.statements.iter().map(|(_, statement)| statement);
        let is_straight = row.then == Flow::Done
            && statements.clone().all(is_plain)
            && !statements.by_ref().skip(1).any(Statement::may_block);
        is_straight.then_some(&row.statements[..])
    }

    /// Whether a statement may be executed twice. Without a loop every way through it ends.
    pub fn has_loop(&self) -> bool {
        let targets = |block: usize| self.blocks[block].rows.iter().filter_map(|row| row.then.target());
        let mut n_edges_into = vec![0; self.blocks.len()];
        (0..self.blocks.len()).flat_map(targets).for_each(|target| n_edges_into[target] += 1);
        // Removes blocks that no other leads to, until only blocks of loops and those behind them are left.
        let mut removable: Vec<usize> = (0..self.blocks.len()).filter(|&block| n_edges_into[block] == 0).collect();
        let mut n_removed = 0;
        while let Some(block) = removable.pop() {
            n_removed += 1;
            for target in targets(block) {
                n_edges_into[target] -= 1;
                if n_edges_into[target] == 0 {
                    removable.push(target);
                }
            }
        }
        n_removed < self.blocks.len()
    }
}

impl Block {
    /// Options behind a row that always begins are never tried.
    pub(super) fn tried(&self) -> &[Row] {
        let first = self.rows.iter().position(|row| !row.statements[0].1.may_block());
        &self.rows[..first.map_or(self.rows.len(), |position| position + 1)]
    }
}

impl Row {
    pub(super) fn completes(&self) -> bool {
        !self.statements.iter().any(|(_, statement)| statement.is_stuck())
    }

    /// The statements up to the first that never completes.
    pub(super) fn executed(&self) -> &[(TransitionId, Statement)] {
        let stuck = self.statements.iter().position(|(_, statement)| statement.is_stuck());
        &self.statements[..stuck.map_or(self.statements.len(), |position| position + 1)]
    }
}
