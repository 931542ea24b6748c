//! Which processes may be taken alone in a state.
//!
//! Candidates are sets of processes, the most promising first, and the order is a contract: counts depend on it. First
//! single processes that are safe where they stand, the highest pid first. Then either clusters level by level, again
//! the highest pid first in each; or, computed in the state, the sets that are closed under "can be disturbed by": for
//! depth-first search the one with the fewest steps first, for breadth-first search and among equals the one with the
//! fewest processes, and then the one found from the highest pid. (Sets with few steps lead a depth-first search through
//! fewer states, and a breadth-first search through more.) A search tries one after the other until one holds an enabled step
//! and passes the search's proviso, and takes all steps if none does.
//!
//! Why a closed set T is sound: let a process outside T make steps. Each of them is in that process's future. None of
//! the futures outside T disturbs a process of T: so each enabled step of T stays enabled, commutes with what happened
//! outside, and each disabled one stays disabled, since what could enable it is no part of those futures. Hence
//! whatever happens first in T is one of the steps that the search takes now, and it could have happened first of all.
//!
//! A process that never leaves the place where it stands, and does there several things that do not concern each other
//! (a medium that loses messages in either direction), is as good as several processes: closed sets may hold *parts*
//! of it.

use super::footing::Footing;
use super::pace::{Gains, Pace, Price, Scope, Zeal};
use crate::options::{Algorithm, Options, Proviso, Reduction};
use crate::property::Property;
use crate::reduction::{Cluster, NEVER, Notices, ReductionInfo, Split, Table, has_location};
use crate::step::{Pid, PidSet};

/// Closed sets are looked for among at most this many processes and parts.
const MOST_CLOSED: usize = 64;

/// Some of those who may move in a state: processes, and parts of processes that fall into parts where they stand. A
/// process that does so is here by its parts alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub pids: PidSet,
    pub parts: u64,
}

impl Choice {
    pub const ALL: Choice = Choice { pids: PidSet::ALL, parts: u64::MAX };

    #[must_use]
    pub fn union(self, other: Choice) -> Choice {
        Choice { pids: self.pids.union(other.pids), parts: self.parts | other.parts }
    }

    /// Everybody else.
    #[must_use]
    pub fn complement(self) -> Choice {
        Choice { pids: self.pids.complement(), parts: !self.parts }
    }
}

/// What a choice is worth that leaves somebody out, in looks for one; and a closed set, which takes longer to find. A
/// breadth-first search gains less by those, and has more to do again if it cannot accept a choice.
const PRICE: Price = Price { useful: 16, lost: 16 };
const CLOSED_PRICE: Price = Price { useful: 4, lost: 4 };
const BREADTH_FIRST_PRICE: Price = Price { useful: 10, lost: 15 };
const BREADTH_FIRST_CLOSED_PRICE: Price = Price { useful: 2, lost: 4 };
/// Of one choice out of this many it is looked whether it is of use.
const ASKS_IN: u64 = 8;

/// What is to be left out, for one property; the same in all states.
#[derive(Clone, Copy)]
pub(crate) struct Choosing {
    info: &'static ReductionInfo,
    table: Table,
    n_levels: usize,
    closes: bool,
    /// What does not pay is looked for now and then only.
    adapts: bool,
    /// Whether the search decides that for whole levels.
    has_levels: bool,
    /// Closed sets with few steps come first, and not those with few processes.
    counts_steps: bool,
    is_static: bool,
    is_prompt: bool,
    /// With fewer processes there is nothing to choose.
    n_least: usize,
    /// Locations that the property can see, by property.
    visible: &'static [u64],
    /// It rests on the user's word that a claim does not notice when a state is repeated.
    pub is_assumed: bool,
}

