//! Diagnostics as text for people: an excerpt with the places underlined.
//!
//! ariadne draws, because a declaration and its use often stand in different
//! files and it shows labels of several files in one report. It is given not
//! the model's text but excerpts of it (see [`excerpt`](super::excerpt)), in
//! which the lines that no label touches are empty.

use std::fmt::Write as _;
use std::ops::Range;

use ariadne::{CharSet, Color, Config, Fmt as _, IndexType, LabelAttach, Report, ReportKind, Source};

use super::excerpt::{Excerpt, harmless_message, harmless_text};
use super::{Annotation, Diagnostic, Diagnostics, Severity};
use crate::source::{Expansion, ExpansionKind, SourceMap, Span};

/// The capabilities of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub color: bool,
    /// Lines drawn with box characters in place of `|` and `-`.
    pub unicode: bool,
}

/// All that was found, in the order of the source, and a line that counts it.
/// Empty if nothing was found.
pub fn render(sources: &SourceMap, diagnostics: &Diagnostics, style: Style) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.sorted() {
        text += &render_one(sources, diagnostic, style);
        text.push('\n');
    }
    if !text.is_empty() {
        text += &summary(diagnostics);
        text.push('\n');
    }
    text
}

/// For example `2 errors, 1 warning`.
pub fn summary(diagnostics: &Diagnostics) -> String {
    let count = |number: usize, noun: &str| match number {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{number} {noun}s")),
    };
    let n_shown = diagnostics.sorted().len();
    let parts: Vec<String> = [count(diagnostics.n_errors(), "error"), count(diagnostics.n_warnings(), "warning")]
        .into_iter()
        .flatten()
        .collect();
    let mut text = if parts.is_empty() { "no errors, no warnings".to_owned() } else { parts.join(", ") };
    if diagnostics.n_unshown() > 0 {
        let _ = write!(text, "; the first {n_shown} are shown");
    }
    text
}

/// How a span came to be where it was read, innermost first: one entry for each
/// macro or inline. A chain may be as long as inlines are nested, so of a long
/// one only its two ends are given.
pub(super) fn expansions(sources: &SourceMap, span: Span) -> Vec<&Expansion> {
    const EACH_END: usize = 2;
    let chain = std::iter::successors(span.expansion, |id| sources.expansion(*id).site.expansion);
    let mut chain: Vec<&Expansion> = chain.map(|id| sources.expansion(id)).collect();
    if chain.len() > 2 * EACH_END {
        chain.drain(EACH_END..chain.len() - EACH_END);
    }
    chain
}

/// One of them.
pub fn render_one(sources: &SourceMap, diagnostic: &Diagnostic, style: Style) -> String {
    let color = match diagnostic.severity {
        Severity::Error => Color::Red,
        Severity::Warning => Color::Yellow,
    };
    let title = match diagnostic.severity {
        Severity::Error => format!("error[{}]", diagnostic.code),
        Severity::Warning => format!("warning[{}]", diagnostic.code),
    };
    let places = places(sources, diagnostic);
    let shown = ShownSources::new(sources, &places);
    let primary = places.iter().find(|place| place.is_primary).expect("places() puts it in");
    let config = Config::new()
        .with_color(style.color)
        .with_char_set(if style.unicode { CharSet::Unicode } else { CharSet::Ascii })
        .with_label_attach(LabelAttach::Start)
        .with_index_type(IndexType::Char);
    let mut report = Report::build(ReportKind::Error, (primary.file, shown.range(primary))).with_config(config);
    for place in &places {
        let label = ariadne::Label::new((place.file, shown.range(place)))
            .with_message(&place.text)
            .with_color(if place.is_primary { color } else { Color::Cyan })
            .with_priority(i32::from(place.is_primary));
        report.add_label(label);
    }
    if let Some(help) = &diagnostic.help {
        let lines: Vec<String> = help.lines().map(harmless_text).collect();
        report.add_help(lines.join("\n"));
    }
    let mut drawn = Vec::new();
    report.finish().write(shown, &mut drawn).expect("writing to memory does not fail");
    let title = if style.color { format!("{}:", title.fg(color)) } else { format!("{title}:") };
    format!("{title} {}\n{}", harmless_message(&diagnostic.message), tidy(&String::from_utf8_lossy(&drawn)))
}

