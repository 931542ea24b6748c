//! A run as a sequence chart in SVG: a column for each process, a row for each step, an arrow for each message.

use super::layered::{Point, Size};
use super::run::{Passing, Row, Rows, Run};
use super::svg::{self, MONO, SANS, Svg};

const ROW: f64 = 26.0;
const GUTTER: f64 = 44.0;
const HEAD: f64 = 34.0;
const FONT: f64 = 11.0;
/// From a line below the chart to the next.
const LINE: f64 = 17.0;
/// The narrowest and the widest column.
const NARROWEST: f64 = 90.0;
const WIDEST: f64 = 300.0;
/// From the left side of a column to the line of its process.
const INSIDE: f64 = 14.0;

const INK: &str = "#1c2024";
const FAINT: &str = "#6a7280";
const LIFE: &str = "#c3c8d0";
const ARROW: &str = "#1f5fbf";
const BAD: &str = "#b3261e";
const CYCLE: &str = "#8a3ffc";

/// A run of so many rows is shown as a whole.
const WHOLE: usize = 300;

/// Of a longer one so many rows at its beginning, and as many at its end.
const AT_ENDS: usize = 100;

/// What is shown of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Row(usize),
    /// So many rows are left out.
    Gap(usize),
}

/// All rows, or the first and the last ones of a long run and of a long cycle.
pub fn parts(rows: &Rows<'_>, all: bool) -> Vec<Part> {
    let n = rows.rows.len();
    let before = rows.cycle_start.unwrap_or(n);
    let mut parts = Vec::new();
    for (first, last) in [(0, before), (before, n)] {
        let is_whole = all || last - first <= WHOLE;
        let (begin, end) = if is_whole { (last, last) } else { (first + AT_ENDS, last - AT_ENDS) };
        parts.extend((first..begin).map(Part::Row));
        if begin < end {
            parts.push(Part::Gap(end - begin));
        }
        parts.extend((end..last).map(Part::Row));
    }
    parts
}

/// How many rows of a long run have no place in a picture.
pub fn left_out(run: &Run) -> usize {
    let gap = |part: Part| if let Part::Gap(n) = part { n } else { 0 };
    parts(&run.rows(), false).into_iter().map(gap).sum()
}

/// The picture. Of a long run only the beginning and the end, unless all of it is asked for.
pub fn svg(run: &Run, all: bool) -> String {
    let rows = run.rows();
    let parts = parts(&rows, all);
    let chart = Chart { run, rows: &rows, lines: lines(&parts, rows.rows.len()), columns: columns(run, &rows, &parts) };
    chart.draw(&parts)
}

/// The line of the picture on which each row is; rows that are left out share one.
fn lines(parts: &[Part], n: usize) -> Vec<usize> {
    let mut lines = Vec::with_capacity(n);
    for (line, part) in parts.iter().enumerate() {
        match part {
            Part::Row(_) => lines.push(line),
            Part::Gap(n) => lines.extend(std::iter::repeat_n(line, *n)),
        }
    }
    lines
}

/// The left side of each column, and of the room behind the last one: as wide as what is in it.
fn columns(run: &Run, rows: &Rows<'_>, parts: &[Part]) -> Vec<f64> {
    let mut widths: Vec<f64> =
        run.processes.iter().map(|process| svg::sans_width(&process.label, FONT) + INSIDE).collect();
    for part in parts {
        let Part::Row(at) = part else { continue };
        let row = &rows.rows[*at];
        for step in std::iter::once(row.step).chain(row.answer) {
            if let Some(width) = step.process.and_then(|process| widths.get_mut(process)) {
                *width = width.max(svg::fixed_width(step.words(), FONT) + INSIDE + 18.0);
            }
        }
    }
    let mut left = vec![GUTTER];
    for width in widths {
        left.push(left[left.len() - 1] + width.clamp(NARROWEST, WIDEST));
    }
    left
}

struct Chart<'r> {
    run: &'r Run,
    rows: &'r Rows<'r>,
    lines: Vec<usize>,
    columns: Vec<f64>,
}