/// Offers the candidates of one state after the other.
pub(super) struct Chooser {
    choosing: Choosing,
    /// In which states to look; decided by the search if that has levels, and else by a pace of its own.
    zeal: Zeal,
    pace: Option<Pace>,
    /// States for which a pace of its own lets it rest.
    n_resting: u64,
    /// What has come of it since somebody asked.
    gains: Gains,
    /// Of the state at hand: what is looked for, and the number of processes.
    scope: Scope,
    n_processes: usize,
    /// Whether what it brings is to be counted, and whether it is the first time that its choices are looked for.
    counts: bool,
    is_first: bool,
    /// Whether it matters how pids change, also of the youngest.
    is_watched: bool,
    next: Next,
    /// For each process its level; for clusters only.
    levels: Vec<u8>,
    /// Closed sets, the next one last.
    closed: Vec<Closed>,
    rows: Vec<u64>,
    units: Vec<Unit>,
}

/// A process, or a part of one, in the state at hand.
#[derive(Clone, Copy)]
struct Unit {
    pid: Pid,
    /// The number of the part.
    part: Option<u32>,
    future: &'static [u64],
    is_barred: bool,
    /// Those who may disturb it, as bits.
    disturbed_by: u64,
    n_steps: u32,
}

/// A closed set of units.
#[derive(Clone, Copy)]
struct Closed {
    units: u64,
    n_steps: u32,
}

/// The candidate to look at next.
#[derive(Clone, Copy)]
enum Next {
    /// Processes below this one, alone.
    Single(usize),
    /// The cluster of this rank, at this level above 0.
    Cluster(usize, usize),
    FindClosed,
    Closed,
}

impl Choosing {
    /// Nothing if the search must take all steps; the reason, if the user should know it.
    pub fn new(
        info: &'static ReductionInfo,
        property: Property,
        options: &Options,
    ) -> Result<Choosing, Option<&'static str>> {
        if options.reduction == Reduction::Off || !info.is_known() {
            return Err(None);
        }
        if options.shortest {
            return Err(Some("--shortest compares all runs"));
        }
        if let Some(reason) = info.off {
            return Err(Some(reason));
        }
        let unknown = Some("nothing is known about what the claim can notice");
        let unknown = Notices { off: unknown, ..Notices::NOTHING };
        let watched = match property {
            Property::Safety => Notices::NOTHING,
            Property::Claim(claim) => info.claims.get(claim).copied().unwrap_or(unknown),
            Property::Acceptance => info.acceptance,
            Property::NonProgress => info.progress,
        };
        let is_assumed = watched.is_doubt && options.assume_stutter_closed;
        if let Some(reason) = watched.off.filter(|_| !is_assumed) {
            return Err(Some(reason));
        }
        let visible = watched.visible;
        let fair = options.fair && property != Property::Safety;
        let relies = info.relies_on_promises && property != Property::Safety;
        let wants = options.reduction;
        let is_breadth_first = property == Property::Safety && options.algorithm == Algorithm::BreadthFirst;
        // A closed set says nothing about who else is enabled, which is what fairness is about.
        let closes = matches!(wants, Reduction::Auto | Reduction::Stubborn) && !fair && info.n_words > 0;
        Ok(Choosing {
            info,
            // Promises are looked after in the search for safety alone.
            table: if fair || relies { Table::Fair } else { Table::Plain },
            n_levels: if wants == Reduction::Ample || closes { 0 } else { info.levels.len() },
            closes,
            adapts: wants == Reduction::Auto,
            has_levels: is_breadth_first,
            counts_steps: !is_breadth_first,
            // What was visited depends on where the claim was, and so would the choice.
            is_static: options.proviso == Proviso::Static || !watched.is_patient,
            is_prompt: options.proviso == Proviso::Prompt,
            // Spin's breadth-first search looks also at the last process, and counts a step of it that is rejected twice.
            n_least: if options.proviso == Proviso::Prompt && options.algorithm == Algorithm::BreadthFirst {
                1
            } else {
                2
            },
            visible,
            is_assumed,
        })
    }

    /// Without looking at what was visited, for searches on several threads.
    pub fn by_state_alone(self) -> Choosing {
        Choosing { is_static: true, adapts: false, ..self }
    }

    /// What decides how often to look, unless that is in every state.
    fn pace(&self) -> Option<Pace> {
        let (any, closed) =
            if self.has_levels { (BREADTH_FIRST_PRICE, BREADTH_FIRST_CLOSED_PRICE) } else { (PRICE, CLOSED_PRICE) };
        self.adapts.then(|| Pace::new(any, closed))
    }

    /// The same for a search that decides it level by level.
    pub fn pace_of_levels(&self) -> Option<Pace> {
        self.pace().filter(|_| self.has_levels)
    }

    /// Whether a chosen set is accepted without looking at what was visited.
    pub fn is_static(&self) -> bool {
        self.is_static
    }

    /// Whether there are places where all must be taken.
    fn bars(&self) -> bool {
        !self.visible.is_empty() || self.is_static
    }

    /// Whether all must be taken where this process stands.
    #[inline]
    fn is_barred(&self, on: &dyn Footing, pid: Pid) -> bool {
        if !self.bars() {
            return false;
        }
        let location = on.location(pid);
        has_location(self.visible, location) || self.is_static && has_location(self.info.sticky, location)
    }

    /// Whether a choice that closes a cycle is rejected at once.
    pub fn is_prompt(&self) -> bool {
        self.is_prompt
    }
}

