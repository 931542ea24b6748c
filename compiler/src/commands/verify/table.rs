//! The table of several models: a row for each, and what there is to say about it below.

use std::io::{self, IsTerminal};

use pmc_runtime::json::Json;

use super::task::{Outcome, Task};
use crate::cli::Color;
use crate::commands::{ExitStatus, print, wants_color};
use crate::driver::Error;

/// Prints rows as they come.
pub struct Table {
    heading: String,
    width: usize,
    has_heading: bool,
    use_colors: bool,
    /// Rows of verified models are left out.
    is_quiet: bool,
    counts: Vec<(&'static str, usize)>,
    seconds: f64,
}

/// The width of all columns but the first.
const ALL_COLUMNS: usize = 53;

/// What was expected, and whether that is what came.
pub type Judgement = Option<Result<(), String>>;

impl Table {
    /// `what` stands over the first column.
    pub fn new<'t>(what: &str, titles: impl Iterator<Item = &'t str>, (is_quiet, color): (bool, Color)) -> Self {
        let width = titles.map(|title| title.chars().count()).max().unwrap_or(0).max(what.chars().count());
        let heading = what.to_owned();
        let use_colors = wants_color(color, io::stdout().is_terminal());
        Self { heading, width, has_heading: false, use_colors, is_quiet, counts: Vec::new(), seconds: 0.0 }
    }

    pub fn row(&mut self, task: &Task, outcome: &Outcome, judgement: &Judgement) -> Result<(), Error> {
        self.count(outcome);
        let is_good = match judgement {
            Some(judgement) => judgement.is_ok(),
            None => outcome.status == ExitStatus::Fine,
        };
        if self.is_quiet && is_good {
            return Ok(());
        }
        print(&self.text(task, outcome, judgement, is_good))
    }

    fn count(&mut self, outcome: &Outcome) {
        self.seconds += outcome.seconds();
        let verdict = outcome.verdict();
        match self.counts.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, n)) => *n += 1,
            None => self.counts.push((verdict, 1)),
        }
    }

    fn text(&mut self, task: &Task, outcome: &Outcome, judgement: &Judgement, is_good: bool) -> String {
        let (width, mut text) = (self.width, String::new());
        if !std::mem::replace(&mut self.has_heading, true) {
            let transitions = if self.has_transitions() { "     transitions" } else { "" };
            let line = format!("{:width$}  verdict           states{transitions}       time", self.heading);
            text += &format!("{}\n", line.trim_end());
        }
        let number = |figure| outcome.largest(figure).map(grouped).unwrap_or_default();
        let (states, transitions) = (number("states_stored"), number("transitions"));
        let time = outcome.report.as_ref().map(|_| format!("{:.2} s", outcome.seconds())).unwrap_or_default();
        let verdict = colored(outcome, self.use_colors);
        let transitions = if self.has_transitions() { format!("  {transitions:>14}") } else { String::new() };
        let line = format!("{:width$}  {verdict}  {states:>12}{transitions}  {time:>9}", task.title);
        text += &format!("{}\n", line.trim_end());
        let details = match judgement {
            Some(Ok(())) if outcome.status != ExitStatus::Fine => vec!["as expected".to_owned()],
            Some(Ok(())) => Vec::new(),
            Some(Err(complaint)) => [vec![format!("NOT AS EXPECTED: {complaint}")], details(outcome)].concat(),
            None => details(outcome),
        };
        let always = if is_good { qualifications(outcome) } else { Vec::new() };
        for line in details.into_iter().chain(always) {
            text += &format!("    {line}\n");
        }
        text
    }

    /// Long names leave no room for all columns.
    fn has_transitions(&self) -> bool {
        self.width + ALL_COLUMNS <= 80
    }

    /// The last line.
    pub fn end(&self, what: &str) -> Result<(), Error> {
        let n: usize = self.counts.iter().map(|(_, n)| n).sum();
        if self.is_quiet {
            return Ok(());
        }
        let mut counts = self.counts.clone();
        // In the order of the exit status, best first.
        let order = ["verified", "violated", "incomplete", "wrong", "failed", "not run"];
        counts.sort_by_key(|(verdict, _)| order.iter().position(|known| known == verdict));
        let counts: Vec<String> = counts.iter().map(|(verdict, n)| format!("{n} {verdict}")).collect();
        let plural = if n == 1 { "" } else { "s" };
        print(&format!("{n} {what}{plural}: {}; {:.2} s\n", counts.join(", "), self.seconds))
    }
}

