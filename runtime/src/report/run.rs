//! The run of a counterexample as lines of text: its steps, the claim's moves between them, and the start of its cycle.

use crate::model::{ClaimInfo, ModelInfo};
use crate::show::{CYCLE_STARTS, STUTTER};
use crate::step::ClaimMoveId;
use crate::trail::{Move, Step, Trail};
use std::io::{self, Write};

/// Steps that are listed; of a longer part of a run the last ones, of a longer cycle the first and the last.
const LISTED: usize = 20;

/// The style of the text.
#[derive(Clone, Copy)]
pub struct Layout<'a> {
    pub indent: &'a str,
    /// The text before and after less important parts.
    pub dim: (&'a str, &'a str),
}

impl Layout<'_> {
    pub const PLAIN: Layout<'static> = Layout { indent: "", dim: ("", "") };
}

/// The moves of a trail, one per line, with the steps numbered. The condition of a claim's move is shown if it differs
/// from the last one.
pub fn write_run(info: &ModelInfo<'_>, trail: &Trail, layout: Layout<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (prefix, cycle) = match trail.cycle_start {
        Some(start) => trail.moves.split_at(start.min(trail.moves.len())),
        None => (&trail.moves[..], &[][..]),
    };
    let claim = trail.claim.as_deref().and_then(|name| info.claims.iter().find(|claim| claim.name == name));
    let mut lines = Lines { info, trail, claim, last_seen: None, n_steps: 0, layout };
    lines.part(prefix, 0, out)?;
    if trail.cycle_start.is_some() {
        writeln!(out, "{}  {CYCLE_STARTS}", layout.indent)?;
        lines.last_seen = None;
        let first = lines.n_steps + 1;
        lines.part(cycle, LISTED, out)?;
        writeln!(out, "{}     and so on from {first}, forever", layout.indent)?;
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
    layout: Layout<'a>,
}

impl Lines<'_> {
    /// Lists the first `first` steps and the last `LISTED` ones.
    fn part(&mut self, moves: &[Move], first: usize, out: &mut dyn Write) -> io::Result<()> {
        let n_all = moves.iter().filter(|next| next.is_step()).count();
        let skipped = first..n_all.saturating_sub(LISTED).max(first);
        let mut n = 0;
        for next in moves {
            if n == skipped.start && next.is_step() && !skipped.is_empty() {
                let (count, where_) = (skipped.len(), if first == 0 { "before" } else { "between" });
                writeln!(out, "{}  ({count} steps {where_})", self.layout.indent)?;
            }
            let is_listed = !skipped.contains(&n);
            self.next(next, is_listed, out)?;
            n += usize::from(next.is_step());
        }
        Ok(())
    }

    fn next(&mut self, next: &Move, is_listed: bool, out: &mut dyn Write) -> io::Result<()> {
        self.n_steps += usize::from(next.is_step());
        match next {
            _ if !is_listed => Ok(()),
            Move::Claim { by, .. } => self.claim_move(*by, out),
            Move::System(step) => self.step(step, out),
            Move::Stutter => {
                let (indent, n) = (self.layout.indent, self.n_steps);
                writeln!(out, "{indent}{n:>3}  {STUTTER}")
            }
        }
    }

    fn step(&self, step: &Step, out: &mut dyn Write) -> io::Result<()> {
        for (part, (pid, transition)) in self.trail.statements(step, self.info).into_iter().enumerate() {
            let name = self.info.proctype_name(usize::from(transition.proctype));
            let number = if part == 0 { self.n_steps.to_string() } else { String::new() };
            let line = self.info.line(transition.place);
            writeln!(out, "{}{number:>3}  proc {pid} ({name})  {line}  {}", self.layout.indent, transition.text)?;
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
        let (indent, line) = (self.layout.indent, self.info.line(known.place));
        writeln!(out, "{indent}     {on}claim {}  {line}  {}{off}", claim.name, known.text)
    }
}