impl Chooser {
    pub fn new(choosing: Choosing) -> Chooser {
        Chooser {
            choosing,
            zeal: Zeal::ALWAYS,
            pace: choosing.pace().filter(|_| !choosing.has_levels),
            n_resting: 0,
            gains: Gains::default(),
            scope: Scope::Nothing,
            n_processes: 0,
            counts: false,
            is_first: false,
            is_watched: false,
            next: Next::Closed,
            levels: Vec::new(),
            closed: Vec::new(),
            rows: Vec::new(),
            units: Vec::new(),
        }
    }

    pub fn set_zeal(&mut self, zeal: Zeal) {
        self.zeal = zeal;
    }

    /// What looking has brought since this was asked last.
    pub fn take_gains(&mut self) -> Gains {
        std::mem::take(&mut self.gains)
    }

    /// Begins with another state, whose hash may be asked for, unless looking for choices rests. Returns whether it does
    /// not. With one process there is nothing to choose.
    #[inline(always)]
    pub fn start(&mut self, on: &impl Footing, hash: impl Fn() -> u64) -> bool {
        if self.n_resting > 0 {
            self.n_resting -= 1;
            return false;
        }
        !self.zeal.rests() && self.look(on, hash)
    }

    /// The same if it does not rest, unless a pace of its own says that it should now.
    #[inline]
    fn look(&mut self, on: &impl Footing, hash: impl Fn() -> u64) -> bool {
        if let Some(pace) = &mut self.pace {
            pace.learn(std::mem::take(&mut self.gains));
            if let Some(more) = pace.rest().checked_sub(1) {
                self.n_resting = more;
                return false;
            }
            self.zeal = pace.zeal(1);
        }
        let scope = self.zeal.scope(hash);
        (self.counts, self.is_first) = (self.choosing.adapts, self.choosing.adapts);
        scope != Scope::Nothing && self.begin(on, scope)
    }

    /// The same for a state that some choices were rejected of: looks for the same ones.
    pub fn start_again(&mut self, on: &impl Footing, hash: impl Fn() -> u64) -> bool {
        let scope = self.zeal.scope(hash);
        (self.counts, self.is_first) = (self.choosing.adapts, false);
        scope != Scope::Nothing && self.begin(on, scope)
    }

    /// The same for a state in which a choice was taken, in order to take it again.
    pub fn repeat(&mut self, on: &impl Footing) -> bool {
        (self.counts, self.is_first) = (false, false);
        self.begin(on, Scope::All)
    }