/// A label in the file and line where it will be drawn.
struct DrawnLabel {
    file: usize,
    /// From 1.
    line: u32,
    /// Characters of that line, from 0.
    characters: Range<usize>,
    text: String,
    is_primary: bool,
}

/// Every label of a diagnostic, the file of the primary one first, each file from top to bottom: ariadne opens a new
/// box whenever it must go back.
fn places(sources: &SourceMap, diagnostic: &Diagnostic) -> Vec<DrawnLabel> {
    let primary = &diagnostic.primary;
    let mut places = vec![place(sources, primary.span, &primary.text, true)];
    places.extend(diagnostic.others.iter().map(|Annotation { span, text }| place(sources, *span, text, false)));
    for expansion in expansions(sources, primary.span) {
        let text = match expansion.kind {
            ExpansionKind::Macro => format!("in the expansion of macro `{}`, defined here", expansion.name),
            ExpansionKind::Inline => format!("in this call of inline `{}`", expansion.name),
        };
        places.push(place(sources, expansion.site, &text, false));
    }
    let first = places[0].file;
    places.sort_by_key(|place| (place.file != first, place.file, place.line, place.characters.start));
    // Duplicate labels, as when a macro's body has several mistakes in one.
    places.dedup_by(|a, b| !a.is_primary && a.file == b.file && a.line == b.line && a.text == b.text);
    // A label without a text is only underlined, but several in a line need a name each.
    for index in 0..places.len() {
        if places[index].text.is_empty() {
            let is_on_this_line =
                |other: &&DrawnLabel| other.file == places[index].file && other.line == places[index].line;
            let is_alone = places.iter().filter(is_on_this_line).count() == 1;
            places[index].text = if is_alone { BARE.to_string() } else { "here".to_owned() };
        }
    }
    places
}

fn place(sources: &SourceMap, span: Span, text: &str, is_primary: bool) -> DrawnLabel {
    let file = sources.file_number(span);
    let source = &sources.files()[file];
    let start = source.position(span.start);
    let end = source.position(span.end.clamp(span.start, source.end()));
    let from = start.column as usize - 1;
    // Of a span of several lines the first is shown.
    let to = if end.line == start.line { end.column as usize - 1 } else { source.line(start.line).chars().count() };
    DrawnLabel { file, line: start.line, characters: from..to.max(from), text: harmless_message(text), is_primary }
}

/// The sources that ariadne sees: line for line those of the model, but only the
/// lines that are to be shown hold text.
struct ShownSources {
    files: Vec<ShownFile>,
}

struct ShownFile {
    number: usize,
    /// Path, line and column in the heading of the box.
    heading: String,
    source: Source<String>,
    lines: Vec<ShownLine>,
}

struct ShownLine {
    line: u32,
    excerpt: Excerpt,
    /// Characters before this line in the text that ariadne has.
    offset: usize,
}

impl ShownSources {
    fn new(sources: &SourceMap, places: &[DrawnLabel]) -> Self {
        let mut numbers: Vec<usize> = places.iter().map(|place| place.file).collect();
        numbers.dedup();
        let file = |number| {
            let here: Vec<&DrawnLabel> = places.iter().filter(|place| place.file == number).collect();
            ShownFile::new(sources, number, &here)
        };
        Self { files: numbers.into_iter().map(file).collect() }
    }

    fn file(&self, number: usize) -> &ShownFile {
        self.files.iter().find(|file| file.number == number).expect("made from the same places")
    }

    /// The position of a label in the text that ariadne has.
    fn range(&self, place: &DrawnLabel) -> Range<usize> {
        let lines = &self.file(place.file).lines;
        let line = lines.iter().find(|line| line.line == place.line).expect("made from the same places");
        let columns = line.excerpt.place(place.characters.clone());
        line.offset + columns.start..line.offset + columns.end
    }
}

