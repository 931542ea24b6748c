//! Lends the rows to the runtime.
//!
//! The runtime borrows its tables, since those of an emitted crate are constants. A table of the runtime has slices of
//! entries that have slices themselves, and the vectors behind the inner ones must outlive the outer ones. Here they
//! live on the stack of the function that lends the table.
//!
//! What lends is not generic: the interpreter borrows for each size of states and each purpose, and rustc would compile the
//! making of the tables again for each of them.

use pmc_runtime::control_flow::ControlFlow;
use pmc_runtime::model::{
    ClaimInfo, ClaimMoveInfo, GrowingInfo, LocationInfo, ModelInfo, ProctypeInfo, TransitionInfo,
};

use super::Tables;

impl Tables {
    /// Passes the tables to `borrow`, once, in the form of the runtime.
    pub fn lend(&self, borrow: &mut dyn FnMut(&ModelInfo<'_>)) {
        let files: Vec<&str> = self.files.iter().map(String::as_str).collect();
        let proctypes = self.proctypes.iter().map(|row| ProctypeInfo { name: &row.name, place: row.place });
        let transitions = self.transitions.iter().map(|row| TransitionInfo {
            proctype: row.proctype,
            kind: row.kind,
            place: row.place,
            text: &row.text,
            from: row.from,
            to: row.to,
            merged: &row.merged,
        });
        let labels: Vec<Vec<&str>> =
            self.locations.iter().map(|row| row.labels.iter().map(String::as_str).collect()).collect();
        let locations = self.locations.iter().zip(&labels);
        let locations =
            locations.map(|(row, labels)| LocationInfo { proctype: row.proctype, place: row.place, labels });
        let moves = self.claims.iter().map(|claim| {
            claim.moves.iter().map(|row| ClaimMoveInfo { place: row.place, text: &row.text }).collect::<Vec<_>>()
        });
        let moves: Vec<Vec<ClaimMoveInfo<'_>>> = moves.collect();
        let claims = self.claims.iter().zip(&moves).map(|(row, moves)| ClaimInfo {
            name: &row.name,
            kind: row.kind,
            place: row.place,
            locations: &row.locations,
            moves,
            is_stutter_closed: row.is_stutter_closed,
            is_safety: row.is_safety,
        });
        let growing = self.growing.iter().map(|row| GrowingInfo {
            variable: &row.variable,
            proctype: row.proctype.as_deref(),
            place: row.place,
            text: &row.text,
        });
        let distances: Vec<&[u32]> = self.control_flow.claims.iter().map(Vec::as_slice).collect();
        let control_flow = ControlFlow {
            passed: &self.control_flow.passed,
            assertions: &self.control_flow.assertions,
            also_leaves: &self.control_flow.also_leaves,
            starts: &self.control_flow.starts,
            claims: &distances,
        };
        borrow(&ModelInfo {
            name: &self.name,
            hash: &self.hash,
            pmc_version: self.pmc_version,
            files: &files,
            proctypes: &proctypes.collect::<Vec<_>>(),
            transitions: &transitions.collect::<Vec<_>>(),
            locations: &locations.collect::<Vec<_>>(),
            claims: &claims.collect::<Vec<_>>(),
            growing: &growing.collect::<Vec<_>>(),
            control_flow: Some(control_flow),
            story: &self.story,
            n_timers: self.n_timers,
            ticks_at_once: self.ticks_at_once,
            abstract_time: self.abstract_time,
            notes: &[],
            is_interpreted: true,
        });
    }
}
