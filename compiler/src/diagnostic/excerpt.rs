//! Source lines, sanitised for display.
//!
//! A model is untrusted text: it may contain escape sequences that control a terminal, characters that reverse the
//! reading direction, tabs, or one line of a megabyte. An excerpt is harmless and of bounded width, and maps each
//! character of the line to its column.

use std::ops::Range;

/// The most columns of a line that are shown.
const WIDTH: usize = 140;
/// How much of a clipped line is shown before the focus.
const BEFORE: usize = 50;
const TAB: usize = 4;

/// A line as shown, and the map from its characters to columns.
pub struct Excerpt {
    pub text: String,
    /// For each character of the line its first column in the full, unclipped
    /// text; one entry more for the end of the line.
    columns: Vec<usize>,
    /// The columns that are shown.
    window: Range<usize>,
}

impl Excerpt {
    /// Sanitises a line. `focus` is the character that must be visible.
    pub fn new(line: &str, focus: usize) -> Self {
        let mut shown = Vec::new();
        let mut columns = Vec::new();
        for character in line.chars() {
            columns.push(shown.len());
            if character == '\t' {
                let next_stop = (shown.len() / TAB + 1) * TAB;
                shown.resize(next_stop, ' ');
            } else {
                shown.push(harmless(character));
            }
        }
        columns.push(shown.len());
        let window = if shown.len() <= WIDTH {
            0..shown.len()
        } else {
            let focus = columns[focus.min(columns.len() - 1)];
            let start = focus.saturating_sub(BEFORE).min(shown.len() - WIDTH);
            start..start + WIDTH
        };
        let mut text: Vec<char> = shown[window.clone()].to_vec();
        if window.start > 0 {
            text[0] = '…';
        }
        if window.end < shown.len() {
            text[WIDTH - 1] = '…';
        }
        Self { text: text.into_iter().collect(), columns, window }
    }

    /// Where characters of the line stand in `text`, counted in characters; at
    /// least one wide, and clamped to what is visible.
    pub fn place(&self, characters: Range<usize>) -> Range<usize> {
        let last = self.columns.len() - 1;
        let clamp = |column: usize| column.clamp(self.window.start, self.window.end) - self.window.start;
        let start = clamp(self.columns[characters.start.min(last)]);
        let end = clamp(self.columns[characters.end.min(last)]);
        // The ellipsis represents everything behind the window.
        let start = if start == self.window.len() && self.window.end < self.columns[last] { start - 1 } else { start };
        start..end.max(start + 1)
    }
}

/// Text of one line that is safe to print: a message, a path, a label.
pub fn harmless_text(text: &str) -> String {
    text.chars().map(harmless).collect()
}

/// As [`harmless_text`], and cut in the middle if it is too long to read.
pub fn harmless_message(text: &str) -> String {
    const MOST: usize = 400;
    let n_characters = text.chars().count();
    if n_characters <= MOST {
        return harmless_text(text);
    }
    let half = MOST / 2;
    let start: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(n_characters - half).collect();
    format!("{} … {}", harmless_text(&start), harmless_text(&end))
}

/// A replacement of the same width for a character that would control the terminal, or be invisible.
fn harmless(character: char) -> char {
    match character {
        '\t' => ' ',
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_shown_whole() {
        let excerpt = Excerpt::new("byte x;", 5);
        assert_eq!(excerpt.text, "byte x;");
        assert_eq!(excerpt.place(5..6), 5..6);
    }

    #[test]
    fn tabs_reach_to_the_next_stop() {
        let excerpt = Excerpt::new("a\tb\t\tc", 5);
        assert_eq!(excerpt.text, "a   b       c");
        assert_eq!(excerpt.place(5..6), 12..13);
    }

    #[test]
    fn a_long_line_is_clipped_around_the_focus() {
        let line = "x".repeat(10_000) + "Y" + &"z".repeat(10_000);
        let excerpt = Excerpt::new(&line, 10_000);
        assert_eq!(excerpt.text.chars().count(), WIDTH);
        assert!(excerpt.text.starts_with('…') && excerpt.text.ends_with('…'));
        let place = excerpt.place(10_000..10_001);
        assert_eq!(&excerpt.text.chars().collect::<String>().chars().nth(place.start), &Some('Y'));
    }

    #[test]
    fn places_outside_the_window_stay_inside_the_text() {
        let line = "x".repeat(10_000);
        let excerpt = Excerpt::new(&line, 5_000);
        for characters in [0..1, 0..10_000, 9_999..10_000, 10_000..10_000, 20_000..30_000] {
            let place = excerpt.place(characters);
            assert!(place.start < place.end && place.end <= WIDTH, "{place:?}");
        }
    }

    #[test]
    fn the_end_of_an_empty_line_has_a_place() {
        assert_eq!(Excerpt::new("", 0).place(0..0), 0..1);
    }

    #[test]
    fn control_and_direction_characters_are_replaced() {
        assert_eq!(harmless_text("a\x1b[31mb\u{202e}c\0\u{9b}"), "a␛[31mb\u{fffd}c␀\u{fffd}");
    }

    #[test]
    fn a_very_long_message_is_cut_in_the_middle() {
        let message = harmless_message(&format!("no variable `{}` in scope", "a".repeat(3000)));
        assert!(message.starts_with("no variable `aaa") && message.ends_with("aaa` in scope"));
        assert!(message.chars().count() < 500);
    }
}