impl ShownFile {
    fn new(sources: &SourceMap, number: usize, places: &[&DrawnLabel]) -> Self {
        let file = &sources.files()[number];
        let head = places.iter().find(|place| place.is_primary).unwrap_or(&places[0]);
        let heading = format!("{}:{}:{}", harmless_message(&file.path), head.line, head.characters.start + 1);
        let mut text = String::new();
        let mut lines: Vec<ShownLine> = Vec::new();
        let (mut last_line, mut offset) = (1, 0);
        for place in places {
            if lines.last().is_some_and(|line| line.line == place.line) {
                continue;
            }
            let focus = places.iter().find(|other| other.line == place.line && other.is_primary).unwrap_or(place);
            let excerpt = Excerpt::new(file.line(place.line), focus.characters.start);
            let n_skipped = (place.line - last_line) as usize;
            text.extend(std::iter::repeat_n('\n', n_skipped));
            offset += n_skipped;
            text += &excerpt.text;
            // A label behind the end of a line needs a character to underline.
            text.push(' ');
            let width = excerpt.text.chars().count() + 1;
            lines.push(ShownLine { line: place.line, excerpt, offset });
            offset += width;
            last_line = place.line;
        }
        Self { number, heading, source: Source::from(text), lines }
    }
}

/// Ends the heading that we give, so that [`tidy`] can remove the line and
/// column that ariadne puts behind it: it counts in the excerpt. No text of a
/// model can hold this character, nor the next: [`harmless_text`] replaces them.
const HEADING_END: char = '\u{1}';

/// The placeholder for the text of a label without one. ariadne underlines only labels with a text, and draws a pointer
/// to it; [`tidy`] removes both.
const BARE: char = '\u{2}';

impl ariadne::Cache<usize> for ShownSources {
    type Storage = String;

    fn fetch(&mut self, number: &usize) -> Result<&Source<String>, impl std::fmt::Debug> {
        Ok::<_, std::convert::Infallible>(&self.file(*number).source)
    }

    fn display<'a>(&self, number: &'a usize) -> Option<impl std::fmt::Display + 'a> {
        Some(format!("{}{HEADING_END}", self.file(*number).heading))
    }
}

/// Without ariadne's title, whose form and colour cannot be chosen, without its
/// columns in the headings, and without pointers to texts that are not there.
fn tidy(drawn: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in drawn.lines().skip(1) {
        if let Some((heading, rest)) = line.split_once(HEADING_END) {
            let after = rest.find(' ').map_or("", |space| &rest[space..]);
            lines.push(format!("{heading}{after}"));
        } else if line.contains(BARE) {
            let underlined = lines.pop().unwrap_or_default();
            lines.push(without_pointer(&underlined));
        } else {
            lines.push(line.trim_end().to_owned());
        }
    }
    lines.join("\n") + "\n"
}