    #[inline]
    fn begin(&mut self, on: &impl Footing, scope: Scope) -> bool {
        let n = on.n_processes();
        if n < self.choosing.n_least {
            return false;
        }
        (self.scope, self.n_processes) = (scope, n);
        self.gains.any.looks += u64::from(self.is_first);
        // Of the youngest it does not matter how pids change, if nobody else looks at them.
        self.is_watched = self.choosing.info.pids_are_observed && self.may_look(on);
        self.next = Next::Single(n);
        true
    }

    /// Whether somebody may look at the pid of the youngest.
    #[inline(never)]
    fn may_look(&self, on: &dyn Footing) -> bool {
        let looks = |index| has_location(self.choosing.info.may_look, on.location(Pid::from_index(index)));
        (0..self.n_processes - 1).any(looks)
    }

    /// The next candidate. Nothing says yet that a process in it can move.
    #[inline]
    pub fn next(&mut self, on: &impl Footing) -> Option<Choice> {
        if let Next::Single(below) = self.next {
            if let Some(pid) = self.single_below(on, below) {
                self.next = Next::Single(pid.index());
                return Some(self.whole(on, PidSet::only(pid)));
            }
            let has_clusters = self.choosing.n_levels > 0 && self.clusters_mean_something(on);
            self.next = if has_clusters { self.first_cluster(on) } else { Next::FindClosed };
        }
        self.next_set(on)
    }

    /// The youngest of the first `below` processes that may be taken alone.
    #[inline]
    fn single_below(&self, on: &impl Footing, mut below: usize) -> Option<Pid> {
        loop {
            let pid = on.safe_below(below, self.choosing.table, self.is_watched)?;
            if !self.choosing.is_barred(on, pid) {
                return Some(pid);
            }
            below = pid.index();
        }
    }

    fn first_cluster(&mut self, on: &dyn Footing) -> Next {
        self.levels.clear();
        on.add_levels(self.choosing.table, self.is_watched, &mut self.levels);
        if self.choosing.bars() {
            for index in 0..self.n_processes {
                if self.choosing.is_barred(on, Pid::from_index(index)) {
                    self.levels[index] = NEVER;
                }
            }
        }
        Next::Cluster(0, 0)
    }

    /// The next candidate of several processes.
    #[inline(never)]
    fn next_set(&mut self, on: &dyn Footing) -> Option<Choice> {
        loop {
            match self.next {
                Next::Single(_) => return None,
                Next::Cluster(level, _) if level >= self.choosing.n_levels => self.next = Next::FindClosed,
                Next::Cluster(level, rank) => {
                    let Some(cluster) = self.choosing.info.levels[level].get(rank) else {
                        self.next = Next::Cluster(level + 1, 0);
                        continue;
                    };
                    self.next = Next::Cluster(level, rank + 1);
                    if let Some(members) = self.safe_members(on, cluster, level + 1) {
                        return Some(self.whole(on, members));
                    }
                }
                Next::FindClosed => {
                    self.next = Next::Closed;
                    self.closed.clear();
                    if self.choosing.closes && self.scope == Scope::All && self.n_processes <= MOST_CLOSED {
                        self.gains.closed.looks += u64::from(self.is_first);
                        self.find_closed(on);
                    }
                }
                Next::Closed => {
                    let closed = self.closed.pop()?;
                    return Some(self.choice(closed.units));
                }
            }
        }
    }

    /// Whether every process that belongs to a cluster by its pid has been started.
    fn clusters_mean_something(&self, on: &dyn Footing) -> bool {
        let is_beginning = |index| {
            let location = on.location(Pid::from_index(index));
            has_location(self.choosing.info.beginning, location)
        };
        self.choosing.info.beginning.is_empty() || !(0..self.n_processes).any(is_beginning)
    }

    /// The living members of a cluster, if all are safe at this level.
    fn safe_members(&self, on: &dyn Footing, cluster: &Cluster, level: usize) -> Option<PidSet> {
        let mut members = PidSet::EMPTY;
        for (index, &own) in self.levels.iter().enumerate() {
            let pid = Pid::from_index(index);
            let is_member = cluster.pids.contains(pid)
                || !cluster.proctypes.is_empty() && cluster.proctypes.contains(&(on.proctype(pid) as u16));
            if is_member {
                if usize::from(own) > level {
                    return None;
                }
                members = members.with(pid);
            }
        }
        (!members.is_empty()).then_some(members)
    }