/// What went wrong, and what to do next.
pub fn details(outcome: &Outcome) -> Vec<String> {
    let several = outcome.properties().len() > 1;
    let mut lines: Vec<String> = Vec::new();
    for property in outcome.properties() {
        let text = |name: &str| property.get(name).and_then(Json::as_text).unwrap_or_default();
        let prefix = if several { format!("{}: ", text("name")) } else { String::new() };
        if let Some(violation) = property.get("violation").filter(|violation| **violation != Json::Null) {
            let text = |name: &str| violation.get(name).and_then(Json::as_text).unwrap_or_default();
            let place = place(violation).map(|(file, line)| format!("{file}:{line}"));
            let message = text("message");
            // Some messages end with the place.
            let place = place.filter(|place| !message.contains(place.as_str()));
            lines.push(format!("{prefix}{message}{}", place.map(|place| format!(", {place}")).unwrap_or_default()));
            if violation.get("abstract_time") == Some(&Json::Bool(true)) {
                lines.push(format!("{prefix}time is abstract, and this was not found with exact time"));
            }
            if !text("replay").is_empty() {
                lines.push(text("replay").to_owned());
            }
        } else if text("verdict") == "incomplete" {
            let stop = property.get("search").and_then(|search| search.get("stopped_by")).and_then(Json::as_text);
            lines.push(format!("{prefix}{}", stop.unwrap_or("not checked")));
        }
    }
    if outcome.status == ExitStatus::Incomplete {
        lines.extend(texts(outcome, "advice").map(|advice| format!("try: {advice}")));
    }
    lines
}

/// What must stand beside a verdict that says less than it seems to.
fn qualifications(outcome: &Outcome) -> Vec<String> {
    let may_miss = |property: &Json| {
        let search = property.get("search");
        let odds = search.and_then(|search| search.get("omission_probability")).filter(|odds| **odds != Json::Null);
        odds.is_some() || search.and_then(|search| search.get("hidden_differed")) == Some(&Json::Bool(true))
    };
    if !outcome.properties().iter().any(may_miss) {
        return Vec::new();
    }
    texts(outcome, "warnings").filter(|warning| warning.contains("states ")).collect()
}

fn texts<'o>(outcome: &'o Outcome, name: &str) -> impl Iterator<Item = String> + 'o {
    let list = outcome.report.as_ref().and_then(|report| report.get(name)).and_then(Json::as_list);
    list.unwrap_or_default().iter().filter_map(|text| text.as_text().map(str::to_owned))
}

/// The file and the line of a violation.
pub fn place(violation: &Json) -> Option<(&str, u64)> {
    let location = violation.get("location")?;
    Some((location.get("file")?.as_text()?, location.get("line")?.as_u64()?))
}

fn colored(outcome: &Outcome, use_colors: bool) -> String {
    let verdict = format!("{:10}", outcome.verdict());
    let color = match outcome.status {
        _ if !use_colors => return verdict,
        ExitStatus::Fine => "32",
        ExitStatus::Violated | ExitStatus::Wrong | ExitStatus::Internal => "31",
        ExitStatus::Incomplete => "33",
    };
    format!("\x1b[1;{color}m{verdict}\x1b[0m")
}

/// `1,234,567`
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(title: &str) -> Task {
        Task {
            title: title.to_owned(),
            model: title.into(),
            reading: Vec::new(),
            flags: Vec::new(),
            trail: "t.json".into(),
            values: Vec::new(),
        }
    }

    fn outcome(status: ExitStatus, report: &str) -> Outcome {
        let report = Json::parse(report).ok();
        Outcome { status, report, formatted: None, messages: String::new(), is_left_out: false }
    }

    const VIOLATED: &str = r#"{"properties": [{"name": "safety", "verdict": "violated", "violation": {
        "message": "assertion violated: x", "location": {"file": "b.pml", "line": 7}, "replay": "pmc replay b.pml"},
        "search": {"states_stored": 1234, "transitions": 12345, "seconds": 1.5}}], "warnings": []}"#;

    #[test]
    fn a_row_has_figures_and_below_it_what_was_found() {
        let mut table = Table::new("model", ["a.pml", "b.pml"].into_iter(), (false, Color::Never));
        table.use_colors = false;
        let violated = outcome(ExitStatus::Violated, VIOLATED);
        let expected = "\
model  verdict           states     transitions       time
b.pml  violated           1,234          12,345     1.50 s
    assertion violated: x, b.pml:7
    pmc replay b.pml
";
        assert_eq!(table.text(&task("b.pml"), &violated, &None, false), expected);
        assert!(expected.lines().all(|line| line.len() <= 80));
        let wrong = outcome(ExitStatus::Wrong, "");
        assert_eq!(table.text(&task("a.pml"), &wrong, &None, false), "a.pml  wrong\n");
        let met = table.text(&task("b.pml"), &violated, &Some(Ok(())), true);
        assert!(met.ends_with("\n    as expected\n") && !met.contains("replay"), "{met}");
        let unmet = table.text(&task("b.pml"), &violated, &Some(Err("why".to_owned())), false);
        assert!(unmet.contains("\n    NOT AS EXPECTED: why\n    assertion violated"), "{unmet}");
    }

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
