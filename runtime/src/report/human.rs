//! The report as text, for a terminal or a log.

use super::{Reporter, Subject, shortening};
use crate::limits::Stop;
use crate::model::ModelInfo;
use crate::monitor::{Finished, Monitor, Progress};
use crate::omission::percent;
use crate::property::PropertyKind;
use crate::show::Show;
use crate::story::Run;
use crate::story::lines::{Layout, write_end, write_steps};
use crate::verdict::{ProbeOutcome, PropertyReport, Report, Statistics, Verdict, Violation};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The report as text.
pub struct Human;

impl Reporter for Human {
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let report = subject.report;
        let verdict = colored(report.verdict, report.verdict.name(), subject.use_colors);
        let odds = report.omission_probability().filter(|_| report.verdict == Verdict::Verified);
        let unless = odds.map(|odds| format!(", unless states were missed (probability {})", percent(odds)));
        let is_loose = report.verdict == Verdict::Verified && report.hidden_differed();
        let but = if is_loose { ", unless hidden variables matter" } else { "" };
        writeln!(out, "{}: {verdict}{}{but}", subject.info.name, unless.unwrap_or_default())?;
        match &report.properties[..] {
            [property] => {
                write_violations(subject, 0, "  ", out)?;
                write_completeness(report, property, out)?;
                write_remarks(subject, out)?;
                write_statistics(subject.info, property, out)?;
            }
            properties => {
                write_table(subject, out)?;
                write_remarks(subject, out)?;
                if let Some(stopped) = properties.iter().find(|property| property.stop == Some(Stop::Violation)) {
                    write_completeness(report, stopped, out)?;
                }
                for n in 0..properties.len() {
                    write_details(subject, n, out)?;
                }
            }
        }
        if subject.list_unreached { write_unreached(subject, out) } else { Ok(()) }
    }
}

fn colored(verdict: Verdict, text: &str, use_colors: bool) -> String {
    let color = match verdict {
        _ if !use_colors => return text.to_owned(),
        Verdict::Verified => "32",
        Verdict::Violated => "31",
        Verdict::Incomplete => "33",
    };
    format!("\x1b[1;{color}m{text}\x1b[0m")
}

/// The name of a property: `ltl served`, but `safety`.
pub(super) fn title(property: &PropertyReport) -> String {
    let (kind, name) = (property.kind.name(), property.name.as_str());
    if kind == name { name.to_owned() } else { format!("{kind} {name}") }
}

/// Several properties, one line each, and the common part of their searches.
fn write_table(subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
    let properties = &subject.report.properties;
    let width = |cell: &dyn Fn(&PropertyReport) -> String| {
        properties.iter().map(|property| cell(property).chars().count()).max().unwrap_or(0)
    };
    let states = |property: &PropertyReport| grouped(property.statistics.states_stored);
    let transitions = |property: &PropertyReport| grouped(property.statistics.transitions);
    let (title_width, states_width, transitions_width) = (width(&title), width(&states), width(&transitions));
    for property in properties {
        let (title, verdict) = (title(property), format!("{:10}", property.verdict.name()));
        let verdict = colored(property.verdict, &verdict, subject.use_colors);
        write!(out, "  {title:title_width$}  {verdict}  ")?;
        if property.not_checked().is_some() {
            writeln!(out, "not checked")?;
            continue;
        }
        let (states, transitions, figures) = (states(property), transitions(property), &property.statistics);
        write!(out, "{states:>states_width$} states, {transitions:>transitions_width$} transitions; ")?;
        let (algorithm, seconds) = (algorithm(figures), figures.elapsed.as_secs_f64());
        let reduction = if figures.reduction { ", reduction" } else { "" };
        let symmetry = if figures.symmetry.is_some() { ", symmetry" } else { "" };
        writeln!(out, "{algorithm}{reduction}{symmetry}, {seconds:.2} s")?;
    }
    write_together(subject.info, properties, out)
}