    /// Somebody could move in the choice that was offered last. `hash` is any number that comes from the state.
    #[inline]
    pub fn note_success(&mut self, on: &dyn Footing, choice: Choice, hash: u64) {
        if self.counts && (hash >> 32).is_multiple_of(ASKS_IN) {
            self.ask_for_use(on, choice);
        }
    }

    /// A choice is of use if it leaves out somebody who can move.
    fn ask_for_use(&mut self, on: &dyn Footing, choice: Choice) {
        if can_move(on, self.choosing.info, choice.complement()) {
            self.gains.any.useful += ASKS_IN;
            if matches!(self.next, Next::Closed) {
                self.gains.closed.useful += ASKS_IN;
            }
        }
    }

    /// The search has rejected the choice that was offered last.
    pub fn note_rejection(&mut self) {
        self.gains.any.lost += 1;
        if matches!(self.next, Next::Closed) {
            self.gains.closed.lost += 1;
        }
    }

    /// How a process falls into parts where it stands, if it does.
    fn split(&self, on: &dyn Footing, pid: Pid) -> Option<&'static Split> {
        split(self.choosing.info, pid, || on.location(pid))
    }

    /// Processes, with all their parts.
    #[inline]
    fn whole(&self, on: &dyn Footing, pids: PidSet) -> Choice {
        if self.choosing.info.splits.is_empty() { Choice { pids, parts: 0 } } else { self.with_parts(on, pids) }
    }

    #[inline(never)]
    fn with_parts(&self, on: &dyn Footing, pids: PidSet) -> Choice {
        let mut choice = Choice::default();
        for pid in pids.iter() {
            match self.split(on, pid) {
                Some(split) => choice.parts |= split.mask(),
                None => choice.pids = choice.pids.with(pid),
            }
        }
        choice
    }

    fn choice(&self, units: u64) -> Choice {
        let mut choice = Choice::default();
        for unit in self.units.iter().enumerate().filter(|(index, _)| units >> index & 1 == 1).map(|(_, unit)| unit) {
            match unit.part {
                Some(part) => choice.parts |= 1 << part,
                None => choice.pids = choice.pids.with(unit.pid),
            }
        }
        choice
    }

    /// Lists the processes and the parts of those that fall into parts. Returns false if there are too many.
    fn list_units(&mut self, on: &dyn Footing) -> bool {
        self.units.clear();
        for index in 0..self.n_processes {
            let pid = Pid::from_index(index);
            let is_barred = self.choosing.is_barred(on, pid);
            let unit = Unit { pid, part: None, future: &[], is_barred, disturbed_by: 0, n_steps: 0 };
            match self.split(on, pid) {
                Some(split) => self.units.extend((split.first..).zip(split.parts).map(|(number, part)| Unit {
                    part: Some(number),
                    future: part.future,
                    ..unit
                })),
                None => self.units.push(Unit { future: on.future(pid), ..unit }),
            }
            if self.units.len() > MOST_CLOSED {
                return false;
            }
        }
        true
    }

    /// For each unit the smallest closed set with it, unless that is everybody or holds somebody who is barred.
    fn find_closed(&mut self, on: &dyn Footing) {
        if !self.list_units(on) {
            return;
        }
        let n = self.units.len();
        self.rows.resize(self.choosing.info.n_words, 0);
        for index in 0..n {
            let unit = self.units[index];
            self.rows.fill(0);
            match unit.part {
                Some(part) => on.add_part_disturbers(part, &mut self.rows),
                None => on.add_disturbers(unit.pid, &mut self.rows),
            }
            self.units[index].disturbed_by = match self.rows[..] {
                [row] => disturbers(&self.units, |future| future.first().is_some_and(|future| future & row != 0)),
                ref rows => disturbers(&self.units, |future| future.iter().zip(rows).any(|(one, row)| one & row != 0)),
            };
        }
        self.close();
        let barred = bits(self.units.iter().map(|unit| unit.is_barred));
        let everybody = u64::MAX >> (64 - n);
        // From the highest pid down; the first to be tried is the last in the list.
        for (index, unit) in self.units.iter().enumerate().rev() {
            let units = unit.disturbed_by | 1 << index;
            let is_wanted = units != everybody && units & barred == 0;
            if is_wanted && !self.closed.iter().any(|other| other.units == units) {
                self.closed.push(Closed { units, n_steps: 0 });
            }
        }
        self.closed.reverse();
        self.rank(on);
    }

    /// Who disturbs somebody who disturbs a unit disturbs it, too.
    fn close(&mut self) {
        for middle in 0..self.units.len() {
            let behind = self.units[middle].disturbed_by;
            for unit in &mut self.units {
                if unit.disturbed_by >> middle & 1 == 1 {
                    unit.disturbed_by |= behind;
                }
            }
        }
    }

    /// Puts the closed sets in order, the next one last. Where steps are counted, without those in which nobody can move
    /// or everybody who can.
    fn rank(&mut self, on: &dyn Footing) {
        // A stable sort keeps the one found from the highest pid behind its equals.
        self.closed.sort_by_key(|closed| std::cmp::Reverse(closed.units.count_ones()));
        if !self.choosing.counts_steps || self.closed.len() < 2 {
            return;
        }
        let mut first = 0;
        while let Some(&Unit { pid, .. }) = self.units.get(first) {
            let n_units = self.units[first..].iter().take_while(|unit| unit.pid == pid).count();
            let split = self.split(on, pid);
            let units = &mut self.units[first..first + n_units];
            on.tell_steps(pid, &mut |transition, is_step| {
                let is_its = |unit: &&mut Unit| match (split, unit.part) {
                    (Some(split), Some(part)) => split.has(1 << part, transition),
                    _ => true,
                };
                if let Some(unit) = units.iter_mut().find(is_its).filter(|_| is_step) {
                    unit.n_steps += 1;
                }
            });
            first += n_units;
        }
        let all: u32 = self.units.iter().map(|unit| unit.n_steps).sum();
        for closed in &mut self.closed {
            let members = self.units.iter().enumerate().filter(|(index, _)| closed.units >> index & 1 == 1);
            closed.n_steps = members.map(|(_, unit)| unit.n_steps).sum();
        }
        self.closed.retain(|closed| closed.n_steps > 0 && closed.n_steps < all);
        self.closed.sort_by_key(|closed| std::cmp::Reverse(closed.n_steps));
    }
}

