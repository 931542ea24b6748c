//! A directed graph with texts, as SVG or for Graphviz.

use std::fmt::Write;

pub use super::layered::Flow;
use super::layered::{Arrow, Layout, Point, Size, lay_out};
use super::svg::{self, MONO, SANS, Svg};
use crate::diagnostic::excerpt::harmless_text;

/// Several graphs, each in a frame of its own.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    /// What it shows.
    pub title: String,
    /// The meaning of the marks.
    pub legend: Vec<String>,
    pub frames: Vec<Frame>,
}

/// One graph.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub title: String,
    /// The node in which it starts.
    pub start: usize,
    pub flow: Flow,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Its name for Graphviz: letters, digits and `_`.
    pub id: String,
    pub lines: Vec<String>,
    /// Colours, side by side.
    pub fill: Vec<&'static str>,
    pub has_double_frame: bool,
    pub is_dashed: bool,
    /// The colour and the width of its frame.
    pub stroke: Option<(&'static str, u8)>,
    /// Shown while the mouse rests on it.
    pub tooltip: String,
}

#[derive(Clone, Debug, Default)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub lines: Vec<String>,
    /// The lines are a list, and begin at the left.
    pub is_list: bool,
    pub stroke: Option<(&'static str, u8)>,
    pub is_dashed: bool,
    pub text_color: Option<&'static str>,
}