impl Chart<'_> {
    fn draw(&self, parts: &[Part]) -> String {
        let mut svg = Svg::new();
        let n_lines = parts.len();
        let (ending, reasons) = (self.ending(), self.run.reasons());
        let right = self.columns[self.columns.len() - 1];
        let across = parts.iter().enumerate().filter_map(row_on_line).map(|(_, at)| self.rows.rows[at].step);
        let across = across.filter(|step| step.process.is_none()).map(super::run::Step::words);
        let widths = reasons.iter().map(String::as_str).chain(across).map(|text| svg::fixed_width(text, FONT));
        let below = widths.fold(svg::sans_width(&ending, FONT + 1.0), f64::max);
        let width = right.max(GUTTER + 20.0 + below) + 12.0;
        let height = self.y(n_lines) + ROW + 8.0 + reasons.len() as f64 * LINE;
        self.heads_and_lives(&mut svg, n_lines);
        for message in self.rows.messages() {
            self.message(&mut svg, &message);
        }
        let rows: Vec<(usize, usize)> = parts.iter().enumerate().filter_map(row_on_line).collect();
        rows.iter().for_each(|(line, at)| self.boxes(&mut svg, *line, *at));
        svg.open(&format!("font-family=\"{MONO}\" font-size=\"10\" text-anchor=\"end\" fill=\"{FAINT}\""));
        rows.iter().for_each(|(line, at)| self.number(&mut svg, *line, *at));
        svg.close();
        // A ground of its own keeps a text legible where an arrow passes below it.
        svg.open(&format!(
            "font-family=\"{MONO}\" font-size=\"{FONT}\" fill=\"{INK}\" paint-order=\"stroke\" stroke=\"#ffffff\" \
             stroke-width=\"3\" stroke-linejoin=\"round\""
        ));
        rows.iter().for_each(|(line, at)| self.words(&mut svg, *line, *at));
        svg.close();
        for (line, part) in parts.iter().enumerate() {
            if let Part::Gap(n) = part {
                let at = Point { x: GUTTER + 6.0, y: self.y(line) + 4.0 };
                let style = format!("font-family=\"{SANS}\" font-size=\"{FONT}\" fill=\"{FAINT}\"");
                svg.text(at, &style, &format!("… {n} more steps …"));
            }
        }
        if let Some(start) = self.rows.cycle_start {
            self.cycle(&mut svg, self.lines.get(start).copied().unwrap_or(n_lines), n_lines);
        }
        let color = match (self.rows.cycle_start, self.run.end.is_violation()) {
            (Some(_), _) => CYCLE,
            (None, true) => BAD,
            (None, false) => FAINT,
        };
        let style = format!("font-family=\"{SANS}\" font-size=\"{}\" font-weight=\"600\" fill=\"{color}\"", FONT + 1.0);
        svg.text(Point { x: GUTTER + 6.0, y: self.y(n_lines) + 6.0 }, &style, &ending);
        svg.open(&format!("font-family=\"{MONO}\" font-size=\"{FONT}\" fill=\"{INK}\""));
        for (n, reason) in reasons.iter().enumerate() {
            svg.text(Point { x: GUTTER + 6.0, y: self.y(n_lines) + 6.0 + (n + 1) as f64 * LINE }, "", reason);
        }
        svg.close();
        let title = format!("{}: {}", self.run.model, self.run.end.message);
        svg.finish(Size { width, height }, &title)
    }

    /// The line under the chart.
    fn ending(&self) -> String {
        let message = &self.run.end.message;
        let again = self.rows.cycle_start.and_then(|start| self.rows.rows.get(start));
        match again {
            Some(row) => format!("{message}: again from step {}, for ever", row.step.number),
            None => message.clone(),
        }
    }

    /// The middle of a line of the picture.
    fn y(&self, line: usize) -> f64 {
        HEAD + line as f64 * ROW + ROW / 2.0
    }

    /// The line of a process.
    fn x(&self, process: usize) -> f64 {
        self.columns.get(process).copied().unwrap_or(GUTTER) + INSIDE
    }

    fn heads_and_lives(&self, svg: &mut Svg, n_lines: usize) {
        for (index, process) in self.run.processes.iter().enumerate() {
            let (left, right) = (self.columns[index], self.columns[index + 1]);
            let style = format!("font-family=\"{SANS}\" font-size=\"{FONT}\" font-weight=\"600\" fill=\"{INK}\"");
            svg.text(Point { x: left + 4.0, y: 16.0 }, &style, &cut(&process.label, right - left - 6.0));
            let place = |n_steps: usize| match self.rows.behind(n_steps) {
                0 => HEAD - 8.0,
                n => self.y(self.lines.get(n - 1).copied().unwrap_or(n_lines)) + ROW / 2.0,
            };
            let x = self.x(index);
            let from = Point { x, y: place(process.begins) };
            let to = Point { x, y: process.ends.map_or(self.y(n_lines) - ROW / 2.0, place) };
            svg.line(from, to, &format!("stroke=\"{LIFE}\" stroke-width=\"1.5\""));
            if process.ends.is_some() {
                let half = 6.0;
                let (left, right) = (Point { x: x - half, ..to }, Point { x: x + half, ..to });
                svg.line(left, right, &format!("stroke=\"{LIFE}\" stroke-width=\"3\""));
            }
        }
    }

    /// The number of the row; statements of one step share one.
    fn number(&self, svg: &mut Svg, line: usize, at: usize) {
        let step = self.rows.rows[at].step;
        let is_same = at > 0 && self.rows.rows[at - 1].step.number == step.number;
        let number = if is_same { "·".to_owned() } else { step.number.to_string() };
        svg.text(Point { x: GUTTER - 16.0, y: self.y(line) + 4.0 }, "", &number);
    }

    /// The boxes on the lines of the processes that move; what happens to all of them, as time that passes, is a line
    /// across.
    fn boxes(&self, svg: &mut Svg, line: usize, at: usize) {
        let row = &self.rows.rows[at];
        if row.step.process.is_none() {
            let (right, y) = (self.columns[self.columns.len() - 1], self.y(line) + 6.0);
            let (from, to) = (Point { x: GUTTER + 6.0, y }, Point { x: right, y });
            svg.line(from, to, &format!("stroke=\"{FAINT}\" stroke-dasharray=\"2 3\""));
        }
        for step in std::iter::once(row.step).chain(row.answer) {
            let Some(process) = step.process else { continue };
            let fill = if step.failed || self.is_end(row) { BAD } else { FAINT };
            let (centre, size) =
                (Point { x: self.x(process), y: self.y(line) }, Size { width: 7.0, height: ROW - 10.0 });
            svg.rectangle(centre, size, &format!("rx=\"2\" fill=\"{fill}\""));
        }
    }

    /// The statements beside them.
    fn words(&self, svg: &mut Svg, line: usize, at: usize) {
        let (row, y) = (&self.rows.rows[at], self.y(line));
        for step in std::iter::once(row.step).chain(row.answer) {
            let Some(process) = step.process else {
                svg.text(Point { x: GUTTER + 6.0, y: y - 1.0 }, &format!("fill=\"{FAINT}\""), step.words());
                continue;
            };
            let x = self.x(process);
            let room = self.columns[process + 1] - x - 8.0;
            svg.text(Point { x: x + 8.0, y: y - 1.0 }, "", &cut(step.words(), room));
        }
    }

    /// Whether the run fails in this row.
    fn is_end(&self, row: &Row<'_>) -> bool {
        row.answer.is_some_and(|answer| answer.failed)
    }

    /// The arrow of a message, below the texts of its rows.
    fn message(&self, svg: &mut Svg, message: &Passing) {
        let style = format!("stroke=\"{ARROW}\" stroke-width=\"1.4\"");
        let y = |row: usize| self.y(self.lines[row]) + ROW / 2.0 - 6.0;
        let from = Point { x: self.x(message.from), y: y(message.sent) };
        let Some((process, received)) = message.to else {
            let to = Point { x: from.x + 22.0, ..from };
            svg.line(from, to, &format!("{style} stroke-dasharray=\"3 3\""));
            let (x, y) = (svg::short(to.x + 3.0), svg::short(to.y));
            svg.add(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"2.5\" fill=\"{ARROW}\"/>"));
            return;
        };
        let to = Point { x: self.x(process), y: y(received) };
        if process == message.from {
            let (x, out, y1, y2) =
                (svg::short(from.x), svg::short(from.x - 18.0), svg::short(from.y), svg::short(to.y));
            svg.add(&format!("<path d=\"M{x} {y1}C{out} {y1} {out} {y2} {x} {y2}\" fill=\"none\" {style}/>"));
            svg.tip(Point { x: to.x - 3.0, ..to }, Point { x: to.x - 9.0, ..to }, &format!("fill=\"{ARROW}\""));
            return;
        }
        let side = if to.x > from.x { 3.5 } else { -3.5 };
        let (start, tip) = (Point { x: from.x + side, ..from }, Point { x: to.x - side, ..to });
        svg.line(start, tip, &style);
        svg.tip(tip, start, &format!("fill=\"{ARROW}\""));
    }

    /// A bracket at the left that leads from the end back to where the cycle starts.
    fn cycle(&self, svg: &mut Svg, first: usize, n_lines: usize) {
        let (top, bottom) = (self.y(first), self.y(n_lines));
        let (x, y1, y2) = (GUTTER - 2.0, svg::short(top), svg::short(bottom));
        let (from, side) = (svg::short(x), svg::short(x - 9.0));
        svg.add(&format!(
            "<path d=\"M{from} {y2}H{side}V{y1}H{from}\" fill=\"none\" stroke=\"{CYCLE}\" stroke-width=\"2\"/>"
        ));
        let tip = Point { x: x + 4.0, y: top };
        svg.tip(tip, Point { x, y: top }, &format!("fill=\"{CYCLE}\""));
    }
}

