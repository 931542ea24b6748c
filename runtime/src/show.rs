//! Steps and states as text, in the form of `spin -p`.

use crate::dyn_model::DynState;
use crate::model::{ClaimInfo, Describe, ModelInfo, TransitionKind};
use crate::record::Offer;
use crate::step::{ClaimMoveId, Pid, TransitionId};
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::ops::Range;

/// The line before the part of a run that repeats forever.
pub const CYCLE_STARTS: &str = "<<<<< start of cycle >>>>>";

/// A step in which the system stutters.
pub const STUTTER: &str = "no process can move: the state stays as it is";

/// Which parts of a run to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Show {
    /// Every step (`-p`). Also if neither sends nor receives are selected.
    pub steps: bool,
    /// Globals that a step changed (`-g`).
    pub globals: bool,
    /// Locals that a step changed (`-l`).
    pub locals: bool,
    /// Steps that send (`-s`), that receive (`-r`).
    pub sends: bool,
    /// Receive statements.
    pub receives: bool,
    /// Every step of a long run (`--all`), not only the first and the last ones.
    pub all: bool,
}

impl Show {
    fn shows(self, kind: TransitionKind) -> bool {
        self.steps
            || !(self.sends || self.receives)
            || self.sends && kind == TransitionKind::Send
            || self.receives && kind == TransitionKind::Receive
    }
}

/// All values of a state, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshot {
    values: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Value {
    owner: Option<Pid>,
    name: String,
    text: String,
}

impl Snapshot {
    pub fn of(dyn_state: &DynState<'_>) -> Snapshot {
        let mut snapshot = Snapshot::default();
        dyn_state.describe(&mut snapshot);
        snapshot
    }

    fn value(&self, owner: Option<Pid>, name: &str) -> Option<&str> {
        self.values.iter().find(|value| value.owner == owner && value.name == name).map(|value| value.text.as_str())
    }
}

impl Describe for Snapshot {
    fn variable(&mut self, owner: Option<Pid>, name: fmt::Arguments<'_>, value: fmt::Arguments<'_>) {
        self.values.push(Value { owner, name: name.to_string(), text: value.to_string() });
    }

    fn channel(&mut self, owner: Option<Pid>, name: fmt::Arguments<'_>, messages: fmt::Arguments<'_>) {
        let text = messages.to_string();
        self.variable(owner, name, format_args!("{}", if text.is_empty() { "[]" } else { &text }));
    }
}

/// The location of a process.
pub(crate) struct ProcessStatus {
    pub pid: Pid,
    pub proctype: usize,
    pub location: usize,
    pub priority: i32,
    pub is_valid_end: bool,
}

pub(crate) fn process_statuses(dyn_state: &DynState<'_>) -> Vec<ProcessStatus> {
    let status = |pid| ProcessStatus {
        pid,
        proctype: dyn_state.proctype(pid),
        location: dyn_state.location(pid),
        priority: dyn_state.priority(pid),
        is_valid_end: dyn_state.is_valid_end(pid),
    };
    dyn_state.pids().rev().map(status).collect()
}

/// Writes a run, step by step.
pub(crate) struct Printer<'a> {
    pub info: &'a ModelInfo<'a>,
    pub show: Show,
    pub out: &'a mut dyn Write,
    pub n_steps: usize,
    /// Steps of a long run that are not shown, counted from 1; none of a simulation.
    pub left_out: Vec<Range<usize>>,
}

