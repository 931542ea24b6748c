//! The results as a table, in Markdown so that it can go into docs/performance.md as it is.

use crate::catalogue::Set;
use crate::question::{Question, Target};
use crate::results::{Figures, Outcome, Results, Row, geometric_mean};

const MILLION: f64 = 1e6;

/// The rows of one question, and their summary.
pub fn table(results: &Results, question: &Question) -> String {
    let rows: Vec<&Row> = results.rows.iter().filter(|row| row.question == question.name).collect();
    let mut lines = vec![header(question.rival.name())];
    lines.extend(rows.iter().map(|row| cells(row)));
    let mut text = format!("{}: {}\n\n", question.name, question.description);
    text += &align(&lines, 2);
    for row in &rows {
        for (tool, outcome) in [("pmc", Some(&row.pmc)), (question.rival.name(), row.rival.as_ref())] {
            if let Some(Outcome::Failed(why)) = outcome {
                text += &format!("{} {}: {tool}: {why}\n", row.model, row.size);
            }
        }
    }
    text + &summaries(&rows, question)
}

/// The means of all, then of each set if there are rows of both, and what missed the target.
fn summaries(rows: &[&Row], question: &Question) -> String {
    let of = |set: Set| rows.iter().copied().filter(|row| row.set == set).collect::<Vec<&Row>>();
    let sets: Vec<(Set, Vec<&Row>)> =
        Set::ALL.map(|set| (set, of(set))).into_iter().filter(|(_, rows)| !rows.is_empty()).collect();
    let mut text = summary(rows, question.rival.name());
    if sets.len() > 1 {
        for (set, rows) in &sets {
            text += &brief(set.name(), rows);
        }
    }
    let Some(target) = question.target else { return text };
    let mut missed = misses(rows, target);
    for (set, rows) in &sets {
        missed.extend(mean_misses(set.name(), rows, target));
    }
    if missed.is_empty() && rows.iter().any(|row| row.both().is_some()) {
        text += "\nThe target is met.\n";
    }
    if !missed.is_empty() {
        text += &format!("\nMissed the target ({}): {}.\n", wanted(target), missed.join(", "));
    }
    text
}

fn wanted(target: Target) -> String {
    match target {
        Target::Speed { mean, least } => format!("{mean}x in the mean of each set, {least}x at least"),
        Target::Time { most } => format!("{most} times as long at most"),
    }
}

/// The models that missed it, the worst first.
fn misses(rows: &[&Row], target: Target) -> Vec<String> {
    let mut missed: Vec<(f64, String)> = Vec::new();
    for row in rows {
        match (target, row.speed_ratio(), row.time_ratio()) {
            (Target::Speed { least, .. }, Some(speed), _) if speed < least => {
                missed.push((speed, format!("{} {speed:.2}x", row.model)));
            }
            (Target::Time { most }, _, Some(time)) if time > most => {
                missed.push((-time, format!("{} {time:.2}", row.model)));
            }
            (_, None, _) if row.rival.is_some() => missed.push((0.0, format!("{} without an answer", row.model))),
            _ => {}
        }
    }
    missed.sort_by(|one, other| one.0.total_cmp(&other.0));
    missed.into_iter().map(|(_, text)| text).collect()
}

fn mean_misses(set: &str, rows: &[&Row], target: Target) -> Option<String> {
    let Target::Speed { mean: wanted, .. } = target else { return None };
    let mean = geometric_mean(&speeds(rows))?;
    (mean < wanted).then(|| format!("the mean of the {set} set {mean:.2}x"))
}

fn speeds(rows: &[&Row]) -> Vec<f64> {
    rows.iter().filter_map(|row| row.speed_ratio()).collect()
}

fn brief(set: &str, rows: &[&Row]) -> String {
    let speeds = speeds(rows);
    let Some(mean) = geometric_mean(&speeds) else { return String::new() };
    let least = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    format!("The {set} set ({} models): speed {mean:.2} (least {least:.2})\n", speeds.len())
}

fn header(rival: &str) -> Vec<String> {
    let both = |figure: &str| format!("{figure} pmc : {rival}");
    let one = |text: &str| text.to_owned();
    vec![
        one("model"),
        one("size"),
        one("states"),
        one("Mstates/s pmc"),
        one(rival),
        one("speed"),
        both("run s"),
        both("bytes/state"),
        both("peak MB"),
        both("build s"),
        both("to verdict s"),
    ]
}

fn cells(row: &Row) -> Vec<String> {
    let pmc = row.pmc.figures();
    let rival = row.rival.as_ref().and_then(Outcome::figures);
    let rate = |figures: &Figures| format!("{:.2}", figures.states_per_second(row.clock) / MILLION);
    let pair = |show: &dyn Fn(&Figures) -> String| format!("{} : {}", or_dash(pmc.map(show)), or_dash(rival.map(show)));
    vec![
        row.model.clone(),
        row.size.clone(),
        states(pmc, rival),
        or_dash(pmc.map(rate)),
        or_dash(rival.map(rate)),
        or_dash(row.speed_ratio().map(|ratio| format!("{ratio:.2}x"))),
        pair(&|figures| format!("{:.2}", figures.seconds(row.clock))),
        pair(&|figures| format!("{:.0}", figures.bytes_per_state())),
        pair(&|figures| format!("{}", figures.run.peak_bytes / 1_000_000)),
        pair(&|figures| format!("{:.1}", figures.build.cpu())),
        pair(&|figures| format!("{:.1}", figures.to_verdict())),
    ]
}

