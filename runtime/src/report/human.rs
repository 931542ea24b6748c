//! For a person at a terminal, or reading a log.

use super::{Reporter, Subject};
use crate::model::ModelInfo;
use crate::search::{Monitor, Progress};
use crate::trail::Trail;
use crate::verdict::{Report, Stop, Verdict, Violation};
use std::io::{self, Write};

pub struct Human;

/// Steps of a counterexample that are listed; of a longer one the last ones.
const LISTED_STEPS: usize = 20;

impl Reporter for Human {
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let report = subject.report;
        let (color, plain) = match (subject.use_colors, report.verdict) {
            (false, _) => ("", ""),
            (true, Verdict::Verified) => ("\x1b[1;32m", "\x1b[0m"),
            (true, Verdict::Violated) => ("\x1b[1;31m", "\x1b[0m"),
            (true, Verdict::Incomplete) => ("\x1b[1;33m", "\x1b[0m"),
        };
        writeln!(out, "{}: {color}{}{plain}", subject.info.name, report.verdict.name())?;
        for (n, violation) in report.violations.iter().enumerate() {
            write_violation(subject.info, violation, n == 0, subject.trail(n), out)?;
        }
        write_completeness(report, out)?;
        for unchecked in report.unchecked() {
            writeln!(out, "  not checked: {unchecked}")?;
        }
        for warning in &report.warnings {
            writeln!(out, "  warning: {warning}")?;
        }
        write_statistics(report, out)?;
        if subject.list_unreached { write_unreached(subject, out) } else { Ok(()) }
    }
}

/// The steps are listed for the first violation only; those of others are in their trails.
fn write_violation(
    info: &ModelInfo,
    violation: &Violation,
    list_steps: bool,
    trail: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "  {}", violation.message)?;
    let n_steps = violation.trail.steps.len();
    let steps = match n_steps {
        0 => "in the initial state".to_owned(),
        1 => "after 1 step".to_owned(),
        n => format!("after {n} steps"),
    };
    let colon = if list_steps && n_steps > 0 { ":" } else { "" };
    match violation.place {
        Some(place) => writeln!(out, "    at {}:{}, {steps}{colon}", info.line(place), place.column)?,
        None => writeln!(out, "    {steps}{colon}")?,
    }
    if list_steps {
        write_steps(info, &violation.trail, "    ", out)?;
    }
    if violation.occurrences > 1 {
        writeln!(out, "    met {} times", grouped(violation.occurrences))?;
    }
    if let Some(trail) = trail {
        writeln!(out, "    trail: {trail}")?;
    }
    Ok(())
}

/// The steps of a trail, one a line.
pub(super) fn write_steps(info: &ModelInfo, trail: &Trail, indent: &str, out: &mut dyn Write) -> io::Result<()> {
    let skipped = trail.steps.len().saturating_sub(LISTED_STEPS);
    if skipped > 0 {
        writeln!(out, "{indent}  ({skipped} steps before)")?;
    }
    for (n, step) in trail.steps.iter().enumerate().skip(skipped) {
        let halves = [Some((step.pid, step.transition)), step.receiver];
        for (half, (pid, transition)) in halves.into_iter().flatten().enumerate() {
            let Some(transition) = info.transition(transition) else { continue };
            let name = info.proctype_name(usize::from(transition.proctype));
            let number = if half == 0 { (n + 1).to_string() } else { String::new() };
            let line = info.line(transition.place);
            writeln!(out, "{indent}{number:>3}  proc {pid} ({name})  {line}  {}", transition.text)?;
        }
    }
    Ok(())
}

fn write_completeness(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    match (report.stop, report.safety) {
        (None, Verdict::Verified) if !report.claims_left.is_empty() => {
            writeln!(out, "  safety holds: complete search, no violation; claims were NOT checked")
        }
        (None, Verdict::Verified) => writeln!(out, "  complete search, no violation"),
        (None, _) if report.errors == 1 => writeln!(out, "  complete search, 1 violation met"),
        (None, _) => writeln!(out, "  complete search, {} violations met", grouped(report.errors)),
        (Some(Stop::Violation), _) if report.options.all_errors => {
            writeln!(out, "  the search stopped at a violation after which nothing makes sense")
        }
        (Some(Stop::Violation), _) => writeln!(out, "  the search stopped at the violation (--all-errors goes on)"),
        (Some(stop), Verdict::Violated) => writeln!(out, "  the search is incomplete: {stop}"),
        (Some(stop), _) => writeln!(out, "  NOT a proof, the search is incomplete: {stop}; no violation so far"),
    }
}

fn write_statistics(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let figures = &report.statistics;
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
        "  {}, {} storage, {}; {seconds:.2} s, {} states/s, {} MB",
        figures.algorithm,
        figures.storage,
        if figures.reduction { "reduction" } else { "no reduction" },
        grouped((figures.states_stored as f64 / seconds.max(1e-6)) as u64),
        figures.memory_bytes >> 20
    )
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

/// One line on standard error that is written over and over.
#[derive(Default)]
pub struct LiveLine {
    is_shown: bool,
}

impl Monitor for LiveLine {
    fn progress(&mut self, progress: &Progress) {
        self.is_shown = true;
        eprint!("\r\x1b[K{}", progress_text(progress));
    }
}

impl LiveLine {
    /// Takes the line away, before anything else is written.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            eprint!("\r\x1b[K");
        }
    }
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
    use std::time::Duration;

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
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
