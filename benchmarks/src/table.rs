//! The results as a table, in Markdown so that it can go into docs/performance.md as it is.

use crate::question::Question;
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
    text + &summary(&rows, question.rival.name())
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
    let ratios: Vec<f64> = rows.iter().filter_map(|row| row.speed_ratio()).collect();
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