impl Printer<'_> {
    /// One step: the statement, its output, its changes. `priority` is called for the acting processes.
    pub fn step(
        &mut self,
        offer: &Offer<'_>,
        priority: impl Fn(Pid) -> i32,
        before: &Snapshot,
        after: &Snapshot,
    ) -> io::Result<()> {
        if self.begins_left_out()? {
            return Ok(());
        }
        self.statement(offer.step.pid, offer.step.transition, priority(offer.step.pid))?;
        if let Some((receiver, receive)) = offer.step.receiver {
            self.statement(receiver, receive, priority(receiver))?;
        }
        let first = self.info.transition(offer.step.transition).filter(|_| offer.next.is_some());
        for merged in first.map_or(&[][..], |first| first.merged) {
            self.statement(offer.step.pid, *merged, priority(offer.step.pid))?;
        }
        for line in offer.printed.lines() {
            writeln!(self.out, "{:1$}{line}", "", 6 * (offer.step.pid.index() + 1))?;
        }
        self.changes(before, after)
    }

    /// A move of the claim, which is no step and has no number. It mostly changes nothing.
    pub fn claim_move(
        &mut self,
        claim: &ClaimInfo<'_>,
        by: ClaimMoveId,
        before: &Snapshot,
        after: &Snapshot,
    ) -> io::Result<()> {
        if self.is_left_out() {
            return Ok(());
        }
        let known = claim.moves.get(by.index());
        if let Some(known) = known.filter(|_| self.show.shows(TransitionKind::Other)) {
            writeln!(self.out, "\tclaim {} {}\t[{}]", claim.name, self.info.line(known.place), known.text)?;
        }
        self.changes(before, after)
    }

    /// Counts a step. Returns whether it is not shown; one line stands for all such steps.
    fn begins_left_out(&mut self) -> io::Result<bool> {
        self.n_steps += 1;
        let Some(left_out) = self.left_out.iter().find(|left_out| left_out.contains(&self.n_steps)) else {
            return Ok(false);
        };
        if left_out.start == self.n_steps {
            writeln!(self.out, "...\t{} more steps (--all shows them)", left_out.len())?;
        }
        Ok(true)
    }

    /// Whether the last step was not shown.
    fn is_left_out(&self) -> bool {
        self.left_out.iter().any(|left_out| left_out.contains(&self.n_steps))
    }

    /// The state stays as it is, because no process is enabled.
    pub fn stutter(&mut self) -> io::Result<()> {
        if self.begins_left_out()? || !self.show.shows(TransitionKind::Other) {
            return Ok(());
        }
        writeln!(self.out, "{:3}:\t{}", self.n_steps, STUTTER)
    }

    fn statement(&mut self, pid: Pid, transition: TransitionId, priority: i32) -> io::Result<()> {
        let Some(transition) = self.info.transition(transition) else { return Ok(()) };
        if !self.show.shows(transition.kind) {
            return Ok(());
        }
        let text = describe_transition(self.info, pid, transition, priority);
        writeln!(self.out, "{:3}:\t{text}", self.n_steps)
    }

    fn changes(&mut self, before: &Snapshot, after: &Snapshot) -> io::Result<()> {
        for value in &after.values {
            let wanted = if value.owner.is_some() { self.show.locals } else { self.show.globals };
            if wanted && before.value(value.owner, &value.name) != Some(&value.text) {
                self.value(value)?;
            }
        }
        Ok(())
    }

    fn value(&mut self, value: &Value) -> io::Result<()> {
        match value.owner {
            Some(pid) => writeln!(self.out, "\t\tproc {pid}: {} = {}", value.name, value.text),
            None => writeln!(self.out, "\t\t{} = {}", value.name, value.text),
        }
    }

    /// The whole state: at the end of a run.
    pub fn state(&mut self, snapshot: &Snapshot, process_statuses: &[ProcessStatus]) -> io::Result<()> {
        writeln!(self.out, "#processes: {}", process_statuses.len())?;
        for value in &snapshot.values {
            self.value(value)?;
        }
        for status in process_statuses {
            let name = self.info.proctype_name(status.proctype);
            let place = self.info.locations.get(status.location);
            let line = place.map_or_else(String::new, |location| self.info.line(location.place));
            let end = if status.is_valid_end { " <valid end state>" } else { "" };
            writeln!(
                self.out,
                "{:3}:\tproc {:2} ({name}:{}) {line} (state {}){end}",
                self.n_steps, status.pid, status.priority, status.location
            )?;
        }
        Ok(())
    }
}

/// `proc  1 (B:1) model.pml:5 (state 4)  [x = 3]`
fn describe_transition(
    info: &ModelInfo<'_>,
    pid: Pid,
    transition: &crate::model::TransitionInfo<'_>,
    priority: i32,
) -> String {
    let mut text = String::new();
    let name = info.proctype_name(usize::from(transition.proctype));
    let line = info.line(transition.place);
    let state = transition.from;
    let written = write!(text, "proc {pid:2} ({name}:{priority}) {line} (state {state})\t[{}]", transition.text);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    text
}

/// A step that can be chosen, on one line.
pub(crate) fn choice_line(info: &ModelInfo<'_>, offer: &Offer<'_>) -> String {
    let name = |id: TransitionId| {
        let transition = info.transition(id);
        transition.map_or_else(String::new, |transition| {
            let proctype = info.proctype_name(usize::from(transition.proctype));
            format!("({proctype}) {} [{}]", info.line(transition.place), transition.text)
        })
    };
    let mut line = format!("proc {:2} {}", offer.step.pid, name(offer.step.transition));
    if let Some((receiver, receive)) = offer.step.receiver {
        line += &format!(" -> proc {receiver} {}", name(receive));
    }
    if offer.next.is_none() {
        line += " (fails)";
    }
    line
}
