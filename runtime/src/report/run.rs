//! The run of a counterexample as lines of text: its steps, the claim's moves between them, and the start of its cycle.

use super::human::grouped;
use crate::model::{ClaimInfo, ModelInfo};
use crate::show::{CYCLE_STARTS, STUTTER};
use crate::step::ClaimMoveId;
use crate::trail::{Move, Step, Trail};
use std::io::{self, Write};
use std::ops::Range;

/// So many steps of a run, or of its cycle, are listed; of a longer one the first and the last.
const LISTED: Listed = Listed { whole: 40, first: 10, last: 20 };

/// How much of a long run is listed.
#[derive(Clone, Copy)]
pub struct Listed {
    /// A run of so many steps is listed as a whole.
    pub whole: usize,
    /// Of a longer one so many at its beginning.
    pub first: usize,
    /// And so many at its end.
    pub last: usize,
}

impl Listed {
    /// The steps that are left out, counted from 0.
    pub fn left_out(self, n_steps: usize) -> Range<usize> {
        if n_steps <= self.whole { 0..0 } else { self.first..n_steps - self.last }
    }
}

/// The style of the text.
#[derive(Clone, Copy)]
pub struct Layout<'a> {
    pub indent: &'a str,
    /// The text before and after less important parts.
    pub dim: (&'a str, &'a str),
    /// The command that shows every step, if it is known.
    pub replay: Option<&'a str>,
}

/// The moves of a trail, one per line, with the steps numbered. The condition of a claim's move is shown if it differs
/// from the last one.
pub fn write_run(info: &ModelInfo<'_>, trail: &Trail, layout: Layout<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (prefix, cycle) = match trail.cycle_start {
        Some(start) => trail.moves.split_at(start.min(trail.moves.len())),
        None => (&trail.moves[..], &[][..]),
    };
    let claim = trail.claim.as_deref().and_then(|name| info.claims.iter().find(|claim| claim.name == name));
    let width = trail.n_steps().to_string().len().max(3);
    let mut lines = Lines { info, trail, claim, last_seen: None, n_steps: 0, width, layout };
    lines.part(prefix, out)?;
    if trail.cycle_start.is_some() {
        writeln!(out, "{}  {CYCLE_STARTS}", layout.indent)?;
        lines.last_seen = None;
        let first = lines.n_steps + 1;
        lines.part(cycle, out)?;
        writeln!(out, "{}{:width$}  and so on from {first}, forever", layout.indent, "")?;
    }
    Ok(())
}

struct Lines<'a> {
    info: &'a ModelInfo<'a>,
    trail: &'a Trail,
    claim: Option<&'a ClaimInfo<'a>>,
    /// The condition of the claim's last move.
    last_seen: Option<&'a str>,
    n_steps: usize,
    /// The digits of the numbers of steps.
    width: usize,
    layout: Layout<'a>,
}

impl Lines<'_> {
    /// Lists the moves before the cycle, or those of the cycle.
    fn part(&mut self, moves: &[Move], out: &mut dyn Write) -> io::Result<()> {
        let n_all = moves.iter().filter(|next| next.is_step()).count();
        let left_out = LISTED.left_out(n_all);
        let mut n = 0;
        for next in moves {
            if n == left_out.start && next.is_step() && !left_out.is_empty() {
                writeln!(out, "{}{:width$}  {}", self.layout.indent, "", self.gap(left_out.len()), width = self.width)?;
            }
            let is_listed = !left_out.contains(&n);
            self.next(next, is_listed, out)?;
            n += usize::from(next.is_step());
        }
        Ok(())
    }

    /// Stands for the steps that are left out.
    fn gap(&self, n_steps: usize) -> String {
        let n_steps = grouped(n_steps as u64);
        match self.layout.replay {
            Some(command) => format!("... {n_steps} more steps; this shows them all: {command}"),
            None => format!("... {n_steps} more steps (replay --all shows them)"),
        }
    }

    fn next(&mut self, next: &Move, is_listed: bool, out: &mut dyn Write) -> io::Result<()> {
        self.n_steps += usize::from(next.is_step());
        match next {
            _ if !is_listed => Ok(()),
            Move::Claim { by, .. } => self.claim_move(*by, out),
            Move::System(step) => self.step(step, out),
            Move::Stutter => {
                let (indent, n, width) = (self.layout.indent, self.n_steps, self.width);
                writeln!(out, "{indent}{n:>width$}  {STUTTER}")
            }
        }
    }

    fn step(&self, step: &Step, out: &mut dyn Write) -> io::Result<()> {
        for (part, (pid, transition)) in self.trail.statements(step, self.info).into_iter().enumerate() {
            let name = self.info.proctype_name(usize::from(transition.proctype));
            let number = if part == 0 { self.n_steps.to_string() } else { String::new() };
            let line = self.info.line(transition.place);
            let (indent, width) = (self.layout.indent, self.width);
            writeln!(out, "{indent}{number:>width$}  proc {pid} ({name})  {line}  {}", transition.text)?;
        }
        Ok(())
    }

    fn claim_move(&mut self, by: ClaimMoveId, out: &mut dyn Write) -> io::Result<()> {
        let Some(claim) = self.claim else { return Ok(()) };
        let Some(known) = claim.moves.get(by.index()) else { return Ok(()) };
        if self.last_seen.replace(known.text) == Some(known.text) {
            return Ok(());
        }
        let (on, off) = self.layout.dim;
        let (indent, width, line) = (self.layout.indent, self.width, self.info.line(known.place));
        writeln!(out, "{indent}{:width$}  {on}claim {}  {line}  {}{off}", "", claim.name, known.text)
    }
}
