//! The names in a text of C, which is otherwise left as it is.

/// A part of a text of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CPart<'t> {
    Name(&'t str),
    /// A number, with its suffix.
    Number(&'t str),
    /// A string or a character constant, with its quotes.
    Quoted(&'t str),
    /// Spaces and comments.
    Space(&'t str),
    /// One character of punctuation.
    Sign(char),
}

impl<'t> CPart<'t> {
    /// The first part of a text, and what follows it. Nothing at the end.
    pub fn first(text: &'t str) -> Option<(Self, &'t str)> {
        let first = text.chars().next()?;
        let is_number =
            first.is_ascii_digit() || first == '.' && text[1..].starts_with(|next: char| next.is_ascii_digit());
        let (part, length): (fn(&'t str) -> Self, usize) = if first.is_ascii_alphabetic() || first == '_' {
            (CPart::Name, length_while(text, is_of_word))
        } else if is_number {
            (CPart::Number, length_while(text, |c| is_of_word(c) || c == '.'))
        } else if first == '"' || first == '\'' {
            (CPart::Quoted, quoted(text, first))
        } else if first.is_whitespace() {
            (CPart::Space, length_while(text, char::is_whitespace))
        } else if text.starts_with("//") {
            (CPart::Space, text.find('\n').unwrap_or(text.len()))
        } else if let Some(inside) = text.strip_prefix("/*") {
            (CPart::Space, inside.find("*/").map_or(text.len(), |end| end + 4))
        } else {
            return Some((CPart::Sign(first), &text[first.len_utf8()..]));
        };
        Some((part(&text[..length]), &text[length..]))
    }

    /// All parts of a text, each with its place in it.
    pub fn all(text: &'t str) -> impl Iterator<Item = (usize, Self)> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let at = text.len() - rest.len();
            let (part, behind) = Self::first(rest)?;
            rest = behind;
            Some((at, part))
        })
    }

    pub fn text(self) -> String {
        match self {
            Self::Name(text) | Self::Number(text) | Self::Quoted(text) | Self::Space(text) => text.to_owned(),
            Self::Sign(sign) => sign.to_string(),
        }
    }
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn length_while(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// The length of a string or a character constant. One that is not closed ends with its line.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return at,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::CPart::{self, Name, Number, Quoted, Sign, Space};

    #[test]
    fn names_in_strings_and_comments_are_none() {
        let parts: Vec<CPart<'_>> =
            CPart::all("a->b \"c\\\"d\" /* e */ 0x1F.p // f\n'g'").map(|(_, part)| part).collect();
        let expected = [
            Name("a"),
            Sign('-'),
            Sign('>'),
            Name("b"),
            Space(" "),
            Quoted("\"c\\\"d\""),
            Space(" "),
            Space("/* e */"),
            Space(" "),
            Number("0x1F.p"),
            Space(" "),
            Space("// f"),
            Space("\n"),
            Quoted("'g'"),
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn what_is_open_ends_with_the_text() {
        for text in ["\"a", "/* a", "'", "// a", "\\", "é", "."] {
            let texts: String = CPart::all(text).map(|(_, part)| part.text()).collect();
            assert_eq!(texts, text);
        }
    }
}
