//! A run as text: one line for each step, the same in `verify`, `replay` and `simulate`.

use super::changes::add_change;
use super::ending::values_text;
use super::meaning::EXPIRED;
use super::words::queue_text;
use super::{Blocked, Change, Channel, End, Kind, Process, Run, State, Step};
use crate::model::{ModelInfo, SourcePosition};
use crate::show::{CYCLE_STARTS, STUTTER, Show};
use std::io::{self, Write};

/// Longer labels, places and statements push what follows to the right.
const WIDEST_LABEL: usize = 26;
const WIDEST_PLACE: usize = 24;
const WIDEST_STATEMENT: usize = 36;

/// So many values are shown on one line.
const MOST_VALUES: usize = 5;

/// So many channels and blocked processes are listed, unless everything is asked for.
const MOST_LISTED: usize = 20;

/// The style of the text.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub indent: &'a str,
    /// The text before and after less important parts.
    pub dim: (&'a str, &'a str),
    /// What shows the steps that are left out: `this shows them all: pmc replay ...`.
    pub more: &'a str,
    pub show: Show,
}

/// The widths of the columns.
#[derive(Clone, Copy, Debug, Default)]
struct Widths {
    number: usize,
    label: usize,
    place: usize,
    statement: usize,
}

/// Writes the steps of a run as they come.
pub(crate) struct Lines<'a> {
    info: &'a ModelInfo<'a>,
    layout: Layout<'a>,
    widths: Widths,
    /// A step that waits: others may be folded into it.
    waiting: Option<Step>,
    /// The number of the first step that was folded into the one that waits.
    first_number: usize,
    /// The condition of the claim's last move.
    last_asked: Option<String>,
    last_number: usize,
    /// The ticks since the last step.
    ticks: Ticks,
    /// The claim beside the model.
    claim: String,
    /// Its moves are not shown: the end says in words why its formula is violated.
    hides_claim: bool,
}

/// Ticks without a step between them, which are one line.
#[derive(Default)]
struct Ticks {
    /// How many there are.
    n: usize,
    /// The time that begins with the last one, if it is known.
    time: Option<usize>,
    /// The timers that have run out, and when.
    expired: Vec<(String, usize)>,
}

impl Ticks {
    fn add(&mut self, step: &Step, processes: &[Process]) {
        self.n += 1;
        self.time = step.time;
        let time = step.time.unwrap_or(self.n);
        for change in step.changes.iter().filter(|change| change.to == EXPIRED) {
            self.expired.push((format!("{}{}", owner_text(change, None, processes), change.name), time));
        }
    }

    /// `time 2  b expires; a expired at 1`
    fn text(&self) -> String {
        let time = self.time.unwrap_or(self.n);
        let now = self.expired.iter().filter(|(_, at)| *at == time).map(|(name, _)| format!("{name} expires"));
        let before = self.expired.iter().filter(|(_, at)| *at < time);
        let before = before.map(|(name, at)| match self.time {
            Some(_) => format!("{name} expired at {at}"),
            None => format!("{name} expired before"),
        });
        let parts: Vec<String> = now.chain(before).collect();
        let begins = self.time.map_or_else(|| "time passes".to_owned(), |time| format!("time {time}"));
        if parts.is_empty() { begins } else { format!("{begins}  {}", parts.join("; ")) }
    }
}

/// Writes the steps of a run.
pub(crate) fn write_steps(info: &ModelInfo<'_>, run: &Run, layout: Layout<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Lines::new(info, layout);
    lines.widths = widths(info, run, layout.show);
    lines.claim = run.claim.clone().unwrap_or_default();
    lines.hides_claim = run.formula.is_some();
    for (n, step) in run.steps.iter().enumerate() {
        lines.marks(run, n, out)?;
        lines.step(step, &run.processes, out)?;
    }
    lines.marks(run, run.steps.len(), out)?;
    lines.finish(&run.processes, out)?;
    if let Some(start) = run.cycle_start {
        let first = run.steps.get(start..).unwrap_or_default().iter().find(|step| step.kind != Kind::Tick);
        let first = first.or(run.steps.get(start)).map_or(1, |step| step.number);
        let round = round_text(&run.steps[start.min(run.steps.len())..]);
        writeln!(out, "{}{:3$}  and so on from {first}, forever{}", layout.indent, "", round, lines.widths.number)?;
    }
    Ok(())
}

/// How much time passes in each round of a cycle, if the model has timers.
fn round_text(cycle: &[Step]) -> String {
    if cycle.iter().all(|step| step.time.is_none()) {
        return String::new();
    }
    match cycle.iter().filter(|step| step.kind == Kind::Tick).count() {
        0 => ", and no time passes".to_owned(),
        1 => ", 1 tick a round".to_owned(),
        n => format!(", {n} ticks a round"),
    }
}