fn states(pmc: Option<&Figures>, rival: Option<&Figures>) -> String {
    match (pmc, rival) {
        (Some(pmc), Some(rival)) if pmc.states != rival.states => format!("{} : {}", pmc.states, rival.states),
        (Some(figures), _) | (_, Some(figures)) => figures.states.to_string(),
        (None, None) => or_dash(None),
    }
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

fn summary(rows: &[&Row], rival: &str) -> String {
    let ratios = speeds(rows);
    let Some(mean) = geometric_mean(&ratios) else { return String::new() };
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let ratio_of = |figure: fn(&Figures) -> f64| {
        let ratios: Vec<f64> =
            rows.iter().filter_map(|row| row.both()).map(|(pmc, rival)| figure(pmc) / figure(rival)).collect();
        geometric_mean(&ratios).unwrap_or(1.0)
    };
    let times: Vec<f64> = rows.iter().filter_map(|row| row.time_ratio()).collect();
    let longest = times.iter().copied().fold(0.0, f64::max);
    format!(
        "\nGeometric means, pmc over {rival}: speed {mean:.2} (least {least:.2}), time {:.2} (most {longest:.2}), \
         memory {:.2}, build time {:.2}, time to verdict {:.2}, states {:.2}\n",
        geometric_mean(&times).unwrap_or(1.0),
        ratio_of(Figures::bytes_per_state),
        ratio_of(|figures| figures.build.cpu()),
        ratio_of(Figures::to_verdict),
        ratio_of(|figures| figures.states as f64),
    )
}

/// Columns side by side: the first `n_words` to the left, figures to the right.
pub fn align(lines: &[Vec<String>], n_words: usize) -> String {
    let n_columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |line: &'_ Vec<String>, column: usize| line.get(column).map_or(0, String::len);
    let widths: Vec<usize> =
        (0..n_columns).map(|column| lines.iter().map(|line| cell(line, column)).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for (n, line) in lines.iter().enumerate() {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < n_words { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text += &format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
        if n == 0 {
            let rule = widths.iter().enumerate().map(|(column, &width)| {
                if column < n_words { "-".repeat(width + 2) } else { format!("{}:", "-".repeat(width + 1)) }
            });
            text += &format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::QUESTIONS;
    use crate::results::{SCHEMA, tests::row};

    fn results(rows: Vec<Row>) -> Results {
        let machine = "here".to_owned();
        Results { schema: SCHEMA, pmc: "0".to_owned(), spin: None, cc: None, machine, repetitions: 1, rows }
    }

    #[test]
    fn rows_and_means_are_shown() {
        let text = table(&results(vec![row("peterson", 2.0), row("leader", 8.0)]), &QUESTIONS[0]);
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{text}");
        assert!(lines[2].contains("peterson") && lines[2].contains("2.00x") && lines[2].contains("64 : 64"));
        assert!(text.contains("speed 4.00 (least 2.00)"), "{text}");
    }

    #[test]
    fn sets_are_reported_apart_and_together() {
        let other = Row { set: Set::Varied, ..row("tiles", 2.0) };
        let text = table(&results(vec![row("peterson", 8.0), other]), &QUESTIONS[0]);
        assert!(text.contains("speed 4.00 (least 2.00)"), "{text}");
        assert!(text.contains("The plain set (1 models): speed 8.00 (least 8.00)"), "{text}");
        assert!(text.contains("The varied set (1 models): speed 2.00 (least 2.00)"), "{text}");
        assert!(text.contains("the mean of the varied set 2.00x") && !text.contains("plain set 8.00x"), "{text}");
    }

    #[test]
    fn models_that_miss_the_target_are_named() {
        let mut failed = row("d", 9.0);
        failed.rival = Some(Outcome::Failed("no memory".to_owned()));
        let text = table(&results(vec![row("a", 9.0), row("b", 1.5), row("c", 1.25), failed]), &QUESTIONS[0]);
        let line = text.lines().find(|line| line.starts_with("Missed")).expect("a line");
        assert!(line.ends_with(": d without an answer, c 1.25x, b 1.50x, the mean of the plain set 2.56x."), "{line}");
        assert!(table(&results(vec![row("a", 4.0)]), &QUESTIONS[0]).contains("The target is met."));
        let reduction = QUESTIONS.iter().find(|question| question.name == "reduction").unwrap();
        let rows = vec![Row { question: "reduction", ..row("a", 0.5) }, Row { question: "reduction", ..row("b", 1.0) }];
        let text = table(&results(rows), reduction);
        assert!(text.contains("Missed the target (1.05 times as long at most): a 2.00."), "{text}");
    }

    #[test]
    fn without_pan_there_are_no_ratios() {
        let mut alone = row("peterson", 2.0);
        alone.rival = None;
        let text = table(&results(vec![alone]), &QUESTIONS[0]);
        assert!(text.contains("1.00 |") && text.contains(" - |") && !text.contains("Geometric"), "{text}");
    }

    #[test]
    fn a_failure_is_told_below_the_table() {
        let mut failed = row("peterson", 2.0);
        failed.pmc = Outcome::Failed("no such flag".to_owned());
        let text = table(&results(vec![failed]), &QUESTIONS[0]);
        assert!(text.contains("peterson N=3: pmc: no such flag"), "{text}");
    }

    #[test]
    fn rows_of_other_questions_are_left_out() {
        assert!(!table(&results(vec![row("peterson", 2.0)]), &QUESTIONS[1]).contains("peterson"));
    }
}
