//! Whether the cost per state is the same at a hundred thousand and at a hundred million states: one model at growing
//! sizes, in each of the lossless stores.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use crate::catalogue::{Instance, Scale, Set};
use crate::question::{Clock, QUESTIONS, Question};
use crate::results::Figures;
use crate::table::align;
use crate::verifier::Pmc;

/// The stores, by their names after `--store`.
pub const STORES: [&str; 3] = ["exact", "tree", "compact"];

/// One size of the model in one store.
#[derive(Debug, Serialize)]
pub struct Point {
    pub store: &'static str,
    pub states: u64,
    /// Processor time and peak memory, divided by the states.
    pub nanoseconds: f64,
    pub bytes: f64,
}

/// The sizes that are run, the smallest first: `growth.csv`.
pub fn ladder() -> Vec<Instance> {
    let text = include_str!("../growth.csv");
    let parse = |line: &str| {
        let (defines, states) = line.split_once(',')?;
        Some(Instance {
            model: "token_bus".to_owned(),
            set: Set::Plain,
            scale: Scale::Large,
            defines: defines.split_whitespace().map(str::to_owned).collect(),
            states: states.parse().ok()?,
            transitions: 0,
            depth: 0,
        })
    };
    text.lines().skip(1).map(|line| parse(line).unwrap_or_else(|| panic!("not well formed: {line}"))).collect()
}

/// Runs each size in each store, once, up to `most` states.
pub fn measure(pmc: &Pmc, folder: &Path, most: u64) -> Result<Vec<Point>, String> {
    let question: &Question = &QUESTIONS[0];
    let mut points = Vec::new();
    for instance in ladder().into_iter().filter(|instance| instance.states <= most) {
        let verifier = pmc.build(&instance, question, &folder.join(instance.size().replace(' ', "-")))?;
        for store in STORES {
            eprintln!("{} {}: {store} ...", instance.model, instance.size());
            let flags: Vec<&str> = question.verifier_flags.iter().copied().chain(["--store", store]).collect();
            let (counts, run) = verifier.with_flags(&flags, &instance).run()?;
            if counts.states != instance.states {
                return Err(format!("{}: {} states in place of {}", instance.size(), counts.states, instance.states));
            }
            let figures =
                Figures { states: counts.states, transitions: counts.transitions, build: verifier.build, run };
            points.push(Point {
                store,
                states: counts.states,
                nanoseconds: 1e9 / figures.states_per_second(Clock::Processor),
                bytes: figures.bytes_per_state(),
            });
        }
    }
    Ok(points)
}

/// A line for each size: time and memory a state, store by store.
pub fn table(points: &[Point]) -> String {
    let mut header = vec!["states".to_owned()];
    header.extend(STORES.iter().flat_map(|store| [format!("ns/state {store}"), format!("bytes/state {store}")]));
    let mut lines = vec![header];
    for size in points.chunk_by(|one, other| one.states == other.states) {
        let mut line = vec![size[0].states.to_string()];
        line.extend(size.iter().flat_map(|point| [format!("{:.0}", point.nanoseconds), format!("{:.1}", point.bytes)]));
        lines.push(line);
    }
    align(&lines, 0)
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 90.0;
/// From one line of text to the next.
const LINE: f64 = 14.0;
const COLORS: [&str; 3] = ["#3b76af", "#c25b12", "#4f8a3d"];

/// Two panels, time above memory, over the number of states on a logarithmic scale.
pub fn chart(points: &[Point]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {}\" font-family=\"sans-serif\" font-size=\"13\" \
         fill=\"#888\">\n",
        HEIGHT * 2.0
    );
    panel(&mut svg, 0.0, "nanoseconds of processor time a state", points, |point| point.nanoseconds);
    panel(&mut svg, HEIGHT, "bytes of peak memory a state", points, |point| point.bytes);
    svg + "</svg>\n"
}

fn panel(svg: &mut String, top: f64, title: &str, points: &[Point], value: impl Fn(&Point) -> f64) {
    let (upper, lower) = (top + 30.0, top + HEIGHT - 30.0);
    let decade = |point: &Point| logarithm(point.states);
    let first = points.iter().map(decade).fold(f64::INFINITY, f64::min).floor();
    let last = points.iter().map(decade).fold(0.0, f64::max).ceil();
    let largest = points.iter().map(&value).fold(1.0, f64::max);
    let x = |decade: f64| LEFT + (decade - first) / (last - first).max(1.0) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| lower - value / largest * (lower - upper);
    let _ = writeln!(svg, "<text x=\"8\" y=\"{}\">{title}</text>", top + 18.0);
    let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{largest:.0}</text>", LEFT - 8.0, upper + 5.0);
    let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">0</text>", LEFT - 8.0, lower + 5.0);
    let (left, right) = (x(first), x(last));
    let _ = writeln!(svg, "<path d=\"M{left:.1} {upper:.1}V{lower:.1}H{right:.1}\" fill=\"none\" stroke=\"#888\"/>");
    let mut at = first;
    while at <= last {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">{at:.0}</tspan></text>",
            x(at),
            lower + 18.0
        );
        at += 1.0;
    }
    let mut names = Vec::new();
    for (store, color) in STORES.iter().zip(COLORS) {
        let own: Vec<&Point> = points.iter().filter(|point| point.store == *store).collect();
        let line: Vec<String> =
            own.iter().map(|point| format!("{:.1},{:.1}", x(decade(point)), y(value(point)))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        if let Some(end) = own.last() {
            names.push((y(value(end)) + 4.0, x(decade(end)) + 6.0, store, color));
        }
    }
    // From top to bottom, each name below the one before.
    names.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut free = top;
    for (y, x, store, color) in names {
        let y = y.max(free);
        free = y + LINE;
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{color}\">{store}</text>");
    }
}

#[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
fn logarithm(states: u64) -> f64 {
    (states.max(1) as f64).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Point> {
        let point = |states, store, bytes| Point { store, states, nanoseconds: 250.0, bytes };
        let sizes = [100_000, 10_000_000];
        sizes.iter().flat_map(|&states| STORES.map(|store| point(states, store, 12.5))).collect()
    }

    #[test]
    fn sizes_grow_from_a_hundred_thousand_to_a_hundred_million() {
        let ladder = ladder();
        assert!(ladder.is_sorted_by_key(|instance| instance.states));
        let (first, last) = (ladder.first().unwrap(), ladder.last().unwrap());
        assert!(first.states < 300_000 && last.states > 30_000_000);
    }

    #[test]
    fn each_size_is_a_line_and_each_store_a_curve() {
        let text = table(&points());
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains("100000") && text.contains("12.5") && text.contains("bytes/state compact"));
        let svg = chart(&points());
        assert_eq!(svg.matches("<polyline").count(), 6);
        assert!(svg.contains(">exact</text>") && svg.trim_end().ends_with("</svg>"));
        // Names do not cover each other.
        for panel in svg.split("bytes of peak").map(|panel| panel.lines().filter(|line| line.contains("fill=\"#"))) {
            let y = |line: &str| line.split("y=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
            let heights: Vec<f64> = panel.filter(|line| line.starts_with("<text")).filter_map(y).collect();
            assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= LINE - 0.1), "{heights:?}");
        }
    }
}