/// What Graphviz reads.
pub fn dot(diagram: &Diagram) -> String {
    let mut text = HEAD.to_owned();
    if !diagram.legend.is_empty() {
        let _ = writeln!(text, "  label=\"{}\";", dot_text(&diagram.legend.join("; ")));
    }
    for (number, frame) in diagram.frames.iter().enumerate() {
        let title = dot_text(&frame.title);
        let _ = writeln!(text, "\n  subgraph cluster_{number} {{");
        let _ = writeln!(text, "    label=\"{title}\"; labelloc=t; color=\"#b0b0b0\"; style=rounded;");
        let _ = writeln!(text, "    start_{number} [shape=point, width=0.1];");
        if let Some(first) = frame.nodes.get(frame.start) {
            let _ = writeln!(text, "    start_{number} -> {};", first.id);
        }
        for (at, node) in frame.nodes.iter().enumerate() {
            let _ = writeln!(text, "    {} [{}];", node.id, dot_node(node));
            for edge in frame.edges.iter().filter(|edge| edge.from == at) {
                let _ = writeln!(text, "    {} -> {} [{}];", node.id, frame.nodes[edge.to].id, dot_edge(edge));
            }
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

const HEAD: &str = "digraph model {
  graph [fontname=\"Helvetica\", fontsize=12, nodesep=0.4, ranksep=0.4, labelloc=b];
  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=rounded, width=0.35, height=0.3, margin=\"0.08,0.03\"];
  edge [fontname=\"Courier\", fontsize=10, arrowsize=0.7];
";

fn dot_node(node: &Node) -> String {
    let lines: Vec<String> = node.lines.iter().map(|line| dot_text(line)).collect();
    let mut marks = format!("label=\"{}\"", lines.join("\\n"));
    if node.has_double_frame {
        marks += ", peripheries=2";
    }
    let styles: Vec<&str> = [("dashed", node.is_dashed), ("filled", !node.fill.is_empty())]
        .into_iter()
        .filter_map(|(style, is_so)| is_so.then_some(style))
        .collect();
    if !styles.is_empty() {
        let _ = write!(marks, ", style=\"rounded,{}\"", styles.join(","));
    }
    if !node.fill.is_empty() {
        let _ = write!(marks, ", fillcolor=\"{}\"", node.fill.join(":"));
    }
    if let Some((color, width)) = node.stroke {
        let _ = write!(marks, ", color=\"{color}\", penwidth={width}");
    }
    if !node.tooltip.is_empty() {
        let _ = write!(marks, ", tooltip=\"{}\"", dot_text(&node.tooltip).replace('\n', "\\n"));
    }
    marks
}

fn dot_edge(edge: &Edge) -> String {
    let lines: Vec<String> = edge.lines.iter().map(|line| dot_text(line)).collect();
    // Room around it, since the arrow passes there.
    let label = match edge.is_list {
        true => lines.iter().map(|line| format!(" {line}\\l")).collect(),
        false => format!(" {}", lines.join("\\n")),
    };
    let mut marks = vec![format!("label=\"{label}\"")];
    if let Some((color, width)) = edge.stroke {
        marks.push(format!("color=\"{color}\", penwidth={width}"));
    }
    if edge.is_dashed {
        marks.push("style=dashed".to_owned());
    }
    if let Some(color) = edge.text_color {
        marks.push(format!("fontcolor=\"{color}\""));
    }
    marks.join(", ")
}

/// Text inside the quotes of a label, which Graphviz shows as it is.
pub fn dot_text(text: &str) -> String {
    let text = harmless_text(text);
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            // Else `&lt;` would be shown as `<`.
            '&' if characters.peek().is_some_and(|next| next.is_ascii_alphanumeric() || *next == '#') => {
                escaped.push_str("&amp;");
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

const NODE_FONT: f64 = 11.0;
const EDGE_FONT: f64 = 10.0;
const TITLE_FONT: f64 = 12.0;
const NODE_LINE: f64 = 14.0;
const EDGE_LINE: f64 = 12.0;
const MARGIN: f64 = 12.0;
const INK: &str = "#333333";

/// The picture itself. Frames stand side by side, or below each other where they are wide.
pub fn svg(diagram: &Diagram) -> String {
    let mut svg = Svg::new();
    let (mut x, mut y, mut height, mut width) = (MARGIN, MARGIN, 0.0f64, 0.0f64);
    for frame in &diagram.frames {
        let drawn = Drawn::new(frame);
        if x > MARGIN && x + drawn.size.width > WIDEST {
            (x, y, height) = (MARGIN, y + height + MARGIN, 0.0);
        }
        drawn.draw(&mut svg, Point { x, y });
        x += drawn.size.width + MARGIN;
        width = width.max(x);
        height = height.max(drawn.size.height);
    }
    y += height + MARGIN;
    for line in &diagram.legend {
        svg.text(Point { x: MARGIN, y: y + 10.0 }, &format!("{} fill=\"#555555\"", sans(NODE_FONT)), line);
        width = width.max(2.0 * MARGIN + svg::sans_width(line, NODE_FONT));
        y += NODE_LINE + 2.0;
    }
    svg.finish(Size { width, height: y + 4.0 }, &diagram.title)
}

const WIDEST: f64 = 1600.0;

fn sans(size: f64) -> String {
    format!("font-family=\"{SANS}\" font-size=\"{size}\"")
}

fn mono(size: f64) -> String {
    format!("font-family=\"{MONO}\" font-size=\"{size}\"")
}

/// A frame with its layout.
struct Drawn<'f> {
    frame: &'f Frame,
    sizes: Vec<Size>,
    layout: Layout,
    size: Size,
}

/// Above the graph of a frame: its title, and the arrow to the start.
const ABOVE: f64 = 44.0;

impl<'f> Drawn<'f> {
    fn new(frame: &'f Frame) -> Self {
        let sizes: Vec<Size> = frame.nodes.iter().map(node_size).collect();
        let arrow = |edge: &Edge| Arrow { from: edge.from, to: edge.to, label: label_size(edge) };
        let arrows: Vec<Arrow> = frame.edges.iter().map(arrow).collect();
        let layout = lay_out(&sizes, &arrows, frame.start, frame.flow);
        let title = svg::sans_width(&frame.title, TITLE_FONT);
        let width = layout.size.width.max(title) + 2.0 * MARGIN;
        let height = layout.size.height + ABOVE + MARGIN;
        Self { frame, sizes, layout, size: Size { width, height } }
    }

    fn draw(&self, svg: &mut Svg, at: Point) {
        let Size { width, height } = self.size;
        let middle = Point { x: at.x + width / 2.0, y: at.y + height / 2.0 };
        svg.rectangle(middle, self.size, "rx=\"8\" fill=\"none\" stroke=\"#b0b0b0\"");
        let title = Point { x: middle.x, y: at.y + 17.0 };
        svg.text(title, &format!("{} text-anchor=\"middle\"", sans(TITLE_FONT)), &self.frame.title);
        let left = at.x + (width - self.layout.size.width) / 2.0;
        let origin = Point { x: left, y: at.y + ABOVE };
        let shifted = |point: Point| Point { x: point.x + origin.x, y: point.y + origin.y };
        let start = self.frame.start;
        if let (Some(first), Some(size)) = (self.layout.nodes.get(start), self.sizes.get(start)) {
            let first = shifted(*first);
            let top = Point { x: first.x, y: first.y - size.height / 2.0 };
            let from = Point { x: first.x, y: top.y - 14.0 };
            svg.add(&format!(
                "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{INK}\"/>",
                svg::short(from.x),
                svg::short(from.y)
            ));
            svg.line(from, Point { y: top.y - 4.0, ..top }, &format!("stroke=\"{INK}\""));
            svg.tip(top, from, &format!("fill=\"{INK}\""));
        }
        for (edge, route) in self.frame.edges.iter().zip(&self.layout.arrows) {
            let points: Vec<Point> = route.points.iter().map(|point| shifted(*point)).collect();
            draw_arrow(svg, edge, &points);
        }
        for (node, (size, place)) in self.frame.nodes.iter().zip(self.sizes.iter().zip(&self.layout.nodes)) {
            draw_node(svg, node, *size, shifted(*place));
        }
        for (edge, route) in self.frame.edges.iter().zip(&self.layout.arrows) {
            if let Some(label) = route.label {
                draw_label(svg, edge, shifted(label));
            }
        }
    }
}

fn node_size(node: &Node) -> Size {
    let widest = node.lines.iter().map(|line| svg::sans_width(line, NODE_FONT)).fold(0.0, f64::max);
    let height = (node.lines.len().max(1) as f64).mul_add(NODE_LINE, 8.0);
    Size { width: (widest + 16.0).max(26.0), height: height.max(22.0) }
}

fn label_size(edge: &Edge) -> Option<Size> {
    let widest = edge.lines.iter().map(|line| svg::fixed_width(line, EDGE_FONT)).fold(0.0, f64::max);
    (widest > 0.0).then_some(Size { width: widest + 6.0, height: edge.lines.len() as f64 * EDGE_LINE + 4.0 })
}

fn draw_node(svg: &mut Svg, node: &Node, size: Size, at: Point) {
    svg.add("<g>");
    if !node.tooltip.is_empty() {
        svg.add(&format!("<title>{}</title>", node.tooltip.lines().map(svg::escape).collect::<Vec<_>>().join("\n")));
    }
    let (color, width) = node.stroke.unwrap_or((INK, 1));
    let dashes = if node.is_dashed { " stroke-dasharray=\"4 3\"" } else { "" };
    let frame = format!("rx=\"6\" stroke=\"{color}\" stroke-width=\"{width}\"{dashes}");
    // Two colours are two halves.
    let fill = node.fill.first().copied().unwrap_or("#ffffff");
    svg.rectangle(at, size, &format!("{frame} fill=\"{fill}\""));
    if let Some(second) = node.fill.get(1) {
        let half = Size { width: size.width / 2.0 - 1.0, height: size.height - 2.0 };
        svg.rectangle(Point { x: at.x + half.width / 2.0, ..at }, half, &format!("rx=\"5\" fill=\"{second}\""));
    }
    if node.has_double_frame {
        let outer = Size { width: size.width + 6.0, height: size.height + 6.0 };
        svg.rectangle(at, outer, &format!("rx=\"8\" fill=\"none\" stroke=\"{color}\""));
    }
    let mut y = at.y - node.lines.len() as f64 * NODE_LINE / 2.0 + 10.5;
    for line in &node.lines {
        svg.text(Point { x: at.x, y }, &format!("{} text-anchor=\"middle\"", sans(NODE_FONT)), line);
        y += NODE_LINE;
    }
    svg.add("</g>");
}

/// A smooth line through all points, which is vertical at each of them.
fn draw_arrow(svg: &mut Svg, edge: &Edge, points: &[Point]) {
    let (color, width) = edge.stroke.unwrap_or((INK, 1));
    let [first, .., before, last] = points else {
        if let [from, to] = points {
            let dashes = if edge.is_dashed { " stroke-dasharray=\"4 3\"" } else { "" };
            svg.line(*from, *to, &format!("stroke=\"{color}\" stroke-width=\"{width}\"{dashes}"));
            svg.tip(*to, *from, &format!("fill=\"{color}\""));
        }
        return;
    };
    let is_loop = edge.from == edge.to;
    let mut path = format!("M{} {}", svg::short(first.x), svg::short(first.y));
    if is_loop {
        for point in &points[1..] {
            let _ = write!(path, "L{} {}", svg::short(point.x), svg::short(point.y));
        }
    } else {
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let middle = svg::short(f64::midpoint(from.y, to.y));
            let (x1, x2, y2) = (svg::short(from.x), svg::short(to.x), svg::short(to.y));
            let _ = write!(path, "C{x1} {middle} {x2} {middle} {x2} {y2}");
        }
    }
    let dashes = if edge.is_dashed { " stroke-dasharray=\"4 3\"" } else { "" };
    svg.add(&format!(
        "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dashes}/>"
    ));
    let from = if is_loop { *before } else { Point { x: last.x, ..*before } };
    svg.tip(*last, from, &format!("fill=\"{color}\""));
}

fn draw_label(svg: &mut Svg, edge: &Edge, at: Point) {
    let Some(size) = label_size(edge) else { return };
    // The line of its own arrow passes behind it.
    svg.rectangle(at, Size { width: size.width - 2.0, height: size.height }, "fill=\"#ffffff\" fill-opacity=\"0.85\"");
    let color = edge.text_color.unwrap_or("#111111");
    let (anchor, x) = match edge.is_list {
        true => ("start", at.x - size.width / 2.0 + 3.0),
        false => ("middle", at.x),
    };
    let mut y = at.y - size.height / 2.0 + 11.0;
    for line in &edge.lines {
        let attributes = format!("{} text-anchor=\"{anchor}\" fill=\"{color}\"", mono(EDGE_FONT));
        svg.text(Point { x, y }, &attributes, line);
        y += EDGE_LINE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Diagram {
        let node = |id: &str, text: &str| Node { id: id.to_owned(), lines: vec![text.to_owned()], ..Node::default() };
        let edge = |from, to, text: &str| Edge { from, to, lines: vec![text.to_owned()], ..Edge::default() };
        Diagram {
            title: "t".to_owned(),
            legend: vec!["red: wrong".to_owned()],
            frames: vec![Frame {
                title: "p <x>".to_owned(),
                start: 0,
                flow: Flow::DepthFirst,
                nodes: vec![node("a", "A"), Node { fill: vec!["#c8eac8", "#cfe2fa"], ..node("b", "</text>\"") }],
                edges: vec![edge(0, 1, "x < 3"), edge(1, 0, "back"), edge(1, 1, "again")],
            }],
        }
    }

    #[test]
    fn every_text_is_in_the_picture_and_escaped() {
        let text = svg(&small());
        for part in ["p &lt;x&gt;", "&lt;/text&gt;&quot;", "x &lt; 3", ">back<", ">again<", "red: wrong", "#cfe2fa"] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert_eq!(text.matches("<text").count(), text.matches("</text>").count());
        assert_eq!(text, svg(&small()));
    }

    #[test]
    fn graphviz_gets_the_same_graph() {
        let text = dot(&small());
        assert!(text.starts_with(HEAD), "{text}");
        for part in [
            "a -> b [label=\" x < 3\"];",
            "b [label=\"</text>\\\"\", style=\"rounded,filled\", fillcolor=\"#c8eac8:#cfe2fa\"];",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }

    #[test]
    fn text_cannot_leave_its_label() {
        assert_eq!(dot_text("a\"; evil [x=\"\\n"), "a\\\"; evil [x=\\\"\\\\n");
        assert_eq!(dot_text("a && b &lt; c &#60;"), "a && b &amp;lt; c &amp;#60;");
    }

    #[test]
    fn an_empty_diagram_is_a_picture() {
        assert!(svg(&Diagram::default()).starts_with("<svg"));
    }
}