/// What a line about figures ends with: generated code is what readers expect.
fn engine(info: &ModelInfo<'_>) -> &'static str {
    if info.is_interpreted { ", interpreted" } else { "" }
}

fn write_together(info: &ModelInfo<'_>, properties: &[PropertyReport], out: &mut dyn Write) -> io::Result<()> {
    let searched = || properties.iter().filter(|property| property.not_checked().is_none());
    let Some(any) = searched().next() else { return Ok(()) };
    let seconds: f64 = searched().map(|property| property.statistics.elapsed.as_secs_f64()).sum();
    let bytes = searched().map(|property| property.statistics.memory_bytes).max().unwrap_or(0);
    let (storage, engine) = (any.statistics.storage, engine(info));
    writeln!(out, "  {storage} storage; {seconds:.2} s in all, {} MB{engine}", bytes >> 20)?;
    write_timers(info, out)
}

/// Details about one of several properties, beside its line.
fn write_details(subject: &Subject<'_>, n: usize, out: &mut dyn Write) -> io::Result<()> {
    let property = &subject.report.properties[n];
    if property.verdict == Verdict::Verified || property.not_checked().is_some() {
        return Ok(());
    }
    writeln!(out, "\n{}:", title(property))?;
    write_violations(subject, n, "  ", out)?;
    match property.stop {
        // Reported once for all properties.
        Some(Stop::Violation) => Ok(()),
        _ => write_completeness(subject.report, property, out),
    }
}

fn write_remarks(subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = subject.report;
    if report.options.fair {
        writeln!(out, "  weak fairness: no infinite run counts in which a process waits forever that can always move")?;
    }
    if subject.info.abstract_time {
        writeln!(out, "  time is abstract: what is verified holds, what is violated need not be")?;
    }
    if report.options.time_passes {
        writeln!(out, "  time passes: no infinite run counts in which time stands still in the end")?;
    }
    for unchecked in report.unchecked() {
        writeln!(out, "  not checked: {unchecked}")?;
    }
    let asks_zeno = report.properties.iter().any(|property| property.kind == PropertyKind::Zeno);
    if subject.info.n_timers > 0 && !subject.info.abstract_time && !asks_zeno {
        writeln!(out, "  not checked: that time passes in every infinite run (--zeno)")?;
    }
    for odds in subject.odds() {
        writeln!(out, "  {odds}")?;
    }
    for growth in subject.growth() {
        writeln!(out, "  {growth}")?;
    }
    for advice in subject.advice() {
        writeln!(out, "  try: {advice}")?;
    }
    if !report.properties.iter().all(PropertyReport::is_repeatable) {
        writeln!(out, "  several threads may show another run the next time; --threads 1 always shows the same")?;
    }
    for warning in &report.warnings {
        writeln!(out, "  warning: {warning}")?;
    }
    Ok(())
}

fn write_violations(subject: &Subject<'_>, property: usize, indent: &str, out: &mut dyn Write) -> io::Result<()> {
    for (n, violation) in subject.report.properties[property].violations.iter().enumerate() {
        let (run, trail) = (subject.run(property, n), subject.trail(property, n));
        write_violation(subject, violation, run, trail, indent, out)?;
    }
    match shortening(&subject.report.properties[property]) {
        Some(text) => writeln!(out, "{indent}  {text}"),
        None => Ok(()),
    }
}

fn write_violation(
    subject: &Subject<'_>,
    violation: &Violation,
    run: Option<&Run>,
    trail: Option<&str>,
    indent: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let info = subject.info;
    writeln!(out, "{indent}{}", violation.message)?;
    let length = length(violation);
    let colon = if run.is_some_and(|run| !run.steps.is_empty()) { ":" } else { "" };
    match violation.place {
        Some(place) => writeln!(out, "{indent}  at {}:{}, {length}{colon}", info.line(place), place.column)?,
        None => writeln!(out, "{indent}  {length}{colon}")?,
    }
    if let Some(run) = run {
        let dim = if subject.use_colors { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
        let (indent, more) = (&format!("{indent}  "), &subject.more(trail));
        let layout = Layout { indent, dim, more, show: Show::default().or_everything() };
        write_steps(info, run, layout, out)?;
        write_end(info, (&run.end, &run.processes), layout, out)?;
    }
    if violation.trail.abstract_time {
        writeln!(out, "{indent}  {ABSTRACT}")?;
    }
    if violation.occurrences > 1 {
        writeln!(out, "{indent}  met {} times", grouped(violation.occurrences))?;
    }
    if let Some(trail) = trail {
        writeln!(out, "{indent}  trail: {trail}")?;
        if let Some(command) = subject.replay(Some(trail)) {
            writeln!(out, "{indent}  step by step: {command}")?;
        }
    }
    Ok(())
}

/// What is known of a run of the abstraction of time that was not found with exact time.
pub(super) const ABSTRACT: &str = "time is abstract here: with exact time, the processes cannot take these steps; whether there \
                                   is such a violation is not known";

/// `after 8 steps`, or `3 steps and then a cycle of 2`.
fn length(violation: &Violation) -> String {
    let plural = |n: usize| if n == 1 { "1 step".to_owned() } else { format!("{} steps", grouped(n as u64)) };
    let trail = &violation.trail;
    let n_steps = trail.n_steps();
    let n_ticks = trail.n_ticks();
    let has_time = n_ticks > 0 && !trail.abstract_time;
    let at = if has_time { format!(", at time {}", grouped(n_ticks as u64)) } else { String::new() };
    match trail.steps_before_cycle() {
        Some(0) => format!("a cycle of {}", plural(n_steps)),
        Some(before) => format!("{} and then a cycle of {}", plural(before), plural(n_steps - before)),
        None if n_steps == 0 && n_ticks == 0 => "in the initial state".to_owned(),
        None => format!("after {}{at}", plural(n_steps)),
    }
}

fn write_completeness(report: &Report, property: &PropertyReport, out: &mut dyn Write) -> io::Result<()> {
    match (property.stop, property.verdict) {
        (None, _) if !property.is_complete() => {
            writeln!(out, "  the search came to its end, {}", violations_met(property))
        }
        (None, _) => writeln!(out, "  complete search, {}", violations_met(property)),
        (Some(Stop::NotChecked(_)), _) => Ok(()),
        (Some(stop @ Stop::AbstractTime), _) => writeln!(out, "  NOT a proof, and no violation of the model: {stop}"),
        (Some(Stop::Violation), _) if report.options.all_errors => {
            writeln!(out, "  the search stopped at a violation after which nothing makes sense")
        }
        (Some(Stop::Violation), _) => match &report.properties[..] {
            [_] => writeln!(out, "  the search stopped at the violation (--all-errors goes on)"),
            _ => writeln!(out, "  a search stops at its first violation (--all-errors goes on)"),
        },
        (Some(stop), Verdict::Violated) => writeln!(out, "  the search is incomplete: {stop}"),
        (Some(stop), _) => writeln!(out, "  NOT a proof, the search is incomplete: {stop}; no violation so far"),
    }
}

fn violations_met(property: &PropertyReport) -> String {
    match property.errors {
        0 => "no violation".to_owned(),
        1 => "1 violation met".to_owned(),
        errors => format!("{} violations met", grouped(errors)),
    }
}

fn write_statistics(info: &ModelInfo<'_>, property: &PropertyReport, out: &mut dyn Write) -> io::Result<()> {
    if property.not_checked().is_some() {
        return Ok(());
    }
    let figures = &property.statistics;
    writeln!(
        out,
        "  {} states, {} transitions, depth {}, {} bytes a state",
        grouped(figures.states_stored),
        grouped(figures.transitions),
        grouped(figures.depth),
        figures.state_bytes
    )?;
    let seconds = figures.elapsed.as_secs_f64();
    writeln!(
        out,
        "  {}, {} storage, {}; {seconds:.2} s, {} states/s, {} MB{}",
        algorithm(figures),
        figures.storage,
        if figures.reduction { "reduction" } else { "no reduction" },
        grouped((figures.states_stored as f64 / seconds.max(1e-6)) as u64),
        figures.memory_bytes >> 20,
        engine(info)
    )?;
    write_symmetry(property, out)?;
    write_timers(info, out)?;
    match figures.probe.map(|probe| (probe.outcome, grouped(probe.transitions))) {
        Some((ProbeOutcome::Violation, n)) => {
            writeln!(out, "  a depth-first probe of {n} transitions met the violation first")?;
        }
        Some((ProbeOutcome::Proof, n)) => {
            writeln!(out, "  a depth-first probe of {n} transitions visited all states first")?;
        }
        Some((ProbeOutcome::Nothing, _)) | None => {}
    }
    write_storage(property, out)
}

/// How many timers there are, and what a tick is.
fn write_timers(info: &ModelInfo<'_>, out: &mut dyn Write) -> io::Result<()> {
    if info.n_timers == 0 {
        return Ok(());
    }
    let ticks = match (info.abstract_time, info.ticks_at_once) {
        (true, _) => "in a tick any set of those that run expires (--timers abstract)",
        (false, true) => "ticks up to the next one in which a timer runs out are one",
        (false, false) => "ticks are taken one by one",
    };
    writeln!(out, "  timers: {}; {ticks}", info.n_timers)
}

fn write_symmetry(property: &PropertyReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(symmetry) = &property.statistics.symmetry else { return Ok(()) };
    let sorted = if symmetry.is_canonical { "" } else { ", sorted only" };
    writeln!(out, "  symmetry: {}{sorted}", symmetry.text())
}

fn write_storage(property: &PropertyReport, out: &mut dyn Write) -> io::Result<()> {
    for note in &property.statistics.storage_notes {
        writeln!(out, "  {} storage: {note}", property.statistics.storage)?;
    }
    Ok(())
}

/// The search, and its threads if it had several.
fn algorithm(figures: &Statistics) -> String {
    match figures.threads {
        0 | 1 => figures.algorithm.to_owned(),
        threads => format!("{} on {threads} threads", figures.algorithm),
    }
}

fn write_unreached(subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (proctype, of) in subject.info.proctypes.iter().enumerate() {
        let (_, unreached) = subject.unreached(proctype);
        if !unreached.is_empty() {
            writeln!(out, "  never taken in {}:", of.name)?;
        }
        for transition in unreached {
            writeln!(out, "    {}  {}", subject.info.line(transition.place), transition.text)?;
        }
    }
    Ok(())
}

/// `1,234,567`
pub(super) fn grouped(number: u64) -> String {
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

/// One line on standard error that is overwritten again and again.
pub struct LiveLine {
    since: Instant,
    is_shown: bool,
    /// The property that is being checked, if there are several.
    property: Option<String>,
    /// What was found, as long as the report may follow at once and say the same.
    kept: String,
}

/// A report that comes within this time needs no line before it.
const AT_ONCE: Duration = Duration::from_secs(1);

impl Default for LiveLine {
    fn default() -> Self {
        Self { since: Instant::now(), is_shown: false, property: None, kept: String::new() }
    }
}

impl LiveLine {
    fn tell_kept(&mut self) {
        if self.since.elapsed() >= AT_ONCE && !self.kept.is_empty() {
            self.end();
            eprint!("{}", std::mem::take(&mut self.kept));
        }
    }
}

impl Monitor for LiveLine {
    fn begin(&mut self, property: &str) {
        self.property = Some(property.to_owned());
    }

    fn progress(&mut self, progress: &Progress) {
        self.tell_kept();
        self.is_shown = true;
        let property = self.property.as_ref().map_or_else(String::new, |property| format!("{property}: "));
        eprint!("\r\x1b[K{property}{}", progress_text(progress));
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        self.kept += &finished_text(finished);
        self.kept.push('\n');
        self.tell_kept();
    }

    /// Removes the line, before anything else is written.
    fn end(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            eprint!("\r\x1b[K");
        }
    }
}

/// For standard error that is no terminal, such as the log of a CI server: only what
/// takes long is printed before the report.
#[derive(Default)]
pub struct LateLines;

/// A search that takes so long is worth a line.
const LATE: Duration = Duration::from_secs(10);

impl Monitor for LateLines {
    fn progress(&mut self, _: &Progress) {}

    fn finished(&mut self, finished: &Finished<'_>) {
        if finished.elapsed >= LATE {
            let _ = writeln!(io::stderr(), "{}", finished_text(finished));
        }
    }
}

fn finished_text(finished: &Finished<'_>) -> String {
    let Finished { kind, name, verdict, states_stored, .. } = *finished;
    let title = if kind == name { name.to_owned() } else { format!("{kind} {name}") };
    let found = finished.message.map(|message| format!(": {message}")).unwrap_or_default();
    let seconds = finished.elapsed.as_secs_f64();
    format!("{title}: {verdict}{found} ({} states, {seconds:.2} s)", grouped(states_stored))
}

fn progress_text(progress: &Progress) -> String {
    let rate = progress.states_stored as f64 / progress.elapsed.as_secs_f64().max(1e-6);
    let mut text = format!(
        "{} states, {} a second, depth {}, {} MB",
        grouped(progress.states_stored),
        grouped(rate as u64),
        grouped(progress.depth),
        progress.memory_bytes >> 20
    );
    if let Some(left) = progress.time_left {
        text += &format!(", {} s left", left.as_secs());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_property_that_is_done_is_told_with_what_was_found() {
        let finished = |name, verdict, message| {
            let elapsed = Duration::from_millis(1500);
            finished_text(&Finished { kind: "ltl", name, verdict, message, states_stored: 1_234, elapsed })
        };
        assert_eq!(finished("ltl", "verified", None), "ltl: verified (1,234 states, 1.50 s)");
        let violated = finished("served", "violated", Some("assertion violated: x"));
        assert_eq!(violated, "ltl served: violated: assertion violated: x (1,234 states, 1.50 s)");
    }

    #[test]
    fn the_live_line_names_states_rate_depth_memory_and_time_left() {
        let progress = Progress {
            states_stored: 4_000_000,
            transitions: 9,
            depth: 1_500,
            memory_bytes: 80 << 20,
            elapsed: Duration::from_secs(2),
            time_left: Some(Duration::from_secs(8)),
        };
        let expected = "4,000,000 states, 2,000,000 a second, depth 1,500, 80 MB, 8 s left";
        assert_eq!(progress_text(&progress), expected);
    }
}