/// A line of the picture with the row on it, if that is no gap.
fn row_on_line((line, part): (usize, &Part)) -> Option<(usize, usize)> {
    match part {
        Part::Row(at) => Some((line, *at)),
        Part::Gap(_) => None,
    }
}

/// As much of a text as there is room for.
fn cut(text: &str, room: f64) -> String {
    let most = (room / svg::fixed_width("m", FONT)) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let shown: String = text.chars().take(most.saturating_sub(1)).collect();
    shown + "…"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::run::tests::SMALL;

    #[test]
    fn a_run_is_a_picture() {
        let run = Run::read(&SMALL.replace("\"cycle_start\": 1", "\"cycle_start\": 3")).expect("a document");
        let text = svg(&run, false);
        for part in
            ["a(id=0)", "b&lt;1&gt;", ">h!ping<", ">h?ping<", "acceptance &lt;cycle&gt;: again from step 2, for ever"]
        {
            assert!(text.contains(part), "no {part} in {text}");
        }
        // The bracket of the cycle and the two messages that arrive have tips.
        assert_eq!(text.matches("M0 0L-8").count(), 3, "{text}");
        assert!(!text.contains("</text> end"), "{text}");
        // Nobody moves in the last step: a line across.
        assert_eq!(text.matches("stroke-dasharray=\"2 3\"").count(), 1, "{text}");
    }

    #[test]
    fn what_happens_to_all_processes_has_room() {
        let mut run = Run::read(SMALL).expect("a document");
        run.steps.last_mut().expect("a stutter").shown = "time 1; ".repeat(40);
        let text = svg(&run, false);
        let (_, width) = text.split_once("width=\"").expect("a width");
        let width: f64 = width.split('"').next().and_then(|width| width.parse().ok()).expect("a number");
        assert!(width > 320.0 * 6.6, "{width}");
    }

    #[test]
    fn why_a_run_ends_stands_below_the_chart() {
        let long = "x".repeat(200);
        let mut run = Run::read(SMALL).expect("a document");
        run.end.explanation = vec!["n = 2, expected <1>".to_owned(), long.clone()];
        let (text, plain) = (svg(&run, false), svg(&Run::read(SMALL).expect("a document"), false));
        assert!(text.contains(">n = 2, expected &lt;1&gt;<") && text.contains(&long), "{text}");
        let size = |text: &str, name: &str| -> f64 {
            let (_, rest) = text.split_once(&format!("{name}=\"")).expect("a size");
            rest.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
        };
        assert!(size(&text, "width") > 200.0 * 6.0 && size(&text, "height") > size(&plain, "height") + LINE);
    }

    #[test]
    fn a_long_run_is_shown_at_its_ends() {
        let mut run = Run::read(&SMALL.replace("\"cycle_start\": 1", "\"cycle_start\": null")).expect("a document");
        let step = |number| crate::picture::run::Step {
            number,
            kind: "assign".to_owned(),
            process: Some(0),
            partner: None,
            text: "x++".to_owned(),
            shown: String::new(),
            changes: Vec::new(),
            message: None,
            folded: false,
            failed: false,
        };
        run.steps = (1..=500).map(step).collect();
        let rows = run.rows();
        assert_eq!(parts(&rows, false).len(), 201);
        assert_eq!(parts(&rows, false)[100], Part::Gap(300));
        assert_eq!(parts(&rows, true).len(), 500);
        assert!(svg(&run, false).contains("… 300 more steps …"));
        assert_eq!(left_out(&run), 300);
    }
}
