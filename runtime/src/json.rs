//! JSON, as much of it as reports and trails need.
//!
//! Two hundred lines of our own weigh less than `serde_json`, which every emitted verifier would have to build.
//!
//! Functions are `inline`, so that they are compiled where they are used: in the part of the runtime that is not optimised.

use std::fmt::{self, Write};

/// A JSON value. Objects keep the order of their members.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number with a fraction or an exponent.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object, its fields in order.
    Object(Vec<(String, Json)>),
}

impl From<&str> for Json {
    #[inline]
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    #[inline]
    fn from(text: String) -> Json {
        Json::Text(text)
    }
}

impl From<u64> for Json {
    #[inline]
    fn from(number: u64) -> Json {
        i64::try_from(number).map_or(Json::Number(number as f64), Json::Integer)
    }
}

impl From<bool> for Json {
    #[inline]
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    #[inline]
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}

/// An object from its members.
#[inline]
pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

impl Json {
    /// The field of this name, if this is an object that has it.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if this is a string.
    #[inline]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is a whole number that is not negative.
    #[inline]
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Json::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    #[inline]
    pub fn as_list(&self) -> Option<&[Json]> {
        match self {
            Json::List(items) => Some(items),
            _ => None,
        }
    }

    /// Parses a text that is one JSON value. The error names the byte at which it is not JSON.
    #[inline]
    pub fn parse(text: &str) -> Result<Json, ParseError> {
        let mut parser = Parser { bytes: text.as_bytes(), text, at: 0 };
        let value = parser.value(0)?;
        parser.skip_space();
        if parser.at == text.len() { Ok(value) } else { Err(parser.error()) }
    }
}

/// Indented by two spaces; a list or object without nested ones stays on one line.
impl fmt::Display for Json {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_value(f, self, 0)
    }
}

#[inline]
fn write_value(f: &mut fmt::Formatter<'_>, value: &Json, indent: usize) -> fmt::Result {
    match value {
        Json::Null => f.write_str("null"),
        Json::Bool(value) => write!(f, "{value}"),
        Json::Integer(number) => write!(f, "{number}"),
        Json::Number(number) if number.is_finite() => write!(f, "{number:?}"),
        Json::Number(_) => f.write_str("null"),
        Json::Text(text) => write_text(f, text),
        Json::List(items) => {
            let items = items.iter().map(|item| (None, item));
            write_items(f, items, ['[', ']'], indent)
        }
        Json::Object(members) => {
            let members = members.iter().map(|(name, value)| (Some(name.as_str()), value));
            write_items(f, members, ['{', '}'], indent)
        }
    }
}

#[inline]
fn write_items<'a>(
    f: &mut fmt::Formatter<'_>,
    items: impl Iterator<Item = (Option<&'a str>, &'a Json)> + Clone,
    [open, close]: [char; 2],
    indent: usize,
) -> fmt::Result {
    let is_flat = items.clone().all(|(_, value)| !matches!(value, Json::List(_) | Json::Object(_)));
    f.write_char(open)?;
    for (n, (name, value)) in items.enumerate() {
        if n > 0 {
            f.write_char(',')?;
        }
        match is_flat {
            true if n > 0 => f.write_char(' ')?,
            true => {}
            false => write!(f, "\n{:1$}", "", indent + 2)?,
        }
        if let Some(name) = name {
            write_text(f, name)?;
            f.write_str(": ")?;
        }
        write_value(f, value, indent + 2)?;
    }
    if !is_flat {
        write!(f, "\n{:1$}", "", indent)?;
    }
    f.write_char(close)
}

#[inline]
fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            c if c < ' ' || c == '\u{7f}' => write!(f, "\\u{:04x}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// Text that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The position of the mistake, in bytes.
    pub at: usize,
}

impl fmt::Display for ParseError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not valid JSON at byte {}", self.at)
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

const MAX_DEPTH: usize = 64;

impl Parser<'_> {
    #[inline]
    fn error(&self) -> ParseError {
        ParseError { at: self.at }
    }

    #[inline]
    fn skip_space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips white space and peeks at the next byte.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), ParseError> {
        if self.eat(byte) { Ok(()) } else { Err(self.error()) }
    }

    #[inline]
    fn value(&mut self, depth: usize) -> Result<Json, ParseError> {
        if depth > MAX_DEPTH {
            return Err(self.error());
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    #[inline]
    fn object(&mut self, depth: usize) -> Result<Json, ParseError> {
        self.expect(b'{')?;
        let mut members = Vec::new();
        if self.eat(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_space();
            let name = self.string()?;
            self.expect(b':')?;
            members.push((name, self.value(depth + 1)?));
            if !self.eat(b',') {
                self.expect(b'}')?;
                return Ok(Json::Object(members));
            }
        }
    }

    #[inline]
    fn list(&mut self, depth: usize) -> Result<Json, ParseError> {
        self.expect(b'[')?;
        let mut items = Vec::new();
        if self.eat(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if !self.eat(b',') {
                self.expect(b']')?;
                return Ok(Json::List(items));
            }
        }
    }

    #[inline]
    fn word(&mut self) -> Result<Json, ParseError> {
        for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error())
    }

    #[inline]
    fn number(&mut self) -> Result<Json, ParseError> {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        if let Ok(integer) = text.parse() {
            return Ok(Json::Integer(integer));
        }
        text.parse().map(Json::Number).map_err(|_| ParseError { at: start })
    }

    #[inline]
    fn string(&mut self) -> Result<String, ParseError> {
        self.expect(b'"')?;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else { return Err(self.error()) };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(out),
                '\\' => out.push(self.escape()?),
                c if c < ' ' => return Err(self.error()),
                c => out.push(c),
            }
        }
    }

    #[inline]
    fn escape(&mut self) -> Result<char, ParseError> {
        let Some(&byte) = self.bytes.get(self.at) else { return Err(self.error()) };
        self.at += 1;
        Ok(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let first = self.code_unit()?;
                let mut units = vec![first];
                if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    units.push(self.code_unit()?);
                }
                // Half of a pair is replaced.
                let decoded = char::decode_utf16(units).next();
                decoded.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(self.error()),
        })
    }

    /// The four digits behind `\u`.
    fn code_unit(&mut self) -> Result<u16, ParseError> {
        let digits = self.text.get(self.at..self.at + 4).ok_or(self.error())?;
        let code = u16::from_str_radix(digits, 16).map_err(|_| self.error())?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let value = object([
            ("text", "a \"quoted\"\n\u{1} \\ line ü".into()),
            ("list", Json::List(vec![Json::Integer(-3), Json::Number(0.5), Json::Null, true.into()])),
            ("empty", Json::Object(Vec::new())),
            ("nested", object([("list", Json::List(Vec::new()))])),
        ]);
        assert_eq!(Json::parse(&value.to_string()), Ok(value));
    }

    #[test]
    fn broken_text_is_refused_where_it_breaks() {
        for (text, at) in [("", 0), ("{", 1), ("[1,]", 3), ("{\"a\":1} x", 8), ("\"abc", 4), ("nul", 0), ("--", 0)] {
            assert_eq!(Json::parse(text), Err(ParseError { at }), "{text}");
        }
    }

    #[test]
    fn a_pair_of_escapes_is_one_character() {
        let text = |text: &str| Json::parse(text).map(|json| json.as_text().unwrap_or_default().to_owned());
        assert_eq!(text(r#""\ud83d\ude00 \u00e9 \ud83d""#), Ok("\u{1f600} é \u{fffd}".to_owned()));
    }

    #[test]
    fn deep_nesting_is_refused_and_does_not_overflow_the_stack() {
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}