/// Those whose future is such, as bits.
#[inline]
fn disturbers(units: &[Unit], meddles: impl Fn(&[u64]) -> bool) -> u64 {
    bits(units.iter().map(|unit| meddles(unit.future)))
}

#[inline]
fn bits(are: impl Iterator<Item = bool>) -> u64 {
    are.enumerate().fold(0, |bits, (index, is)| bits | u64::from(is) << index)
}

/// How a process falls into parts where it stands, if it does.
#[inline]
pub(super) fn split(info: &'static ReductionInfo, pid: Pid, location: impl Fn() -> usize) -> Option<&'static Split> {
    info.splits.iter().find(|split| split.pid == pid && split.location == location())
}

/// Whether one of these can take a step, or one that fails.
pub(super) fn can_move(on: &dyn Footing, info: &'static ReductionInfo, who: Choice) -> bool {
    (0..on.n_processes()).map(Pid::from_index).any(|pid| {
        let split = split(info, pid, || on.location(pid));
        let parts = who.parts & split.map_or(0, Split::mask);
        let is_asked = if split.is_some() { parts != 0 } else { who.pids.contains(pid) };
        let mut moves = false;
        if is_asked {
            on.tell_steps(pid, &mut |transition, _| moves |= split.is_none_or(|split| split.has(parts, transition)));
        }
        moves
    })
}