fn widths(info: &ModelInfo<'_>, run: &Run, show: Show) -> Widths {
    let mut widths = Widths { number: 3, ..Widths::default() };
    for step in run.steps.iter().filter(|step| step.process.is_some() && (show.all || !step.folded)) {
        let label = step.process.and_then(|process| run.processes.get(process)).map_or(0, |of| of.label.len());
        widths.label = widths.label.max(label);
        widths.place = widths.place.max(step.place.map_or(0, |place| info.line(place).chars().count()));
        widths.statement = widths.statement.max(statement_text(step).chars().count().min(WIDEST_STATEMENT));
    }
    let digits = run.steps.last().map_or(0, |step| step.number).to_string().len();
    let has_ranges = !show.all && run.steps.iter().any(|step| step.folded);
    widths.number = widths.number.max(if has_ranges { 2 * digits + 1 } else { digits });
    widths.label = widths.label.min(WIDEST_LABEL);
    widths.place = widths.place.min(WIDEST_PLACE);
    widths
}

impl<'a> Lines<'a> {
    pub fn new(info: &'a ModelInfo<'a>, layout: Layout<'a>) -> Lines<'a> {
        let place = info.transitions.iter().map(|row| info.line(row.place).chars().count()).max().unwrap_or(0);
        let widths = Widths { number: 5, label: 0, place: place.min(WIDEST_PLACE), statement: WIDEST_STATEMENT / 2 };
        Lines {
            info,
            layout,
            widths,
            waiting: None,
            first_number: 0,
            last_asked: None,
            last_number: 0,
            ticks: Ticks::default(),
            claim: String::new(),
            hides_claim: false,
        }
    }

    /// Makes room for the names of these processes.
    pub fn widen(&mut self, processes: &[Process]) {
        let widest = processes.iter().map(|process| process.label.len()).max().unwrap_or(0);
        self.widths.label = self.widths.label.max(widest).min(WIDEST_LABEL);
    }

    /// The beginning of the cycle, and gaps, in front of a step.
    fn marks(&mut self, run: &Run, n: usize, out: &mut dyn Write) -> io::Result<()> {
        let gaps = run.left_out.iter().filter(|gap| gap.before == n);
        let indent = self.layout.indent;
        if run.cycle_start == Some(n) {
            self.finish(&run.processes, out)?;
            writeln!(out, "{indent}  {CYCLE_STARTS}")?;
            self.last_asked = None;
        }
        for gap in gaps {
            self.finish(&run.processes, out)?;
            let (number, steps, more) = (self.widths.number, grouped(gap.steps), self.layout.more);
            writeln!(out, "{indent}{:number$}  ... {steps} more steps{more}", "")?;
        }
        Ok(())
    }

    /// Writes a step, or keeps it until it is known what is folded into it.
    pub fn step(&mut self, step: &Step, processes: &[Process], out: &mut dyn Write) -> io::Result<()> {
        if step.kind == Kind::Tick {
            self.write_waiting(processes, out)?;
            self.ticks.add(step, processes);
            return Ok(());
        }
        if !self.is_wanted(step) {
            return Ok(());
        }
        if let Some(waiting) = &mut self.waiting {
            let goes_on = step.folded
                && !self.layout.show.all
                && waiting.process == step.process
                && (waiting.folded && waiting.text == step.text || step.kind == Kind::Jump);
            if goes_on {
                for change in &step.changes {
                    add_change(&mut waiting.changes, change.clone());
                }
                waiting.number = step.number;
                waiting.reads.clone_from(&step.reads);
                return Ok(());
            }
        }
        self.finish(processes, out)?;
        self.widen(processes);
        self.first_number = step.number;
        self.waiting = Some(step.clone());
        Ok(())
    }

    fn is_wanted(&self, step: &Step) -> bool {
        let show = self.layout.show;
        show.steps
            || !(show.sends || show.receives)
            || show.sends && step.kind == Kind::Send
            || show.receives && step.kind == Kind::Receive
    }

    /// Writes the step that waits, or the time behind it.
    pub fn finish(&mut self, processes: &[Process], out: &mut dyn Write) -> io::Result<()> {
        self.write_waiting(processes, out)?;
        let ticks = std::mem::take(&mut self.ticks);
        if ticks.n == 0 {
            return Ok(());
        }
        self.last_asked = None;
        let (indent, width) = (self.layout.indent, self.widths.number);
        writeln!(out, "{indent}{:width$}  {}", "", ticks.text())
    }

    fn write_waiting(&mut self, processes: &[Process], out: &mut dyn Write) -> io::Result<()> {
        let Some(step) = self.waiting.take() else { return Ok(()) };
        let (indent, width) = (self.layout.indent, self.widths.number);
        match step.kind {
            Kind::Stutter => {
                self.last_number = step.number;
                return writeln!(out, "{indent}{:>width$}  {STUTTER}", step.number);
            }
            Kind::Claim => return self.claim_move(&step, out),
            _ => {}
        }
        // A number stands on one line, even if the step goes on in the next one.
        let first = self.first_number + usize::from(self.first_number == self.last_number);
        self.last_number = step.number;
        let number = match () {
            () if first > step.number => String::new(),
            () if first < step.number => format!("{first}-{}", step.number),
            () => step.number.to_string(),
        };
        let label = step.process.and_then(|process| processes.get(process)).map_or("", |of| of.label.as_str());
        let place = step.place.map_or_else(String::new, |place| self.info.line(place));
        let mut row = format!(
            "{number:>width$}  {label:label_width$}  {place:place_width$}  {}",
            padded(&statement_text(&step), self.widths.statement),
            label_width = self.widths.label,
            place_width = self.widths.place,
        );
        row += &effects(&step, processes, self.layout.show);
        writeln!(out, "{indent}{}", row.trim_end())?;
        for line in step.printed.lines() {
            writeln!(out, "{indent}{:width$}  prints: {line}", "")?;
        }
        Ok(())
    }

    /// The condition of a claim's move is shown if it differs from the last one.
    fn claim_move(&mut self, step: &Step, out: &mut dyn Write) -> io::Result<()> {
        let says_nothing = step.text == "true" || self.last_asked.as_ref() == Some(&step.text);
        let is_left_out = self.hides_claim || !step.failed && step.changes.is_empty() && says_nothing;
        if is_left_out && !self.layout.show.all {
            return Ok(());
        }
        self.last_asked = Some(step.text.clone());
        let (on, off) = self.layout.dim;
        let (indent, width) = (self.layout.indent, self.widths.number);
        let line = step.place.map_or_else(String::new, |place| self.info.line(place));
        let effects = effects(step, &[], self.layout.show);
        writeln!(out, "{indent}{:width$}  {on}claim {}  {line}  {}{effects}{off}", "", self.claim, step.text)
    }
}

/// A step on one line, without its place: `node(id=0): x = 1  x: 0 -> 1`.
pub(crate) fn step_text(run: &Run, step: &Step, process: usize) -> String {
    let label = run.processes.get(process).map_or("?", |of| of.label.as_str());
    let all = Show::default().or_everything();
    format!("{label}: {}{}", statement_text(step), effects(step, &run.processes, all))
}

/// What the step changes and what it reads.
fn effects(step: &Step, processes: &[Process], show: Show) -> String {
    let is_own_channel = |change: &Change| {
        step.message.as_ref().is_some_and(|message| {
            message.channel == change.name || message.channel.ends_with(&format!(":{}", change.name))
        })
    };
    let is_shown = |change: &&Change| {
        let wanted = if change.process.is_some() { show.locals } else { show.globals };
        wanted && !is_own_channel(change) && !change.is_first && !change.to.is_empty()
    };
    let mut parts: Vec<String> =
        step.changes.iter().filter(is_shown).map(|change| change_text(change, step.process, processes)).collect();
    let is_new = |read: &&(String, String)| !step.changes.iter().any(|change| change.name == read.0);
    let reads: Vec<(String, String)> =
        step.reads.iter().filter(is_new).filter(|read| !says_nothing(&step.text, read)).cloned().collect();
    let n_left = parts.len().saturating_sub(MOST_VALUES);
    if n_left > 0 && !show.all {
        parts.truncate(MOST_VALUES);
        parts.push(format!("and {n_left} more"));
    }
    let mut text = parts.join(", ");
    // Of a loop the counter is enough, if it did not change.
    let n_reads = if step.folded { usize::from(text.is_empty()) } else { MOST_VALUES };
    let shown = &reads[..reads.len().min(n_reads)];
    if !shown.is_empty() && (show.globals || show.locals) {
        let values = values_text(shown);
        text = match text.is_empty() {
            true => values,
            false => format!("{text}  ({values})"),
        };
    }
    let failed = if step.failed { "<- here" } else { "" };
    let gap = if text.is_empty() || failed.is_empty() { "" } else { "  " };
    match text.is_empty() && failed.is_empty() {
        true => String::new(),
        false => format!("  {text}{gap}{failed}"),
    }
}

fn padded(text: &str, width: usize) -> String {
    format!("{text:width$}")
}

/// The statement as it is shown: with the values of a message.
fn statement_text(step: &Step) -> String {
    match step.kind {
        Kind::End => "the process ends".to_owned(),
        _ => step.shown.clone(),
    }
}

/// Whether a value is what the statement itself says: `x == 1` or `!done`.
pub(super) fn says_nothing(text: &str, (name, value): &(String, String)) -> bool {
    let text = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    let text = text.split_whitespace().collect::<String>();
    text == *name || text.strip_prefix('!') == Some(name) || text == format!("{name}=={value}")
}

fn change_text(change: &Change, own: Option<usize>, processes: &[Process]) -> String {
    let owner = owner_text(change, own, processes);
    match change.from.is_empty() {
        true => format!("{owner}{} = {}", change.name, change.to),
        false => format!("{owner}{}: {} -> {}", change.name, change.from, change.to),
    }
}

/// The process of a value, unless it is the one that moves.
pub(super) fn owner_text(change: &Change, own: Option<usize>, processes: &[Process]) -> String {
    match change.process.filter(|process| Some(*process) != own) {
        Some(process) => processes.get(process).map_or_else(String::new, |of| format!("{}:", of.label)),
        None => String::new(),
    }
}

/// `1,234,567`
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Why the run ends as it does.
pub(crate) fn write_end(
    info: &ModelInfo<'_>,
    (end, processes): (&End, &[Process]),
    layout: Layout<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for line in end_lines(info, end, processes, layout.show.all) {
        writeln!(out, "{}{line}", layout.indent)?;
    }
    Ok(())
}

/// The same as lines.
pub(crate) fn end_lines(info: &ModelInfo<'_>, end: &End, processes: &[Process], all: bool) -> Vec<String> {
    let mut lines = end.explanation.clone();
    let waiting: Vec<&Blocked> = end.blocked.iter().filter(|blocked| !blocked.is_valid_end).collect();
    let width = waiting.iter().filter_map(|one| processes.get(one.process)).map(|of| of.label.len()).max().unwrap_or(0);
    let most = if all { usize::MAX } else { MOST_LISTED };
    let place_width = waiting.iter().map(|one| info.line(one.place).chars().count()).max().unwrap_or(0);
    for blocked in waiting.iter().take(most) {
        let label = processes.get(blocked.process).map_or("?", |of| of.label.as_str());
        let place = info.line(blocked.place);
        let (first, rest) = match &blocked.waits_for[..] {
            [] => ("cannot go on".to_owned(), &[][..]),
            [first, rest @ ..] => (format!("waits for {}", wait_text(first)), rest),
        };
        lines.push(format!("{label:width$}  {place:place_width$}  {first}"));
        let indent = width + 2 + place_width + 2;
        lines.extend(rest.iter().map(|wait| format!("{:indent$}or for {}", "", wait_text(wait))));
    }
    if waiting.len() > most {
        lines.push(format!("and {} more processes", waiting.len() - most));
    }
    if !end.blocked.is_empty() {
        lines.extend(channel_lines(&end.channels, most));
    }
    lines
}

fn wait_text(wait: &super::Wait) -> String {
    match wait.why.is_empty() {
        true => wait.shown.clone(),
        false => format!("{}, but {}", wait.shown, wait.why),
    }
}

fn channel_lines(channels: &[Channel], most: usize) -> Vec<String> {
    let filled: Vec<&Channel> = channels.iter().filter(|channel| !channel.messages.is_empty()).collect();
    if channels.is_empty() {
        return Vec::new();
    }
    if filled.is_empty() {
        return vec![if channels.len() == 1 {
            format!("the channel {} is empty", channels[0].name)
        } else {
            "all channels are empty".to_owned()
        }];
    }
    let mut lines: Vec<String> = filled
        .iter()
        .take(most)
        .map(|channel| format!("{} holds {}", channel.name, queue_text(&channel.messages)))
        .collect();
    let n_empty = channels.len() - filled.len();
    if filled.len() > most {
        lines.push(format!("and {} more channels hold messages", filled.len() - most));
    } else if n_empty > 0 {
        lines.push(if n_empty == 1 {
            "the other channel is empty".to_owned()
        } else {
            "the other channels are empty".to_owned()
        });
    }
    lines
}

/// All values of a state, and where the processes are.
pub(crate) fn write_state(
    info: &ModelInfo<'_>,
    state: &State,
    processes: &[Process],
    ends: &dyn Fn(usize) -> bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let owner = |process: Option<usize>| match process.and_then(|process| processes.get(process)) {
        Some(of) => format!("{}:", of.label),
        None => String::new(),
    };
    for value in &state.values {
        writeln!(out, "  {}{} = {}", owner(value.process), value.name, value.value)?;
    }
    for channel in &state.channels {
        writeln!(out, "  {}{} = {}", owner(channel.process), channel.name, queue_text(&channel.messages))?;
    }
    for (process, place) in &state.locations {
        let label = processes.get(*process).map_or("?", |of| of.label.as_str());
        let end = if ends(*process) { ", where it may end" } else { "" };
        writeln!(out, "  {label} is at {}{end}", line_of(info, *place))?;
    }
    Ok(())
}

fn line_of(info: &ModelInfo<'_>, place: SourcePosition) -> String {
    info.line(place)
}
