//! The ratios as a picture, for docs/performance.md: one bar for each model.

use std::fmt::Write;

use crate::catalogue::Set;
use crate::question::Question;
use crate::results::{Results, Row, geometric_mean};

const LINE: usize = 24;
const LEFT: f64 = 150.0;
const WIDTH: f64 = 720.0;
const RIGHT: f64 = 60.0;

/// An SVG that is readable on white and on black.
pub fn chart(results: &Results, question: &Question) -> String {
    let rows = results.rows.iter().filter(|row| row.question == question.name);
    let known: Vec<(&Row, f64)> = rows.filter_map(|row| Some((row, row.speed_ratio()?))).collect();
    let mut bars: Vec<(&str, f64)> = known.iter().map(|(row, ratio)| (row.model.as_str(), *ratio)).collect();
    let ratios: Vec<f64> = bars.iter().map(|bar| bar.1).collect();
    let n_models = bars.len();
    let of = |set| known.iter().filter(|(row, _)| row.set == set).map(|(_, ratio)| *ratio).collect::<Vec<f64>>();
    let means = Set::ALL.map(|set| geometric_mean(&of(set)));
    if let [Some(plain), Some(varied)] = means {
        bars.extend([("mean of the plain set", plain), ("mean of the varied set", varied)]);
    }
    if let Some(mean) = geometric_mean(&ratios) {
        bars.push(("geometric mean", mean));
    }
    let largest = ratios.iter().copied().fold(1.0, f64::max);
    let scale = (WIDTH - LEFT - RIGHT) / largest;
    let height = LINE * (bars.len() + 3);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\" fill=\"#888\">\n\
         <text x=\"8\" y=\"18\">States per second, times those of {} ({})</text>\n",
        escape(question.rival.name()),
        escape(question.name)
    );
    for (n, &(name, ratio)) in bars.iter().enumerate() {
        let top = LINE * (n + 1) + 6;
        let color = if n >= n_models { "#c25b12" } else { "#3b76af" };
        let (length, end) = (ratio * scale, LEFT + ratio * scale + 6.0);
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n\
             <rect x=\"{LEFT}\" y=\"{top}\" width=\"{length:.1}\" height=\"16\" fill=\"{color}\"/>\n\
             <text x=\"{end:.1}\" y=\"{}\">{ratio:.2}</text>\n",
            LEFT - 8.0,
            top + 13,
            escape(name),
            top + 13,
        );
    }
    let (at, bottom) = (LEFT + scale, height - LINE);
    let _ = write!(
        svg,
        "<line x1=\"{at:.1}\" y1=\"{LINE}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"#888\" stroke-dasharray=\"4 3\"/>\n\
         <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n</svg>\n",
        bottom + 16,
        escape(question.rival.name()),
    );
    svg
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::QUESTIONS;
    use crate::results::{SCHEMA, tests::row};

    #[test]
    fn each_model_and_the_mean_have_a_bar() {
        let rows = vec![row("a<b", 2.0), row("c", 8.0)];
        let machine = "here".to_owned();
        let results =
            Results { schema: SCHEMA, pmc: "0".to_owned(), spin: None, cc: None, machine, repetitions: 1, rows };
        let svg = chart(&results, &QUESTIONS[0]);
        assert_eq!(svg.matches("<rect").count(), 3);
        assert!(svg.contains("a&lt;b") && svg.contains(">8.00</text>") && svg.contains(">4.00</text>"));
        // The longest bar fills the width: 8 times pan.
        assert!(svg.contains("width=\"510.0\"") && svg.trim_end().ends_with("</svg>"));
        let both = vec![Row { set: Set::Varied, ..row("a", 2.0) }, row("c", 8.0)];
        let sets = chart(
            &Results { rows: both, machine: String::new(), pmc: String::new(), spin: None, cc: None, ..results },
            &QUESTIONS[0],
        );
        assert_eq!(sets.matches("<rect").count(), 5);
        let empty = chart(&Results { rows: Vec::new(), ..results }, &QUESTIONS[0]);
        assert_eq!(empty.matches("<rect").count(), 0);
    }
}
