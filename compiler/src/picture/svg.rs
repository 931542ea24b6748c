//! Writes SVG: text is escaped, numbers are short, characters have a known width.

use std::fmt::Write;

use super::layered::{Point, Size};
use crate::diagnostic::excerpt::harmless_text;

/// The width of a character relative to the size of its font, of a font with a fixed width.
const FIXED_WIDTH: f64 = 0.602;

/// A little more than that of most letters in a font without serifs.
const SANS_WIDTH: f64 = 0.56;

pub const MONO: &str = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace";
pub const SANS: &str = "Helvetica,Arial,'DejaVu Sans',sans-serif";

/// A picture that is being drawn.
pub struct Svg {
    body: String,
}

impl Svg {
    pub fn new() -> Self {
        Self { body: String::new() }
    }

    /// Adds an element as it is: `element` must be well formed, with every text in it escaped.
    pub fn add(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// Begins a group whose elements share attributes.
    pub fn open(&mut self, attributes: &str) {
        self.add(&format!("<g {attributes}>"));
    }

    /// Ends the group.
    pub fn close(&mut self) {
        self.add("</g>");
    }

    pub fn text(&mut self, at: Point, attributes: &str, text: &str) {
        let (x, y, text) = (short(at.x), short(at.y), escape(text));
        let gap = if attributes.is_empty() { "" } else { " " };
        let _ = writeln!(self.body, "<text x=\"{x}\" y=\"{y}\"{gap}{attributes}>{text}</text>");
    }

    pub fn line(&mut self, from: Point, to: Point, attributes: &str) {
        let (x1, y1, x2, y2) = (short(from.x), short(from.y), short(to.x), short(to.y));
        let _ = writeln!(self.body, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {attributes}/>");
    }

    /// A rectangle by its centre.
    pub fn rectangle(&mut self, centre: Point, size: Size, attributes: &str) {
        let (x, y) = (short(centre.x - size.width / 2.0), short(centre.y - size.height / 2.0));
        let (width, height) = (short(size.width), short(size.height));
        let _ = writeln!(self.body, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {attributes}/>");
    }

    /// A triangle with its tip at a point, pointing away from another.
    pub fn tip(&mut self, at: Point, from: Point, attributes: &str) {
        let degrees = (at.y - from.y).atan2(at.x - from.x).to_degrees();
        let (x, y, degrees) = (short(at.x), short(at.y), short(degrees));
        let _ = writeln!(
            self.body,
            "<path d=\"M0 0L-8 -3.5L-8 3.5Z\" transform=\"translate({x} {y}) rotate({degrees})\" {attributes}/>"
        );
    }

    /// The whole document, on a white ground: it reads the same wherever it is shown.
    pub fn finish(self, size: Size, title: &str) -> String {
        let (width, height) = (short(size.width.ceil()), short(size.height.ceil()));
        let title = escape(title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// Text between tags or in an attribute. Characters that XML does not have are shown as others show them.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in harmless_text(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Else several blanks become one.
            ' ' => escaped.push(if escaped.ends_with([' ', '\u{a0}']) { '\u{a0}' } else { ' ' }),
            '\n' | '\t' | '\r' => escaped.push(' '),
            character if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                escaped.push(char::REPLACEMENT_CHARACTER);
            }
            character => escaped.push(character),
        }
    }
    escaped
}

/// At most two digits behind the point.
pub fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

pub fn fixed_width(text: &str, font: f64) -> f64 {
    text.chars().count() as f64 * font * FIXED_WIDTH
}

pub fn sans_width(text: &str, font: f64) -> f64 {
    text.chars().count() as f64 * font * SANS_WIDTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(escape("a<b && \"c\" > 'd'"), "a&lt;b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
        assert!(!escape("</text><script>\u{0}\u{1b}\u{ffff}").contains(['<', '\u{0}', '\u{1b}', '\u{ffff}']));
        let mut svg = Svg::new();
        svg.text(Point { x: 1.0, y: 2.5 }, "fill=\"red\"", "</svg>");
        let text = svg.finish(Size { width: 10.2, height: 5.0 }, "<t>");
        assert!(text.contains("<text x=\"1\" y=\"2.5\" fill=\"red\">&lt;/svg&gt;</text>"), "{text}");
        assert!(text.contains("width=\"11\"") && text.contains("<title>&lt;t&gt;</title>"), "{text}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([1.0, 2.5, 3.14449, -0.001, 100.0].map(short), ["1", "2.5", "3.14", "0", "100"]);
    }
}