/// An underline in which the sign that a text hangs on is like the others. It
/// is the first behind the margin, which is itself a vertical line.
fn without_pointer(underlined: &str) -> String {
    if underlined.contains('┬') {
        return underlined.replace('┬', "─");
    }
    match underlined.match_indices('|').nth(1) {
        Some((at, _)) => format!("{}^{}", &underlined[..at], &underlined[at + 1..]),
        None => underlined.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Lint, LintLevels};
    use crate::source::{Expansion, Name};

    const RELAY: &str = "mtype = { data };\n\nchan link = [1] of { mtype, bit };\nbit seq;\n\nactive proctype p() {\n\tlink!data(seq, 1)\n}\n";

    fn find(sources: &SourceMap, file: usize, text: &str) -> Span {
        let file = &sources.files()[file];
        let start = file.base + u32::try_from(file.text.find(text).unwrap()).unwrap();
        Span::new(start, start + u32::try_from(text.len()).unwrap())
    }

    fn plain(sources: &SourceMap, diagnostic: Diagnostic) -> String {
        let mut diagnostics = Diagnostics::new(LintLevels::default());
        diagnostics.add(diagnostic);
        render(sources, &diagnostics, Style::default())
    }

    fn one_file(text: &str) -> SourceMap {
        let mut sources = SourceMap::new();
        sources.add("relay.pml", text).unwrap();
        sources
    }

    #[test]
    fn places_of_one_file_share_a_box() {
        let sources = one_file(RELAY);
        let diagnostic = Diagnostic::error(
            203,
            find(&sources, 0, "link!data(seq, 1)"),
            "this send has 3 fields, but `link` carries 2",
        )
        .here("3 fields")
        .label(find(&sources, 0, "mtype, bit"), "2 fields declared here")
        .help("Promela reads `data(seq, 1)` as `data, seq, 1`");
        insta::assert_snapshot!(plain(&sources, diagnostic));
    }

    #[test]
    fn a_macro_and_an_inline_say_how_the_text_came_here() {
        let mut sources = one_file("#include \"lib.h\"\ninit {\n  step(x);\n  assert(LIMIT)\n}\n");
        sources.add("lib.h", "#define LIMIT missing\ninline step(a) {\n  a = wrong\n}\n").unwrap();
        let site = find(&sources, 1, "missing");
        let expansion = sources.expand(Expansion { kind: ExpansionKind::Macro, name: Name::from("LIMIT"), site });
        let use_of_macro = Span { expansion: Some(expansion), ..find(&sources, 0, "LIMIT") };
        let call = find(&sources, 0, "step(x)");
        let expansion = sources.expand(Expansion { kind: ExpansionKind::Inline, name: Name::from("step"), site: call });
        let in_body = Span { expansion: Some(expansion), ..find(&sources, 1, "wrong") };
        let mut diagnostics = Diagnostics::new(LintLevels::default());
        diagnostics.add(Diagnostic::error(201, use_of_macro, "no variable `missing` in scope"));
        diagnostics.add(Diagnostic::warning(Lint::UnusedVariable, in_body, "no variable `wrong` in scope"));
        insta::assert_snapshot!(render(&sources, &diagnostics, Style::default()));
    }

    #[test]
    fn a_line_of_ten_thousand_columns_is_clipped_and_its_column_kept() {
        let sources = one_file(&("(".repeat(10_000) + "}\n"));
        let text = plain(&sources, Diagnostic::error(101, find(&sources, 0, "}"), "expected an expression"));
        assert!(text.contains("[ relay.pml:1:10001 ]"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
    }

    #[test]
    fn nothing_of_a_hostile_file_reaches_the_terminal_raw() {
        let mut sources = SourceMap::new();
        sources.add("\x1b]0;title\x07.pml", "byte \x1b[2J\u{202e}x\0;\r\u{9b}\n").unwrap();
        let span = find(&sources, 0, "x");
        let diagnostic = Diagnostic::error(1, span, "bad `\x1b[31m`").here("\u{202e}").help("a\x07\nb");
        let text = plain(&sources, diagnostic);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        assert!(!text.contains('\u{202e}'), "{text:?}");
    }

    #[test]
    fn places_at_the_end_of_the_file_and_over_several_lines_are_drawn() {
        for text in ["", "a", "a\n", "a\n\n", "a\r\nb", "\u{2028}\u{85}\x0b\n\x0c"] {
            let sources = one_file(text);
            let end = u32::try_from(text.len()).unwrap();
            for (start, end) in [(0, 0), (0, end), (end, end), (end, end + 5)] {
                let shown = plain(&sources, Diagnostic::error(1, Span::new(start, end), "message").here("label"));
                assert!(shown.contains("label") && shown.contains("[ relay.pml:"), "{text:?} {start} {end}\n{shown}");
            }
        }
    }

    #[test]
    fn the_summary_counts_in_words() {
        let sources = one_file("x\n");
        let mut diagnostics = Diagnostics::new(LintLevels::default());
        assert_eq!(summary(&diagnostics), "no errors, no warnings");
        diagnostics.add(Diagnostic::error(1, Span::new(0, 1), "one"));
        diagnostics.add(Diagnostic::error(1, Span::new(0, 1), "two"));
        diagnostics.add(Diagnostic::warning(Lint::Unreachable, Span::new(0, 1), "three"));
        assert_eq!(summary(&diagnostics), "2 errors, 1 warning");
        for number in 0..100 {
            diagnostics.add(Diagnostic::error(1, Span::new(0, 1), format!("again {number}")));
        }
        assert_eq!(summary(&diagnostics), "102 errors, 1 warning; the first 51 are shown");
        assert!(render(&sources, &diagnostics, Style::default()).ends_with("are shown\n"));
    }

    #[test]
    fn colours_are_used_only_when_asked_for() {
        let sources = one_file(RELAY);
        let mut diagnostics = Diagnostics::new(LintLevels::default());
        diagnostics.add(Diagnostic::error(1, find(&sources, 0, "link"), "message"));
        assert!(!render(&sources, &diagnostics, Style { color: false, unicode: true }).contains('\x1b'));
        assert!(render(&sources, &diagnostics, Style { color: true, unicode: true }).contains('\x1b'));
    }
}
